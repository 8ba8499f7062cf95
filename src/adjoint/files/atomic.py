"""Files that are written whole or not at all: whoever reads one finds the old content or the new, never a part.

The new content goes to a temporary file beside the old one, is brought to the disk, and takes the old one's place in
one step of the file system. A process that is killed in between leaves the old file as it was, and a temporary one
that the next writer of the same file removes.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from adjoint.errors import ArgumentError, FileError
from adjoint.errors.given import described

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be removed anyway
    fcntl = None


def write(path: str | os.PathLike, content: bytes) -> None:
    """Make `content` that of the file, atomically. What cannot be written leaves the old file and nothing else.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write(path, b"old")
    >>> write(path, b"new")
    >>> path.read_bytes(), len(list(path.parent.iterdir()))
    (b'new', 1)
    """
    given = as_path(path)
    target = Path(os.path.realpath(given))  # a link stays one, and what it points to is replaced
    try:
        mode = _mode(target, given)
        _remove_abandoned(target)
        with _temporary(target) as (temporary, file):
            with open(file, "wb", closefd=False) as stream:
                stream.write(content)
            if mode is not None:
                os.chmod(temporary, mode)
            os.fsync(file)
            os.replace(temporary, target)
        _sync_folder(target.parent)
    except FileError:
        raise
    except (FileNotFoundError, NotADirectoryError):
        raise _failure("written", given, f"there is no folder {str(given.parent)!r}; make it first") from None
    except OSError as error:
        kept = "; the old file is as it was" if os.path.exists(target) else ""
        raise _failure("written", given, f"{error.strerror or error}{kept}") from error


def read(path: str | os.PathLike) -> bytes:
    """Return the content of a file."""
    given = as_path(path)
    try:
        return given.read_bytes()
    except FileNotFoundError:
        raise _failure("read", given, "there is no such file; is the name right, and the folder?") from None
    except OSError as error:
        raise _failure("read", given, error.strerror or str(error)) from error


def require_writable(path: str | os.PathLike) -> None:
    """Raise if a file could not be written now: before the work whose result it is to hold."""
    given = as_path(path)
    target = Path(os.path.realpath(given))
    if not target.parent.is_dir():
        raise _failure("written", given, f"there is no folder {str(given.parent)!r}; make it first")
    if _mode(target, given) is None and not os.access(target.parent, os.W_OK):
        raise _failure("written", given, f"nothing can be written in the folder {str(given.parent)!r}")


def as_path(path: object) -> Path:
    """Return the path of a file, or say that it is none."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path) or isinstance(os.fspath(path), bytes):
        raise ArgumentError(f"a file is given by its path, such as 'model.safetensors', not by {described(path)}")
    if "\0" in os.fspath(path):
        raise ArgumentError(f"the path of a file has no null character: {described(path)}")
    return Path(path)


def _failure(what: str, path: Path, reason: str) -> FileError:
    return FileError(f"{str(path)!r} cannot be {what}: {reason}")


def _mode(target: Path, given: Path) -> int | None:
    """Return the permissions of the old file, if there is one; raise if it is something that must not be replaced."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise _failure("written", given, "it is a folder; give the name of a file in it")
    if not stat.S_ISREG(mode):
        raise _failure("written", given, "it is a device or a pipe, and no file that could be replaced")
    if not os.access(target, os.W_OK):
        raise _failure("written", given, "it is write-protected")
    return stat.S_IMODE(mode)


@contextlib.contextmanager
def _temporary(target: Path) -> Iterator[tuple[Path, int]]:
    """Yield a new file beside the target and its descriptor; it is locked, and removed unless it was moved away."""
    while True:
        temporary = target.with_name(f".{target.name}.{os.urandom(6).hex()}.tmp")
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        _lock(file)
        if os.fstat(file).st_nlink:
            break
        os.close(file)  # another writer took it for abandoned before it was locked
    try:
        yield temporary, file
    finally:
        os.close(file)
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _lock(file: int, wait: bool = True) -> bool:
    """Lock a file until it is closed, or its process has ended; return whether that was possible."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # somebody holds it, or the file system knows no locks
        return False
    return True


def _remove_abandoned(target: Path) -> None:
    """Remove what writers of the same file left that were killed: nobody holds a lock on it any more."""
    start, end = f".{target.name}.", ".tmp"
    try:
        names = os.listdir(target.parent)
    except PermissionError:  # a folder that may be written to, and not read
        names = []
    for name in names:
        if name.startswith(start) and name.endswith(end) and len(name) == len(start) + 12 + len(end):
            with contextlib.suppress(OSError):
                file = os.open(target.with_name(name), os.O_WRONLY)
                try:
                    if _lock(file, wait=False):
                        target.with_name(name).unlink()
                finally:
                    os.close(file)


def _sync_folder(folder: Path) -> None:
    """Bring the name of a new file to the disk, where folders can be opened."""
    with contextlib.suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
