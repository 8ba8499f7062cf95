"""Files are replaced completely or not at all, also after a failure, and errors name the cause."""

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
    """Run a program in another process, whose limits and user can be changed; return its output."""
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def require_untouched(path: Path) -> None:
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_a_write_replaces_the_content_and_leaves_no_other_file(path):
    atomic.write(path, b"new")
    assert atomic.read(path) == b"new"
    assert list(path.parent.iterdir()) == [path]


def test_a_reader_of_the_old_file_can_finish(path):
    with path.open("rb") as file:
        atomic.write(path, b"new")
        assert file.read() == b"old"


def test_a_new_file_has_the_default_permissions(tmp_path):
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
def test_if_any_step_fails_the_old_file_is_unchanged_and_no_other_file_is_left(path, monkeypatch, step, code):
    def fail(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(errors.FileError, match=f"{os.strerror(code)}; the old file is unchanged"):
        atomic.write(path, b"new")
    require_untouched(path)


def test_an_interruption_leaves_no_temporary_file(path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        atomic.write(path, b"new")
    require_untouched(path)


def test_a_full_disk_leaves_the_old_file_unchanged(path):
    printed = run(
        """
        import resource, sys
        from adjoint import errors
        from adjoint.files import atomic

        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            atomic.write(sys.argv[1], bytes(5000))
        except errors.FileError as error:
            print(error)
        """,
        path,
    )
    assert ": File too large; the old file is unchanged" in printed
    require_untouched(path)


def test_a_write_protected_folder_is_reported(path):
    path.parent.chmod(0o555)
    printed = run(
        """
        import os, sys
        from adjoint import errors
        from adjoint.files import atomic

        folder = os.open(os.path.dirname(sys.argv[1]), os.O_RDONLY)
        os.fchdir(folder)
        if os.getuid() == 0:  # permissions do not apply to root
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
    assert "cannot write 'new.bin': Permission denied\n" in printed
    assert "cannot write 'file.bin': " in printed
    require_untouched(path)


def test_a_write_protected_file_is_not_replaced(path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # as for all users but root
    with pytest.raises(errors.FileError, match="it is write-protected"):
        atomic.write(path, b"new")
    require_untouched(path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: folder / "no" / "where.bin", r"the folder '.*no' does not exist; create it first"),
        (lambda folder: folder / "file.bin" / "x", "the folder .* does not exist"),
        (lambda folder: folder, "it is a folder; give the name of a file in it"),
        (lambda folder: Path("/dev/full"), "it is a device or a pipe"),
        (lambda folder: folder / ("x" * 300), "File name too long"),
    ],
)
def test_a_path_that_cannot_be_written_is_named_and_explained(path, make, message):
    with pytest.raises(errors.FileError, match=f"cannot write .*: {message}"):
        atomic.write(make(path.parent), b"new")
    require_untouched(path)


@pytest.mark.parametrize("path", ["", b"bytes", 3, None, "a\0b"])
def test_anything_but_a_path_is_refused(path):
    for use in (atomic.read, lambda path: atomic.write(path, b"")):
        with pytest.raises(errors.ArgumentError, match="path"):
            use(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(errors.FileError, match=r"cannot read '.*missing\.bin': the file does not exist"):
        atomic.read(tmp_path / "missing.bin")
    with pytest.raises(errors.FileError, match=r"cannot read .*: Is a directory"):
        atomic.read(tmp_path)


def test_file_errors_are_oserrors(tmp_path):
    with pytest.raises(OSError, match="does not exist"):
        atomic.read(tmp_path / "missing.bin")


def test_concurrent_writers_leave_the_content_of_one_of_them(path):
    program = """
        import sys
        from adjoint.files import atomic

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


def test_a_write_deletes_what_a_killed_write_of_the_same_file_left(path):
    run(
        """
        import os, signal, sys
        from adjoint.files import atomic

        if not os.fork():
            with atomic.replacing(sys.argv[1]) as file:
                file.write(bytes(1000))
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        os.wait()
        """,
        path,
    )
    other = path.with_name(".other.bin.0123456789ab.tmp")  # of another file
    other.write_bytes(b"")
    assert len(list(path.parent.iterdir())) == 3
    atomic.write(path, b"new")
    assert sorted(path.parent.iterdir()) == sorted([path, other])


def test_a_write_leaves_the_file_that_another_is_writing(path):
    with atomic.replacing(path) as file:
        file.write(b"first")
        atomic.write(path, b"second")
        assert atomic.read(path) == b"second"
    assert atomic.read(path) == b"first"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_was_taken_for_a_leftover_is_created_again(path, monkeypatch):
    """Another process may delete a new file between its creation and its lock."""
    lock, deleted = atomic._lock, []

    def delete_first(file, *flags):
        if not deleted:
            deleted.append(file.name)
            os.unlink(file.name)
        return lock(file, *flags)

    monkeypatch.setattr(atomic, "_lock", delete_first)
    atomic.write(path, b"new")
    assert deleted
    assert atomic.read(path) == b"new"


@pytest.mark.parametrize("missing", ["module", "locks"])
def test_without_locks_files_are_written_and_others_stay(path, monkeypatch, missing):
    if missing == "module":  # Windows
        monkeypatch.setattr(atomic, "fcntl", None)
    else:  # a network file system
        monkeypatch.setattr(atomic, "_lock", lambda *_: None)
    other = path.with_name(".file.bin.0123456789ab.tmp")
    other.write_bytes(b"")
    atomic.write(path, b"new")
    assert atomic.read(path) == b"new"
    assert other.exists()
