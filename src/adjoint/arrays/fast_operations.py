"""Operations on whole NumPy arrays in the native core, in fewer passes over memory than NumPy needs.

Each entry of `FAST` has the name of an operation of `arrays/functions` and holds two functions.
`forward(*operands, **static)` returns the result, and `vjps(g, y, *operands, **static)` what each operand receives.
Both compute what the rule of the operation computes, up to rounding. They return None for what they leave to the rule:
arrays that are not contiguous or hold neither float32 nor float64, and other axes than the last.
"""

from collections.abc import Callable

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


FAST: dict[str, tuple[Callable, Callable]] = {}
if core:
    FAST = {
        "softmax": _along_last_axis("softmax"),
        "log_softmax": _along_last_axis("log_softmax"),
        "attention": (_attention, _attention_vjps),
        "normalize": (lambda x, eps: core.layer_norm(x, None, None, eps), _normalize_vjps),
        "layer_norm": (
            lambda x, w, b, eps: core.layer_norm(x, w, b, eps),
            lambda g, y, x, w, b, eps: core.layer_norm_back(g, x, w, eps),
        ),
    }
