"""`adjoint learn` in a terminal: a learner's first minutes, the whole course, and everything that can go wrong."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest

from adjoint_learn.course import load

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

import termios

from small_course import FILES, write_course
from terminals import Terminal

from adjoint_learn.terminal.keys import Keys

COURSE = load()
SLOPE = COURSE.exercise("slope")
FILE = "adjoint-course/01_nudge/slope.py"


@pytest.fixture
def learning(tmp_path):
    """A terminal that shows the first exercise, and the learner's file."""
    with Terminal("learn", folder=tmp_path) as terminal:
        terminal.wait_for("q quit")
        yield terminal, tmp_path / FILE


def save(terminal, path, text):
    terminal.forget()
    path.write_text(text, encoding="utf-8")


def test_a_newcomer_solves_the_first_exercise(learning):
    terminal, path = learning
    assert "Lesson 1: Nudge" in terminal.text
    assert f"0 of {len(COURSE.exercises)} solved" in terminal.text
    assert FILE in terminal.text
    save(terminal, path, next(wrong.source for wrong in SLOPE.wrong_answers if wrong.name == "half"))
    terminal.wait_for("q quit")
    assert "NOT YET" in terminal.new_text
    assert "is 28, and should be 14" in terminal.new_text
    assert "twice too large" in terminal.new_text
    save(terminal, path, SLOPE.solution)
    terminal.wait_for("Press n for the next exercise")
    assert f"1 of {len(COURSE.exercises)} solved" in terminal.new_text
    terminal.press("n")
    terminal.wait_for("downhill.py")


def test_the_place_is_remembered(learning):
    terminal, path = learning
    save(terminal, path, SLOPE.solution)
    terminal.wait_for("Press n")
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    assert f"1 of {len(COURSE.exercises)} exercises are solved. Continue with" in terminal.text
    with Terminal("learn", folder=path.parents[2]) as again:
        again.wait_for("q quit")
        assert "exercise 2 of" in again.text
        assert "wrote" not in again.text  # every file is there


def test_keys(learning):
    terminal, _ = learning
    for number in (1, 2, 3, 3):  # the last hint is repeated
        terminal.press("h")
        terminal.wait_for(f"Hint {number} of {len(SLOPE.hints)}")
    terminal.press("s")
    terminal.wait_for("Press s again")
    terminal.press("s")
    terminal.wait_for("A solution")
    terminal.press("l")
    terminal.wait_for("you are here")
    terminal.press("n")
    terminal.wait_for("Press n again to skip")
    terminal.press("n")
    terminal.wait_for("exercise 2 of")
    terminal.press("p")
    terminal.wait_for("exercise 1 of")
    terminal.press("t")
    terminal.wait_for("Training a neural network comes down to one question")


def test_the_text_of_an_exercise_stays_until_the_file_is_saved(learning):
    terminal, path = learning
    save(terminal, path, "mine = 1\n")
    terminal.wait_for("q quit")
    shown = len(terminal.text)
    terminal.press("t")
    terminal.wait_for("Training a neural network comes down to one question")
    terminal.wait_for("q quit")
    terminal.press("h")
    terminal.wait_for("Hint 1")
    assert "does not define" not in terminal.text[shown:]
    terminal.press("c")
    terminal.wait_for("does not define slope")
    terminal.press("N")
    terminal.wait_for("Lesson 2: The chain rule")


def test_a_reset_keeps_the_old_file(learning):
    terminal, path = learning
    save(terminal, path, "mine = 1\n")
    terminal.wait_for("q quit")
    terminal.press("r")
    terminal.wait_for("Press r again")
    terminal.press("r")
    terminal.wait_for("Your old file is slope.old1.py")
    assert path.read_text() == SLOPE.stub
    assert (path.parent / "slope.old1.py").read_text() == "mine = 1\n"


PROGRAMS_THAT_FAIL = {
    "def slope(f, x)\n    return 1\n": "line 1",
    "def slope(f, x):\n    return f(x) / 0\n": "return f(x) / 0",
    "import os\nos._exit(0)\n": "ended Python with the exit code 0",
    "raise SystemExit\n": "ended itself",
    "kept = [0] * 10**10\n": "out of memory",
    "def slope(f, x):\n    return slope(f, x)\n": "calls itself too often",
    "slop = 1\n": "it defines slop",
    "": "does not define slope",
}


def test_a_program_that_fails_gets_a_clear_message(learning):
    terminal, path = learning
    for program, message in PROGRAMS_THAT_FAIL.items():
        save(terminal, path, program)
        terminal.wait_for("q quit")
        assert message in " ".join(terminal.new_text.split())
        assert "Traceback" not in terminal.new_text


def test_an_endless_loop_is_stopped_by_the_next_save(learning):
    terminal, path = learning
    save(terminal, path, "while True:\n    pass\n")
    terminal.wait_for("checking")
    save(terminal, path, SLOPE.solution)
    terminal.wait_for("Press n")


def test_a_file_that_disappears_and_comes_back(learning):
    terminal, path = learning
    terminal.forget()
    path.unlink()
    terminal.wait_for("slope.py is not there")
    save(terminal, path, SLOPE.solution)
    terminal.wait_for("Press n")


def test_a_file_that_is_not_text(learning):
    terminal, path = learning
    terminal.forget()
    path.write_bytes(b"\xff\xfe\x00")
    terminal.wait_for("is not UTF-8 text")


def test_two_terminals_in_one_folder_add_up(learning):
    terminal, path = learning
    with Terminal("learn", folder=path.parents[2]) as other:
        other.wait_for("q quit")
        other.press("n")
        other.wait_for("again")
        other.press("n")
        other.wait_for("downhill.py")
        save(other, path.with_name("downhill.py"), COURSE.exercise("downhill").solution)
        other.wait_for("Press n")
    save(terminal, path, SLOPE.solution)
    terminal.wait_for("Press n")
    progress = json.loads((path.parents[1] / ".progress.json").read_text())
    assert progress["solved"] == ["downhill", "slope"]


def test_unreadable_progress_is_kept_and_reported(tmp_path):
    (tmp_path / "adjoint-course").mkdir()
    (tmp_path / "adjoint-course" / ".progress.json").write_text("{")
    with Terminal("learn", folder=tmp_path) as terminal:
        terminal.wait_for("q quit")
        assert "The progress could not be read; the file was kept as .progress.old1.json." in terminal.text
    assert (tmp_path / "adjoint-course" / ".progress.old1.json").read_text() == "{"


def test_ctrl_c_ends_the_course_and_restores_the_terminal(learning):
    terminal, _ = learning
    terminal.press("\x03")
    assert terminal.wait_for_end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_course_and_the_program_of_the_learner(learning, number):
    terminal, path = learning
    settings = termios.tcgetattr(terminal.file)
    save(terminal, path, f"import os\nprint(1, file=open({str(path)!r} + str(os.getpid()), 'w'))\nwhile True: pass\n")
    terminal.wait_for("checking")
    while not (found := list(path.parent.glob("slope.py?*"))):
        time.sleep(0.05)
    terminal.process.send_signal(number)
    assert terminal.wait_for_end() == 128 + number
    assert "Traceback" not in terminal.text
    assert termios.tcgetattr(terminal.file)[3] == settings[3] | termios.ECHO | termios.ICANON
    with pytest.raises(ProcessLookupError):
        os.kill(int(found[0].name.removeprefix("slope.py")), 0)


def test_a_pause_gives_the_terminal_back(monkeypatch):
    controller, terminal = os.openpty()
    before = termios.tcgetattr(terminal)
    seen = []
    with open(terminal) as file, open(controller):
        monkeypatch.setattr(sys, "stdin", file)
        with Keys():
            monkeypatch.setattr(os, "kill", lambda *_: seen.append(termios.tcgetattr(terminal)))
            assert signal.getsignal(signal.SIGTSTP) is not signal.SIG_DFL  # it would stop this process
            signal.raise_signal(signal.SIGTSTP)
            seen.append(termios.tcgetattr(terminal))
    assert seen[0] == before
    assert not seen[1][3] & termios.ECHO


def test_sixty_columns_in_ascii_without_color(tmp_path):
    env = {"NO_COLOR": "1", "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    with Terminal("learn", folder=tmp_path, columns=60, env=env) as terminal:
        terminal.wait_for("q quit")
        text = terminal.text
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 60


@pytest.mark.long
@pytest.mark.full
def test_the_whole_course_is_solved_by_typing_the_solutions(tmp_path):
    exercises = [exercise for exercise in COURSE.exercises if _installed(exercise)]
    with Terminal("learn", folder=tmp_path) as terminal:
        terminal.wait_for("q quit")
        for i, exercise in enumerate(COURSE.exercises):
            assert f"exercise {i + 1} of" in terminal.text
            if exercise in exercises:
                save(terminal, tmp_path / "adjoint-course" / exercise.file, exercise.solution)
                terminal.wait_for("SOLVED")
                terminal.wait_for("q quit")
                assert "our engine.py" not in terminal.new_text  # the learner's own engine is used
            if exercise is not COURSE.exercises[-1]:
                terminal.press("n")
                if exercise not in exercises:
                    terminal.wait_for("again")
                    terminal.press("n")
                terminal.wait_for(f"exercise {i + 2} of")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert f"{len(exercises)} of {len(COURSE.exercises)} exercises are solved" in terminal.text


def _installed(exercise):
    return all(find_spec(name) for name in exercise.needs)


def test_without_a_terminal_the_course_is_listed(tmp_path):
    code, output = run("learn", folder=tmp_path)
    assert code == 0
    assert "adjoint learn run slope" in output


def run(*arguments, folder):
    """Run a command without a terminal, and return its exit code and its output."""
    done = subprocess.run(
        [sys.executable, "-m", "adjoint", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout + done.stderr


def test_scripts_list_run_hint_and_check(tmp_path):
    assert run("learn", "run", "slope", folder=tmp_path) == (
        2, "adjoint: there is no folder 'adjoint-course' here; `adjoint learn` creates it\n",
    )  # fmt: skip
    run("learn", folder=tmp_path)
    code, output = run("learn", "run", "slope", "--json", folder=tmp_path)
    assert (code, json.loads(output)["status"]) == (1, "failed")
    code, output = run("learn", "hint", "slope", "--json", folder=tmp_path)
    assert (code, json.loads(output)["hint"]) == (0, SLOPE.hints[0])
    (tmp_path / FILE).write_text(SLOPE.solution)
    code, output = run("learn", "run", "slope", folder=tmp_path)
    assert code == 0
    assert "SOLVED" in output
    code, output = run("learn", "list", "--json", folder=tmp_path)
    lessons = json.loads(output)
    assert [exercise["name"] for exercise in lessons[0]["exercises"] if exercise["solved"]] == ["slope"]
    code, output = run("learn", "run", "slop", folder=tmp_path)
    assert code == 2
    assert "slope" in output


def test_json_in_every_failure(tmp_path):
    code, output = run("learn", "run", "slope", "--json", folder=tmp_path)
    assert (code, list(json.loads(output.splitlines()[0]))) == (2, ["error"])
    (tmp_path / "adjoint-course").mkdir()  # without the files
    code, output = run("learn", "run", "slope", "--json", folder=tmp_path)
    found = json.loads(output)
    assert (code, found["status"]) == (1, "stopped")
    assert found["message"].startswith("01_nudge/slope.py is not there")


def test_a_course_at_a_relative_path_and_a_closed_input(tmp_path):
    course = tmp_path / "cöurse x"
    write_course(course)
    place = ("--from", course.name, "--in", "my files")
    command = [sys.executable, "-m", "adjoint", "learn", *place]
    done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "my files" / "01_first" / "double.py").write_text(FILES["01_first/double/solution.py"])
    code, output = run("learn", "run", "double", "--json", *place, folder=tmp_path)
    assert (code, json.loads(output)["status"]) == (0, "passed"), output
