"""Checkpoints in several files: a folder with safetensors files and an index, replaced as a whole.

The layout is that of Hugging Face, which other programs read:

    model-00001-of-00002.safetensors    tensors of the model, whole, under the names of its state_dict()
    model-00002-of-00002.safetensors
    extra-00001-of-00001.safetensors    tensors of everything else, such as those of an optimizer
    model.safetensors.index.json        {"metadata": {"total_size": …}, "weight_map": {name: file, …}, "adjoint": …}

The entry "adjoint" has a checksum and a content: the format ("version"), the number of this save ("save"), which each
file has in its record too, what else was saved ("about"), the files of the other tensors ("extra"), and the tensors in
slices ("split"). Where several processes hold the parts of a tensor, each writes its own slice under a name such as
`wte.weight[0:128, 0:64]`, and "split" has the shape of the tensor and where each slice starts:

    "split": {"wte.weight": [[256, 64], {"wte.weight[0:128, 0:64]": [0, 0], "wte.weight[128:256, 0:64]": [128, 0]}]}

Files are never replaced. A save writes new ones, under other names than those of the old index, and then replaces the
index, which decides what the checkpoint is. After that, the old files are removed, and so is what a killed save left.
"""

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from adjoint.errors import AdjointError, ArgumentError, FileError
from adjoint.errors.given import describe, whole
from adjoint.files import atomic
from adjoint.files.joint_saves import Processes
from adjoint.files.tensor_files import MALFORMED, RECORD, VERSION, TensorFile, checksum, quote_path, write_tensors
from adjoint.files.tensor_sources import Piece, pieces_of
from adjoint.files.tensors import INDEX, IndexedTensors

MAX_SIZE = "5GB"  # of a file, as in Hugging Face
_UNITS = {"": 1, "B": 1} | {f"{k}B": 1000**i for i, k in enumerate("KMGT", 1)} | {
    f"{k}IB": 1024**i for i, k in enumerate("KMGT", 1)
}  # fmt: skip
_PART = re.compile(r"(model|extra)(-[0-9a-f]{8})?-\d{5}-of-\d{5}\.safetensors")
_TEMPORARY = re.compile(rf"\.({_PART.pattern}|{re.escape(INDEX)})\.[0-9a-f]{{12}}\.tmp")
Split = Callable[[Sequence[Piece]], list[list[Piece]]]  # the pieces of each file


# --- sizes ---------------------------------------------------------------------------------------------------


def split_by(parts: object, max_size: object) -> Split:
    """Return how tensors are distributed over files: in so many parts, or in files of at most so many bytes."""
    if parts is not None and max_size is not None:
        raise ArgumentError(f"save takes parts={parts!r} or max_size={max_size!r}, not both")
    if parts is None:
        limit = bytes_of(MAX_SIZE if max_size is None else max_size)
        return lambda pieces: _split_by_size(pieces, limit)
    count = whole(parts, "save: parts, the number of files,")
    return lambda pieces: _split_by_number(pieces, count)


def bytes_of(size: object) -> int:
    """Return a number of bytes, given as an integer or as text.

    >>> bytes_of("5GB"), bytes_of("1.5 MiB"), bytes_of(1000)
    (5000000000, 1572864, 1000)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Z]*)", str(size).strip().upper())
    if isinstance(size, (str, int)) and found and found[2] in _UNITS:
        number = int(float(found[1]) * _UNITS[found[2]])
        if number >= 1 and not isinstance(size, bool):
            return number
    raise ArgumentError(f"max_size is a number of bytes, such as '5GB' or '200MB', not {describe(size)}")


def _split_by_size(pieces: Sequence[Piece], limit: int) -> list[list[Piece]]:
    """Fill one file after the other. A tensor that is larger than the limit has a file of its own."""
    files: list[list[Piece]] = []
    left = 0
    for piece in pieces:
        if not files or piece.source.size > left:
            files.append([])
            left = limit
        files[-1].append(piece)
        left -= piece.source.size
    return files


def _split_by_number(pieces: Sequence[Piece], count: int) -> list[list[Piece]]:
    """Distribute the pieces over files of about the same size; no file is empty."""
    total = sum(piece.source.size for piece in pieces)
    files: dict[int, list[Piece]] = {}
    start = 0
    for piece in pieces:
        number = min(start * count // max(total, 1), count - 1)  # of an empty array at the end, too
        files.setdefault(number, []).append(piece)
        start += piece.source.size
    return list(files.values())


# --- saving --------------------------------------------------------------------------------------------------


def is_folder(path: str | os.PathLike) -> bool:
    """Return whether a path is that of a folder: one that exists, or a name with a separator at its end."""
    given = atomic.as_path(path)
    return given.is_dir() or os.fspath(path).endswith(("/", os.sep))


def require_own_folder(path: str | os.PathLike) -> None:
    """Raise if an existing folder has other files and no checkpoint: the path may be a mistake."""
    folder = atomic.as_path(path)
    if folder.is_dir() and _save_of(folder) is None and not os.fspath(path).endswith(("/", os.sep)):
        found = sorted(file.name for file in folder.iterdir() if not _is_ours(file))
        if found:
            raise _failure(
                folder,
                f"it is a folder with other files, such as {found[0]!r}; give the name of a file in it, or "
                f"{str(folder) + '/'!r}, with a slash at the end, to write several files beside the others",
            )


def require_writable_folder(path: str | os.PathLike) -> None:
    """Raise if a checkpoint cannot be written into a folder now; nothing is changed."""
    folder = atomic.as_path(path)
    where = folder if folder.exists() else folder.absolute().parent
    if folder.exists() and not folder.is_dir():
        raise _failure(folder, "it is a file; give the name of a folder, or remove the file first")
    if not where.is_dir():
        raise _failure(folder, f"the folder {str(folder.parent)!r} does not exist; create it first")
    if not os.access(where, os.W_OK):
        raise _failure(folder, f"the folder {str(where)!r} is write-protected")
    if (folder / "model.safetensors").exists():
        raise _failure(
            folder,
            "it has a file 'model.safetensors', which other programs would read instead; choose another folder",
        )
    if (folder / INDEX).exists() and _save_of(folder) is None:
        raise _failure(
            folder, f"its {INDEX!r} was written by another program, or is damaged; choose another folder, or remove it"
        )


def write_folder(
    path: str | os.PathLike,
    model: Mapping[str, object],
    extra: Mapping[str, object],
    about: Mapping[str, Any],
    split: Split,
) -> None:
    """Write tensors into a folder, those of a model and others, as a whole: if that fails, the old ones are unchanged.

    With several processes, each calls this with the same names, and writes its part.
    """
    processes, folder, what = Processes(), atomic.as_path(path), f"write {quote_path(path)}"
    is_first = processes.index == 0
    number = int.from_bytes(os.urandom(4), "little") >> 1
    with contextlib.ExitStack() as stack:

        def plan() -> list[list[list[Piece]]]:
            pieces = [[p for name, x in xs.items() for p in pieces_of(name, x, is_first)] for xs in (model, extra)]
            if is_first:
                _prepare(folder, stack)
            return [split(found) for found in pieces]

        planned, rows = processes.do(what, plan, lambda p: [number, is_first and _has_plain(folder), *map(len, p)])
        save, has_plain = f"{rows[0][0]:08x}", rows[0][1]
        counts = [row[2:4] for row in rows]
        totals = [sum(column) for column in zip(*counts)]
        before = [sum(column) for column in zip([0, 0], *counts[: processes.index])]
        names = [
            [f"{kind}{f'-{save}' if has_plain else ''}-{i:05}-of-{total:05}.safetensors" for i in range(1, total + 1)]
            for kind, total in zip(("model", "extra"), totals)
        ]

        def write() -> None:
            for files, own, start in zip(planned, names, before):
                for pieces, name in zip(files, own[start:]):
                    _write_part(folder / name, pieces, save)

        def commit() -> None:
            if is_first:
                content = _index(folder, [*names[0], *names[1]], save, about)
                found = IndexedTensors(folder / INDEX, content)  # it opens each file, and checks that all fits together
                _require_names(folder, found, {*model, *extra})
                atomic.write(folder / INDEX, content)

        try:
            processes.do(what, write)
            processes.do(what, commit)
        finally:
            if is_first:
                _remove_unused(folder)  # the old files; or the new ones, if there is no new index


def _prepare(folder: Path, stack: contextlib.ExitStack) -> None:
    """Create the folder if it does not exist, lock it, and remove what a killed save has left in it."""
    require_writable_folder(folder)
    folder.mkdir(exist_ok=True)
    stack.enter_context(_lock(folder))
    _remove_unused(folder)


def _write_part(path: Path, pieces: Sequence[Piece], save: str) -> None:
    slices = {x.source.name: [x.of, list(x.shape), list(x.offset)] for x in pieces if not x.is_whole}
    write_tensors(path, [piece.source for piece in pieces], {"save": save, "slices": slices})


def _index(folder: Path, names: Sequence[str], save: str, about: Mapping[str, Any]) -> bytes:
    """Return the index of the files that were written."""
    maps: dict[str, dict[str, str]] = {"model": {}, "extra": {}}
    split: dict[str, list] = {}
    total = 0
    for name in names:
        part = TensorFile(folder / name)
        kind = name.split("-", 1)[0]
        maps[kind] |= dict.fromkeys(part, name)
        total += sum(map(part.size, part)) if kind == "model" else 0
        for stored, (of, shape, offset) in (part.about or {})["slices"].items():
            split.setdefault(of, [shape, {}])[1][stored] = offset
    content = {"version": VERSION, "save": save, "about": about, "extra": maps["extra"], "split": split}
    record = {"checksum": checksum(json.dumps(content).encode()), "content": content}
    index = {"metadata": {"total_size": total}, "weight_map": maps["model"], RECORD: record}
    return (json.dumps(index, indent=2) + "\n").encode()


def _require_names(folder: Path, found: IndexedTensors, expected: set[str]) -> None:
    lost = sorted(expected - {*found})
    if lost:
        raise _failure(
            folder,
            f"tensor {lost[0]!r} was not written by any process; all processes must save the same model, into the same "
            "folder of a file system that they share",
        )


def _failure(folder: Path, reason: str) -> FileError:
    return FileError(f"cannot write a checkpoint into {str(folder)!r}: {reason}")


# --- what is in the folder -----------------------------------------------------------------------------------


def _save_of(folder: Path) -> str | None:
    """Return the number of the save that the index in a folder is of; None if there is no index of adjoint."""
    try:
        return str(json.loads((folder / INDEX).read_bytes())[RECORD]["content"]["save"])
    except (OSError, *MALFORMED):
        return None


def _has_plain(folder: Path) -> bool:
    """Return whether a file has a name without the number of a save."""
    found = (_PART.fullmatch(file.name) for file in folder.iterdir())
    return any(name is not None and name[2] is None for name in found)


def _remove_unused(folder: Path) -> None:
    """Remove files that a save of adjoint has written and that the index does not refer to."""
    if (folder / INDEX).exists() and _save_of(folder) is None:
        return
    save = _save_of(folder)
    for file in sorted(folder.iterdir()):
        if _is_ours(file) and (save is None or _part_save(file) != save):
            with contextlib.suppress(OSError):  # a file that another program has opened, on Windows
                file.unlink()


def _is_ours(file: Path) -> bool:
    """Return whether a save of adjoint has written a file: a part, or the beginning of one."""
    if _TEMPORARY.fullmatch(file.name):
        return True
    return _PART.fullmatch(file.name) is not None and _part_save(file) is not None


def _part_save(path: Path) -> str | None:
    """Return the number of the save that has written a file; None if it is of another program, or damaged."""
    try:
        return (TensorFile(path).about or {}).get("save")
    except AdjointError:
        return None


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Raise if another process writes into the folder. The system removes the lock of a process that is killed."""
    try:
        import fcntl
    except ImportError:  # on Windows
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(opened)
        raise _failure(folder, "another process is writing one there; give each training a folder of its own") from None
    except OSError:
        pass  # a file system without locks
    try:
        yield
    finally:
        os.close(opened)
