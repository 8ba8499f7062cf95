"""Arguments and results of losses: conversion, shapes, reductions and elementwise formulas, also of scalar Values."""

import math
from collections.abc import Callable
from typing import Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import array_code, as_operand, data_of, is_number_value, is_numpy_array, is_tensor
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_array, is_number, is_traced
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.transforms.trees import tree_leaves, tree_unflatten

IGNORED = -100  # the label of samples that do not count, as in PyTorch
REDUCTIONS = ("mean", "sum", "none")
NOT_SHARES = (
    "cross_entropy: the scores and the integer targets both have shape {shape}. For labels, give scores of shape "
    "(samples, classes); with one score per sample, use binary_cross_entropy_with_logits. For probabilities, the "
    "targets of a sample must add up to 1"
)
Formula = Callable[..., Value]  # of a prediction and its target: both numbers, or both arrays


def pointwise(
    who: str,
    formula: Formula,
    prediction: "ArrayLike",
    target: "ArrayLike",
    reduction: str,
    known: tuple[str, ...] = REDUCTIONS,
) -> Value:
    """Return a loss that is a formula of each prediction and its target."""
    require_reduction(reduction, known)
    is_array_loss = is_tensor(prediction) or is_tensor(target)
    if not is_array_loss and (has_scalars(prediction) or has_scalars(target)):
        return _of_scalars(who, formula, prediction, target, reduction)
    p, t = _widen(as_array(prediction)), _widen(as_array(target))
    is_plain = not isinstance(p, Value) and not isinstance(t, Value)
    if not isinstance(p, Value):
        p = Value(p)
    t = _as_floats(as_input(t, p), p)
    a, b = shape_of(p), shape_of(t)
    if a != b and b != ():
        hint = f"; use .reshape({a})" if math.prod(a) == math.prod(b) else ""
        raise ShapeError(f"{who}: predictions have shape {a} but targets have shape {b}; they must be equal{hint}")
    if 0 in a:
        raise ShapeError(f"{who}: the predictions are empty, of shape {a}")
    return unwrap(reduce(formula(p, t), reduction), is_plain)


def _as_floats(t: Any, p: Value) -> Any:
    """Return an array of integers in the dtype of the predictions: 1 - t would wrap around for unsigned ones."""
    if isinstance(t, Value) or not hasattr(t, "dtype"):
        return t
    m = array_code("backends").backend_of(t)
    if m is None or m.is_floating(t.dtype) or not m.is_real(t.dtype):  # objects are refused, not converted
        return t
    dtype = getattr(p.data, "dtype", None)
    return m.astype(t, m.default_float() if dtype is None else m.as_dtype(str(dtype).split(".")[-1]))


def _of_scalars(who: str, formula: Formula, prediction: "ArrayLike", target: "ArrayLike", reduction: str) -> Any:
    ps = tree_leaves(as_lists(prediction))
    ts = tree_leaves(as_lists(target))
    if len(ts) == 1 < len(ps) and not isinstance(target, (list, tuple)):
        ts *= len(ps)
    if len(ps) != len(ts) or not ps:
        raise ShapeError(f"{who}: got {len(ps)} predictions and {len(ts)} targets; give one target per prediction")
    losses = [formula(p if isinstance(p, Value) else Value(p), t) for p, t in zip(ps, ts)]
    if reduction == "none":
        return tree_unflatten(prediction, losses) if isinstance(prediction, (list, tuple)) else losses[0]
    return sum(losses) / len(losses) if reduction == "mean" else sum(losses)


def as_values(*given: "ArrayLike") -> tuple[list, bool]:
    """Return arguments as Values and constants of one dtype, the first as a Value; and whether none was a Value."""
    arrays = [_widen(as_array(x)) for x in given]
    first = next((x for x in arrays if is_tensor(x)), None)
    is_plain = not any(isinstance(x, Value) for x in arrays)
    like = first if first is not None else arrays[0] if isinstance(arrays[0], Value) else Value(arrays[0])
    arrays = [as_input(x, like) for x in arrays]
    if not isinstance(arrays[0], Value):
        arrays[0] = Value(arrays[0])
    return arrays, is_plain


def require_same_shapes(who: str, **given: object) -> tuple[int, ...]:
    """Return the shape that all arguments have; raise an error that names each if they differ."""
    shapes = {name: shape_of(x) for name, x in given.items()}
    first = next(iter(shapes.values()))
    if any(shape != first for shape in shapes.values()):
        found = ", ".join(f"{name} has {shape}" for name, shape in shapes.items())
        raise ShapeError(f"{who}: all arguments must have the same shape; {found}")
    return first


def require_reduction(reduction: str, known: tuple[str, ...]) -> None:
    if reduction not in known:
        raise unknown_name_error("reduction", reduction, known)


def has_scalars(x: object) -> bool:
    """Return whether `x` is a scalar Value, or nested lists of them."""
    if isinstance(x, (list, tuple)):
        return any(map(has_scalars, x))
    return is_number_value(x)


def _widen(x: Any) -> Any:
    """Return float16 and bfloat16 as float32: a mean over a batch needs more digits than they have."""
    dtype = getattr(x, "dtype", None)
    is_half = getattr(dtype, "itemsize", 8) == 2 and "float" in str(dtype)
    return array_code("functions.shaping").widen(x) if is_half else x


def as_lists(x) -> Any:
    if isinstance(x, (list, tuple)) or is_number_value(x):
        return x
    return x.tolist() if hasattr(x, "tolist") else x


def as_array(x: "ArrayLike", whole: bool = False) -> Any:
    """Return lists of numbers or of arrays as one array; lists of integers as floats, unless `whole` is set."""
    if isinstance(x, Value) or is_numpy_array(x):
        return x
    if isinstance(x, (list, tuple)) and any(isinstance(leaf, Value) for leaf in tree_leaves(x)):
        return array_code("functions.shaping").stack([as_array(part) for part in x])
    if not isinstance(x, (list, tuple)) and not is_number(x) and not is_array(x):
        raise ArgumentError(f"a loss needs arrays, numbers or lists of them, not {describe(x)}")
    if whole and not hasattr(x, "dtype"):
        import numpy as np

        return np.asarray(x)
    return as_operand(x)


def reduce(losses: Value, reduction: str) -> Value:
    if reduction == "none" or not shape_of(losses):
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()


def unwrap(loss: object, is_plain: bool) -> Any:
    """Return a plain number or array if no argument was a Value."""
    return loss.data if is_plain and isinstance(loss, Value) else loss


def require_probabilities(x: object, what: str, advice: str) -> None:
    if isinstance(x, (list, tuple)):
        for item in x:
            require_probabilities(item, what, advice)
        return
    data = data_of(x)
    if is_traced(data):  # not known while jit records
        return
    low = high = data
    if not is_number(data):
        m = array_code("backends").backend_of(data)
        if m is not None and (m.is_traced(data) or not math.prod(data.shape)):
            return
        low, high = float(data.min()), float(data.max())
    if low < 0 or high > 1:
        wrong = low if low < 0 else high
        raise ArgumentError(f"{what} must be a probability from 0 to 1, not {wrong:.6g}; {advice}")
