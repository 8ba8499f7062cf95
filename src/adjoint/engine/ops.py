"""The calculus of the elementwise operations: one row per operation.

A row defines how to compute the operation and its partial derivative for each operand, as ordinary
expressions that work on any kind of operand:

    tanh = row("tanh", lambda m, x: m.tanh(x), lambda m, y, x: 1 - y * y)

`m` provides the functions for the operands; `x, z, …` are the operands; `y` is the result. Evaluated with
floats, a row computes numbers; with Values, it gives derivatives that can be differentiated again; with
symbols, it prints as mathematics, as the C of the native core and as the JavaScript of the lab's page. No other
file has the derivative of an elementwise operation. The rules of whole arrays, such as products and reductions, are
in `arrays/functions`.

For scalar Values this module itself is the `m`: `m.tanh(x)` is `ops.tanh(x)`, which applies the row to a
Value. That is why `where` and `equal` are here. `mathematics/protocol.py` lists every `m`.

At kinks and edges the rows follow PyTorch: relu'(0) = 0, ties of `maximum` split the gradient, and NaN
propagates.
"""

import math
from collections.abc import Callable

from adjoint.engine.rule import Op, op, row
from adjoint.errors.given import is_traced


def where(condition, x, z):
    """Return `x` if the condition holds, else `z`; the condition receives no gradient."""
    if is_traced(condition):  # known when the program that is being recorded runs
        return condition._where(x, z)
    return x if condition else z


def equal(x, z):
    """Return whether two numbers or Values hold the same number (`==` on Values of numbers compares identity)."""
    if is_traced(below := x <= z):
        return below & (x >= z)
    return below and x >= z


add = row("+", lambda m, x, z: x + z, lambda m, y, x, z: 1.0, lambda m, y, x, z: 1.0)
sub = row("-", lambda m, x, z: x - z, lambda m, y, x, z: 1.0, lambda m, y, x, z: -1.0)
mul = row("*", lambda m, x, z: x * z, lambda m, y, x, z: z, lambda m, y, x, z: x)
div = row("/", lambda m, x, z: x / z, lambda m, y, x, z: 1 / z, lambda m, y, x, z: -y / z)
pow = row(
    "**",
    lambda m, x, z: m.pow(x, z),
    lambda m, y, x, z: m.where(m.equal(z, 0), 0.0, z * m.pow(x, z - 1)),
    lambda m, y, x, z: m.where(m.equal(x, 0) & (z >= 0), 0.0, y * m.log(x)),
)
neg = row("neg", lambda m, x: -x, lambda m, y, x: -1.0)
abs = row("abs", lambda m, x: m.abs(x), lambda m, y, x: m.where(x > 0, 1.0, m.where(x < 0, -1.0, 0.0)))
maximum = row(
    "maximum",
    lambda m, x, z: m.maximum(x, z),
    lambda m, y, x, z: m.where(x < z, 0.0, m.where(m.equal(x, z), 0.5, 1.0)),
    lambda m, y, x, z: m.where(z < x, 0.0, m.where(m.equal(x, z), 0.5, 1.0)),
)
minimum = row(
    "minimum",
    lambda m, x, z: m.minimum(x, z),
    lambda m, y, x, z: m.where(x > z, 0.0, m.where(m.equal(x, z), 0.5, 1.0)),
    lambda m, y, x, z: m.where(z > x, 0.0, m.where(m.equal(x, z), 0.5, 1.0)),
)

exp = row("exp", lambda m, x: m.exp(x), lambda m, y, x: y)
exp2 = row("exp2", lambda m, x: m.exp2(x), lambda m, y, x: y * math.log(2))
expm1 = row("expm1", lambda m, x: m.expm1(x), lambda m, y, x: m.exp(x))
log = row("log", lambda m, x: m.log(x), lambda m, y, x: 1 / x)
log1p = row("log1p", lambda m, x: m.log1p(x), lambda m, y, x: 1 / (1 + x))
log2 = row("log2", lambda m, x: m.log2(x), lambda m, y, x: 1 / (x * math.log(2)))
log10 = row("log10", lambda m, x: m.log10(x), lambda m, y, x: 1 / (x * math.log(10)))
sqrt = row("sqrt", lambda m, x: m.sqrt(x), lambda m, y, x: 0.5 / y)
cbrt = row("cbrt", lambda m, x: m.cbrt(x), lambda m, y, x: 1 / (3 * (y * y)))
hypot = row("hypot", lambda m, x, z: m.hypot(x, z), lambda m, y, x, z: x / y, lambda m, y, x, z: z / y)

sin = row("sin", lambda m, x: m.sin(x), lambda m, y, x: m.cos(x))
cos = row("cos", lambda m, x: m.cos(x), lambda m, y, x: -m.sin(x))
tan = row("tan", lambda m, x: m.tan(x), lambda m, y, x: 1 + y * y)
asin = row("asin", lambda m, x: m.asin(x), lambda m, y, x: 1 / m.sqrt((1 - x) * (1 + x)))
acos = row("acos", lambda m, x: m.acos(x), lambda m, y, x: -1 / m.sqrt((1 - x) * (1 + x)))
atan = row("atan", lambda m, x: m.atan(x), lambda m, y, x: 1 / (1 + x * x))
sinh = row("sinh", lambda m, x: m.sinh(x), lambda m, y, x: m.cosh(x))
cosh = row("cosh", lambda m, x: m.cosh(x), lambda m, y, x: m.sinh(x))
tanh = row("tanh", lambda m, x: m.tanh(x), lambda m, y, x: 1 - y * y)
asinh = row("asinh", lambda m, x: m.asinh(x), lambda m, y, x: 1 / m.hypot(x, 1.0))
acosh = row("acosh", lambda m, x: m.acosh(x), lambda m, y, x: 1 / (m.sqrt(x - 1) * m.sqrt(x + 1)))
atanh = row("atanh", lambda m, x: m.atanh(x), lambda m, y, x: 1 / ((1 - x) * (1 + x)))

square = row("square", lambda m, x: x * x, lambda m, y, x: 2 * x)
# |x| and not x, because the sign of -0.0 is 0.0
sign = row("sign", lambda m, x: m.where(x > 0, 1.0, m.where(x < 0, -1.0, m.abs(x))), lambda m, y, x: 0.0)
floor = row("floor", lambda m, x: m.floor(x), lambda m, y, x: 0.0)
ceil = row("ceil", lambda m, x: m.ceil(x), lambda m, y, x: 0.0)
trunc = row("trunc", lambda m, x: m.trunc(x), lambda m, y, x: 0.0)
round = row("round", lambda m, x: m.round(x), lambda m, y, x: 0.0)  # half to even

# Python's %: the result has the sign of z; and fmod is that of C: the result has the sign of x
remainder = row(
    "%",
    lambda m, x, z: m.remainder(x, z),
    lambda m, y, x, z: 1.0,
    lambda m, y, x, z: -m.floor_divide(x, z),
)
floor_divide = row("//", lambda m, x, z: m.floor_divide(x, z), lambda m, y, x, z: 0.0, lambda m, y, x, z: 0.0)
fmod = row("fmod", lambda m, x, z: m.fmod(x, z), lambda m, y, x, z: 1.0, lambda m, y, x, z: -m.trunc(x / z))
copysign = row(
    "copysign",
    lambda m, x, z: m.copysign(x, z),
    lambda m, y, x, z: sign(x) * m.copysign(1.0, z),
    lambda m, y, x, z: 0.0,
)

# exp(-|x|) is at most 1: nothing overflows, however large x is
sigmoid = row(
    "sigmoid",
    lambda m, x: m.where(x >= 0, 1.0, m.exp(-m.abs(x))) / (1 + m.exp(-m.abs(x))),
    lambda m, y, x: y * (1 - y),
)
softplus = row(
    "softplus",
    lambda m, x: m.maximum(x, 0.0) + m.log1p(m.exp(-m.abs(x))),
    lambda m, y, x: sigmoid(x),
)
# equal operands apart: the difference of two infinities is NaN
logaddexp = row(
    "logaddexp",
    lambda m, x, z: m.where(m.equal(x, z), x + math.log(2), m.maximum(x, z) + m.log1p(m.exp(-m.abs(x - z)))),
    lambda m, y, x, z: sigmoid(x - z),
    lambda m, y, x, z: sigmoid(z - x),
)
relu = row("relu", lambda m, x: m.where(x <= 0, 0.0, x), lambda m, y, x: m.where(x <= 0, 0.0, 1.0))
leaky_relu = row(
    "leaky_relu",
    lambda m, x, a=0.01: m.where(x > 0, x, a * x),
    lambda m, y, x, a: m.where(x > 0, 1.0, a),
    lambda m, y, x, a: m.where(x > 0, 0.0, x),
)
silu = row(
    "silu",
    lambda m, x: x * sigmoid(x),
    lambda m, y, x: sigmoid(x) * (1 + x * (1 - sigmoid(x))),
)
erf = row("erf", lambda m, x: m.erf(x), lambda m, y, x: m.exp(-(x * x)) * (2 / math.sqrt(math.pi)))

# --- longer rules ---

# hypot and not squares, which overflow
atan2 = row(
    "atan2",
    lambda m, x, z: m.atan2(x, z),
    lambda m, y, x, z: (
        z
        / m.where(m.equal(x, 0) & m.equal(z, 0), 1.0, m.hypot(x, z))
        / m.where(m.equal(x, 0) & m.equal(z, 0), 1.0, m.hypot(x, z))
    ),
    lambda m, y, x, z: (
        -x
        / m.where(m.equal(x, 0) & m.equal(z, 0), 1.0, m.hypot(x, z))
        / m.where(m.equal(x, 0) & m.equal(z, 0), 1.0, m.hypot(x, z))
    ),
)
elu = row(
    "elu",
    lambda m, x, a=1.0: m.where(x > 0, x, a * m.expm1(m.where(x > 0, 0.0, x))),
    lambda m, y, x, a: m.where(x > 0, 1.0, a * m.exp(m.where(x > 0, 0.0, x))),
    lambda m, y, x, a: m.where(x > 0, 0.0, m.expm1(m.where(x > 0, 0.0, x))),
)
gelu = row(
    "gelu",
    lambda m, x: 0.5 * x * (1 + m.erf(x / math.sqrt(2))),
    lambda m, y, x: 0.5 * (1 + m.erf(x / math.sqrt(2))) + x * m.exp(-0.5 * (x * x)) / math.sqrt(2 * math.pi),
)

# --- activations of networks ---

softsign = row("softsign", lambda m, x: x / (1 + m.abs(x)), lambda m, y, x: 1 / ((1 + m.abs(x)) * (1 + m.abs(x))))
logsigmoid = row("logsigmoid", lambda m, x: -softplus(-x), lambda m, y, x: sigmoid(-x))
tanhshrink = row("tanhshrink", lambda m, x: x - m.tanh(x), lambda m, y, x: m.tanh(x) * m.tanh(x))
mish = row(
    "mish",
    lambda m, x: x * m.tanh(softplus(x)),
    lambda m, y, x: m.tanh(softplus(x)) + x * (1 - m.tanh(softplus(x)) * m.tanh(softplus(x))) * sigmoid(x),
)
quick_gelu = row(
    "quick_gelu",
    lambda m, x: x * sigmoid(1.702 * x),
    lambda m, y, x: sigmoid(1.702 * x) * (1 + 1.702 * x * (1 - sigmoid(1.702 * x))),
)
# gelu(x, approximate="tanh"): (1 + tanh(u))/2 is sigmoid(2u), which does not cancel for large negative x. The square in
# the derivative is bounded, because 0 times an infinite square would be NaN. The derivative does not read y, which half
# floats have rounded, and which a compiled program then need not keep.
gelu_tanh = row(
    "gelu_tanh",
    lambda m, x: x * sigmoid(math.sqrt(8 / math.pi) * (x + 0.044715 * x * x * x)),
    lambda m, y, x: (
        sigmoid(math.sqrt(8 / math.pi) * (x + 0.044715 * x * x * x))
        + x
        * sigmoid(math.sqrt(8 / math.pi) * (x + 0.044715 * x * x * x))
        * sigmoid(-(math.sqrt(8 / math.pi) * (x + 0.044715 * x * x * x)))
        * (math.sqrt(8 / math.pi) * (1 + 0.134145 * m.minimum(x * x, 1e4)))
    ),
)
# piecewise linear or quadratic; beyond and at the ends of the middle piece the derivative is that of the outer piece
hardtanh = row(
    "hardtanh",
    lambda m, x: m.where(x <= -1, -1.0, m.where(x >= 1, 1.0, x)),
    lambda m, y, x: m.where(x <= -1, 0.0, m.where(x >= 1, 0.0, 1.0)),
)
relu6 = row(
    "relu6",
    lambda m, x: m.where(x <= 0, 0.0, m.where(x >= 6, 6.0, x)),
    lambda m, y, x: m.where(x <= 0, 0.0, m.where(x >= 6, 0.0, 1.0)),
)
hardsigmoid = row(
    "hardsigmoid",
    lambda m, x: relu6(x + 3) / 6,
    lambda m, y, x: m.where(x <= -3, 0.0, m.where(x >= 3, 0.0, 1 / 6)),
)
hardswish = row(
    "hardswish",
    lambda m, x: x * relu6(x + 3) / 6,
    lambda m, y, x: m.where(x <= -3, 0.0, m.where(x < 3, x / 3 + 0.5, 1.0)),
)
hardshrink = row(
    "hardshrink",
    lambda m, x, a=0.5: m.where((x >= -a) & (x <= a), 0.0, x),
    lambda m, y, x, a: m.where((x >= -a) & (x <= a), 0.0, 1.0),
    lambda m, y, x, a: 0.0,
)
softshrink = row(
    "softshrink",
    lambda m, x, a=0.5: m.where((x >= -a) & (x <= a), 0.0, m.where(x > 0, x - a, x + a)),
    lambda m, y, x, a: m.where((x >= -a) & (x <= a), 0.0, 1.0),
    lambda m, y, x, a: m.where((x >= -a) & (x <= a), 0.0, m.where(x > 0, -1.0, 1.0)),
)
selu = row(  # the two numbers keep the mean at 0 and the variance at 1 from layer to layer
    "selu",
    lambda m, x: 1.0507009873554805 * m.where(x > 0, x, 1.6732632423543772 * m.expm1(m.where(x > 0, 0.0, x))),
    lambda m, y, x: 1.0507009873554805 * m.where(x > 0, 1.0, 1.6732632423543772 * m.exp(m.where(x > 0, 0.0, x))),
)
celu = row(
    "celu",
    lambda m, x, a=1.0: m.where(x > 0, x, a * m.expm1(m.where(x > 0, 0.0, x) / a)),
    lambda m, y, x, a: m.where(x > 0, 1.0, m.exp(m.where(x > 0, 0.0, x) / a)),
    lambda m, y, x, a: m.where(
        x > 0, 0.0, m.expm1(m.where(x > 0, 0.0, x) / a) - x / a * m.exp(m.where(x > 0, 0.0, x) / a)
    ),
)

TABLE: dict[str, Op] = {name: found for name, found in globals().items() if isinstance(found, Op)}


def install(kind: type, method: Callable[[Op], object]) -> None:
    """Give a class the rows of the table, each under its own name; `div` of arrays has a further argument."""
    for name, found in TABLE.items():
        if name != "div":
            setattr(kind, name, method(found))


# `where` on Values while `jit` records a function and the condition is not known: no row, since it has three operands.
# `chain_rule.contributions` chooses between the gradient and zero: zero times an infinite gradient would be NaN.
choice = op(
    "where",
    lambda m, condition, x, z: m.where(condition, x, z),
    lambda m, y, condition, x, z: 0.0,
    lambda m, y, condition, x, z: m.where(condition, 1.0, 0.0),
    lambda m, y, condition, x, z: m.where(condition, 0.0, 1.0),
)
