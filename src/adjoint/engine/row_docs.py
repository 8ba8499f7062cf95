"""What `help` shows for the operations of the table and for the methods of a Value, the same on both engines.

The methods of the native core are written in C; their texts and signatures come from the Python class.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

from adjoint.engine import ops
from adjoint.engine.marks import Rare
from adjoint.engine.rule import Op

# For each row of `ops.py`: what it returns, and an example: operands, and the result with its derivative. The example
# rounds the numbers where the result has four decimals.
_ROWS = {
    "add": ("the sum of two numbers", "2.0, 3.0", "(5.0, 1.0)"),
    "sub": ("the difference of two numbers", "2.0, 3.0", "(-1.0, 1.0)"),
    "mul": ("the product of two numbers", "2.0, 3.0", "(6.0, 3.0)"),
    "div": ("the quotient of two numbers", "3.0, 2.0", "(1.5, 0.5)"),
    "pow": ("`x` to the power `z`", "2.0, 3.0", "(8.0, 12.0)"),
    "neg": ("the number with its sign changed", "2.0", "(-2.0, -1.0)"),
    "abs": ("the absolute value; its derivative at 0 is 0", "-2.0", "(2.0, -1.0)"),
    "maximum": ("the larger of two numbers; equal numbers share the gradient", "2.0, 3.0", "(3.0, 0.0)"),
    "minimum": ("the smaller of two numbers; equal numbers share the gradient", "2.0, 3.0", "(2.0, 1.0)"),
    "exp": ("e to the power `x`", "1.0", "(2.7183, 2.7183)"),
    "exp2": ("2 to the power `x`", "3.0", "(8.0, 5.5452)"),
    "expm1": ("exp(x) - 1, accurately also for `x` close to 0", "1.0", "(1.7183, 2.7183)"),
    "log": ("the natural logarithm", "2.0", "(0.6931, 0.5)"),
    "log1p": ("log(1 + x), accurately also for `x` close to 0", "1.0", "(0.6931, 0.5)"),
    "log2": ("the logarithm to base 2", "8.0", "(3.0, 0.1803)"),
    "log10": ("the logarithm to base 10", "100.0", "(2.0, 0.0043)"),
    "sqrt": ("the square root", "4.0", "(2.0, 0.25)"),
    "cbrt": ("the cube root", "8.0", "(2.0, 0.0833)"),
    "hypot": ("sqrt(x² + z²), computed so that nothing overflows", "3.0, 4.0", "(5.0, 0.6)"),
    "sin": ("the sine of an angle in radians", "1.0", "(0.8415, 0.5403)"),
    "cos": ("the cosine of an angle in radians", "1.0", "(0.5403, -0.8415)"),
    "tan": ("the tangent of an angle in radians", "1.0", "(1.5574, 3.4255)"),
    "asin": ("the angle in radians whose sine is `x`", "0.5", "(0.5236, 1.1547)"),
    "acos": ("the angle in radians whose cosine is `x`", "0.5", "(1.0472, -1.1547)"),
    "atan": ("the angle in radians whose tangent is `x`", "1.0", "(0.7854, 0.5)"),
    "sinh": ("the hyperbolic sine", "1.0", "(1.1752, 1.5431)"),
    "cosh": ("the hyperbolic cosine", "1.0", "(1.5431, 1.1752)"),
    "tanh": ("the hyperbolic tangent", "0.5", "(0.4621, 0.7864)"),
    "asinh": ("the number whose hyperbolic sine is `x`", "1.0", "(0.8814, 0.7071)"),
    "acosh": (
        "the number of at least 0 whose hyperbolic cosine is `x`",
        "1.25",
        "(0.6931, 1.3333)",
    ),
    "atanh": ("the number whose hyperbolic tangent is `x`", "0.5", "(0.5493, 1.3333)"),
    "square": ("the square", "3.0", "(9.0, 6.0)"),
    "sign": ("1 for a positive number, -1 for a negative one and 0 for 0; its derivative is 0", "-2.0", "(-1.0, 0.0)"),
    "floor": ("the largest integer that is not above `x`; its derivative is 0", "2.5", "(2.0, 0.0)"),
    "ceil": ("the smallest integer that is not below `x`; its derivative is 0", "2.5", "(3.0, 0.0)"),
    "trunc": ("the integer part, rounded toward 0; its derivative is 0", "-2.5", "(-2.0, 0.0)"),
    "round": ("the nearest integer, the even one of two; its derivative is 0", "2.5", "(2.0, 0.0)"),
    "remainder": ("the remainder of `x / z` with the sign of `z`, as Python's `%`", "-7.0, 4.0", "(1.0, 1.0)"),
    "floor_divide": ("the quotient rounded down, as Python's `//`; its derivatives are 0", "-7.0, 4.0", "(-2.0, 0.0)"),
    "fmod": ("the remainder of `x / z` with the sign of `x`, as C's fmod", "-7.0, 4.0", "(-3.0, 1.0)"),
    "copysign": ("`x` with the sign of `z`", "2.0, -1.0", "(-2.0, -1.0)"),
    "sigmoid": ("1 / (1 + exp(-x)), computed so that nothing overflows", "0.0", "(0.5, 0.25)"),
    "softplus": ("log(1 + exp(x)), computed so that nothing overflows", "0.0", "(0.6931, 0.5)"),
    "logaddexp": ("log(exp(x) + exp(z)), computed so that nothing overflows", "0.0, 0.0", "(0.6931, 0.5)"),
    "relu": ("`x` where it is positive, else 0; its derivative at 0 is 0", "2.0", "(2.0, 1.0)"),
    "leaky_relu": ("`x` where it is positive, else `a * x`", "-2.0", "(-0.02, 0.01)"),
    "silu": ("x · sigmoid(x), also known as swish", "1.0", "(0.7311, 0.9277)"),
    "erf": ("the error function", "0.5", "(0.5205, 0.8788)"),
    "atan2": ("the angle in radians of the point (z, x), from -π to π", "1.0, 1.0", "(0.7854, 0.5)"),
    "elu": ("`x` where it is positive, else `a * (exp(x) - 1)`", "-1.0", "(-0.6321, 0.3679)"),
    "gelu": (
        "x · Φ(x), with the distribution function Φ of the standard normal distribution",
        "1.0",
        "(0.8413, 1.0833)",
    ),
    "softsign": ("x / (1 + |x|)", "1.0", "(0.5, 0.25)"),
    "logsigmoid": (
        "the logarithm of the sigmoid, computed so that nothing overflows",
        "0.0",
        "(-0.6931, 0.5)",
    ),
    "tanhshrink": ("x - tanh(x)", "1.0", "(0.2384, 0.58)"),
    "mish": ("x · tanh(softplus(x))", "1.0", "(0.8651, 1.049)"),
    "quick_gelu": ("x · sigmoid(1.702 x), an approximation of gelu", "1.0", "(0.8458, 1.0678)"),
    "gelu_tanh": ("gelu approximated with tanh, as in GPT-2", "1.0", "(0.8412, 1.083)"),
    "hardtanh": ("`x` limited to the numbers from -1 to 1", "2.0", "(1.0, 0.0)"),
    "relu6": ("`x` limited to the numbers from 0 to 6", "7.0", "(6.0, 0.0)"),
    "hardsigmoid": ("relu6(x + 3) / 6, a piecewise linear sigmoid", "1.0", "(0.6667, 0.1667)"),
    "hardswish": ("x · relu6(x + 3) / 6", "1.0", "(0.6667, 0.8333)"),
    "hardshrink": ("`x`, but 0 from `-a` to `a`", "2.0", "(2.0, 1.0)"),
    "softshrink": ("`x` moved toward 0 by `a`, and 0 from `-a` to `a`", "2.0", "(1.5, 1.0)"),
    "selu": (
        "elu scaled so that activations keep mean 0 and variance 1 from layer to layer",
        "-1.0",
        "(-1.1113, 0.6468)",
    ),
    "celu": ("`x` where it is positive, else `a * (exp(x / a) - 1)`", "-1.0", "(-0.6321, 0.3679)"),
}


def row_doc(name: str) -> str:
    """Return the documentation of a row, with an example.

    >>> print(row_doc("tanh").split(chr(10))[0])
    Return the hyperbolic tangent.
    """
    if name not in _ROWS:  # of somebody who tries a row
        return f"Apply the row {name} of `ops.py`. Write its documentation into `_ROWS` of `row_docs.py`."
    what, operands, result = _ROWS[name]
    calls = f"{name}({operands})", f"grad({name})({operands})"
    if any(len(x.partition(".")[2]) == 4 for x in result.strip("()").split(", ")):
        calls = [f"round({call}, 4)" for call in calls]
    return f"""Return {what}.

    The result, and its derivative with respect to the first operand:

    >>> from adjoint import grad, {name}
    >>> {", ".join(calls)}
    {result}
    """


def __getattr__(name: str) -> dict[str, str]:
    if name == "__test__":  # the examples that doctest runs
        return {name: row_doc(name) for name in _ROWS}
    raise AttributeError(name)


_NAMES = {row: name for name, row in ops.TABLE.items()}


def doc_of(row: Op) -> str:
    """Return the documentation of a row, given the row itself."""
    return row_doc(_NAMES[row])


def document(method: Callable, row: Op) -> Callable:
    """Give a method that applies a row, and takes any operands, its name, documentation and signature."""
    name: Any = _NAMES[row]
    shape = FunctionType(_UNARY.__code__, {}, name)
    if len(row.operands) > 1:
        code = _BINARY.__code__.replace(co_varnames=("self", row.operands[1]))
        shape = FunctionType(code, {}, name, row.defaults)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = doc_of(row)
    vars(method)["__wrapped__"] = shape
    return method


_UNARY = lambda self, /: None  # noqa: E731
_BINARY = lambda self, z, /: None  # noqa: E731


def core_docs(kind: type) -> dict[str, str]:
    """Return the texts of the methods and properties of a class in the form in which C types keep them."""
    found = {name: text for name, text in vars(kind)["__slots__"].items() if text}
    made_with = _text_signature(cast("FunctionType", kind.__init__)).replace("$self, ", "")
    found[kind.__name__] = f"{kind.__name__}{made_with}\n--\n\n{kind.__doc__}"
    for name, x in [item for base in kind.__mro__[::-1] for item in vars(base).items()]:
        if isinstance(x, FunctionType) and x.__doc__:
            found[name] = f"{name}{_text_signature(getattr(x, '__wrapped__', x))}\n--\n\n{x.__doc__}"
        elif isinstance(x, (property, Rare)) and x.__doc__:
            found[name] = x.__doc__
    return found


def _text_signature(function: FunctionType) -> str:
    """Return a signature as the native core writes it, such as "($self, gradient=1.0, *, retain_graph=True)"."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    texts = [f"{name}={x!r}" for name, x in zip(names[::-1], defaults[::-1])][::-1]
    texts = [*names[: len(names) - len(texts)], *texts]
    if code.co_posonlyargcount:
        texts.insert(code.co_posonlyargcount, "/")
    named = function.__kwdefaults__ or {}
    return f"(${', '.join([*texts, *(['*'] if named else []), *(f'{name}={x!r}' for name, x in named.items())])})"
