"""Normalization as functions: mean 0 and variance 1 over some axes, then a scale and a shift.

`normalization_layers.py` has the layers. Names and arguments are those of `torch.nn.functional`.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjoint.arrays.axes import as_shape, shape_of
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import pooling, reductions, shaping
from adjoint.arrays.functions.normalization import normalize_rows
from adjoint.engine import ops
from adjoint.engine.checkpoint_draws import is_second_run
from adjoint.engine.mathematics.protocol import Array
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, whole
from adjoint.nn.inputs import ArrayLike, as_input


def layer_norm(
    input: "ArrayLike",
    normalized_shape: int | Sequence[int],
    weight: "ArrayLike | None" = None,
    bias: "ArrayLike | None" = None,
    eps: float = 1e-5,
) -> Any:
    """Normalize each sample over its last axes, whose sizes are `normalized_shape`.

    >>> from adjoint.nn import functional as F
    >>> F.layer_norm([[1.0, 3.0]], 2, eps=0.0)
    array([[-1.,  1.]])
    """
    given, axes = _last_axes("layer_norm", input, normalized_shape, weight)
    shape, wide = shape_of(given), shaping.widen(given)
    row = (math.prod(shape[axes[0] :]),)
    if len(axes) > 1:
        wide = shaping.reshape(wide, shape[: axes[0]] + row)
        weight, bias = (None if p is None else shaping.reshape(p, row) for p in (weight, bias))
    y = normalize_rows(wide, weight, bias, eps)
    return shaping.narrow(shaping.reshape(y, shape) if len(axes) > 1 else y, given)


def rms_norm(
    input: "ArrayLike",
    normalized_shape: int | Sequence[int],
    weight: "ArrayLike | None" = None,
    eps: float | None = None,
) -> Any:
    """Divide each sample by its root mean square over the last axes, whose sizes are `normalized_shape`.

    >>> from adjoint.nn import functional as F
    >>> F.rms_norm([[3.0, 3.0]], 2, eps=0.0)
    array([[1., 1.]])
    """
    given, axes = _last_axes("rms_norm", input, normalized_shape, weight)
    wide = shaping.widen(given)
    if eps is None:  # as in PyTorch: the machine epsilon of the dtype in which it is computed
        dtype = str(data_of(wide).dtype).split(".")[-1]
        eps = float(np.finfo(dtype if "float" in dtype else "float64").eps)
    y = wide / ops.sqrt(reductions.mean(ops.square(wide), axes, keepdims=True) + eps)
    return shaping.narrow(_scale(y, weight, None), given)


def group_norm(
    input: "ArrayLike",
    num_groups: int,
    weight: "ArrayLike | None" = None,
    bias: "ArrayLike | None" = None,
    eps: float = 1e-5,
) -> Any:
    """Normalize the channels of each sample in `num_groups` groups: (samples, channels, …).

    >>> from adjoint.nn import functional as F
    >>> F.group_norm([[1.0, 3.0, 10.0, 30.0]], 2, eps=0.0)
    array([[-1.,  1., -1.,  1.]])
    """
    given = _input(input, weight)
    shape = shape_of(given)
    if len(shape) < 2 or shape[1] % whole(num_groups, "group_norm: num_groups"):
        raise ShapeError(f"expected an input of shape (samples, a multiple of {num_groups}, …), not {shape}")
    wide = shaping.widen(given)
    y = shaping.reshape(wide, (shape[0], num_groups, math.prod(shape[1:]) // num_groups))
    y = normalize_rows(y, None, None, eps)
    y, along = shaping.reshape(y, shape), (shape[1],) + (1,) * (len(shape) - 2)
    weight, bias = (None if p is None else shaping.reshape(p, along) for p in (weight, bias))
    return shaping.narrow(_scale(y, weight, bias), given)


def batch_norm(
    input: "ArrayLike",
    running_mean: Value | Array | None,
    running_var: Value | Array | None,
    weight: "ArrayLike | None" = None,
    bias: "ArrayLike | None" = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Normalize each channel over the batch and all positions: (samples, channels, …).

    With `training`, the statistics of the batch are used, and the running ones are moved toward them; without, the
    running ones are used. As in PyTorch, `momentum` is the weight of the batch.

    >>> from adjoint.nn import functional as F
    >>> F.batch_norm([[1.0], [3.0]], None, None, training=True, eps=0.0)
    array([[-1.],
           [ 1.]])
    """
    given = _input(input, weight if weight is not None else running_mean)
    shape = shape_of(given)
    axes, along = (0, *range(2, len(shape))), (1, *shape[1:2]) + (1,) * (len(shape) - 2)
    if len(shape) < 2:
        raise ShapeError(f"expected an input of shape (samples, channels, …), not {shape}")
    if not eps >= 0:
        raise ArgumentError(f"batch_norm: eps must be at least 0, not {describe(eps)}")
    if not training and running_mean is not None and running_var is not None:
        mean, var = (data_of(s).reshape(along) for s in (running_mean, running_var))
        return _normalize(given, mean, var, weight, bias, eps)
    count = math.prod(shape) // max(shape[1], 1)
    if training and count == 1:
        raise ShapeError(
            f"an input of shape {shape} has one value per channel, which has no variance; use larger batches, "
            "or call eval() first"
        )
    mean, var = _statistics(given, axes) if count else (0.0, 1.0)
    if training and count:
        _move(running_mean, data_of(mean), momentum)
        _move(running_var, data_of(var) * (count / (count - 1)), momentum)
    return _normalize(given, mean, var, weight, bias, eps)


def instance_norm(
    input: "ArrayLike",
    running_mean: Value | Array | None = None,
    running_var: Value | Array | None = None,
    weight: "ArrayLike | None" = None,
    bias: "ArrayLike | None" = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Normalize each channel of each sample over the positions: (samples, channels, …).

    >>> from adjoint.nn import functional as F
    >>> F.instance_norm([[[1.0, 3.0]]], eps=0.0)
    array([[[-1.,  1.]]])
    """
    given = _input(input, weight if weight is not None else running_mean)
    shape = shape_of(given)
    axes, along = tuple(range(2, len(shape))), (1, *shape[1:2]) + (1,) * (len(shape) - 2)
    if not axes:
        raise ShapeError(f"expected an input of shape (samples, channels, length, …), not {shape}")
    if not use_input_stats and running_mean is not None and running_var is not None:
        mean, var = (data_of(s).reshape(along) for s in (running_mean, running_var))
        return _normalize(given, mean, var, weight, bias, eps)
    count = math.prod(shape[2:])
    if use_input_stats and count < 2:
        raise ShapeError(f"an input of shape {shape} has one value per channel, which has no variance")
    mean, var = _statistics(given, axes)
    if use_input_stats and running_mean is not None:
        _move(running_mean, data_of(mean).mean(0), momentum)
        _move(running_var, data_of(var).mean(0) * (count / (count - 1)), momentum)
    return _normalize(given, mean, var, weight, bias, eps)


def local_response_norm(input: "ArrayLike", size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    """Divide each element by a power of the mean square of `size` channels around it: (samples, channels, …).

    >>> from adjoint.nn import functional as F
    >>> F.local_response_norm([[[2.0]]], 1, alpha=1.0, beta=1.0, k=0.0)
    array([[[0.5]]])
    """
    given = _input(input, None)
    shape = shape_of(given)
    if len(shape) < 3:
        raise ShapeError(f"expected an input of shape (samples, channels, …) with at least 3 axes, not {shape}")
    wide = shaping.widen(given)
    squares = shaping.reshape(ops.square(wide), (shape[0], 1, shape[1], math.prod(shape[2:])))
    squares = shaping.pad_constant(squares, [(0, 0), (0, 0), (size // 2, (size - 1) // 2), (0, 0)])
    means = shaping.reshape(pooling.avg_pool2d(squares, (size, 1), 1), shape)
    return shaping.narrow(wide / (means * alpha + k) ** beta, given)


# --- parts ---------------------------------------------------------------------------------------------


def _input(x: "ArrayLike", weight: object) -> Any:
    """Return the input, in the dtype of the weights if there are any."""
    return as_input(x, weight if isinstance(weight, Value) else Value(0.0))


def _last_axes(
    who: str, x: "ArrayLike", normalized_shape: int | Sequence[int], weight: "ArrayLike | None"
) -> tuple[Any, tuple[int, ...]]:
    """Return an input whose last axes have the given sizes, and these axes."""
    given, shape = _input(x, weight), as_shape(normalized_shape, who)
    found = shape_of(given)
    if not shape or found[-len(shape) :] != shape:
        raise ShapeError(f"expected an input of shape (…, {', '.join(map(str, shape))}), not {found}")
    if weight is not None and shape_of(as_operand(weight)) != shape:
        raise ShapeError(f"{who}: the weight must have the shape {shape}, not {shape_of(as_operand(weight))}")
    return given, tuple(range(len(found) - len(shape), len(found)))


def _scale(y: Any, weight: Any, bias: Any) -> Any:
    y = y if weight is None else y * as_operand(weight)
    return y if bias is None else y + as_operand(bias)


def _statistics(given: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    wide = shaping.widen(given)
    return reductions.mean(wide, axes, keepdims=True), reductions.var(wide, axes, keepdims=True)


def _normalize(
    given: Any, mean: Any, var: Any, weight: "ArrayLike | None", bias: "ArrayLike | None", eps: float
) -> Any:
    along = (1, shape_of(given)[1]) + (1,) * (len(shape_of(given)) - 2)
    wide, mean, var = map(shaping.widen, (given, mean, var))
    scale = 1.0 / ops.sqrt(ops.add(var, eps))
    if weight is not None:
        scale = shaping.reshape(weight, along) * scale
    y = ops.sub(wide, mean) * scale
    return shaping.narrow(y if bias is None else y + shaping.reshape(bias, along), given)


def _move(running: Any, new: Any, rate: float) -> None:
    """Move running statistics toward those of a batch; the variance has Bessel's correction."""
    if is_second_run():
        return
    if isinstance(running, Value):
        running.data = (1 - rate) * running.data + rate * new.reshape(-1)
    elif isinstance(running, np.ndarray):
        running[...] = (1 - rate) * running + rate * new.reshape(-1)
    elif running is not None:
        raise ArgumentError("running statistics must be Values or NumPy arrays, which training changes in place")
