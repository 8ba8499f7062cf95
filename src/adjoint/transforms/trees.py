"""Pytrees: nested lists, tuples and dicts whose leaves are numbers, arrays and Values.

The functions have the names of their counterparts in `jax.tree_util`. None is an empty tree: it has no leaves.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from adjoint.errors import ArgumentError
from adjoint.errors.given import describe


def tree_leaves(tree: object) -> list:
    """Return the leaves of a tree, in order. Anything but a list, tuple or dict is a leaf.

    >>> from adjoint import tree_leaves
    >>> tree_leaves({"w": [1.0, 2.0], "b": (3.0,)})
    [1.0, 2.0, 3.0]
    """
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in tree_leaves(part)]
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in tree_leaves(part)]
    return [] if tree is None else [tree]


def tree_unflatten(tree: object, leaves: Sequence) -> Any:
    """Return a tree with the structure of `tree` and other leaves.

    >>> from adjoint import tree_unflatten
    >>> tree_unflatten({"w": [1.0, 2.0], "b": (3.0,)}, "abc")
    {'w': ['a', 'b'], 'b': ('c',)}
    """
    return _unflatten(tree, iter(leaves))


def tree_flatten(tree: object) -> tuple[list, object]:
    """Return the leaves of a tree, and the tree itself, which tells `tree_unflatten` the structure.

    >>> from adjoint import tree_flatten, tree_unflatten
    >>> leaves, structure = tree_flatten({"w": 1.0, "b": [2.0]})
    >>> tree_unflatten(structure, [10 * x for x in leaves])
    {'w': 10.0, 'b': [20.0]}
    """
    return tree_leaves(tree), tree


def tree_map(function: Callable, tree: object, *rest: object) -> Any:
    """Return a tree with the structure of `tree` and the function applied to each leaf.

    With several trees of the same structure, the function takes a leaf of each.

    >>> from adjoint import tree_map
    >>> tree_map(lambda p, g: p - 0.5 * g, {"w": 3.0, "b": [1.0]}, {"b": [2.0], "w": 4.0})
    {'w': 1.0, 'b': [0.0]}
    """
    for other in rest:
        if not same_structure(tree, other):
            raise ArgumentError(
                f"tree_map needs trees of the same structure, not {describe(tree)} and {describe(other)}"
            )
    leaves = zip(tree_leaves(tree), *[tree_leaves_like(tree, other) for other in rest])
    return tree_unflatten(tree, [function(*group) for group in leaves])


def same_structure(a: object, b: object) -> bool:
    """Return whether two trees have the same structure. Lists and tuples count as equal."""
    if isinstance(a, (list, tuple)):
        if not isinstance(b, (list, tuple)) or len(a) != len(b):
            return False
        return all(same_structure(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same_structure(a[key], b[key]) for key in a)
    return (a is None) == (b is None) and not isinstance(b, (list, tuple, dict))


def tree_leaves_like(tree: object, other: Any) -> list:
    """Return the leaves of `other`, which has the structure of `tree`, in the order of `tree`.

    The two may list the keys of a dict in different orders.

    >>> tree_leaves_like({"a": 1, "b": 2}, {"b": 20, "a": 10})
    [10, 20]
    """
    if isinstance(tree, (list, tuple)):
        return [leaf for part, twin in zip(tree, other) for leaf in tree_leaves_like(part, twin)]
    if isinstance(tree, dict):
        return [leaf for key, part in tree.items() for leaf in tree_leaves_like(part, other[key])]
    return [] if tree is None else [other]


def _unflatten(tree: object, leaves: Iterator) -> Any:
    if isinstance(tree, (list, tuple)):
        parts = [_unflatten(part, leaves) for part in tree]
        is_named_tuple = hasattr(tree, "_fields")
        return type(tree)(*parts) if is_named_tuple else type(tree)(parts)
    if isinstance(tree, dict):
        return {key: _unflatten(part, leaves) for key, part in tree.items()}
    return None if tree is None else next(leaves)
