"""Choices between several arrays, element by element, and by masks."""

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.axes import common_shape
from adjoint.arrays.backends import NUMPY, backend_of, common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions.indexing import as_condition, count_along, getitem, take, where
from adjoint.arrays.functions.shaping import broadcast_to, stack
from adjoint.errors import ArgumentError, ArrayIndexError
from adjoint.errors.given import describe, is_number

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def select(
    condlist: Any, choicelist: Any = (), default=0, *, dim: int | None = None, index: int | None = None
) -> "Tensor":
    """Return, for each element, that of the first choice whose condition holds; `default` where none does.

    With PyTorch's words, `select(x, dim=1, index=2)` is the slice of an array at an index along an axis.

    >>> from adjoint import Value, select
    >>> x = Value([-1.0, 0.5, 3.0])
    >>> select([x < 0, x > 1], [-x, x * x], default=x).data
    array([1. , 0.5, 9. ])
    """
    if dim is not None and index is not None:
        return take(condlist, operator.index(index), dim)
    if not hasattr(choicelist, "__len__") or not hasattr(condlist, "__len__") or hasattr(choicelist, "__index__"):
        raise ArgumentError(
            f"select needs a list of conditions and a list of choices, not {describe(condlist)} and "
            f"{describe(choicelist)}; PyTorch's function is called select(x, dim=…, index=…)"
        )
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ArgumentError(
            f"select: {len(condlist)} conditions for {len(choicelist)} choices; give each choice a condition"
        )
    conditions = [as_condition(condition) for condition in condlist]
    choices = [as_operand(choice) for choice in choicelist]
    found = as_operand(default)
    shape = common_shape([*conditions, *choices, found], "select")
    like = next((x for x in (*choices, found) if not is_number(x)), 0.0)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        found = where(_as_wide(condition, like, shape), choice, found)
    return found


def _as_wide(condition, like, shape: tuple[int, ...]):
    """Return a condition in the shape of the result."""
    m = common_backend([data_of(like)], "select")
    m = backend_of(condition) or m if m is NUMPY else m
    return m.xp.broadcast_to(m.as_condition(m.xp.asarray(condition)), shape)


def choose(a, choices: Sequence, mode: str = "raise") -> "Tensor":
    """Return, for each element of `a`, that of the choice with this number.

    A number out of range is an error, or is replaced by the nearest with `mode="clip"`, or by the remainder with
    `mode="wrap"`.

    >>> from adjoint import Value, choose
    >>> choose([1, 0], [Value([1.0, 2.0]), Value([10.0, 20.0])]).data
    array([10.,  2.])
    """
    if mode not in ("raise", "clip", "wrap"):
        raise ArgumentError(f"choose: mode must be 'raise', 'clip' or 'wrap', not {describe(mode)}")
    if not hasattr(choices, "__len__"):
        raise ArgumentError(f"choose needs a list of choices, not {describe(choices)}")
    xs = [as_operand(choice) for choice in choices]
    if not xs:
        raise ArgumentError("choose needs at least one choice")
    data = next((data_of(x) for x in xs if not is_number(x)), np.zeros(0))
    m = common_backend([data], "choose")
    a = np.asarray(a) if isinstance(a, (int, list, tuple)) else data_of(a)
    m = backend_of(a) or m if m is NUMPY else m
    a = a if m.owns(a) else m.from_numpy(np.asarray(a))
    if not any(kind in str(a.dtype) for kind in ("int", "bool")):
        raise ArrayIndexError(f"choose needs integers that number the choices, not {describe(a)}")
    a = m.astype(a, m.arange(1, a).dtype) if "bool" in str(a.dtype) else a
    count = len(xs)
    if mode == "clip":
        a = m.xp.clip(a, 0, count - 1)
    elif mode == "wrap":
        a = a % count
    elif not m.is_traced(a) and not bool(((a >= 0) & (a < count)).all()):
        raise ArrayIndexError(f"choose: the numbers of {count} choices are from 0 to {count - 1}, not {describe(a)}")
    shape = common_shape([a, *xs], "choose")
    index = [m.xp.broadcast_to(a, shape), *(count_along(m, shape, i, a) for i in range(len(shape)))]
    wide = [m.zeros(shape, data) + x if is_number(x) else broadcast_to(x, shape) for x in xs]
    return getitem(stack(wide), tuple(index))


def masked_fill(x, mask, value) -> "Tensor":
    """Return `x` with `value`, a number or a Value, where the mask holds.

    >>> from adjoint import Value, masked_fill
    >>> masked_fill(Value([1.0, 2.0]), [True, False], 0.0).data
    array([0., 2.])
    """
    return select([mask], [value], x)


def masked_select(x, mask) -> "Tensor":
    """Return the elements where the mask holds, in one row.

    >>> from adjoint import Value, masked_select
    >>> x = Value([1.0, -2.0, 3.0])
    >>> y = masked_select(x, x > 0)
    >>> y.sum().backward()
    >>> y.data, x.grad
    (array([1., 3.]), array([1., 0., 1.]))
    """
    x, mask = as_operand(x), as_condition(mask)
    shape = common_shape([x, mask], "masked_select")
    return getitem(broadcast_to(x, shape), _as_wide(mask, x, shape))
