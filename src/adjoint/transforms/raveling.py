"""Nested lists, tuples and dicts of arrays as one vector, and back."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions.shaping import concat, flatten, reshape
from adjoint.errors import ShapeError
from adjoint.errors.given import is_number
from adjoint.transforms.trees import tree_leaves, tree_unflatten

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def ravel_pytree(tree: object) -> tuple["Tensor", Callable]:
    """Return the numbers of a pytree as one vector, and the function that makes such a pytree of a vector again.

    The leaves are numbers, arrays and Values; both directions have gradients. It serves optimizers that work on one
    vector, such as those of SciPy.

    >>> import numpy as np
    >>> from adjoint import ravel_pytree
    >>> vector, unravel = ravel_pytree({"w": np.ones((2, 2)), "b": [3.0, 4.0]})
    >>> vector
    array([1., 1., 1., 1., 3., 4.])
    >>> unravel(2 * vector)["b"]
    [6.0, 8.0]
    """
    leaves = tree_leaves(tree)
    shapes = [shape_of(leaf) for leaf in leaves]
    ends = np.cumsum([math.prod(shape) for shape in shapes], dtype=int).tolist()
    size = ends[-1] if ends else 0
    vector = concat([flatten(leaf) for leaf in leaves] or [np.zeros(0)])
    plain_numbers = [is_number(leaf) and not hasattr(leaf, "dtype") for leaf in leaves]

    def unravel(vector):
        if shape_of(vector) != (size,):
            raise ShapeError(f"unravel needs a vector of {size} elements, not an array of shape {shape_of(vector)}")
        parts = []
        for shape, start, end, is_plain in zip(shapes, [0, *ends], ends, plain_numbers):
            part = reshape(vector[start:end], shape)
            parts.append(float(part) if is_plain and isinstance(part, np.ndarray) else part)
        return tree_unflatten(tree, parts)

    return vector, unravel
