"""Operations on whole NumPy arrays in the native core, in fewer passes over memory than NumPy needs.

Each entry of `FAST` has the name of an operation of `arrays/functions` and holds two functions.
`forward(*operands, **static)` returns the result, and `vjps(g, y, *operands, **static)` what each operand receives.
Both compute what the rule of the operation computes, up to rounding. They return None for what they leave to the rule:
arrays that are not contiguous or hold neither float32 nor float64, and other axes than the last.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from adjoint.engine import native

core = native.core


def _along_last_axis(name: str) -> tuple[Callable, Callable]:
    """Return an operation along the last axis whose gradient depends on its result."""
    forward, back = getattr(core, name), getattr(core, f"{name}_back")
    return (
        lambda x, axis: forward(x) if axis == (x.ndim - 1,) else None,
        lambda g, y, x, axis: _one(back(g, y)) if axis == (y.ndim - 1,) else None,
    )


def _one(contribution) -> tuple | None:
    return None if contribution is None else (contribution,)


def _attention(scores, *masks, scale, causal):
    return None if masks else core.attention(scores, scale, causal)


def _attention_vjps(g, y, scores, *masks, scale, causal):
    return None if masks else _one(core.softmax_back(g, y, scale))


def _normalize_vjps(g, y, x, eps):
    found = core.layer_norm_back(g, x, None, eps)
    return None if found is None else found[:1]


# --- windows of images: `geometry` is a `Geometry` of functions/windows.py -------------------------------------------


@lru_cache(maxsize=1024)
def _sizes(geometry: Any) -> tuple | None:
    """Return what describes windows of images, or of sequences as images of height 1; None for volumes."""
    ndim = len(geometry.size)
    if ndim > 2 or not core:
        return None
    before, after = zip(*geometry.padding)
    one, zero = (1,) * (2 - ndim), (0,) * (2 - ndim)
    return one + geometry.kernel, one + geometry.stride, one + geometry.dilation, zero + before, zero + after


def _as_images(x):
    return x.reshape(*x.shape[:2], 1, *x.shape[2:]) if x.ndim == 3 else x


def unfold(x, columns, first: int, geometry: Any) -> bool:
    """Copy the windows of samples, from the first on, into the columns of a matrix. Return whether that was done."""
    sizes = _sizes(geometry) if x.flags.c_contiguous else None
    return sizes is not None and core.unfold(_as_images(x), columns, first, *sizes)


def fold(x, columns, first: int, geometry: Any) -> bool:
    """Set samples, from the first on, to the sums of their windows, given as columns. Return whether that was done."""
    sizes = _sizes(geometry)
    return sizes is not None and core.fold(_as_images(x), columns, first, *sizes)


def _max_pool(x, geometry):
    sizes = _sizes(geometry)
    if sizes is None or not x.flags.c_contiguous:
        return None
    y = core.max_pool(_as_images(x), *sizes)
    return y if y is None else y.reshape(*x.shape[:2], *geometry.windows)


def _max_pool_vjps(g, y, x, geometry):
    sizes = _sizes(geometry)
    if sizes is None or not (g.flags.c_contiguous and x.flags.c_contiguous):
        return None
    found = core.max_pool_back(_as_images(g), _as_images(x), *sizes)
    return None if found is None else (found.reshape(x.shape),)


FAST: dict[str, tuple[Callable, Callable]] = {}
if core:
    FAST = {
        "softmax": _along_last_axis("softmax"),
        "log_softmax": _along_last_axis("log_softmax"),
        "attention": (_attention, _attention_vjps),
        "max_pool": (_max_pool, _max_pool_vjps),
        "normalize": (lambda x, eps: core.layer_norm(x, None, None, eps), _normalize_vjps),
        "layer_norm": (
            lambda x, w, b, eps: core.layer_norm(x, w, b, eps),
            lambda g, y, x, w, b, eps: core.layer_norm_back(g, x, w, eps),
        ),
    }
