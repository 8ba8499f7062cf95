"""Read your own data from a `.csv` table or from the arrays of a `.npz` file."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from adjoint.data.csv_tables import parse_table
from adjoint.errors import AdjointError, ArgumentError, DataError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    import numpy as np


def read(path: str | os.PathLike, target: int | str = -1) -> "tuple[np.ndarray, np.ndarray]":
    """Return the inputs and targets of a file.

    A `.csv` file is a table of numbers, separated by commas, semicolons or tabs, with or without a header. `target` is
    the column of the targets, by name or by index; the default is the last one. A `.npz` file holds the arrays `X` and
    `y`. Targets that are all integers are classes; others stay floats.

    >>> from pathlib import Path
    >>> import tempfile
    >>> from adjoint import data
    >>> path = Path(tempfile.mkdtemp()) / "points.csv"
    >>> _ = path.write_text("x1,x2,class\\n0.5,1.5,0\\n2.5,3.5,1\\n")
    >>> X, y = data.read(path)
    >>> X.tolist(), y
    ([[0.5, 1.5], [2.5, 3.5]], array([0, 1]))
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"read needs the path of a file, not {describe(path)}")
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ArgumentError(f"read needs a {' or '.join(SUFFIXES)} file, not {str(path)!r}")
    try:
        return reader(path, target)
    except AdjointError:
        raise
    except FileNotFoundError:
        raise DataError(f"the file {str(path)!r} does not exist; check its name and folder") from None
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise DataError(f"{str(path)!r} is not UTF-8 text; save the table as CSV in UTF-8") from None


# --- tables ---


def _read_csv(path: Path, target: int | str) -> "tuple[np.ndarray, np.ndarray]":
    import numpy as np

    with path.open(newline="", encoding="utf-8") as file:
        X, y = parse_table(file.read(), path.name, target)
    return np.array(X), _targets(np.array(y))


def _targets(y: "np.ndarray") -> "np.ndarray":
    """Return targets that are all integers as classes."""
    return y.astype("int64") if y.dtype.kind in "iub" or (y == y.round()).all() else y


# --- arrays ---


def _read_npz(path: Path, target: int | str) -> "tuple[np.ndarray, np.ndarray]":
    import numpy as np

    from adjoint.data.loading import require_finite

    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (OSError, MemoryError):
        raise
    except Exception as error:
        raise DataError(f"{path.name} is not a .npz file of numbers: {' '.join(str(error).split())}") from None
    if target != -1:
        raise ArgumentError("target is a column of a .csv file; a .npz file names its arrays X and y")
    named = {name.lower(): array for name, array in arrays.items()}
    if not {"x", "y"} <= named.keys():
        raise DataError(f"{path.name} needs the arrays X and y; it has {', '.join(arrays) or 'none'}")
    X, y = named["x"], named["y"]
    for name, array in (("X", X), ("y", y)):
        if array.dtype.kind not in "fiub":
            raise DataError(f"{path.name}: {name} holds {array.dtype}, not numbers")
        require_finite(array, f"{path.name}: {name}")
    if not X.ndim or not y.ndim or len(X) != len(y) or not len(X):
        raise DataError(f"{path.name}: X has shape {X.shape} and y {y.shape}; each sample needs one row in both")
    return X if X.dtype.kind == "f" else X.astype(np.float64), _targets(y)


_READERS: "dict[str, Callable[[Path, int | str], tuple[np.ndarray, np.ndarray]]]" = {
    ".csv": _read_csv,
    ".npz": _read_npz,
}
SUFFIXES = tuple(_READERS)
