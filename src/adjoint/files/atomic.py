"""Atomic file writes: a reader finds the old content or the new content, never a part.

The new content goes to a temporary file next to the old one, is flushed to the disk, and replaces the old file in one
step of the file system. A process that is killed before that step leaves the old file unchanged, and a hidden temporary
file (`.name.….tmp`), which the next write of the same file deletes: a file that is still being written is locked, and
locks end with their process.
"""

import contextlib
import mmap
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from adjoint.errors import ArgumentError, FileError
from adjoint.errors.given import describe

try:
    import fcntl
except ImportError:  # Windows, where leftover files stay
    fcntl = None


def write(path: str | os.PathLike, content: bytes) -> None:
    """Replace the content of a file atomically. If that fails, the old file is unchanged.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write(path, b"old")
    >>> write(path, b"new")
    >>> path.read_bytes(), len(list(path.parent.iterdir()))
    (b'new', 1)
    """
    with replacing(path) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of the old one at the end of the context, unless an exception leaves it."""
    given = as_path(path)
    target = Path(os.path.realpath(given))  # the file that a link points to is replaced, not the link
    temporary = target.with_name(f".{target.name}.{os.urandom(6).hex()}.tmp")
    try:
        mode = _mode(target, given)
        _remove_leftovers(target)
        with _open_locked(temporary) as file:
            yield file
            file.flush()
            if mode is not None:
                os.chmod(temporary, mode)
            os.fsync(file.fileno())
            if fcntl is not None:
                os.replace(temporary, target)  # while it is locked
        if fcntl is None:  # Windows does not rename a file that is open
            os.replace(temporary, target)
        _sync_folder(target.parent)
    except FileError:
        raise
    except (FileNotFoundError, NotADirectoryError):
        raise _failure("write", given, f"the folder {str(given.parent)!r} does not exist; create it first") from None
    except OSError as error:
        unchanged = "; the old file is unchanged" if os.path.exists(target) else ""
        raise _failure("write", given, f"{error.strerror or error}{unchanged}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def read(path: str | os.PathLike) -> bytes:
    """Return the content of a file."""
    given = as_path(path)
    try:
        return given.read_bytes()
    except OSError as error:
        raise _unreadable(given, error) from error


def read_mapped(path: str | os.PathLike) -> mmap.mmap | bytes:
    """Return the content of a file, mapped into memory: its bytes are read as they are used.

    They may be changed in memory, which does not change the file.
    """
    given = as_path(path)
    try:
        with given.open("rb") as file:
            is_empty = not os.fstat(file.fileno()).st_size  # an empty file cannot be mapped
            return b"" if is_empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except OSError as error:
        raise _unreadable(given, error) from error


def require_writable(path: str | os.PathLike) -> None:
    """Raise if a file cannot be written now: call this before long work whose result the file will hold."""
    given = as_path(path)
    target = Path(os.path.realpath(given))
    if not target.parent.is_dir():
        raise _failure("write", given, f"the folder {str(given.parent)!r} does not exist; create it first")
    if _mode(target, given) is None and not os.access(target.parent, os.W_OK):
        raise _failure("write", given, f"the folder {str(given.parent)!r} is write-protected")


def as_path(path: object) -> Path:
    """Return a path given as text or as a `Path`; raise if it is neither."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path) or isinstance(os.fspath(path), bytes):
        raise ArgumentError(f"expected the path of a file, such as 'model.safetensors', not {describe(path)}")
    if "\0" in os.fspath(path):
        raise ArgumentError(f"the path of a file cannot contain a null character: {describe(path)}")
    return Path(path)


# --- temporary files ---


def _open_locked(path: Path) -> BinaryIO:
    """Create a file and lock it, so that no other process takes it for the leftover of a process that was killed."""
    while True:
        file = path.open("xb")
        if _lock(file) is None or os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # another process has deleted it before it was locked


def _lock(file: BinaryIO, flags: int = 0) -> bool | None:
    """Lock a file; return whether it is locked now, or None where files cannot be locked."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | flags)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems
        return None
    return True


def _remove_leftovers(target: Path) -> None:
    """Delete the temporary files of earlier writes of a file whose processes were killed."""
    if fcntl is None:
        return
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{12}}\.tmp")
    with contextlib.suppress(OSError):
        for name in filter(pattern.fullmatch, os.listdir(target.parent)):
            with contextlib.suppress(OSError), open(target.parent / name, "rb") as file:
                if _lock(file, fcntl.LOCK_NB):
                    os.unlink(file.name)


def _failure(action: str, path: Path, reason: str) -> FileError:
    return FileError(f"cannot {action} {str(path)!r}: {reason}")


def _unreadable(path: Path, error: OSError) -> FileError:
    missing = "the file does not exist; check its name and folder"
    return _failure("read", path, missing if isinstance(error, FileNotFoundError) else error.strerror or str(error))


def _mode(target: Path, given: Path) -> int | None:
    """Return the permissions of the old file, None if there is none; raise if it must not be replaced."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise _failure("write", given, "it is a folder; give the name of a file in it")
    if not stat.S_ISREG(mode):
        raise _failure("write", given, "it is a device or a pipe, not a regular file")
    if not os.access(target, os.W_OK):
        raise _failure("write", given, "it is write-protected")
    return stat.S_IMODE(mode)


def _sync_folder(folder: Path) -> None:
    """Flush the name of a new file to the disk, on systems where a folder can be opened."""
    with contextlib.suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
