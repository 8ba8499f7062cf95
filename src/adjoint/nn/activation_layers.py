"""Activation modules: elementwise functions of the table `ops.TABLE`, softmax and gates.

    Sequential(Linear(2, 16), ReLU(), Linear(16, 1))

`activation("relu")` returns one by its name.
"""

from collections.abc import Callable
from functools import partial

from adjoint.arrays.axes import Axis, shape_of
from adjoint.arrays.functions import activations
from adjoint.arrays.kinds import array_code, as_operand
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ShapeError
from adjoint.errors.given import whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.module import Functional, Module, options_of

_ROWS = {row.replace("_", ""): row for row in ops.TABLE}  # without underscores, as in the names of layers: LeakyReLU
_BY_NAME: dict[str, Callable[[], Module]] = {}


class Activation(Module):
    """An elementwise function of the table: `class Tanh(Activation)` is a layer of the row `tanh`.

    The arguments of the constructor are kept as attributes, and become the numbers of the row.
    """

    row: str
    _options: tuple[str, ...]

    def __init__(self, inplace: bool = False):
        """Accept PyTorch's argument `inplace`, which has no effect: results are new Values."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if Activation in cls.__bases__:  # not a user's class, which is one of these
            row = _ROWS[cls.__name__.lower()]
            cls.row, cls._options, _BY_NAME[row] = row, () if "forward" in vars(cls) else options_of(cls), cls

    def forward(self, x: "ArrayLike") -> Value:
        operand = as_operand(x)
        if self._options:
            return ops.TABLE[self.row](operand, *[getattr(self, name) for name in self._options])
        method = getattr(operand, self.row, None)  # a method of a Value is faster
        return ops.TABLE[self.row](operand) if method is None else method()


class Tanh(Activation):
    """The hyperbolic tangent of x.

    >>> from adjoint import nn
    >>> nn.Tanh()([-1.0, 0.0, 1.0]).round(4)
    array([-0.7616,  0.    ,  0.7616])
    """


class Sigmoid(Activation):
    """1 / (1 + exp(-x)).

    >>> from adjoint import nn
    >>> nn.Sigmoid()([-1.0, 0.0, 1.0]).round(4)
    array([0.2689, 0.5   , 0.7311])
    """


class ReLU(Activation):
    """x where x is positive, 0 elsewhere.

    >>> from adjoint import nn
    >>> nn.ReLU()([-1.0, 0.0, 2.0])
    array([0., 0., 2.])
    """


class SiLU(Activation):
    """x times the sigmoid of x.

    >>> from adjoint import nn
    >>> nn.SiLU()([-1.0, 0.0, 1.0]).round(4)
    array([-0.2689,  0.    ,  0.7311])
    """


class Softplus(Activation):
    """log(1 + exp(beta·x)) / beta; with a `threshold`, x itself where beta·x is above it. PyTorch's threshold is 20.

    >>> from adjoint import nn
    >>> nn.Softplus()([0.0, 100.0]).round(6)
    array([  0.693147, 100.      ])
    """

    def __init__(self, beta: float = 1.0, threshold: float | None = None):
        self.beta, self.threshold = beta, threshold

    def forward(self, x: "ArrayLike") -> Value:
        if self.beta == 1 and self.threshold is None:
            return super().forward(x)
        return activations.softplus(x, self.beta, self.threshold)


class Softsign(Activation):
    """x / (1 + |x|).

    >>> from adjoint import nn
    >>> nn.Softsign()([-1.0, 0.0, 3.0])
    array([-0.5 ,  0.  ,  0.75])
    """


class LogSigmoid(Activation):
    """The logarithm of the sigmoid of x, without underflow.

    >>> from adjoint import nn
    >>> nn.LogSigmoid()([-100.0, 0.0]).round(4)
    array([-100.    ,   -0.6931])
    """


class Tanhshrink(Activation):
    """x - tanh(x).

    >>> from adjoint import nn
    >>> nn.Tanhshrink()([-1.0, 0.0, 1.0]).round(4)
    array([-0.2384,  0.    ,  0.2384])
    """


class Mish(Activation):
    """x times the hyperbolic tangent of softplus(x).

    >>> from adjoint import nn
    >>> nn.Mish()([-1.0, 0.0, 1.0]).round(4)
    array([-0.3034,  0.    ,  0.8651])
    """


class ReLU6(Activation):
    """x limited to the numbers from 0 to 6.

    >>> from adjoint import nn
    >>> nn.ReLU6()([-1.0, 2.0, 8.0])
    array([0., 2., 6.])
    """


class Hardsigmoid(Activation):
    """x / 6 + 1 / 2, limited to the numbers from 0 to 1: a sigmoid of straight lines.

    >>> from adjoint import nn
    >>> nn.Hardsigmoid()([-4.0, 0.0, 1.5, 4.0])
    array([0.  , 0.5 , 0.75, 1.  ])
    """


class Hardswish(Activation):
    """x times the hard sigmoid of x.

    >>> from adjoint import nn
    >>> nn.Hardswish()([0.0, 1.5, 4.0])
    array([0.   , 1.125, 4.   ])
    """


class SELU(Activation):
    """x where x is positive, `alpha * (exp(x) - 1)` elsewhere, times a scale that preserves mean 0 and variance 1.

    >>> from adjoint import nn
    >>> nn.SELU()([-1.0, 0.0, 1.0]).round(4)
    array([-1.1113,  0.    ,  1.0507])
    """


class Hardtanh(Activation):
    """x limited to two numbers, -1 and 1 by default; the derivative is 0 at them and beyond.

    >>> from adjoint import nn
    >>> nn.Hardtanh()([-2.0, 0.5, 2.0])
    array([-1. ,  0.5,  1. ])
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False):
        self.min_val, self.max_val = min_val, max_val

    def forward(self, x: "ArrayLike") -> Value:
        return activations.hardtanh(x, self.min_val, self.max_val)


class Hardshrink(Activation):
    """x where its size is above `lambd`, 0 elsewhere.

    >>> from adjoint import nn
    >>> nn.Hardshrink(0.5)([-2.0, 0.25, 2.0])
    array([-2.,  0.,  2.])
    """

    def __init__(self, lambd: float = 0.5):
        self.lambd = lambd


class Softshrink(Activation):
    """x moved towards 0 by `lambd`, and 0 where its size is at most that.

    >>> from adjoint import nn
    >>> nn.Softshrink(0.5)([-2.0, 0.25, 2.0])
    array([-1.5,  0. ,  1.5])
    """

    def __init__(self, lambd: float = 0.5):
        self.lambd = lambd


class CELU(Activation):
    """x where x is positive, `alpha * (exp(x / alpha) - 1)` elsewhere: its slope is continuous for every `alpha`.

    >>> from adjoint import nn
    >>> nn.CELU(alpha=2.0)([-100.0, 0.0, 1.0])
    array([-2.,  0.,  1.])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False):
        self.alpha = alpha


class Threshold(Functional, function=activations.threshold):
    """x where it is above `threshold`, `value` elsewhere.

    >>> from adjoint import nn
    >>> nn.Threshold(0.5, 0.0)([0.25, 2.0])
    array([0., 2.])
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False):
        self.threshold, self.value = threshold, value


class LeakyReLU(Activation):
    """x where x is positive, `negative_slope * x` elsewhere.

    >>> from adjoint import nn
    >>> nn.LeakyReLU(0.1)([2.0, -2.0])
    array([ 2. , -0.2])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False):
        self.negative_slope = negative_slope


class ELU(Activation):
    """x where x is positive, `alpha * (exp(x) - 1)` elsewhere.

    >>> from adjoint import nn
    >>> nn.ELU(alpha=2.0)([-100.0, 0.0, 1.0])
    array([-2.,  0.,  1.])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False):
        self.alpha = alpha


class GELU(Activation):
    """x times the standard normal cumulative distribution at x; `approximate="tanh"` is the form used by GPT-2.

    >>> from adjoint import nn
    >>> nn.GELU()([-1.0, 0.0, 1.0]).round(4)
    array([-0.1587,  0.    ,  0.8413])
    >>> nn.GELU(approximate="tanh")([1.0]).round(4)
    array([0.8412])
    """

    def __init__(self, approximate: str = "none"):
        if approximate not in ("none", "tanh"):
            raise unknown_name_error("approximation", approximate, ("none", "tanh"))
        self.approximate = approximate

    def forward(self, x: "ArrayLike") -> Value:
        return super().forward(x) if self.approximate == "none" else ops.gelu_tanh(as_operand(x))


class PReLU(Module):
    """x where x is positive, a learned weight times x elsewhere: one weight, or one for each channel, on axis 1.

    >>> from adjoint import nn
    >>> nn.PReLU(init=0.1)([[2.0, -2.0]]).data
    array([[ 2. , -0.2]])
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, *, dtype="float64"):
        self.num_parameters, self.init = whole(num_parameters, "PReLU: num_parameters"), init
        from adjoint.nn.weight_draws import full_tensor

        self.weight = full_tensor(self.num_parameters, init, dtype)

    def forward(self, x: "ArrayLike") -> Value:
        return activations.prelu(as_input(x, self.weight), self.weight)


class Softmax(Module):
    """exp(x), normalized to sum to 1 along an axis.

    >>> from adjoint import nn
    >>> nn.Softmax()([0.0, 0.0])
    array([0.5, 0.5])
    """

    def __init__(self, dim: Axis = -1):
        self.dim = dim

    def forward(self, x: "ArrayLike") -> Value:
        return array_code("functions.reductions").softmax(x, self.dim)


class Softmax2d(Module):
    """The softmax over the channels of images: (samples, channels, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> bool((nn.Softmax2d()(np.zeros((1, 2, 3, 3))) == 0.5).all())
    True
    """

    def forward(self, x: "ArrayLike") -> Value:
        given = as_operand(x)
        if len(shape_of(given)) not in (3, 4):
            raise ShapeError(f"expected an input of shape (samples, channels, height, width), not {shape_of(given)}")
        return array_code("functions.reductions").softmax(given, -3)


class LogSoftmax(Module):
    """The logarithm of softmax along an axis, without underflow.

    >>> from adjoint import nn
    >>> nn.LogSoftmax()([1000.0, 0.0])
    array([    0., -1000.])
    """

    def __init__(self, dim: Axis = -1):
        self.dim = dim

    def forward(self, x: "ArrayLike") -> Value:
        return array_code("functions.reductions").log_softmax(x, self.dim)


class Softmin(Functional, function=activations.softmin):
    """The softmax of -x along an axis.

    >>> from adjoint import nn
    >>> nn.Softmin()([0.0, 1000.0])
    array([1., 0.])
    """

    def __init__(self, dim: Axis = -1):
        self.dim = dim


class GLU(Functional, function=activations.glu):
    """The gated linear unit: the first half along an axis times the sigmoid of the second half.

    >>> from adjoint import nn
    >>> nn.GLU()([3.0, 0.0])
    array([1.5])
    """

    def __init__(self, dim: int = -1):
        self.dim = dim


class Identity(Module):
    """Returns its input unchanged.

    >>> from adjoint import nn
    >>> nn.Identity()([1.0, 2.0])
    [1.0, 2.0]
    """

    def forward(self, x: "ArrayLike") -> "ArrayLike":
        return x


_BY_NAME |= {
    "softmax": Softmax,
    "log_softmax": LogSoftmax,
    "softmin": Softmin,
    "glu": GLU,
    "linear": Identity,
    "gelu_tanh": partial(GELU, "tanh"),
}


def activation(name: str) -> Module:
    """Return the activation module of that name; "linear" is the identity.

    >>> from adjoint import nn
    >>> nn.activation("relu")
    ReLU()
    """
    if name not in _BY_NAME:
        raise unknown_name_error("activation", name, _BY_NAME)
    return _BY_NAME[name]()
