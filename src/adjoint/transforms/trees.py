"""Nested lists, tuples and dicts of numbers, arrays and Values: taken apart into leaves, and put together again."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any


def leaves(structure: Any) -> list:
    """Return what a nested structure holds, in order; anything but a list, tuple or dict is a leaf.

    >>> leaves({"w": [1.0, 2.0], "b": (3.0,)})
    [1.0, 2.0, 3.0]
    """
    if isinstance(structure, (list, tuple)):
        return [leaf for part in structure for leaf in leaves(part)]
    if isinstance(structure, dict):
        return [leaf for part in structure.values() for leaf in leaves(part)]
    return [] if structure is None else [structure]


def rebuilt(structure: Any, new_leaves: Sequence) -> Any:
    """Return a structure of the same form with other leaves.

    >>> rebuilt({"w": [1.0, 2.0], "b": (3.0,)}, "abc")
    {'w': ['a', 'b'], 'b': ('c',)}
    """
    return _rebuild(structure, iter(new_leaves))


def mapped(function: Callable, structure: Any) -> Any:
    """Return a structure of the same form with the function applied to each leaf."""
    return rebuilt(structure, [function(leaf) for leaf in leaves(structure)])


def same_form(a: Any, b: Any) -> bool:
    """Return whether two structures are nested alike."""
    if isinstance(a, (list, tuple)):
        alike = isinstance(b, (list, tuple)) and len(a) == len(b)
        return alike and all(same_form(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same_form(a[key], b[key]) for key in a)
    return (a is None) == (b is None) and not isinstance(b, (list, tuple, dict))


def leaves_like(structure: Any, other: Any) -> list:
    """Return the leaves of a structure of the same form, in the order of the first: dicts may differ in theirs.

    >>> leaves_like({"a": 1, "b": 2}, {"b": 20, "a": 10})
    [10, 20]
    """
    if isinstance(structure, (list, tuple)):
        return [leaf for part, twin in zip(structure, other) for leaf in leaves_like(part, twin)]
    if isinstance(structure, dict):
        return [leaf for key, part in structure.items() for leaf in leaves_like(part, other[key])]
    return [] if structure is None else [other]


def _rebuild(structure: Any, rest: Iterator) -> Any:
    if isinstance(structure, (list, tuple)):
        parts = [_rebuild(part, rest) for part in structure]
        is_named = hasattr(structure, "_fields")
        return type(structure)(*parts) if is_named else type(structure)(parts)
    if isinstance(structure, dict):
        return {key: _rebuild(part, rest) for key, part in structure.items()}
    return None if structure is None else next(rest)
