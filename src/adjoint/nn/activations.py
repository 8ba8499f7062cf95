"""Activations as modules: one for each row of the table that serves as one, and softmax.

    Sequential(Linear(2, 16), ReLU(), Linear(16, 1))

`activation("relu")` finds one by its name.
"""

import math
from collections.abc import Callable
from typing import Any

from adjoint.arrays.axes import Axis, as_operand
from adjoint.arrays.functions import reductions
from adjoint.engine import ops
from adjoint.engine.rule import Op
from adjoint.errors.suggest import unknown
from adjoint.nn.module import Module

_BY_NAME: dict[str, Callable[[], Module]] = {}


class Activation(Module):
    """A row of the table, element by element: `class Tanh(Activation, row="tanh")`."""

    row: str

    def __init_subclass__(cls, row: str = "", **options):
        super().__init_subclass__(**options)
        if row:
            cls.row, _BY_NAME[row] = row, cls
            rule: Op = ops.TABLE[row]
            cls.__doc__ = cls.__doc__ or f"{cls.__name__}, element by element: {rule!r}"

    def forward(self, x: Any) -> Any:
        x = as_operand(x)
        method = getattr(x, self.row, None)  # of a Value: the fast way
        return ops.TABLE[self.row](x) if method is None else method()


class Tanh(Activation, row="tanh"): ...


class Sigmoid(Activation, row="sigmoid"): ...


class ReLU(Activation, row="relu"): ...


class SiLU(Activation, row="silu"): ...


class Softplus(Activation, row="softplus"): ...


class LeakyReLU(Activation, row="leaky_relu"):
    """x where it is positive, and `negative_slope` times x elsewhere.

    >>> LeakyReLU(0.1)([2.0, -2.0])
    array([ 2. , -0.2])
    """

    def __init__(self, negative_slope: float = 0.01):
        self.negative_slope = negative_slope

    def forward(self, x: Any) -> Any:
        return ops.leaky_relu(as_operand(x), self.negative_slope)


class ELU(Activation, row="elu"):
    """x where it is positive, and `alpha` times exp(x) - 1 elsewhere."""

    def __init__(self, alpha: float = 1.0):
        self.alpha = alpha

    def forward(self, x: Any) -> Any:
        return ops.elu(as_operand(x), self.alpha)


class GELU(Activation, row="gelu"):
    """x times the probability that a normal variable is below it; `approximate="tanh"` is the form of GPT-2."""

    def __init__(self, approximate: str = "none"):
        if approximate not in ("none", "tanh"):
            raise unknown("approximation", approximate, ("none", "tanh"))
        self.approximate = approximate

    def forward(self, x: Any) -> Any:
        if self.approximate == "none":
            return super().forward(x)
        x = as_operand(x)
        return 0.5 * x * (1 + ops.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


class Softmax(Module):
    """exp(x) scaled to the sum 1 along an axis.

    >>> Softmax()([0.0, 0.0])
    array([0.5, 0.5])
    """

    def __init__(self, dim: Axis = -1):
        self.dim = dim

    def forward(self, x: Any) -> Any:
        return reductions.softmax(x, self.dim)


class LogSoftmax(Module):
    """The logarithm of softmax along an axis, computed so that nothing is lost."""

    def __init__(self, dim: Axis = -1):
        self.dim = dim

    def forward(self, x: Any) -> Any:
        return reductions.log_softmax(x, self.dim)


class Identity(Module):
    """What comes in, as it is."""

    def forward(self, x: Any) -> Any:
        return x


_BY_NAME |= {"softmax": Softmax, "log_softmax": LogSoftmax, "linear": Identity}


def activation(name: str) -> Module:
    """Return the module of an activation by its name; "linear" is none at all.

    >>> activation("relu")
    ReLU()
    """
    if name not in _BY_NAME:
        raise unknown("activation", name, _BY_NAME)
    return _BY_NAME[name]()
