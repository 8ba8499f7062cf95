"""Modules that apply one function: `class MSELoss(Functional, function=mse)`."""

import inspect
from collections.abc import Callable

from adjoint.engine.value import Value
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.module import Module


class Functional(Module):
    """The base class of modules that apply a function to their inputs.

    The arguments of the constructor are kept as attributes, and become options of the function; except `inplace`.
    """

    _function: Callable[..., Value]
    _options: tuple[str, ...]

    def __init_subclass__(cls, function: Callable[..., Value] | None = None, **options):
        super().__init_subclass__(**options)
        if function is not None:
            cls._function, cls._options = staticmethod(function), options_of(cls)

    def forward(self, *inputs: "ArrayLike", **named: "ArrayLike") -> Value:
        return self._function(*inputs, **named, **{name: getattr(self, name) for name in self._options})


def options_of(module: type[Module]) -> tuple[str, ...]:
    """Return the arguments of a constructor that change a result; PyTorch's `inplace` has no effect."""
    return tuple(name for name in inspect.signature(module).parameters if name != "inplace")
