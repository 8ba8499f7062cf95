"""Tables of numbers in CSV, as lists: `files.py` and the lab read them, the latter also without NumPy.

Tables are read with `csv` instead of `numpy.loadtxt`, so that every error names the line, the column and the content.
"""

import csv
import io
import math
from collections.abc import Sequence
from typing import Literal

from adjoint.errors import ArgumentError, DataError
from adjoint.errors.given import describe
from adjoint.errors.suggest import unknown_name_error

Header = bool | Literal["auto"]
_DELIMITERS = ",;\t"
_MISSING = {"", "?", "-", "--", ".", "*", "na", "n/a", "#n/a", "<na>", "nil", "none", "null", "missing"}
_SAY_WHICH = "say which with header=True or header=False (adjoint train: --header or --no-header)"


def parse_table(
    text: str, file: str, target: int | str = -1, header: Header = "auto"
) -> tuple[list[list[float]], list[float]]:
    """Return the inputs and targets in the text of a table, as `data.read` does; error messages call it `file`.

    >>> from adjoint.data import parse_table
    >>> parse_table("x1;x2;y\\n0.5;1;2", "points.csv")
    ([[0.5, 1.0]], [2.0])
    >>> parse_table("0.5;1\\n2.5;x", "points.csv")
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
    line, first = lines[0][0], [cell.strip() for cell in lines[0][1]]
    width = len(first)
    names = first if _is_header(first, header, f"{file}, line {line}") else None
    rows = lines[1:] if names else lines
    if not rows:
        raise DataError(f"{file} has a header but no data; write one line per sample")
    if width < 2:
        raise DataError(f"{file} has one column; it needs columns of inputs and one of targets")
    table: list[list[float]] = []
    for line, cells in rows:
        if len(cells) != width:
            found = f"{len(cells)} column{'s' * (len(cells) != 1)}"
            raise DataError(f"{file}, line {line}: found {found}, but the first line has {width}")
        is_first = line == lines[0][0]
        table.append([_number(cell, file, line, j, names, is_first) for j, cell in enumerate(cells)])
    if names and not names[0] and [row[0] for row in table] == list(range(len(table))):
        raise DataError(
            f"{file}, column 1: it has no name and counts the lines, as the index that pandas writes; write the table "
            "with to_csv(index=False), or give the column a name"
        )
    k = _target_column(target, width, names, file)
    return [row[:k] + row[k + 1 :] for row in table], [row[k] for row in table]


def _is_header(cells: Sequence[str], header: Header, where: str) -> bool:
    """Return whether the first line has the names of the columns; raise where that cannot be told.

    >>> _is_header(["x1", "x2"], "auto", "points.csv, line 1"), _is_header(["2.5", "1"], "auto", "points.csv, line 1")
    (True, False)
    """
    if not isinstance(header, bool) and header != "auto":
        raise ArgumentError(f"header must be True, False or 'auto', not {describe(header)}")
    found = header if isinstance(header, bool) else not any(map(_is_number, cells))
    shown = ",".join(cells)
    if header == "auto":
        counted = cells if cells[0] else cells[1:]  # pandas writes an empty name above its index
        if len(cells) > 1 and list(counted) == [str(j) for j in range(len(counted))]:
            raise DataError(
                f"{where}: {shown} may be a sample, or the names that pandas gives to columns; {_SAY_WHICH}"
            )
        if all(cell.lower() in _MISSING for cell in cells):
            raise DataError(f"{where}: {shown} may be names of columns, or a sample without numbers; {_SAY_WHICH}")
    twice = next((name for name in cells if name and cells.count(name) > 1), None) if found else None
    if twice is not None:
        raise DataError(f"{where}: two columns have the name {twice!r}; give each column a name of its own")
    return found


def _is_number(cell: str) -> bool:
    if "_" in cell:  # 2024_10 is a number in Python, but not in a table
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(cell: str, file: str, line: int, column: int, names: list[str] | None, is_first: bool) -> float:
    """Return a cell as a number; an error names its position and content."""
    name = f" ({names[column]})" if names else ""
    where = f"{file}, line {line}, column {column + 1}{name}"
    if not cell.strip():
        raise DataError(f"{where}: the cell is empty; every cell needs a number")
    if not _is_number(cell):
        hint = "" if names else "; only the first line may be a header"
        if is_first:
            hint = "; if it is one of the names of the columns, say header=True (adjoint train: --header)"
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
