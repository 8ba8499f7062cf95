"""Un-broadcasting: what was repeated in the forward pass is summed in the backward pass."""

from adjoint.arrays.backends import backend_of


def unbroadcast(gradient, like, m=None):
    """Return a gradient in the shape and dtype of the operand that it is for: broadcast axes are summed."""
    m = m or backend_of(gradient) or backend_of(like)
    if m is None:
        return gradient
    if not hasattr(like, "dtype"):
        return m.sum(gradient) if getattr(gradient, "shape", ()) else gradient
    if not hasattr(gradient, "dtype"):  # a plain number
        return m.broadcast_to(m.full_like(like, gradient), like.shape)
    shape, given = tuple(like.shape), tuple(gradient.shape)
    if given != shape:
        extra = len(given) - len(shape)
        if extra > 0 and given[extra:] == shape:  # the common case: a bias added to each of many rows
            gradient = m.sum(gradient, axis=tuple(range(extra)), keepdims=False)
            return gradient if gradient.dtype == like.dtype else m.astype(gradient, like.dtype)
        if extra < 0 or not all(b in (1, a) for a, b in zip(given[extra:], shape)):
            gradient, extra, given = m.broadcast_to(gradient, shape), 0, shape
        axes = tuple(range(extra)) + tuple(
            i + extra for i, size in enumerate(shape) if size == 1 and given[i + extra] != 1
        )
        if axes:
            gradient = m.sum(gradient, axis=axes, keepdims=False)
        if tuple(gradient.shape) != shape:
            gradient = m.reshape(gradient, shape)
    if gradient.dtype != like.dtype:
        gradient = m.astype(gradient, like.dtype)
    return gradient
