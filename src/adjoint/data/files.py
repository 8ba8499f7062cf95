"""Read your own data from a `.csv` table or from the arrays of a `.npz` file."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from adjoint.data.csv_tables import Header, parse_table
from adjoint.errors import AdjointError, ArgumentError, DataError
from adjoint.errors.given import describe
from adjoint.errors.interruptions import raise_interruption

if TYPE_CHECKING:
    import numpy as np


def read(
    path: str | os.PathLike, target: int | str = -1, *, header: Header = "auto"
) -> "tuple[np.ndarray, np.ndarray]":
    """Return the inputs and targets of a file.

    A `.csv` file is a table of numbers, separated by commas, semicolons or tabs, with or without a header. `target` is
    the column of the targets, by name or by index; the default is the last one. A `.npz` file holds the arrays `X` and
    `y`. Targets that are all integers below 2**53 are classes, as `int64`; others are floats.

    With `header=True`, the first line has the names of the columns; with `header=False`, it is a sample. By default,
    it has names if none of its cells is a number. Lines that could be either are errors until `header` decides:
    `0,1,2`, as pandas names columns, and lines of nothing but marks such as `NA` or `?`. Two columns must not have the
    same name. Lines without any content are skipped.

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
        raise ArgumentError(f"read needs a {' or '.join(_READERS)} file, not {str(path)!r}")
    try:
        return reader(path, target, header)
    except AdjointError:
        raise
    except FileNotFoundError:
        raise DataError(f"the file {str(path)!r} does not exist; check its name and folder") from None
    except OSError as error:
        raise DataError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise DataError(f"{str(path)!r} is not UTF-8 text; save the table as CSV in UTF-8") from None


# --- tables ---


def _read_csv(path: Path, target: int | str, header: Header) -> "tuple[np.ndarray, np.ndarray]":
    import numpy as np

    with path.open(newline="", encoding="utf-8") as file:
        X, y = parse_table(file.read(), path.name, target, header)
    return np.array(X), _targets(np.array(y))


def _targets(y: "np.ndarray") -> "np.ndarray":
    """Return targets that are all integers as classes; from 2**53 on a float no longer tells integers apart."""
    exact = y if y.dtype.kind in "iub" else y.astype("float64")  # a float16 cannot be compared with 2**53
    if y.dtype.kind in "ib" or ((abs(exact) < _AMBIGUOUS).all() and (exact == exact.round()).all()):
        return y.astype("int64")
    return y.astype("float64") if y.dtype.kind == "u" else y


# --- arrays ---


def _read_npz(path: Path, target: int | str, header: Header) -> "tuple[np.ndarray, np.ndarray]":
    import numpy as np

    from adjoint.data.loading import require_finite

    if target != -1 or header != "auto":
        raise ArgumentError("target and header are of a .csv file; a .npz file names its arrays X and y")
    try:
        found = _archive_members(path)
        if not {"x", "y"} <= found.keys():
            names = ", ".join(name.removesuffix(".npy") for name in found.values())
            raise DataError(f"{path.name} needs the arrays X and y; it has {names or 'none'}")
        with np.load(path, allow_pickle=False) as archive:
            X, y = archive[found["x"]], archive[found["y"]]
    except (OSError, AdjointError):
        raise
    except MemoryError:
        raise DataError(f"{path.name} does not fit into memory; write its samples to several files") from None
    except Exception as error:
        raise_interruption(error)
        raise DataError(f"{path.name} is not a .npz file of numbers: {' '.join(str(error).split())}") from None
    for name, array in (("X", X), ("y", y)):
        require_finite(array, f"{path.name}: {name}")
    if not X.ndim or not y.ndim or len(X) != len(y) or not len(X):
        raise DataError(f"{path.name}: X has shape {X.shape} and y {y.shape}; each sample needs one row in both")
    return X if X.dtype.kind == "f" else X.astype(np.float64), _targets(y)


def _archive_members(path: Path) -> dict[str, str]:
    """Return the files of an archive, by the name of their array in small letters; check those of X and y."""
    from adjoint.data.npy_headers import require_honest_header

    with zipfile.ZipFile(path) as archive:
        found = {info.filename.removesuffix(".npy").lower(): info for info in archive.infolist()}
        for name in {"x", "y"} & found.keys():
            info, who = found[name], f"{path.name}: {name if name == 'y' else 'X'}"
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise DataError(f"{who} is compressed in a way that NumPy does not write; save it with numpy.savez")
            if info.file_size > _DEFLATE_RATIO * path.stat().st_size:
                raise DataError(
                    f"{who} says that it has {info.file_size:,} bytes, more than {path.stat().st_size:,} compressed "
                    "bytes can be: the file is damaged; save it again"
                )
            with archive.open(info) as file:
                require_honest_header(file, info.file_size, who)
    return {name: info.filename for name, info in found.items()}


_DEFLATE_RATIO = 1100  # deflate makes data at most 1,032 times smaller
_AMBIGUOUS = 2**53  # the float that 2**53 + 1 is read as too
_READERS: "dict[str, Callable[[Path, int | str, Header], tuple[np.ndarray, np.ndarray]]]" = {
    ".csv": _read_csv,
    ".npz": _read_npz,
}
