"""Array layers: linear, embedding, flatten and sequential.

Names, layouts and initial distributions are those of `torch.nn`. Weights are float64 by default, like NumPy arrays;
`dtype="float32"` or `model.astype("float32")` makes them smaller and faster. The plain arrays that a layer is called
with are converted to the dtype of its weights.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.axes import one_axis, shape_of
from adjoint.arrays.convert import as_data, as_operand
from adjoint.arrays.functions import products, shaping
from adjoint.arrays.functions.indexing import embedding
from adjoint.arrays.randomness import Seed, generator
from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, whole
from adjoint.nn.indices import as_indices
from adjoint.nn.init import parameter
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.module import Module


class Linear(Module):
    """An affine map of the last axis: `x @ weight.T + bias`.

    `weight` has shape (out_features, in_features) and `bias` has shape (out_features,). Both are drawn uniformly
    between ±1/√in_features, as in PyTorch. `bias=False` leaves the bias out; the same `seed` draws the same numbers.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> layer = nn.Linear(3, 2, seed=0)
    >>> layer(np.ones((5, 3))).shape
    (5, 2)
    >>> layer
    Linear(3, 2), 8 parameters
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, *, seed: Seed = None, dtype="float64"):
        self.in_features = whole(in_features, "Linear: in_features")
        self.out_features = whole(out_features, "Linear: out_features")
        rng, bound = generator(seed), 1 / math.sqrt(self.in_features)
        self.weight = parameter((self.out_features, self.in_features), bound, rng, dtype)
        self.bias = parameter((self.out_features,), bound, rng, dtype) if bias else None

    def forward(self, x: "ArrayLike") -> Tensor:
        given = as_input(x, self.weight)
        shape = shape_of(given)
        if not shape or shape[-1] != self.in_features:
            raise ShapeError(f"expected an input of shape (…, {self.in_features}), not {shape}")
        return products.linear(given, self.weight, self.bias)


class Embedding(Module):
    """A table of `num_embeddings` vectors that are looked up by index, for tokens such as words or characters.

    The row `padding_idx`, if it is given, is zero at first and receives no gradient.

    >>> from adjoint import nn
    >>> nn.Embedding(27, 10, seed=0)([[0, 5], [26, 5]]).shape
    (2, 2, 10)
    """

    padding_idx: int | None = None

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        self.num_embeddings = whole(num_embeddings, "Embedding: num_embeddings")
        self.embedding_dim = whole(embedding_dim, "Embedding: embedding_dim")
        numbers = generator(seed).normal(size=(self.num_embeddings, self.embedding_dim))
        if padding_idx is not None:
            if not isinstance(padding_idx, int) or not -len(numbers) <= padding_idx < len(numbers):
                raise ArgumentError(
                    f"Embedding: padding_idx must be within {len(numbers)} embeddings, not {describe(padding_idx)}"
                )
            self.padding_idx = padding_idx % len(numbers)
            numbers[self.padding_idx] = 0.0
        self.weight = make_leaf(as_data(numbers, dtype))

    def forward(self, indices: "ArrayLike") -> Tensor:
        if self.padding_idx is not None and self.training:
            from adjoint.nn import functional  # most programs do not need it

            return functional.embedding(indices, self.weight, self.padding_idx)
        return embedding(self.weight, as_indices(indices, self.num_embeddings, "index", "embeddings"))


class Flatten(Module):
    """Merges the axes from `start_dim` to `end_dim` into one; the defaults keep the batch axis and merge the others.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Flatten()(np.zeros((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: "ArrayLike") -> Value:
        given = as_operand(x)
        shape = shape_of(given)
        start = one_axis(self.start_dim, len(shape), "Flatten")
        end = one_axis(self.end_dim, len(shape), "Flatten") + 1
        return shaping.reshape(given, (*shape[:start], math.prod(shape[start:end]), *shape[end:]))


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
        """Return the layers by name: a parameter or a buffer of the model itself is none."""
        return {name: x for name, x in list(vars(self).items()) if isinstance(x, Module) and not name.startswith("_")}

    def _layers(self) -> list[Module]:
        return list(self._named().values())

    def append(self, layer: Layer) -> "Sequential":
        """Append a layer; return the model."""
        self._add(str(len(self)), layer)
        return self

    def forward(self, x: Any) -> Value:
        for layer in self._layers():
            x = layer(x)
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
