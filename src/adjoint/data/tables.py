"""Conversion of what users have, such as arrays, lists, tensors of PyTorch and DataFrames, to NumPy arrays of rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjoint.arrays.backends import require_unmasked
from adjoint.arrays.convert import from_table
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, DataError, ShapeError
from adjoint.errors.given import describe
from adjoint.transforms.trees import tree_leaves

Rows = Any  # an array, nested lists, a DataFrame, a Series or a tensor, with one row per sample


def as_rows(given: Rows, who: str) -> np.ndarray:
    """Return data as an array of numbers with one row per sample.

    >>> as_rows([[1, 2], [3, 4]], "fit").shape
    (2, 2)
    """
    if type(given) is np.ndarray and given.ndim and given.dtype.kind in "fiub":
        return given  # the usual case
    if isinstance(given, Value):
        raise ArgumentError(f"{who} needs plain arrays, not a Value; pass its .numpy()")
    require_unmasked(given)
    if hasattr(given, "detach") and hasattr(given, "cpu"):  # a tensor of PyTorch
        tensor: Any = given
        given = tensor.detach().cpu()
    try:
        array = np.asarray(given)
    except ValueError:  # lists of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "fiub" and hasattr(given, "to_numpy"):
        array = from_table(given, who)
    if array.ndim == 0 or array.dtype.kind not in "fiub":
        hint = "; number the labels: classes, y = numpy.unique(labels, return_inverse=True)" if _is_text(array) else ""
        raise ArgumentError(f"{who} needs arrays of numbers with one row per sample, not {describe(given)}{hint}")
    return array


def column_names(given: object) -> list[str] | None:
    """Return the names of the columns of a DataFrame."""
    columns = getattr(given, "columns", None)
    return [str(name) for name in columns] if columns is not None and hasattr(given, "to_numpy") else None


def is_several(given: object) -> bool:
    """Return whether data are several inputs: a dict of arrays, or a tuple of arrays."""
    if isinstance(given, tuple):
        return len(given) > 0 and all(len(getattr(part, "shape", ())) > 0 for part in given)
    return isinstance(given, dict)


def as_tree(given: Rows, who: str) -> Any:
    """Return data as an array, or as a tuple or dict of arrays if there are several inputs."""
    if not is_several(given):
        return as_rows(given, who)
    if isinstance(given, dict):
        return {name: as_rows(part, who) for name, part in given.items()}
    return tuple(as_rows(part, who) for part in given)


def _is_text(array: np.ndarray) -> bool:
    return array.dtype.kind in "US" or (array.ndim == 1 and all(isinstance(x, str) for x in array.tolist()))


def trees_of(data: Sequence[Rows], who: str) -> tuple[Any, ...]:
    """Return the parts of a data set, given one by one or as a tuple; all have the same number of rows."""
    parts = data[0] if len(data) == 1 and isinstance(data[0], tuple) else data
    if not parts:
        raise ArgumentError(f"{who} needs arrays with one row per sample, such as X, y")
    trees = tuple(as_tree(part, who) for part in parts)
    arrays = tree_leaves(trees)
    rows = [len(array) for array in arrays]
    if len(set(rows)) > 1:
        counts = " and ".join(map(str, rows))
        raise ShapeError(f"{who}: the arrays have {counts} rows; they must have the same number of rows")
    if not rows or rows[0] == 0:
        raise DataError(f"{who} got empty data{f', of shape {arrays[0].shape}' if arrays else ''}")
    return trees
