"""Differences, derivatives and integrals of samples, and interpolation between them."""

from typing import TYPE_CHECKING, Any

from adjoint.arrays.axes import Axis, all_axes, either, either_axis, one_axis, shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import reductions
from adjoint.arrays.functions.arranging import ravel
from adjoint.arrays.functions.indexing import getitem, part_along, where
from adjoint.arrays.functions.shaping import astype, broadcast_to, concat, flatten, flip, moveaxis, reshape, stack
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_number, whole

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


# --- differences --------------------------------------------------------------------------------------------


def diff(x, n: int = 1, axis: int = -1, prepend=None, append=None, *, dim: int | None = None) -> "Tensor":
    """Return the n-th differences between neighbors along an axis; `prepend` and `append` are joined on first.

    >>> from adjoint import Value, diff
    >>> diff(Value([1.0, 4.0, 9.0])).data
    array([3., 5.])
    """
    x = as_operand(x)
    axis = one_axis(either_axis("diff", axis, dim, -1), len(shape_of(x)), "diff")
    n = whole(n, "diff: n", 0)
    parts = [_joined(part, x, axis) for part in (prepend, append)]
    if n and (prepend is not None or append is not None):
        x = concat([part for part in (parts[0], x, parts[1]) if part is not None], axis)
    for _ in range(min(n, shape_of(x)[axis])):
        x = ops.sub(part_along(x, axis, 1, None), part_along(x, axis, None, -1))
    return x


def _joined(part, x, axis: int) -> "Tensor | None":
    """Return what is joined to `x`; a number once for each line."""
    if part is None:
        return None
    part = as_operand(part)
    if shape_of(part):
        return part
    data = data_of(x)
    shape = tuple(1 if i == axis else n for i, n in enumerate(shape_of(x)))
    return ops.add(common_backend([data], "diff").zeros(shape, data), part)


def ediff1d(x, to_end=None, to_begin=None) -> "Tensor":
    """Return the differences between neighbors of the flattened array, with what is joined to either end.

    >>> from adjoint import Value, ediff1d
    >>> ediff1d(Value([1.0, 4.0, 9.0]), to_begin=0.0).data
    array([0., 3., 5.])
    """
    x = ravel(x)
    ends = [None if end is None else ravel(end) for end in (to_begin, to_end)]
    if isinstance(x, Value):  # as NumPy: the result has the dtype of the array
        ends = [None if end is None else end if end.dtype == x.dtype else astype(end, x.dtype) for end in ends]
    return concat([part for part in (ends[0], diff(x), ends[1]) if part is not None])


def gradient(f, *steps, axis: Axis = None, edge_order: int = 1, spacing: Any = None, dim: Axis = None) -> Any:
    """Return the derivative of samples along each axis, by differences of the second order; as `numpy.gradient` does.

    The steps are 1, one number for all axes, or for each axis a number or the coordinates of the samples. The result
    is an array for one axis, and a list for several. With PyTorch's words, `spacing` is the step, or a list of steps,
    and the result for `dim` is a tuple, also for one axis.

    >>> from adjoint import Value, gradient
    >>> gradient(Value([1.0, 2.0, 4.0, 7.0])).data
    array([1. , 1.5, 2.5, 3. ])
    """
    f = as_operand(f)
    shape = shape_of(f)
    axes = all_axes(either_axis("gradient", axis, dim), len(shape), "gradient")
    if edge_order not in (1, 2):
        raise ArgumentError(f"gradient: edge_order must be 1 or 2, not {describe(edge_order)}")
    is_list = isinstance(spacing, (list, tuple))  # which has one step for each axis
    if spacing is not None:
        steps = either("gradient", "steps", steps, "spacing", tuple(spacing) if is_list else (spacing,), ())
    steps = [as_operand(step) for step in steps or (1.0,)]
    if len(steps) == 1 and not shape_of(steps[0]) and not is_list:
        steps *= len(axes)
    if len(steps) != len(axes):
        raise ArgumentError(
            f"gradient: {len(steps)} spacings for {len(axes)} axes; give one number, or one for each axis"
        )
    found = []
    for i, step in zip(axes, steps):
        if shape[i] < edge_order + 1:
            raise ShapeError(f"gradient: axis {i} of size {shape[i]} needs at least {edge_order + 1} samples")
        if shape_of(step) and shape_of(step) != (shape[i],):
            raise ShapeError(
                f"gradient: the coordinates for axis {i} must be {shape[i]} numbers, not an array of shape "
                f"{shape_of(step)}"
            )
        found.append(moveaxis(_derivative(moveaxis(f, i, -1), step, edge_order), -1, i))
    if dim is not None:
        return tuple(found)
    return found[0] if len(found) == 1 else found


def _derivative(f, step, edge_order: int) -> "Tensor":
    """Return the derivative along the last axis."""
    n = shape_of(f)[-1]
    # the steps before and after each inner sample, and those at both ends
    steps = diff(step) if shape_of(step) else step
    h, k = (steps[:-1], steps[1:]) if shape_of(step) else (steps, steps)
    before, at, after = f[..., :-2], f[..., 1:-1], f[..., 2:]
    if n < 3:
        parts = []
    elif shape_of(step):
        parts = [_second_order(before, at, after, h, k)]
    else:
        parts = [ops.div(ops.sub(after, before), ops.mul(step, 2.0))]
    ends = [steps[:1], steps[-1:]] if shape_of(step) else [steps, steps]
    if edge_order == 1:
        first = ops.div(ops.sub(f[..., 1:2], f[..., :1]), ends[0])
        last = ops.div(ops.sub(f[..., -1:], f[..., -2:-1]), ends[1])
    else:
        nexts = [steps[1:2], steps[-2:-1]] if shape_of(step) else [steps, steps]
        first = _at_edge(f[..., :1], f[..., 1:2], f[..., 2:3], ends[0], nexts[0])
        last = -1.0 * _at_edge(f[..., -1:], f[..., -2:-1], f[..., -3:-2], ends[1], nexts[1])
    return concat([first, *parts, last], -1)


def _second_order(before, at, after, h, k) -> "Tensor":
    return ops.div(ops.sub(ops.mul(h * h, ops.sub(after, at)), ops.mul(k * k, ops.sub(before, at))), h * k * (h + k))


def _at_edge(f0, f1, f2, h, k) -> "Tensor":
    """Return the derivative at the first of three samples, with the steps h and k between them."""
    rise, next_rise = ops.div(ops.sub(f1, f0), h), ops.div(ops.sub(f2, f1), k)
    return ops.sub(rise, ops.mul(ops.sub(next_rise, rise), h / (h + k)))


# --- integrals -----------------------------------------------------------------------------------------------


def _steps(y, x, dx, axis: int, who: str) -> "Tensor":
    """Return the distances between samples in a shape that broadcasts, along the last axis, against their number."""
    if x is None:
        return as_operand(dx)
    x = as_operand(x)
    shape = shape_of(x)
    if len(shape) > 1:
        return diff(moveaxis(x, axis, -1))
    if shape != (shape_of(y)[-1],):
        raise ShapeError(f"{who}: x must have the {shape_of(y)[-1]} samples of y along the axis, not shape {shape}")
    return diff(x)


def _last(y, axis: int, who: str) -> "tuple[Tensor, int]":
    y = as_operand(y)
    axis = one_axis(axis, len(shape_of(y)), who)
    return moveaxis(y, axis, -1), axis


def trapezoid(y, x=None, dx=1.0, axis: int = -1, *, dim: int | None = None) -> "Tensor":
    """Return the integral of samples along an axis by the trapezoidal rule, at the places `x` or `dx` apart.

    >>> from adjoint import Value, trapezoid
    >>> trapezoid(Value([1.0, 2.0, 3.0])).item()
    4.0
    """
    y, axis = _last(y, either_axis("trapezoid", axis, dim, -1), "trapezoid")
    return reductions.sum(_trapezoids(y, _steps(y, x, dx, axis, "trapezoid")), -1)


def _trapezoids(y, steps) -> "Tensor":
    return ops.mul(ops.add(y[..., 1:], y[..., :-1]) / 2.0, steps)


def cumulative_trapezoid(
    y, x=None, dx=1.0, axis: int = -1, initial: float | None = None, *, dim: int | None = None
) -> "Tensor":
    """Return the integrals from the first sample to each later one, as `scipy.integrate.cumulative_trapezoid` does.

    >>> from adjoint import Value, cumulative_trapezoid
    >>> cumulative_trapezoid(Value([1.0, 3.0, 5.0])).data
    array([2., 6.])
    """
    y, axis = _last(y, either_axis("cumulative_trapezoid", axis, dim, -1), "cumulative_trapezoid")
    found = reductions.cumsum(_trapezoids(y, _steps(y, x, dx, axis, "cumulative_trapezoid")), -1)
    return moveaxis(_with_initial(found, initial, shift=False), -1, axis)


def cumulative_simpson(y, *, x=None, dx=1.0, axis: int = -1, initial: float | None = None) -> "Tensor":
    """Return the integrals from the first sample to each later one by Simpson's rule, as SciPy's function does.

    >>> from adjoint import Value, cumulative_simpson
    >>> cumulative_simpson(Value([0.0, 1.0, 4.0]), initial=0).data.round(6)
    array([0.      , 0.333333, 2.666667])
    """
    y, axis = _last(y, axis, "cumulative_simpson")
    steps = _steps(y, x, dx, axis, "cumulative_simpson")
    n = shape_of(y)[-1]
    if n < 3:
        found = reductions.cumsum(_trapezoids(y, steps), -1)
    else:
        found = reductions.cumsum(_simpson_parts(y, steps), -1)
    return moveaxis(_with_initial(found, initial, shift=True), -1, axis)


def _simpson_parts(y, steps) -> "Tensor":
    """Return the integral between each pair of neighbors: of parabolas through three samples, in turn."""
    n = shape_of(y)[-1]
    equal = not shape_of(steps)
    if not equal:
        steps = broadcast_to(steps, (*shape_of(y)[:-1], n - 1))
    forward = _first_interval(y, steps, equal)
    backward = flip(_first_interval(flip(y, -1), steps if equal else flip(steps, -1), equal), -1)
    # the even intervals are the first of their parabola, the odd ones and the last the second of theirs
    order = [(forward, k) if k % 2 == 0 and k < n - 2 else (backward, k - 1) for k in range(n - 1)]
    return stack([part[..., k] for part, k in order], -1)


def _first_interval(y, steps, equal: bool) -> "Tensor":
    f1, f2, f3 = y[..., :-2], y[..., 1:-1], y[..., 2:]
    if equal:
        return ops.mul(f1 * (5 / 4) + f2 * 2.0 - f3 / 4, steps / 3)
    h, k = steps[..., :-1], steps[..., 1:]
    whole = h / (h + k)
    bend = whole * h / k
    return ops.mul(ops.mul(3.0 - whole, f1) + ops.mul(3.0 + bend + whole, f2) - ops.mul(bend, f3), h / 6)


def _with_initial(found, initial, shift: bool) -> "Tensor":
    if initial is None:
        return found
    found = ops.add(found, initial) if shift else found
    data = data_of(found)
    first = common_backend([data], "initial").zeros((*shape_of(found)[:-1], 1), data)
    return concat([ops.add(first, initial), found], -1)


def simpson(y, x=None, *, dx=1.0, axis: int = -1) -> "Tensor":
    """Return the integral of samples along an axis by Simpson's rule, as `scipy.integrate.simpson` does.

    >>> from adjoint import Value, simpson
    >>> simpson(Value([0.0, 3.0, 12.0])).item()  # of 3x² from 0 to 2
    8.0
    """
    y, axis = _last(y, axis, "simpson")
    steps = _steps(y, x, dx, axis, "simpson")
    n = shape_of(y)[-1]
    if n < 3:
        return reductions.sum(_trapezoids(y, steps), -1)
    if not shape_of(steps):
        steps = ops.mul(common_backend([data_of(y)], "simpson").zeros((n - 1,), data_of(y)) + 1.0, steps)
    odd = n if n % 2 else n - 1
    h, k = steps[..., 0 : odd - 1 : 2], steps[..., 1 : odd - 1 : 2]
    f1, f2, f3 = y[..., 0 : odd - 2 : 2], y[..., 1 : odd - 1 : 2], y[..., 2:odd:2]
    whole = h + k
    terms = ops.mul(2.0 - k / h, f1) + ops.mul(whole * whole / (h * k), f2) + ops.mul(2.0 - h / k, f3)
    found = reductions.sum(ops.mul(whole / 6, terms), -1)
    if n % 2:
        return found
    # an even number of samples: the last interval, by the parabola through the last three
    h, k = steps[..., -2], steps[..., -1]
    alpha = (2.0 * k * k + 3.0 * h * k) / (6.0 * (h + k))
    beta = (k * k + 3.0 * h * k) / (6.0 * h)
    eta = k * k * k / (6.0 * h * (h + k))
    return ops.add(found, ops.mul(alpha, y[..., -1]) + ops.mul(beta, y[..., -2]) - ops.mul(eta, y[..., -3]))


# --- interpolation -------------------------------------------------------------------------------------------


def interp(x, xp, fp, left=None, right=None, period: float | None = None) -> "Tensor":
    """Return the piecewise linear function through the points (xp, fp) at `x`; `xp` ascends.

    Outside of the points it is `left` and `right`, or the value of the nearest point. `x`, `xp` and `fp` have
    gradients.

    >>> from adjoint import Value, interp
    >>> x = Value([1.5, 7.0])
    >>> y = interp(x, [1.0, 2.0], [10.0, 30.0])
    >>> y.sum().backward()
    >>> y.data, x.grad
    (array([20., 30.]), array([20.,  0.]))
    """
    x, xp, fp = (as_operand(given) for given in (x, xp, fp))
    shape = shape_of(x)
    if len(shape_of(xp)) != 1 or shape_of(xp) != shape_of(fp) or not shape_of(xp)[0]:
        raise ShapeError(
            f"interp: xp and fp must be vectors of one size and not empty, not of shapes {shape_of(xp)} and "
            f"{shape_of(fp)}"
        )
    x = flatten(x)
    if period is not None:
        x, xp, fp = _periodic(x, xp, fp, period)
        left = right = None
    places, knots = data_of(x), data_of(xp)
    m = common_backend([places, knots, data_of(fp)], "interp")
    places, knots = (m.xp.asarray(values) for values in (places, knots))
    xp, fp = (given if isinstance(given, Value) else m.xp.asarray(given) for given in (xp, fp))
    size = shape_of(xp)[0]
    if size == 1:
        inside = ops.add(ops.mul(x, 0.0), fp)
    else:
        k = m.xp.clip(m.xp.searchsorted(knots, places, side="right"), 1, size - 1)
        start, width = getitem(xp, k - 1), ops.sub(getitem(xp, k), getitem(xp, k - 1))
        rise = ops.sub(getitem(fp, k), getitem(fp, k - 1))
        inside = ops.add(getitem(fp, k - 1), ops.mul(ops.div(ops.sub(x, start), width), rise))
    found = where(places < knots[0], getitem(fp, 0) if left is None else left, inside)
    found = where(places > knots[-1], getitem(fp, -1) if right is None else right, found)
    return reshape(found, shape)


def _periodic(x, xp, fp, period: float) -> "tuple[Tensor, Tensor, Tensor]":
    """Return the places within one period, and the points in order, with one more on either side."""
    if isinstance(period, Value) or not is_number(period) or float(period) == 0:
        raise ArgumentError(f"interp: period must be a number other than 0, not {describe(period)}")
    period = abs(float(period))
    x, xp = (ops.sub(a, ops.mul(ops.floor(ops.div(a, period)), period)) for a in (x, xp))
    knots = data_of(xp)
    order = common_backend([knots], "interp").argsort(knots, 0, False)
    xp, fp = getitem(xp, order), getitem(fp, order)
    return (
        x,
        concat([ops.sub(xp[-1:], period), xp, ops.add(xp[:1], period)]),
        concat([fp[-1:], fp, fp[:1]]),
    )
