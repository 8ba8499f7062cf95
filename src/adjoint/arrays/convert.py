"""What users pass as arrays, converted: nested lists, numbers, and arrays of any library."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from adjoint.arrays.backends import backend_of, require_real
from adjoint.arrays.kinds import (
    LIST_OF_VALUES,
    as_floats as as_floats,
    as_operand as as_operand,
    data_of as data_of,
    is_number_value as is_number_value,
)
from adjoint.engine.value import Value
from adjoint.errors import ArrayError, DataError, NumberError, TraceError
from adjoint.errors.given import describe, is_array, is_table
from adjoint.errors.interruptions import raise_interruption


class NumberDType:
    """The dtype of a number Value: NumPy's float64, except that `type` returns a Value as it is.

    `np.mean([a, b])` returns `total.dtype.type(total / 2)`, and `np.float64(…)` would silently drop the history.
    """

    __slots__ = ()
    dtype = np.dtype(np.float64)  # NumPy takes an object with this attribute for a dtype

    def type(self, x: Any) -> Any:
        """Return a number as a scalar of NumPy, and a Value as it is."""
        return x if isinstance(x, Value) else np.float64(x)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dtype, name)

    def __eq__(self, other: object) -> bool:
        return other is self or self.dtype == other

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return repr(self.dtype)

    def __str__(self) -> str:
        return str(self.dtype)


NUMBER_DTYPE = NumberDType()


def as_data(x, dtype=None) -> Any:
    """Return a fresh array for a Value to hold: floats keep their dtype, integers become float64."""
    if isinstance(x, Value):
        raise NumberError(f"Value needs an array, not a Value: {x!r}; v.detach() gives one without history")
    if is_table(x):
        x = from_table(x)
    elif not is_array(x) and not (hasattr(x, "dtype") and hasattr(x, "shape")):
        x = from_nested(x)
    m = backend_of(x)
    if m is None:
        raise ArrayError(f"Value needs an array of numbers, not {describe(x)}")
    require_real(x, m)
    if dtype is None:
        dtype = x.dtype if m.is_floating(x.dtype) else m.default_float()
    else:
        dtype = m.as_dtype(dtype)
        if not m.is_floating(dtype):
            raise ArrayError(f"a Value holds floating-point numbers, not {dtype}")
    if not getattr(dtype, "isnative", True):
        dtype = dtype.newbyteorder("=")  # other libraries, and so compiled programs, have no other byte order
    return m.array(x, dtype)


def number_like(y: float, operands: Iterable) -> Any:
    """Return `y` as a number of NumPy if the dtype of the operands, some of which have one, is float32 or float16."""
    dtype = np.result_type(*[x.dtype for x in operands if hasattr(x, "dtype")])
    if dtype.kind != "f" or dtype.itemsize >= 8:
        return y
    with np.errstate(all="ignore"):
        return dtype.type(y)


def from_nested(x, who: str = "Value") -> np.ndarray:
    """Return nested lists of numbers as an array of float64, or explain why they are not an array."""
    if any(isinstance(leaf, Value) for leaf in _leaves(x)):
        raise NumberError(LIST_OF_VALUES)
    try:
        array = np.array(x)
    except ValueError as error:
        raise_interruption(error)
        raise ArrayError(
            f"cannot make an array from ragged lists: the rows of {describe(x)} {_row_lengths(x)}"
        ) from None
    except (MemoryError, TraceError):
        raise
    except Exception as error:
        raise_interruption(error)
        raise ArrayError(f"{who} needs a number or an array of numbers, not {describe(x)}: {error}") from None
    if array.dtype.kind not in "fiubc":
        raise ArrayError(f"{who} needs a number or an array of numbers, not {describe(x)}")
    return array.astype(np.float64) if array.dtype.kind in "iub" else array


def from_table(given: Any, who: str = "Value") -> np.ndarray:
    """Return a DataFrame or a Series as an array of numbers; name the column that has none."""
    columns = getattr(given, "columns", None)
    parts = [(None, given)] if columns is None else [(name, given[name]) for name in columns]
    arrays = []
    for name, part in parts:
        try:
            array = np.asarray(part)
            if array.dtype.kind in "mMc":  # dates and times would be nanoseconds, complex numbers lose a part
                raise TypeError
            arrays.append(array if array.dtype.kind == "f" else array.astype(float))
        except (ValueError, TypeError):
            first = next((x for x in part if not isinstance(x, (int, float))), None)
            what = "the column" if name is None else f"column {name!r}"
            raise DataError(
                f"{who} needs numbers, but {what} contains {describe(first)}; convert it, for example categories with "
                "pandas.get_dummies(df) or .astype('category').cat.codes, and dates with .dt.dayofyear"
            ) from None
    return np.stack(arrays, axis=-1) if columns is not None else arrays[0]


def _row_lengths(x: Iterable[object]) -> str:
    lengths = sorted({len(row) if isinstance(row, (list, tuple)) else 0 for row in x})
    if 0 < lengths[0] < lengths[-1]:
        return f"have lengths {', '.join(map(str, lengths[:-1]))} and {lengths[-1]}"
    return "differ in length or depth"


def _leaves(x: object) -> Iterator[object]:
    waiting = [x]
    while waiting:
        item = waiting.pop()
        if isinstance(item, (list, tuple)):
            waiting += item
        else:
            yield item
