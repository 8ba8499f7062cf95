"""Read your own data from a `.csv` table or from the arrays of a `.npz` file.

Tables are read with `csv` instead of `numpy.loadtxt`, so that every error names the line, the column and the content.
"""

import csv
import io
import math
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from adjoint.data.loading import require_finite
from adjoint.errors import AdjointError, ArgumentError, DataError
from adjoint.errors.given import describe
from adjoint.errors.suggest import unknown_name_error

_DELIMITERS = ",;\t"


def read(path: str | os.PathLike, target: int | str = -1) -> tuple[np.ndarray, np.ndarray]:
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


def _read_csv(path: Path, target: int | str) -> tuple[np.ndarray, np.ndarray]:
    with path.open(newline="", encoding="utf-8") as file:
        return parse_csv(file.read(), path.name, target)


def parse_csv(text: str, file: str, target: int | str = -1) -> tuple[np.ndarray, np.ndarray]:
    """Return the inputs and targets in the text of a table, as `read` does; error messages call it `file`.

    >>> parse_csv("0.5;1\\n2.5;x", "points.csv")
    Traceback (most recent call last):
    adjoint.errors.DataError: points.csv, line 2, column 2: 'x' is not a number; only the first line may be a header
    """
    text = text.removeprefix("\ufeff")  # a byte order mark, which some programs write
    first = next((line for line in io.StringIO(text) if line.strip()), "")
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
    except csv.Error as error:
        raise DataError(f"{file}, line {reader.line_num}: {error}") from None
    if not lines:
        raise DataError(f"{file} is empty; write one line per sample")
    header = [cell.strip() for cell in lines[0][1]]
    names = header if not any(map(_is_number, header)) else None
    rows = lines[1:] if names else lines
    if not rows:
        raise DataError(f"{file} has a header but no data; write one line per sample")
    width = len(header)
    if width < 2:
        raise DataError(f"{file} has one column; it needs columns of inputs and one of targets")
    table = np.empty((len(rows), width))
    for i, (line, cells) in enumerate(rows):
        if len(cells) != width:
            found = f"{len(cells)} column{'s' * (len(cells) != 1)}"
            raise DataError(f"{file}, line {line}: found {found}, but the first line has {width}")
        for j, cell in enumerate(cells):
            table[i, j] = _number(cell, file, line, j, names)
    k = _target_column(target, width, names, file)
    return np.delete(table, k, axis=1), _targets(table[:, k])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(cell: str, file: str, line: int, column: int, names: list[str] | None) -> float:
    """Return a cell as a number; an error names its position and content."""
    name = f" ({names[column]})" if names else ""
    where = f"{file}, line {line}, column {column + 1}{name}"
    if not cell.strip():
        raise DataError(f"{where}: the cell is empty; every cell needs a number")
    if not _is_number(cell):
        hint = "" if line == 1 or names else "; only the first line may be a header"
        raise DataError(f"{where}: {cell.strip()!r} is not a number{hint}")
    number = float(cell)
    if not math.isfinite(number):
        raise DataError(f"{where}: {cell.strip()} is not finite; remove the line or replace the number")
    return number


def _target_column(target: int | str, width: int, names: list[str] | None, file: str) -> int:
    if isinstance(target, str):
        if target not in (names or ()):
            raise (
                unknown_name_error("column", target, names)
                if names
                else ArgumentError(f"{file} has no header; give the column of the targets by its index, such as -1")
            )
        return (names or []).index(target)
    if isinstance(target, bool) or not hasattr(target, "__index__") or not -width <= target < width:
        raise ArgumentError(f"target must be the name of a column or its index from 0 to {width - 1}, not {target!r}")
    return target % width


def _targets(y: np.ndarray) -> np.ndarray:
    """Return targets that are all integers as classes."""
    return y.astype(np.int64) if y.dtype.kind in "iub" or (y == np.round(y)).all() else y


# --- arrays ---


def _read_npz(path: Path, target: int | str) -> tuple[np.ndarray, np.ndarray]:
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


_READERS: dict[str, Callable[[Path, int | str], tuple[np.ndarray, np.ndarray]]] = {".csv": _read_csv, ".npz": _read_npz}
SUFFIXES = tuple(_READERS)
