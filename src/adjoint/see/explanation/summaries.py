"""Short descriptions of numbers and arrays for explanations and pictures."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from adjoint.arrays.kinds import array_code
from adjoint.engine.value import Value

_FEW = 6  # arrays of up to this many elements are shown in full
_NAMED = {math.inf: "Infinity", -math.inf: "-Infinity"}  # JSON cannot represent these as numbers


@dataclass(frozen=True, slots=True)
class ArraySummary:
    """The shape and dtype of an array, its minimum, mean and maximum, and its elements if they are few.

    These numbers are None for an empty array, and for a traced array, whose elements are unknown.
    """

    shape: tuple[int, ...]
    dtype: str
    min: float | None
    mean: float | None
    max: float | None
    values: list | None = None  # nested lists of floats


Summary = float | ArraySummary | str | None  # a string for an operation with several results


def summary(x: Any) -> Summary:
    """Return a number or an array without axes as a float, and any other array as an ArraySummary.

    >>> summary(2), summary(None)
    (2.0, None)
    """
    if type(x) is float:
        return x
    x = x.data if isinstance(x, Value) else x
    if x is None:
        return None
    if isinstance(x, tuple):
        return f"{len(x)} results"
    if isinstance(x, (float, int)):
        return float(x)
    import numpy as np

    backends = array_code("backends")
    m = backends.backend_of(x)
    try:
        array = np.asarray(m.to_numpy(x) if m else x, np.float64)
    except Exception:  # a JAX tracer has no elements
        return ArraySummary(tuple(x.shape), _dtype(x), None, None, None)
    if not array.shape:
        return float(array)
    if not array.size:
        return ArraySummary(array.shape, _dtype(x), None, None, None, array.tolist())
    least, mean, most = (float(backends.NUMPY.quietly(f, array)) for f in (np.min, np.mean, np.max))
    return ArraySummary(array.shape, _dtype(x), least, mean, most, array.tolist() if array.size <= _FEW else None)


def _dtype(x: object) -> str:
    return str(getattr(x, "dtype", "float64")).split(".")[-1]  # PyTorch's is torch.float32


def in_words(x: Summary, number: Callable[[float], str], brief: bool = False) -> str:
    """Return a summary as text; `number` formats the numbers, and `brief` shows only the mean of an array.

    >>> in_words(ArraySummary((2, 3), "float64", 1.0, 2.0, 3.0), str)
    'min 1.0, mean 2.0, max 3.0'
    >>> in_words(ArraySummary((2, 3), "float64", 1.0, 2.0, 3.0), str, brief=True)
    'array 2×3 of mean 2.0'
    """
    if x is None:
        return "–"
    if isinstance(x, str):
        return x
    if not isinstance(x, ArraySummary):
        return number(x)
    if brief:
        mean = "" if x.mean is None else f" of mean {number(x.mean)}"
        return f"array {'×'.join(map(str, x.shape))}{mean}"
    if x.values is not None:
        return _format_nested(x.values, number)
    if x.min is None or x.mean is None or x.max is None:
        return "unknown elements"
    return f"min {number(x.min)}, mean {number(x.mean)}, max {number(x.max)}"


def _format_nested(values: list | float, number: Callable[[float], str]) -> str:
    return f"[{', '.join(_format_nested(x, number) for x in values)}]" if isinstance(values, list) else number(values)


def bounds(summaries: Iterable[Summary]) -> str:
    """Return the minimum and the maximum over numbers and arrays.

    >>> bounds([2.0, None, -1.5, 3.25])
    '−1.5 … 3.25'
    """
    known = [x for x in summaries if isinstance(x, (float, ArraySummary))]
    ends = [(x.min, x.max) if isinstance(x, ArraySummary) else (x, x) for x in known]
    low = [x for x, _ in ends if x is not None]
    high = [x for _, x in ends if x is not None]
    if not low:
        return "–"
    least, most = (f"{x:.3g}".replace("-", "−") for x in (min(low), max(high)))
    return least if least == most else f"{least} … {most}"


def as_json(x: Any) -> Any:
    """Return a summary, or a structure of them, as JSON: NaN and infinities become strings.

    >>> import math
    >>> from adjoint.see import as_json
    >>> as_json([1.0, math.inf])
    [1.0, 'Infinity']
    """
    if isinstance(x, ArraySummary):
        return {
            "shape": list(x.shape), "dtype": x.dtype, "min": as_json(x.min), "mean": as_json(x.mean),
            "max": as_json(x.max), "values": as_json(x.values),
        }  # fmt: skip
    if isinstance(x, (list, tuple)):
        return [as_json(part) for part in x]
    if isinstance(x, dict):
        return {name: as_json(part) for name, part in x.items()}
    if isinstance(x, float) and not math.isfinite(x):
        return _NAMED.get(x, "NaN")
    return x
