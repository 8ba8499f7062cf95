"""A learner's folder: no file is lost, whatever happens to it."""

import errno
import json
import os
import sys
import threading

import pytest

from adjoint.errors import CourseError
from adjoint_learn import workspace as workspaces
from adjoint_learn.course import load
from adjoint_learn.workspace import Workspace, write_new

COURSE = load()
SLOPE = COURSE.exercise("slope")


@pytest.fixture
def workspace(tmp_path):
    made = Workspace(tmp_path, COURSE)
    made.path(SLOPE).parent.mkdir()
    return made


def files(workspace):
    """Return the texts of the files in the folder of the first lesson."""
    return {path.name: path.read_text() for path in workspace.path(SLOPE).parent.iterdir()}


def test_a_reset_that_cannot_write_changes_nothing(workspace, monkeypatch):
    def full(path, text):
        raise OSError(errno.ENOSPC, "No space left on device")

    workspace.path(SLOPE).write_text("mine")
    monkeypatch.setattr(workspaces, "write_new", full)
    with pytest.raises(CourseError, match="No space left on device; your files are unchanged"):
        workspace.reset(SLOPE)
    assert files(workspace) == {"slope.py": "mine"}


def test_a_reset_keeps_what_an_editor_saves_at_the_same_moment(workspace, monkeypatch):
    def late(path, text):
        path.write_text("newer")
        write_new(path, text)

    workspace.path(SLOPE).write_text("mine")
    monkeypatch.setattr(workspaces, "write_new", late)
    with pytest.raises(CourseError, match="File exists"):
        workspace.reset(SLOPE)
    assert files(workspace) == {"slope.py": "newer", "slope.old1.py": "mine"}


@pytest.mark.skipif(sys.platform == "win32", reason="makes links and pipes")
def test_links_folders_and_pipes(workspace):
    path = workspace.path(SLOPE)
    path.with_name("other.py").write_text("mine")
    path.symlink_to("other.py")
    assert workspace.reset(SLOPE) == "slope.old1.py"
    assert files(workspace) == {"slope.py": SLOPE.stub, "slope.old1.py": "mine", "other.py": "mine"}
    path.unlink()
    os.mkfifo(path)  # reading it would wait forever
    with pytest.raises(CourseError, match="is not a file"):
        workspace.read(SLOPE)
    path.unlink()
    path.mkdir()
    with pytest.raises(CourseError, match="is not a file"):
        workspace.read(SLOPE)
    with pytest.raises(CourseError, match="it is a folder; your files are unchanged"):
        workspace.reset(SLOPE)


def test_a_file_that_cannot_be_completed_is_removed(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        write_new(tmp_path / "new.py", "\ud800")
    assert list(tmp_path.iterdir()) == []


UNREADABLE = ["{", "[]", "[" * 100_000, '{"solved": [], "at": "", "hints": {"slope": 1e999}}', "\0"]


def test_progress_that_cannot_be_read_is_kept(tmp_path):
    for number, text in enumerate(UNREADABLE, 1):
        (tmp_path / ".progress.json").write_text(text)
        made = Workspace(tmp_path, COURSE)
        made.record_solved(SLOPE)
        assert made.remark == f"the progress could not be read; the file was kept as .progress.old{number}.json"
        assert (tmp_path / f".progress.old{number}.json").read_text() == text
    (tmp_path / ".progress.json").write_text('{"solved": [], "at": "", "hints": {"slope": -5}}')
    assert Workspace(tmp_path, COURSE).next_hint(SLOPE) == (1, SLOPE.hints[0])


@pytest.mark.skipif(sys.platform == "win32", reason="locks a folder")
def test_two_terminals_save_at_the_same_moment(tmp_path, monkeypatch):
    import fcntl

    one, other = Workspace(tmp_path, COURSE), Workspace(tmp_path, COURSE)
    write, lock, asks = workspaces.atomic.write, fcntl.flock, threading.Event()

    def solve():
        other.record_solved(COURSE.exercise("downhill"))
        asks.set()  # also if it has asked for no lock

    def locked(*given):
        if threading.current_thread() is thread:
            asks.set()
        lock(*given)

    def interrupted(path, content):
        if threading.current_thread() is threading.main_thread():
            thread.start()
            asks.wait()
        write(path, content)

    thread = threading.Thread(target=solve)
    monkeypatch.setattr(fcntl, "flock", locked)
    monkeypatch.setattr(workspaces.atomic, "write", interrupted)
    one.record_solved(SLOPE)
    thread.join()
    assert json.loads((tmp_path / ".progress.json").read_text())["solved"] == ["downhill", "slope"]
