"""Files are written whole or not at all, whatever goes wrong, and say what did."""

import errno
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from adjoint import errors
from adjoint.files import atomic


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")
    return path


def run(program: str, *arguments: object) -> str:
    """Run a program in a process of its own, where limits and users can be changed; return what it printed."""
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def require_untouched(path: Path) -> None:
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_gets_its_new_content_and_nothing_else_is_left(path):
    atomic.write(path, b"new")
    assert atomic.read(path) == b"new"
    assert list(path.parent.iterdir()) == [path]


def test_who_has_the_old_file_open_reads_it_to_the_end(path):
    with path.open("rb") as file:
        atomic.write(path, b"new")
        assert file.read() == b"old"


def test_a_new_file_has_the_permissions_that_any_new_file_has(tmp_path):
    atomic.write(tmp_path / "ours", b"")
    (tmp_path / "plain").write_bytes(b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_file_keeps_its_permissions(path):
    path.chmod(0o640)
    atomic.write(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link_and_its_file_is_replaced(path):
    link = path.with_name("link")
    link.symlink_to(path)
    atomic.write(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_whatever_step_fails_the_old_file_stays_and_no_other(path, monkeypatch, step, code):
    def fail(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(errors.FileError, match=f"{os.strerror(code)}; the old file is as it was"):
        atomic.write(path, b"new")
    require_untouched(path)


def test_an_interruption_leaves_no_temporary_file(path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        atomic.write(path, b"new")
    require_untouched(path)


def test_a_disk_without_room_leaves_the_old_file_and_says_so(path):
    printed = run(
        """
        import resource, sys
        from adjoint import atomic, errors

        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            atomic.write(sys.argv[1], bytes(5000))
        except errors.FileError as error:
            print(error)
        """,
        path,
    )
    assert "cannot be written: File too large; the old file is as it was" in printed
    require_untouched(path)


def test_a_folder_that_may_not_be_written_to_is_named_as_such(path):
    path.parent.chmod(0o555)
    printed = run(
        """
        import os, sys
        from adjoint import atomic, errors

        folder = os.open(os.path.dirname(sys.argv[1]), os.O_RDONLY)
        os.fchdir(folder)
        if os.getuid() == 0:  # whom no permission stops
            os.setuid(65534)
        for name in ("file.bin", "new.bin"):
            try:
                atomic.write(name, b"new")
            except errors.FileError as error:
                print(error)
        """,
        path,
    )
    path.parent.chmod(0o755)
    assert "'new.bin' cannot be written: Permission denied\n" in printed
    assert "'file.bin' cannot be written: " in printed
    require_untouched(path)


def test_a_file_that_is_write_protected_is_not_replaced(path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # as for all users but root
    with pytest.raises(errors.FileError, match="it is write-protected"):
        atomic.write(path, b"new")
    require_untouched(path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: folder / "no" / "where.bin", r"there is no folder '.*no'; make it first"),
        (lambda folder: folder / "file.bin" / "x", "there is no folder"),
        (lambda folder: folder, "it is a folder; give the name of a file in it"),
        (lambda folder: Path("/dev/full"), "it is a device or a pipe"),
        (lambda folder: folder / ("x" * 300), "File name too long"),
    ],
)
def test_a_path_that_cannot_be_written_is_named_and_explained(path, make, message):
    with pytest.raises(errors.FileError, match=f"cannot be written: {message}"):
        atomic.write(make(path.parent), b"new")
    require_untouched(path)


@pytest.mark.parametrize("path", ["", b"bytes", 3, None, "a\0b"])
def test_what_is_no_path_is_refused(path):
    for use in (atomic.read, lambda path: atomic.write(path, b"")):
        with pytest.raises(errors.ArgumentError, match="path"):
            use(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(errors.FileError, match=r"missing\.bin' cannot be read: there is no such file"):
        atomic.read(tmp_path / "missing.bin")
    with pytest.raises(errors.FileError, match="cannot be read: Is a directory"):
        atomic.read(tmp_path)


def test_file_errors_are_caught_as_pythons_own(tmp_path):
    with pytest.raises(OSError, match="there is no such file"):
        atomic.read(tmp_path / "missing.bin")


# --- what a killed writer left ---------------------------------------------------------------------------


def test_what_a_killed_writer_left_is_removed_by_the_next(path):
    abandoned = path.with_name(".file.bin.0123456789ab.tmp")
    abandoned.write_bytes(b"ne")
    others = [path.with_name(name) for name in (".other.bin.0123456789ab.tmp", ".file.bin.tmp", ".file.bin.x.tmp")]
    for other in others:
        other.write_bytes(b"")
    atomic.write(path, b"new")
    assert not abandoned.exists()
    assert all(other.exists() for other in others)


def test_what_another_writer_is_writing_is_left_alone(path):
    with atomic._temporary(path) as (temporary, _):
        atomic.write(path, b"new")
        assert temporary.exists()
    assert not temporary.exists()
    assert path.read_bytes() == b"new"


def test_a_temporary_file_taken_for_abandoned_before_it_was_locked_is_made_anew(path, monkeypatch):
    lock, removed = atomic._lock, []

    def late(file: int, wait: bool = True) -> bool:
        if wait and not removed:  # another writer comes first
            removed.extend(path.parent.glob(".file.bin.*.tmp"))
            removed[0].unlink()
        return lock(file, wait)

    monkeypatch.setattr(atomic, "_lock", late)
    atomic.write(path, b"new")
    assert path.read_bytes() == b"new"
    assert len(removed) == 1


def test_writers_side_by_side_leave_the_content_of_one_of_them(path):
    program = """
        import sys
        from adjoint import atomic

        for i in range(30):
            atomic.write(sys.argv[1], sys.argv[2].encode() * 10_000)
        """
    command = [sys.executable, "-c", textwrap.dedent(program), str(path)]
    writers = [subprocess.Popen([*command, letter]) for letter in "ab"]
    while any(writer.poll() is None for writer in writers):
        assert path.read_bytes() in (b"old", b"a" * 10_000, b"b" * 10_000)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert path.read_bytes() in (b"a" * 10_000, b"b" * 10_000)
    assert list(path.parent.iterdir()) == [path]
