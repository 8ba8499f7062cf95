"""Un-broadcasting: what was repeated in the forward pass is summed in the backward pass."""

from adjoint.arrays.backends import backend_of
from adjoint.engine.value import Value


def unbroadcast(gradient, like, m=None):
    """Return a gradient in the shape and dtype of the operand that it is for: broadcast axes are summed."""
    m = m or backend_of(gradient) or backend_of(like)
    if m is None:
        return gradient
    if not (like._is_array if isinstance(like, Value) else hasattr(like, "dtype")):
        return m.sum(gradient) if getattr(gradient, "shape", ()) else gradient
    if isinstance(gradient, Value) and not gradient._is_array:  # a number that can be differentiated again
        gradient = m.reshape(gradient, ())
    elif not hasattr(gradient, "dtype"):  # a plain number
        return m.broadcast_to(m.full_like(like, gradient), like.shape)
    shape, given = tuple(like.shape), tuple(gradient.shape)
    if given != shape:
        extra = len(given) - len(shape)
        if extra > 0 and given[extra:] == shape:  # the common case: a bias added to each of many rows
            gradient = m.sum(gradient, axis=tuple(range(extra)), keepdims=False)
            return gradient if gradient.dtype == like.dtype else m.astype(gradient, like.dtype)
        if extra < 0:
            given, extra = (1,) * -extra + given, 0
            gradient = m.reshape(gradient, given)
        axes = tuple(range(extra)) + tuple(
            i + extra for i, size in enumerate(shape) if size == 1 and given[i + extra] != 1
        )
        if axes:
            gradient = m.sum(gradient, axis=axes, keepdims=False)
        left = tuple(1 if size == 1 else given[i + extra] for i, size in enumerate(shape))
        if tuple(gradient.shape) != left:
            gradient = m.reshape(gradient, left)
        if left != shape:  # the same for each element along an axis: raises if the sizes differ
            gradient = m.broadcast_to(gradient, shape)
    if gradient.dtype != like.dtype:
        gradient = m.astype(gradient, like.dtype)
    return gradient
