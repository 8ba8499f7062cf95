"""Activation modules: elementwise functions of the table `ops.TABLE`, and softmax.

    Sequential(Linear(2, 16), ReLU(), Linear(16, 1))

`activation("relu")` returns one by its name.
"""

import math
from collections.abc import Callable

from adjoint.arrays.axes import Axis
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions import reductions
from adjoint.engine import ops
from adjoint.engine.mathematics.protocol import Array
from adjoint.engine.rule import Op
from adjoint.engine.value import Value
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.module import Module

_BY_NAME: dict[str, Callable[[], Module]] = {}


class Activation(Module):
    """An elementwise function of the table: `class Tanh(Activation, row="tanh")`."""

    row: str

    def __init_subclass__(cls, row: str = "", **options):
        super().__init_subclass__(**options)
        if row:
            cls.row, _BY_NAME[row] = row, cls
            rule: Op = ops.TABLE[row]
            cls.__doc__ = cls.__doc__ or f"{cls.__name__}, elementwise: {rule!r}"

    def forward(self, x: ArrayLike) -> Value | Array:
        operand = as_operand(x)
        method = getattr(operand, self.row, None)  # a method of a Value is faster
        return ops.TABLE[self.row](operand) if method is None else method()


class Tanh(Activation, row="tanh"): ...


class Sigmoid(Activation, row="sigmoid"): ...


class ReLU(Activation, row="relu"): ...


class SiLU(Activation, row="silu"): ...


class Softplus(Activation, row="softplus"): ...


class LeakyReLU(Activation, row="leaky_relu"):
    """x where x is positive, `negative_slope * x` elsewhere.

    >>> LeakyReLU(0.1)([2.0, -2.0])
    array([ 2. , -0.2])
    """

    def __init__(self, negative_slope: float = 0.01):
        self.negative_slope = negative_slope

    def forward(self, x: ArrayLike) -> Value | Array:
        return ops.leaky_relu(as_operand(x), self.negative_slope)


class ELU(Activation, row="elu"):
    """x where x is positive, `alpha * (exp(x) - 1)` elsewhere."""

    def __init__(self, alpha: float = 1.0):
        self.alpha = alpha

    def forward(self, x: ArrayLike) -> Value | Array:
        return ops.elu(as_operand(x), self.alpha)


class GELU(Activation, row="gelu"):
    """x times the standard normal cumulative distribution at x; `approximate="tanh"` is the form used by GPT-2."""

    def __init__(self, approximate: str = "none"):
        if approximate not in ("none", "tanh"):
            raise unknown_name_error("approximation", approximate, ("none", "tanh"))
        self.approximate = approximate

    def forward(self, x: ArrayLike) -> Value | Array:
        if self.approximate == "none":
            return super().forward(x)
        given = as_operand(x)
        return 0.5 * given * (1 + ops.tanh(math.sqrt(2 / math.pi) * (given + 0.044715 * given * given * given)))


class Softmax(Module):
    """exp(x), normalized to sum to 1 along an axis.

    >>> Softmax()([0.0, 0.0])
    array([0.5, 0.5])
    """

    def __init__(self, dim: Axis = -1):
        self.dim = dim

    def forward(self, x: ArrayLike) -> Value | Array:
        return reductions.softmax(x, self.dim)


class LogSoftmax(Module):
    """The logarithm of softmax along an axis, without underflow."""

    def __init__(self, dim: Axis = -1):
        self.dim = dim

    def forward(self, x: ArrayLike) -> Value | Array:
        return reductions.log_softmax(x, self.dim)


class Identity(Module):
    """Returns its input unchanged."""

    def forward(self, x: ArrayLike) -> ArrayLike:
        return x


_BY_NAME |= {"softmax": Softmax, "log_softmax": LogSoftmax, "linear": Identity}


def activation(name: str) -> Module:
    """Return the activation module of that name; "linear" is the identity.

    >>> activation("relu")
    ReLU()
    """
    if name not in _BY_NAME:
        raise unknown_name_error("activation", name, _BY_NAME)
    return _BY_NAME[name]()
