"""The translation of each operation to ONNX.

The expression of a row of the table is evaluated with symbols, and each symbol becomes an operator of ONNX; rows that
ONNX provides itself, such as Relu, are translated by name. Array operations are translated by `RULES`; a rule gets
the graph, the place of the operation, and the names of its operands.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjoint.arrays.array_rule import ArrayOp
from adjoint.engine.mathematics.symbols import Symbol, is_composite, read
from adjoint.engine.ops import TABLE
from adjoint.engine.rule import Op
from adjoint.errors import AdjointError
from adjoint.files.onnx.graphs import Graph, TracedOperation
from adjoint.files.onnx.tracing import FIXED


def translate(g: Graph, place: TracedOperation) -> str:
    """Add an operation to the graph; return the name of its result."""
    rule = place.rule
    if isinstance(rule, Op):
        return _row(g, rule, g.operands(place), place)
    if not isinstance(rule, ArrayOp) or rule.name not in RULES:
        raise place.refuse(f"has no translation to ONNX; supported are the table of adjoint.ops and {', '.join(RULES)}")
    return RULES[rule.name](g, place, *g.operands(place))


# --- rows of the table ---------------------------------------------------------------------------------------

_OPERATORS = {
    "+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "**": "Pow", "neg": "Neg", "abs": "Abs", "maximum": "Max",
    "minimum": "Min", "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "sin": "Sin", "cos": "Cos", "tan": "Tan",
    "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "floor": "Floor", "ceil": "Ceil", "round": "Round", "erf": "Erf",
    "where": "Where", "<": "Less", "<=": "LessOrEqual", ">": "Greater", ">=": "GreaterOrEqual", "equal": "Equal",
    "&": "And", "relu": "Relu", "sigmoid": "Sigmoid", "softplus": "Softplus", "softsign": "Softsign",
    "hardswish": "HardSwish",
}  # fmt: skip
_COMPOSED: dict[str, Callable[..., Any]] = {
    "expm1": lambda x: Symbol("-", Symbol("exp", x), 1.0),
    "log1p": lambda x: Symbol("log", Symbol("+", x, 1.0)),
    "log2": lambda x: Symbol("/", Symbol("log", x), math.log(2)),
    "log10": lambda x: Symbol("/", Symbol("log", x), math.log(10)),
    "exp2": lambda x: Symbol("**", 2.0, x),
    "cbrt": lambda x: Symbol("where", Symbol("<", x, 0.0), Symbol("neg", _cube_root(x)), _cube_root(x)),
    "hypot": lambda x, z: Symbol("sqrt", Symbol("+", Symbol("*", x, x), Symbol("*", z, z))),
    "copysign": lambda x, z: Symbol("where", Symbol("<", z, 0.0), Symbol("neg", Symbol("abs", x)), _positive(x, z)),
    "%": lambda x, z: _with_sign_of(z, Symbol("fmod", x, z)),
    "//": lambda x, z: Symbol("round", Symbol("/", Symbol("-", x, Symbol("%", x, z)), z)),
    "trunc": lambda x: Symbol("where", Symbol("<", x, 0.0), Symbol("ceil", x), Symbol("floor", x)),
}


def _cube_root(x) -> Symbol:
    return Symbol("**", Symbol("abs", x), 1 / 3)


def _with_sign_of(z, rest) -> Symbol:
    """Return Python's remainder, given that of C: one that has the other sign than z is moved by z."""
    return Symbol("where", Symbol("<", Symbol("*", rest, z), 0.0), Symbol("+", rest, z), rest)


def _positive(x, z) -> Symbol:
    """Return |x|, with a minus if z is -0: ONNX has no other way to see its sign."""
    size = Symbol("abs", x)
    return Symbol("where", Symbol("<", Symbol("/", 1.0, z), 0.0), Symbol("neg", size), size)


def _row(g: Graph, op: Op, operands: list[str], place: TracedOperation) -> str:
    if op.name in _OPERATORS:
        return g(_OPERATORS[op.name], *operands)
    try:
        expression = read(op)[0]
    except AdjointError:
        raise place.refuse("cannot be read with symbols") from None
    return _emit(g, expression, dict(zip(op.operands, operands)), place)


def _emit(g: Graph, e: Any, operands: dict[str, str], place: TracedOperation) -> str:
    """Add an expression to the graph; return the name of its result."""
    if not isinstance(e, Symbol):
        return g.constant(float(e))
    if not e.operands:
        return operands[e.head]
    if e.head in _COMPOSED:
        return _emit(g, _COMPOSED[e.head](*e.operands), operands, place)
    parts = [_emit(g, operand, operands, place) for operand in e.operands]
    if e.head in _OPERATORS:
        return g(_OPERATORS[e.head], *parts)
    if e.head == "fmod":
        return g("Mod", *parts, fmod=1)
    if is_composite(e.head):
        return _row(g, TABLE[e.head], parts, place)
    raise place.refuse(f"needs {e.head}, which ONNX does not provide")


# --- array operations ----------------------------------------------------------------------------------------

_ENDS = (1 << 63) - 1, -(1 << 63)  # the open end of a slice, forwards and backwards


def _reshape(g: Graph, place: TracedOperation, x: str) -> str:
    shape, other = place.static["shape"], place.other["shape"]
    sizes = [size if size == twin else -1 for size, twin in zip(shape, other)]
    if sizes.count(-1) == 1 and len(shape) == len(other) and 0 not in shape:
        return g("Reshape", x, g.integers(*sizes))
    return g("Reshape", x, g.sizes(shape, other))


def _slice(g: Graph, x: str, slices: dict[int, slice]) -> str:
    """Add slices along some axes to the graph."""
    slices = {axis: cut for axis, cut in slices.items() if cut != slice(None)}
    if not slices:
        return x
    steps = [1 if cut.step is None else cut.step for cut in slices.values()]
    starts = [
        (0 if step > 0 else _ENDS[0]) if cut.start is None else cut.start for cut, step in zip(slices.values(), steps)
    ]
    stops = [_ENDS[step < 0] if cut.stop is None else cut.stop for cut, step in zip(slices.values(), steps)]
    return g("Slice", x, *(g.integers(*numbers) for numbers in (starts, stops, slices, steps)))


def _item(g: Graph, place: TracedOperation, x: str) -> str:
    index, other = ((i if isinstance(i, tuple) else (i,)) for i in (place.static["index"], place.other["index"]))
    axes = len(place.operand_shapes()[0])
    index, other = _without_ellipsis(index, axes), _without_ellipsis(other, axes)
    if (axis := _axis_of_labels(g, place, index, other)) is not None:
        labels = g("Unsqueeze", g.names[id(index[axis])], g.integers(axis))
        return g("Squeeze", g("GatherElements", x, labels, axis=axis), g.integers(axis))
    slices, single, arrays, new, axis, place_in_result = {}, [], {}, [], 0, 0
    for entry, twin in zip(index, other, strict=True):
        if entry is None:
            new.append(place_in_result)
            place_in_result += 1
            continue
        if hasattr(entry, "dtype") and getattr(entry, "ndim", 0):
            if "int" not in str(entry.dtype):
                raise place.refuse("indexes with a mask; use where, with a mask that does not depend on the input")
            arrays[axis] = g.names[id(entry)] if id(entry) in g.names else g.same(entry, twin, place)
            place_in_result += entry.ndim
        elif entry != twin:
            raise place.refuse(f"uses an index that depends on the input or on the size of the batch; {FIXED}")
        elif isinstance(entry, slice):
            slices[axis] = entry
            place_in_result += 1
        else:
            slices[axis] = slice(int(entry), int(entry) + 1 or None)
            single.append(axis)
        axis += 1
    if len(arrays) > 1 or (arrays and single):
        raise place.refuse("has an array of indices among other indices, which ONNX cannot express")
    x = _slice(g, x, slices)
    for axis, indices in arrays.items():
        x = g("Gather", x, indices, axis=axis)
    x = g("Squeeze", x, g.integers(*single)) if single else x
    return g("Unsqueeze", x, g.integers(*new)) if new else x


def _axis_of_labels(g: Graph, place: TracedOperation, *indices: tuple) -> int | None:
    """Return the axis along which an input of the graph chooses one element, as labels do in a loss; None otherwise."""
    axes = [i for i, entry in enumerate(indices[0]) if id(entry) in g.names]
    if len(axes) != 1 or len(indices[0]) < 2:
        return None
    for index, shape in zip(indices, place.operand_shapes()):
        places = iter(np.ogrid[tuple(slice(size) for i, size in enumerate(shape) if i != axes[0])])
        if len(index) != len(shape) or np.shape(index[axes[0]]) != shape[: axes[0]] + shape[axes[0] + 1 :]:
            return None
        if not all(np.array_equal(entry, next(places)) for i, entry in enumerate(index) if i != axes[0]):
            return None
    return axes[0]


def _without_ellipsis(index: tuple, axes: int) -> tuple:
    """Return an index with an entry for each axis."""
    used = sum(entry is not None and entry is not ... for entry in index)
    at = next((i for i, entry in enumerate(index) if entry is ...), len(index))
    return (*index[:at], *[slice(None)] * (axes - used), *index[at + 1 :])


def _reduce(kind: str) -> Callable[..., str]:
    def rule(g: Graph, place: TracedOperation, x: str) -> str:
        axes, keepdims = place.static["axis"], place.static["keepdims"]
        if not axes:
            return g("Abs", x) if kind == "ReduceL2" else x
        return g(kind, x, g.integers(*axes), keepdims=int(keepdims))

    return rule


def _variance(g: Graph, place: TracedOperation, x: str) -> str:
    axes, correction = g.integers(*place.static["axis"]), place.static["correction"]
    deviation = g("Sub", x, g("ReduceMean", x, axes, keepdims=1))
    y = g("ReduceMean", g("Mul", deviation, deviation), axes, keepdims=int(place.static["keepdims"]))
    if not correction:
        return y
    counts = {math.prod(shape[i] for i in place.static["axis"]) for shape in place.operand_shapes()}
    if len(counts) > 1:
        raise place.refuse(f"divides by the size of the batch minus {correction}; {FIXED}")
    count = counts.pop()
    return g("Mul", y, g.constant(count / (count - correction) if count > correction else math.inf))


def _normalize(g: Graph, place: TracedOperation, x: str, *scale_and_shift: str) -> str:
    axis = g.integers(-1)
    centered = g("Sub", x, g("ReduceMean", x, axis, keepdims=1))
    variance = g("ReduceMean", g("Mul", centered, centered), axis, keepdims=1)
    y = g("Div", centered, g("Sqrt", g("Add", variance, g.constant(place.static_argument("eps")))))
    for operation, other in zip(("Mul", "Add"), scale_and_shift):
        y = g(operation, y, other)
    return y


def _softmax(g: Graph, place: TracedOperation, x: str) -> str:
    axes = place.static["axis"]
    if len(axes) == 1:
        return g("Softmax", x, axis=axes[0])
    along = g.integers(*axes)
    e = g("Exp", g("Sub", x, g("ReduceMax", x, along, keepdims=1)))
    return g("Div", e, g("ReduceSum", e, along, keepdims=1))


def _log_softmax(g: Graph, place: TracedOperation, x: str) -> str:
    axes = place.static["axis"]
    if len(axes) == 1:
        return g("LogSoftmax", x, axis=axes[0])
    return g("Sub", x, g("ReduceLogSumExp", x, g.integers(*axes), keepdims=1))


def _attention(g: Graph, place: TracedOperation, scores: str, *masks: str) -> str:
    scores = g("Mul", scores, g.constant(place.static_argument("scale")))
    for mask in masks:
        scores = g("Add", scores, mask)
    if place.static_argument("causal"):
        (queries, keys), others = place.shape[-2:], place.other_shape[-2:]
        if (queries, keys) != others:
            raise place.refuse(f"has a size that depends on the batch; {FIXED}")
        after = [[-math.inf if j > i else 0.0 for j in range(keys)] for i in range(queries)]
        scores = g("Add", scores, g.constant(after))
    if not masks:
        return g("Softmax", scores, axis=-1)
    # a row that may attend to nothing gets zeros; Softmax would give NaN
    last, top = g.integers(-1), g("ReduceMax", scores, g.integers(-1), keepdims=1)
    top = g("Where", g("Equal", top, g.constant(-math.inf)), g.constant(0.0), top)
    e = g("Exp", g("Sub", scores, top))
    total = g("ReduceSum", e, last, keepdims=1)
    return g("Div", e, g("Where", g("Equal", total, g.constant(0.0)), g.constant(1.0), total))


def _linear(g: Graph, place: TracedOperation, x: str, weight: str, bias: str) -> str:
    if len(place.operand_shapes()[0]) == 2:
        return g("Gemm", x, weight, bias, transB=1)
    return g("Add", g("MatMul", x, g("Transpose", weight, perm=[1, 0])), bias)


def _windows(place: TracedOperation) -> dict[str, Any]:
    """Return the geometry of windows as attributes of ONNX."""
    geometry = place.static_argument("geometry")
    before, after = zip(*geometry.padding)
    return {"kernel_shape": geometry.kernel, "strides": geometry.stride, "pads": [*before, *after]}


def _convolve(g: Graph, place: TracedOperation, *operands: str) -> str:
    geometry = place.static_argument("geometry")
    return g("Conv", *operands, **_windows(place), dilations=geometry.dilation, group=geometry.groups)


def _convolve_transposed(g: Graph, place: TracedOperation, x: str, weight: str) -> str:
    geometry = place.static_argument("geometry")
    reached = [(n - 1) * step + span for n, step, span in zip(geometry.windows, geometry.stride, geometry.span)]
    more = [size - n for size, n in zip(geometry.padded_size, reached)]  # what no window covers
    options = {"dilations": geometry.dilation, "group": geometry.groups, "output_padding": more}
    return g("ConvTranspose", x, weight, **_windows(place), **options)


def _columns(g: Graph, place: TracedOperation, x: str) -> str:
    """Add the windows of an image as columns: a convolution with weights that copy one element each."""
    geometry, channels = place.static_argument("geometry"), place.operand_shapes()[0][1]
    count = math.prod(geometry.kernel)
    one = [[[float(i == k) for i in range(count)]] for k in range(count)] * channels
    weight = g("Reshape", g.constant(one), g.integers(channels * count, 1, *geometry.kernel))
    y = g("Conv", x, weight, **_windows(place), dilations=geometry.dilation, group=channels)
    return g("Reshape", y, g.integers(0, channels * count, -1))


def _image(g: Graph, place: TracedOperation, x: str) -> str:
    geometry = place.static_argument("geometry")
    options = {name: x for name, x in _windows(place).items() if name != "kernel_shape"}
    sizes = g.integers(*geometry.size), g.integers(*geometry.kernel)
    return g("Col2Im", x, *sizes, **options, dilations=geometry.dilation)


def _pool(g: Graph, place: TracedOperation, x: str) -> str:
    """Add the sum of each window: its mean times the size of the window."""
    if place.static["chosen"] is not None:
        raise place.refuse("is a derivative, which ONNX cannot express")
    mean = g("AveragePool", x, **_windows(place), count_include_pad=1)
    return g("Mul", mean, g.constant(float(math.prod(place.static["geometry"].kernel))))


def _roll(g: Graph, place: TracedOperation, x: str) -> str:
    for shift, axis in zip(place.static_argument("shift"), place.static_argument("axis")):
        sizes = {place.shape[axis], place.other_shape[axis]}
        if len(sizes) > 1:
            raise place.refuse(f"moves samples along the batch; {FIXED}")
        shift %= max(1, place.shape[axis])
        if shift:
            parts = _slice(g, x, {axis: slice(-shift, None)}), _slice(g, x, {axis: slice(None, -shift)})
            x = g("Concat", *parts, axis=axis)
    return x


def _stack(g: Graph, place: TracedOperation, *operands: str) -> str:
    axis = place.static_argument("axis")
    return g("Concat", *(g("Unsqueeze", x, g.integers(axis)) for x in operands), axis=axis)


def _pad(g: Graph, place: TracedOperation, x: str) -> str:
    before, after = zip(*place.static_argument("width"))
    return g("Pad", x, g.integers(*before, *after), g.constant(place.static_argument("value")))


RULES: dict[str, Callable[..., str]] = {
    "reshape": _reshape,
    "permute_dims": lambda g, place, x: g("Transpose", x, perm=place.static_argument("axes")),
    "broadcast_to": lambda g, place, x: g("Expand", x, g.sizes(place.static["shape"], place.other["shape"])),
    "astype": lambda g, place, x: x,  # a graph computes in one dtype
    "flip": lambda g, place, x: _slice(g, x, {axis: slice(None, None, -1) for axis in place.static_argument("axis")}),
    "roll": _roll,
    "pad": _pad,
    "concat": lambda g, place, *xs: g("Concat", *xs, axis=place.static_argument("axis")),
    "stack": _stack,
    "sum": _reduce("ReduceSum"),
    "mean": _reduce("ReduceMean"),
    "max": _reduce("ReduceMax"),
    "min": _reduce("ReduceMin"),
    "norm": _reduce("ReduceL2"),
    "logsumexp": _reduce("ReduceLogSumExp"),
    "prod": lambda g, place, x: g("ReduceProd", x, g.integers(-1), keepdims=0),
    "var": _variance,
    "std": lambda g, place, x: g("Sqrt", _variance(g, place, x)),
    "normalize": _normalize,
    "layer_norm": _normalize,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "cumsum": lambda g, place, x: g("CumSum", x, g.constant(np.int64(place.static_argument("axis")))),
    "getitem": _item,
    "constant_row": lambda g, place, x: x,
    "where": lambda g, p, x, z: g("Where", g.condition(p.static["condition"], p.other["condition"], p), x, z),
    "clip": lambda g, place, x, low, high: g("Min", g("Max", x, low), high),
    "triangle": lambda g, p, x: g(
        "Trilu", x, g.constant(p.static_argument("k")), upper=int(p.static_argument("upper"))
    ),
    "@": lambda g, place, x, z: g("MatMul", x, z),
    "linear": _linear,
    "einsum": lambda g, p, *xs: g(
        "Einsum", *xs, equation=f"{','.join(p.static_argument('inputs'))}->{p.static_argument('output')}"
    ),
    "attention": _attention,
    "conv": _convolve,
    "conv_input": _convolve_transposed,
    "im2col": _columns,
    "col2im": _image,
    "pool": _pool,
    "max_pool": lambda g, p, x: g("MaxPool", x, **_windows(p), dilations=p.static_argument("geometry").dilation),
}
