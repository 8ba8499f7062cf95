"""The room Learn: the course as a page receives it, and checks of programs, also of those that misbehave."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from rooms import Page
from serving import ask, eventually, serving

from adjoint.errors import AdjointError, LabError
from adjoint_lab.rooms import learn
from adjoint_lab.rooms.learn import MAX_SOURCE, REMOTE, STOPPED, Learn, LearnWithoutCode
from adjoint_lab.serve import server
from adjoint_lab.serve.dispatcher import ROOMS
from adjoint_lab.serve.server import WITHOUT_CODE
from adjoint_learn.course import load
from adjoint_learn.lesson_text import Figure

SLOPE = load().exercise("slope")
HALF = next(wrong for wrong in SLOPE.wrong_answers if wrong.name == "half")


@pytest.fixture
def page():
    with Page(Learn) as page:
        yield page


def endless(path: Path) -> str:
    """Return a program that writes its process id to a file, starts a child, and never ends."""
    return f"import os, time\nopen({str(path)!r}, 'w').write(str(os.getpid()))\nwhile True: time.sleep(0.01)\n"


def process_of(path: Path) -> int:
    return int(eventually(lambda: path.exists() and path.read_text()))


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z" if Path("/proc").is_dir() else True


def test_the_overview_has_every_exercise_and_every_lesson_has_its_text(page):
    course = page.ask("course")["course"]
    assert course["refusal"] == ""
    names = [exercise["name"] for lesson in course["lessons"] for exercise in lesson["exercises"]]
    assert names == [exercise.name for exercise in load().exercises]
    for heading in course["lessons"]:
        lesson = page.ask("lesson", lesson=heading["name"])["lesson"]
        places = [block["text"] for block in lesson["blocks"] if block["kind"] == "exercise"]
        assert places == [exercise["name"] for exercise in heading["exercises"]]
        assert all(block["svg"].lstrip().startswith("<svg") for block in lesson["blocks"] if block["kind"] == "figure")
        assert not any("solution" in exercise for exercise in lesson["exercises"])


def test_a_graph_in_the_text_can_be_moved(page):
    graph = learn.live_graph(Figure("gradients", "a = 2; b = -3; d = a*b; L = d + a", "caption"))
    assert graph["gradients"]
    assert graph["numbers"] == {"a": 2.0, "b": -3.0}
    scene = page.ask("graph", expression=graph["expression"], numbers={"a": 5, "b": -3})["scene"]
    nodes = {node["name"]: (node["data"], node["grad"]) for node in scene["nodes"]}
    assert nodes == {"a": (5, -2), "b": (-3, 5), "d": (-15, 1), "L": (-10, 1)}


def test_a_program_is_checked_and_success_comes_with_the_reason(page):
    page.ask("check", run=1, exercise="slope", source=f"print('hello')\n{SLOPE.solution}")
    outcome = page.wait("outcome")
    assert (outcome["run"], outcome["exercise"], outcome["ours"]) == (1, "slope", [])
    assert outcome["result"]["status"] == "passed"
    assert outcome["result"]["output"] == "hello\n"
    assert outcome["why"] == SLOPE.why
    page.ask("check", run=2, exercise="slope", source=HALF.source)
    outcome = page.wait("outcome", run=2)
    assert (outcome["result"]["status"], outcome["result"]["advice"], outcome["why"]) == ("failed", HALF.advice, "")


def test_imported_files_are_the_learners_own_or_else_ours():
    exercise = replace(SLOPE, uses=("slope",))
    modules, ours = learn._modules(exercise, {"slope": "x = 1"})
    assert (modules, ours) == ({"slope": (SLOPE.file, "x = 1")}, [])
    modules, ours = learn._modules(exercise, {})
    assert (modules, ours) == ({"slope": (f"{SLOPE.file} (ours)", SLOPE.solution)}, [SLOPE.file])


def test_a_new_check_ends_the_one_before_and_only_the_new_one_is_reported(page, tmp_path):
    page.ask("check", run=1, exercise="slope", source=endless(tmp_path / "id"))
    process = process_of(tmp_path / "id")
    page.ask("check", run=2, exercise="slope", source=SLOPE.solution)
    assert page.wait("outcome")["run"] == 2
    eventually(lambda: not is_running(process))
    assert page.events.empty()


def test_a_program_can_be_stopped_and_a_page_that_leaves_stops_it(page, tmp_path):
    page.ask("stop")  # nothing runs
    page.ask("check", run=1, exercise="slope", source="print('so far', flush=True)\n" + endless(tmp_path / "id"))
    process = process_of(tmp_path / "id")
    page.ask("stop")
    result = page.wait("outcome")["result"]
    assert (result["status"], result["message"]) == ("stopped", STOPPED)
    eventually(lambda: not is_running(process))
    page.ask("check", run=2, exercise="slope", source=endless(tmp_path / "other"))
    process = process_of(tmp_path / "other")
    page.room.close()
    assert not is_running(process)
    assert page.events.empty()


def test_a_check_that_ends_before_its_process_has_started_leaves_no_process(page, monkeypatch, tmp_path):
    def start(*arguments, **options):
        page.ask("stop")  # arrives while the process starts
        return original(*arguments, **options)

    original = learn.start
    monkeypatch.setattr(learn, "start", start)
    page.ask("check", run=1, exercise="slope", source=endless(tmp_path / "id"))
    assert page.wait("outcome")["result"]["message"] == STOPPED


@pytest.mark.parametrize("kind", [OSError, RuntimeError, MemoryError])
def test_a_process_that_cannot_start_is_reported(page, monkeypatch, kind):
    def fail(*arguments, **options):
        raise kind("no more processes")

    monkeypatch.setattr(learn, "start", fail)
    page.ask("check", run=1, exercise="slope", source="")
    assert "no more processes" in page.wait("outcome")["result"]["message"]


@pytest.mark.parametrize(
    ("do", "fields", "problem"),
    [
        ("check", {"exercise": "slope", "source": "x" * (MAX_SOURCE + 1)}, "at most 50000 characters"),
        ("check", {"exercise": "slope", "source": "\0"}, "NUL"),
        ("check", {"exercise": "slope", "source": 3}, "source must be"),
        ("check", {"exercise": "slope"}, "source is missing"),
        ("check", {"exercise": "slop", "source": ""}, "did you mean 'slope'"),
        ("check", {"exercise": "slope", "source": "", "modules": []}, "modules must be an object"),
        ("check", {"exercise": "slope", "source": "", "run": -1}, "run must be"),
        ("lesson", {"lesson": "nuge"}, "did you mean 'nudge'"),
        ("solution", {}, "exercise is missing"),
        ("graph", {"expression": "a*"}, "syntax error"),
        ("graph", {"expression": "a*b", "numbers": {"a": 1}}, "b is missing"),
        ("run", {}, "unknown action"),
    ],
)
def test_wrong_messages_are_refused(page, do, fields, problem):
    with pytest.raises(AdjointError, match=problem):
        page.ask(do, **{"run": 1, **fields})
    assert page.room._current is None


def test_a_lab_that_others_can_reach_shows_the_course_and_runs_no_program():
    with Page(LearnWithoutCode) as page:
        assert page.ask("course")["course"]["refusal"] == REMOTE
        assert page.ask("lesson", lesson="nudge")["lesson"]["blocks"]
        with pytest.raises(LabError, match="--allow-code"):
            page.ask("check", run=1, exercise="slope", source=SLOPE.solution)
        assert page.events.empty()
    with serving(WITHOUT_CODE) as lab, lab.page() as connection:
        answer = ask(connection, room="learn", do="check", run=1, exercise="slope", source="")
    assert answer == {"id": 1, "error": REMOTE}


@pytest.mark.parametrize(
    ("options", "rooms"),
    [({}, ROOMS), ({"allow_remote": True}, WITHOUT_CODE), ({"allow_remote": True, "allow_code": True}, ROOMS)],
)
def test_programs_run_unless_the_lab_is_remote_or_if_code_is_allowed(monkeypatch, capsys, options, rooms):
    class Done(Exception):
        pass

    def create(token, port, hosts, given):
        assert given == rooms
        raise Done

    monkeypatch.setattr(server, "create_application", create)
    with pytest.raises(Done):
        server.run(port=0, open_browser=False, **options)
