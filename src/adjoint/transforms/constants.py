"""`stop_gradient`: the same numbers as constants."""

from typing import Any

from adjoint.engine.value import Value
from adjoint.transforms.trees import tree_map


def stop_gradient(x: Any) -> Any:
    """Return the same numbers without a gradient: `v.detach()`, for a Value or for all Values of a pytree.

    >>> from adjoint import grad, stop_gradient
    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return tree_map(_as_constant, x)


def _as_constant(x: object) -> object:
    if not isinstance(x, Value):
        return x
    leaf = x.detach()
    leaf._constant = True  # a transform does not count it among the variables around a function
    return leaf
