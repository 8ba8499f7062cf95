"""The lessons as notebooks: with the solutions they run from top to bottom, and without them they fail politely."""

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

from adjoint_learn.course import load
from adjoint_learn.notebook_files import as_notebook, write_notebooks

COURSE = load()


def run(lesson, folder, solved):
    """Run a notebook, and return the text of the result of each `check(...)`, by the name of the exercise."""
    import nbformat  # slow to import, and not needed where no notebook runs
    from nbclient import NotebookClient

    nodes = nbformat.from_dict(as_notebook(COURSE, lesson, solved))
    nbformat.validate(nodes)
    client = NotebookClient(nodes, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute()
    found = {}
    for cell in nodes.cells:
        if cell.cell_type == "code" and cell.source.startswith('check("'):
            (output,) = cell.outputs
            assert "text/html" in output.data
            found[cell.source[len('check("') : -len('")')]] = output.data["text/plain"]
    return found


@pytest.mark.long
@pytest.mark.full
def test_the_whole_course_runs_with_the_solutions_filled_in(tmp_path):
    for lesson in COURSE.lessons:
        found = run(lesson, tmp_path, solved=True)
        for exercise in lesson.exercises:
            if all(find_spec(name) for name in exercise.needs):
                assert found[exercise.name].startswith("Solved"), found[exercise.name]
    engine = next(exercise for exercise in reversed(COURSE.exercises) if exercise.file == "engine.py")
    assert (tmp_path / "engine.py").read_text() == engine.solution.rstrip("\n") + "\n"


def test_stubs_fail_politely(tmp_path):
    found = run(COURSE.lesson("nudge"), tmp_path, solved=False)
    for exercise in COURSE.lesson("nudge").exercises:
        assert found[exercise.name].startswith("Not yet")
        assert f'hint("{exercise.name}")' in found[exercise.name]


CELLS = """
import linecache, sys
from adjoint_learn.course import load
from adjoint_learn.notebook import check

course = load()

def cell(source, number=[0]):
    number[0] += 1
    file = f"<cell {number[0]}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), globals())

def own(name):
    cell(course.exercise(name).solution)
    return repr(check(name))

from engine import Value
assert "(ours)" in Value.__init__.__code__.co_filename  # found before the first check
assert "does not define `Value`" in repr(check("record"))  # ours does not count as the learner's
assert "Saved as engine.py" in own("for_free")
from engine import Value
assert "Saved as engine.py" in own("backward")
assert "engine.py solves the next exercise too, and was kept" in own("record")
cell("import math")
cell(course.exercise("backward").solution.replace("import math", ""))
assert "not saved as engine.py, because the cell does not work by itself" in repr(check("backward"))
assert open("engine.py").read() == course.exercise("backward").solution
assert open("engine.old1.py").read() == course.exercise("for_free").solution
"""


def test_names_that_were_imported_and_cells_that_are_run_again(tmp_path):
    done = subprocess.run([sys.executable, "-c", CELLS], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["engine.old1.py", "engine.py"]


def test_notebooks_that_exist_are_kept(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "adjoint", "learn", "--notebooks"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.startswith(f"wrote {len(COURSE.lessons)} notebooks")
    folder = tmp_path / "adjoint-course" / "notebooks"
    paths = sorted(folder.iterdir())
    assert [path.stem for path in paths] == [lesson.folder.name for lesson in COURSE.lessons]
    paths[0].write_text("mine")
    paths[1].unlink()
    written, kept = write_notebooks(COURSE, folder)
    assert written == [paths[1]]
    assert len(kept) == len(paths) - 1
    assert paths[0].read_text() == "mine"
    assert json.loads(paths[1].read_text())["nbformat"] == 4
