"""Whether numbers of floats are close: the one comparison of the tests, and the one place of its tolerances.

Two right computations of a number differ, because they add in another order, with other instructions, on another CPU.
How far they may differ follows from what is computed, and from no machine:

    |found - expected| <= eps ** (3/4) * sqrt(terms) * condition * scale

- `eps` belongs to the coarsest dtype compared: three quarters of its digits must agree. That is 1.8e-12 for float64,
  6.4e-6 for float32, 5.5e-3 for float16 and 2.6e-2 for bfloat16. Python numbers and lists count as float64.
- `terms` is the length of the longest sum behind a number. Its rounding errors have random signs.
- `scale` is the largest finite number expected, because the small elements of a product round like the large ones. Name
  a larger size as `scale=` where large numbers cancel, such as 1.0 where an expected 0 is a difference of ones. With
  `each=True` each element has its own size: for functions that are computed element by element.
- `condition` says how many times more the mathematics loses, such as the condition number of a matrix. `ulps` replaces
  the first factor by a number of units in the last place where the claim is about accuracy itself. A comment beside
  either says why.

Shapes and dtypes must be equal. `dtype=` names the precision of numbers that are given in another dtype than they were
computed in, and dtypes are then not compared. NaN and infinities are equal only to themselves; integers are exact.

The tolerances of methods that do not compute to the last digits: `require_slope` for finite differences,
`require_drawn` for means of random draws, `require_shown` for numbers that are printed rounded.

With CLOSENESS=file in the environment each test appends to the file which fraction of its tolerance it used;
tests/outside/closest.py reads it.
"""

import math
import os
import sys
from collections.abc import Iterator

import numpy as np

_DIGITS = {"float16": (2**-10, 2**-14), "bfloat16": (2**-7, 2**-126), "float32": (2**-23, 2**-126),
           "float64": (2**-52, 2**-1022), "complex64": (2**-23, 2**-126), "complex128": (2**-52, 2**-1022)}  # fmt: skip
_FILE = os.environ.get("CLOSENESS")
_fractions: dict[str, float] = {}


def require_close(found, expected, what: str = "", **rule) -> None:
    """Require the same numbers up to rounding: numbers, arrays or tensors, or lists and dicts of them."""
    for ours, theirs, name in _pairs(found, expected, what):
        fraction, reason = _compare(ours, theirs, **rule)
        assert fraction <= 1, f"{name}: {reason}" if name else reason
        _record(fraction)


def is_close(found, expected, **rule) -> bool:
    """Return whether `require_close` would pass."""
    try:
        require_close(found, expected, **rule)
    except AssertionError:
        return False
    return True


def require_slope(found, differences, what: str = "", **rule) -> None:
    """Require a derivative to be near central differences: a third of the digits, 6e-6 for float64.

    The best step keeps two thirds of them; the curvature and a step that is not the best one cost more.
    """
    require_close(found, differences, what, digits=1 / 3, **rule)


def require_drawn(found, expected, spread, draws: int, what: str = "") -> None:
    """Require the mean of random draws to be within five standard errors; `spread` is their standard deviation."""
    room = 5 * np.asarray(spread) / math.sqrt(draws)
    assert np.all(np.abs(np.asarray(found) - expected) <= room), f"{what}: {found} is not {expected} ± {room}"


def require_shown(found, expected, figures: int = 6, what: str = "") -> None:
    """Require numbers that were printed with so many significant figures to be the expected ones, rounded."""
    room = 0.51 * 10.0 ** (1 - figures) * np.abs(expected)
    assert np.all(np.abs(np.asarray(found) - expected) <= room), f"{what}: {found} is not {expected} ± {room}"


def _compare(
    found,
    expected,
    *,
    terms: int = 1,
    scale=0.0,
    condition: float = 1.0,
    ulps: float | None = None,
    each: bool = False,
    dtype=None,
    digits: float = 3 / 4,
) -> tuple[float, str]:
    """Return which fraction of the tolerance the farthest element uses, and what is wrong if that is more than 1."""
    (x, its), (z, other) = _read(found), _read(expected)
    if x.shape != z.shape:
        return math.inf, f"the shape is {x.shape}, not {z.shape}"
    if dtype is None and its and other and its != other:
        return math.inf, f"the dtype is {its}, not {other}"
    names = [np.dtype(dtype).name if isinstance(dtype, type) else str(dtype)] if dtype else [its, other]
    eps, smallest = max(_DIGITS.get(name, (0.0, 0.0)) for name in names if name) if any(names) else _DIGITS["float64"]
    if x.dtype.kind == "c" or z.dtype.kind == "c":
        x, z = (np.stack([c.real, c.imag], -1) for c in (x, z))
    finite = np.isfinite(z)
    sizes = np.abs(np.where(finite, z, 0.0))
    size = np.maximum(np.maximum(sizes if each else sizes.max(initial=0.0), scale), smallest)
    allowed = (eps**digits if ulps is None else ulps * eps) * math.sqrt(terms) * condition * size
    with np.errstate(all="ignore"):
        off = np.where(finite, np.abs(x - z), 0.0)
        fractions = np.where(off > 0, off / allowed, 0.0)
    same = (x == z) | (np.isnan(x) & np.isnan(z))
    fractions = np.where(same, 0.0, np.where(finite & np.isfinite(x), fractions, math.inf))
    if not fractions.size or fractions.max() <= 1:
        return float(fractions.max(initial=0.0)), ""
    at = np.unravel_index(fractions.argmax(), fractions.shape)
    place = f"element {tuple(map(int, at))}" if at else "the number"
    beyond = f"; so are {n - 1} others of {fractions.size}" if (n := int((fractions > 1).sum())) > 1 else ""
    room = float(np.broadcast_to(allowed, fractions.shape)[at])
    return float(fractions.max()), (
        f"{place} is {x[at]}, not {z[at]}: off by {off[at]:.3g}, {fractions[at]:.3g} times the tolerance of {room:.3g} "
        f"({'/'.join(name or 'number' for name in names)}, size {float(np.max(size)):.3g}){beyond}"
    )


def _pairs(found, expected, what: str) -> Iterator[tuple]:
    """Yield pairs of arrays and their names. A list of numbers is one array; other lists and dicts are taken apart."""
    if isinstance(expected, dict) or isinstance(found, dict):
        for each in (found, expected):
            assert isinstance(each, dict), f"{what}: {each!r} is not a dict"
        assert found.keys() == expected.keys(), f"{what}: the keys are {[*found]}, not {[*expected]}"
        for key in expected:
            yield from _pairs(found[key], expected[key], f"{what}[{key!r}]")
    elif isinstance(found, (list, tuple)) and isinstance(expected, (list, tuple)) and not _numeric(found, expected):
        assert len(found) == len(expected), f"{what}: there are {len(found)}, not {len(expected)}"
        for i, pair in enumerate(zip(found, expected)):
            yield from _pairs(*pair, f"{what}[{i}]")
    else:
        yield found, expected, what


def _numeric(*lists) -> bool:
    return all(_numeric(x) if isinstance(x, (list, tuple)) else np.isscalar(x) for each in lists for x in each)


def _read(x) -> tuple[np.ndarray, str | None]:
    """Return numbers as an array of double precision, and the name of their dtype if they have one."""
    while type(x).__module__.partition(".")[0] == "adjoint":
        x = x.data
    if hasattr(x, "detach"):  # a tensor of PyTorch
        x, name = x.detach().cpu(), str(x.dtype).removeprefix("torch.")
        x = (x.resolve_conj().resolve_neg() if x.is_complex() else x.double() if x.is_floating_point() else x).numpy()
    else:
        alone = isinstance(x, (int, float, complex, list, tuple)) and not isinstance(x, np.generic)
        x = np.asarray(x)
        name = None if alone and x.dtype.name in ("int64", "float64", "complex128") else x.dtype.name
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64), name


def _record(fraction: float) -> None:
    """Append the largest fraction of the running test to the file; a single small write is not torn by processes."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0] or "outside pytest"
    if _FILE and fraction > _fractions.get(test, -1.0):
        _fractions[test] = fraction
        frame = sys._getframe(1)
        while frame.f_back and frame.f_code.co_filename == __file__:
            frame = frame.f_back
        line = f"{fraction:.4f}\t{test}\t{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}\n"
        with open(_FILE, "ab", buffering=0) as file:
            file.write(line.encode())
