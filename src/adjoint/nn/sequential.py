"""Sequential: modules and functions that are applied one after the other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.nn.module import Module

_RETURNS_A_TUPLE = (
    "{0} returns a tuple, the outputs of all steps and the last state, which the next layer of this Sequential cannot "
    "use. Put a function between them that takes what it needs: nn.Sequential(nn.{0}(…), lambda found: found[0], …)"
)
Layer = Module | Callable[..., Any]


class Function(Module):
    """A function as a layer."""

    def __init__(self, function: Callable[..., Any]):
        self.function = function

    def forward(self, *inputs: Any, **options: Any) -> Any:
        return self.function(*inputs, **options)

    def _headline(self) -> str:
        return getattr(self.function, "name", getattr(self.function, "__name__", type(self.function).__name__))


class Sequential(Module):
    """Layers that are applied one after the other. Any function may be a layer.

    >>> import adjoint
    >>> from adjoint import nn
    >>> model = nn.Sequential(nn.Linear(2, 16, seed=0), adjoint.tanh, nn.Linear(16, 1, seed=1))
    >>> model([[1.0, 2.0]]).shape
    (1, 1)
    >>> model
    Sequential(
      (0): Linear(2, 16), 48 parameters
      (1): tanh
      (2): Linear(16, 1), 17 parameters
    ), 65 parameters
    >>> model[-1]
    Linear(16, 1), 17 parameters
    >>> model[-1] = nn.Linear(16, 3)
    """

    def __init__(self, *layers: Layer | Sequence[Layer] | Mapping[str, Layer]):
        if len(layers) == 1 and isinstance(layers[0], Mapping):
            named = {str(name): layer for name, layer in layers[0].items()}
        else:
            flat = layers[0] if len(layers) == 1 and isinstance(layers[0], (list, tuple)) else layers
            named = {str(i): layer for i, layer in enumerate(flat)}
        for name, layer in named.items():
            self._add(name, layer)

    def _add(self, name: str, layer: object) -> None:
        if not callable(layer) or isinstance(layer, type):
            hint = f"; create an instance: {layer.__name__}(…)" if isinstance(layer, type) else ""
            raise ArgumentError(f"Sequential: a layer must be a module or a function, not {describe(layer)}{hint}")
        if not name or "." in name or hasattr(Module, name):
            raise ArgumentError(
                f"Sequential: {name!r} cannot name a layer; use a name without dots that Module does not define"
            )
        setattr(self, name, layer if isinstance(layer, Module) else Function(layer))

    def _named(self) -> dict[str, Module]:
        """Return the layers by name, without the model's own parameters and buffers."""
        return {name: x for name, x in list(vars(self).items()) if isinstance(x, Module) and not name.startswith("_")}

    def _layers(self) -> list[Module]:
        return list(self._named().values())

    def append(self, layer: Layer) -> "Sequential":
        """Append a layer; return the model."""
        self._add(str(len(self)), layer)
        return self

    def forward(self, x: Any) -> Value:
        before: Module = self
        for layer in self._layers():
            try:
                x, before = layer(x), layer
            except Exception as error:
                if type(x) is tuple and type(before).__name__ in ("RNN", "LSTM", "GRU"):
                    raise ArgumentError(_RETURNS_A_TUPLE.format(type(before).__name__)) from error
                raise
        return x

    def __len__(self) -> int:
        return len(self._layers())

    def __iter__(self) -> Iterator[Module]:
        return iter(self._layers())

    def __getitem__(self, index: int | slice) -> Any:
        layers = self._layers()
        return Sequential(*layers[index]) if isinstance(index, slice) else layers[index]

    def __setitem__(self, index: int, layer: Layer) -> None:
        self._add(list(self._named())[index], layer)
