"""The room Learn: the lessons of the course, and checks of the learner's programs.

A program runs in a process of its own (see learn/isolated.py), one at a time for each page. A new check, "stop" or the
end of the page kills the process that runs. The result arrives as an event, so that messages are carried out meanwhile.
"""

import dataclasses
import threading
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Protocol

from adjoint import Value
from adjoint.errors import LabError, unknown_name_error
from adjoint.see import Expression
from adjoint_lab.protocol.learn import Block, Course, Exercise, Heading, Lesson, LiveGraph, Outcome
from adjoint_lab.scenes import scene_of
from adjoint_lab.serve import messages
from adjoint_lab.serve.dispatcher import Push
from adjoint_lab.serve.messages import Message
from adjoint_learn import course as courses, lesson_text
from adjoint_learn.figures import figure_svg
from adjoint_learn.isolated import start
from adjoint_learn.libraries import missing_library
from adjoint_learn.results import Result
from adjoint_learn.running import Sources

MAX_SOURCE = 50_000  # characters of a program
MAX_INPUT = 1e6  # the largest absolute value of an input of a graph
STOPPED = "You stopped the program."
REMOTE = (
    "Programs do not run here: this lab was started with --allow-remote, so other machines may reach it. "
    "Start it with --allow-code as well to let everyone who has its address run programs on this machine."
)


class Process(Protocol):
    """What runs a program."""

    def kill(self) -> None:
        """End the program."""
        ...


@dataclasses.dataclass
class Check:
    """A check that runs. `process` is missing until it has started, and `end` says who ended it."""

    number: int
    exercise: courses.Exercise
    source: str
    modules: Sources
    ours: list[str]
    process: Process | None = None
    end: str = ""  # "stop": the learner, "drop": a newer check or the end of the page
    thread: threading.Thread | None = None


class Learn:
    """The room of one page."""

    NEWEST_WINS = frozenset[str]()
    REFUSAL = ""  # why programs do not run

    def __init__(self, push: Push):
        self._push = push
        self._lock = threading.Lock()  # guards `_current` and the fields of checks
        self._current: Check | None = None
        self._actions: dict[str, Callable[[Message], Mapping[str, object]]] = {
            "course": self._course,  # → the overview
            "lesson": self._lesson,  # lesson → its text and exercises
            "graph": self._graph,  # expression, numbers → the scene of a graph in the text
            "solution": self._solution,  # exercise → the solution, and why
            "check": self._check,  # run, exercise, source, modules → nothing; the outcome is an event
            "stop": self._stop,  # → nothing; the outcome is an event
        }

    def handle(self, do: str, message: Message) -> Mapping[str, object]:
        """Carry out a message."""
        if do not in self._actions:
            raise unknown_name_error("action", do, self._actions)
        return self._actions[do](message)

    def close(self) -> None:
        """Kill the program that runs."""
        check = self._end("drop")
        if check and check.thread:
            check.thread.join(10)

    # --- the course ------------------------------------------------------------------------------------------------

    def _course(self, message: Message) -> Mapping[str, object]:
        return {"course": overview(self.REFUSAL)}

    def _lesson(self, message: Message) -> Mapping[str, object]:
        names = [lesson.name for lesson in load_course().lessons]
        return {"lesson": lesson_json(messages.one_of(message, "lesson", names))}

    def _graph(self, message: Message) -> Mapping[str, object]:
        expression = Expression(messages.text(message, "expression", 2000))
        given = messages.fields(message, "numbers", {})
        numbers = {name: messages.number(given, name, -MAX_INPUT, MAX_INPUT) for name in expression.names}
        return {"scene": scene_of(_compute(expression, numbers), expression.names)}

    def _solution(self, message: Message) -> Mapping[str, object]:
        exercise = _exercise(message)
        return {"solution": exercise.solution, "why": exercise.why}

    # --- checks ----------------------------------------------------------------------------------------------------

    def _check(self, message: Message) -> Mapping[str, object]:
        if self.REFUSAL:
            raise LabError(self.REFUSAL)
        exercise = _exercise(message)
        modules, ours = _modules(exercise, messages.fields(message, "modules", {}))
        number = messages.whole(message, "run", 0, 2**53 - 1)
        check = Check(number, exercise, messages.text(message, "source", MAX_SOURCE), modules, ours)
        self._end("drop")
        with self._lock:
            self._current = check
        self._start(check)
        return {}

    def _stop(self, message: Message) -> Mapping[str, object]:
        self._end("stop")
        return {}

    def _end(self, end: str) -> Check | None:
        """Kill the program that runs, if any, and return its check."""
        with self._lock:
            check, self._current = self._current, None
            if check:
                check.end = end
                if check.process:
                    check.process.kill()
            return check

    def _start(self, check: Check) -> None:
        """Run a check without waiting for its end."""
        check.thread = threading.Thread(target=self._run, args=(check,), name="adjoint lab: a check", daemon=True)
        check.thread.start()

    def _run(self, check: Check) -> None:
        """Run a check until its end. In a thread of its own."""
        try:
            process = start(load_course(), check.exercise, check.source, modules=check.modules)
            with self._lock:
                check.process = process
                if check.end:
                    process.kill()
            result = process.wait()
        except Exception as error:  # such as no memory for another process or thread
            result = Result("stopped", f"The process for your program could not be started: {error}.")
        self._finish(check, result)

    def _finish(self, check: Check, result: Result) -> None:
        """Push the outcome of a check."""
        with self._lock:
            if self._current is check:
                self._current = None
        if check.end == "drop":
            return
        if check.end == "stop":
            result = Result("stopped", STOPPED, output=result.output)
        outcome: Outcome = {
            "room": "learn",
            "event": "outcome",
            "run": check.number,
            "exercise": check.exercise.name,
            "result": result,
            "why": check.exercise.why if result.passed else "",
            "ours": check.ours,
        }
        self._push({**outcome, "result": result.as_json()}, "learn.outcome")


class LearnWithoutCode(Learn):
    """The room of a lab that other machines can reach: lessons can be read, and programs do not run."""

    REFUSAL = REMOTE


# --- what a page receives -----------------------------------------------------------------------------------------


@lru_cache
def load_course() -> courses.Course:
    return courses.load()


def _exercise(message: Message) -> courses.Exercise:
    return load_course().exercise(messages.one_of(message, "exercise", [x.name for x in load_course().exercises]))


def _modules(exercise: courses.Exercise, given: Message) -> tuple[Sources, list[str]]:
    """Return the programs that an exercise imports: the learner's, or else the solution of the course."""
    found: dict[str, tuple[str, str]] = {}
    ours = []
    for name in exercise.uses:
        other = load_course().exercise(name)
        source = messages.text(given, name, MAX_SOURCE, None)
        if source is None:
            ours.append(other.file)
        found[other.module] = (other.file, source) if source is not None else (f"{other.file} (ours)", other.solution)
    return found, ours


def overview(refusal: str = "") -> Course:
    """Return the lessons of the course and the titles of their exercises."""
    course = load_course()
    lessons: list[Heading] = [
        {
            "name": lesson.name,
            "number": lesson.number,
            "title": lesson.title,
            "exercises": [{"name": x.name, "title": x.title, "file": x.file} for x in lesson.exercises],
        }
        for lesson in course.lessons
    ]
    return {"title": course.title, "introduction": course.introduction, "lessons": lessons, "refusal": refusal}


def lesson_json(name: str) -> Lesson:
    """Return the text and the exercises of a lesson."""
    lesson = load_course().lesson(name)
    return {
        "name": lesson.name,
        "number": lesson.number,
        "title": lesson.title,
        "blocks": _blocks(name),
        "exercises": [_exercise_json(exercise) for exercise in lesson.exercises],
    }


@lru_cache
def _blocks(name: str) -> list[Block]:
    lesson = load_course().lesson(name)
    return [_block_json(lesson, block) for block in lesson.blocks]


def _exercise_json(exercise: courses.Exercise) -> Exercise:
    return {
        "name": exercise.name,
        "title": exercise.title,
        "task": exercise.task,
        "file": exercise.file,
        "uses": exercise.uses,
        "hints": exercise.hints,
        "stub": exercise.stub,
        "added": courses.parts_to_write(load_course(), exercise),
        "missing": missing_library(exercise),
    }


def _block_json(lesson: courses.Lesson, block: lesson_text.Block) -> Block:
    if isinstance(block, lesson_text.Markdown):
        return {"kind": "markdown", "text": block.text, "svg": "", "graph": None}
    if isinstance(block, lesson_text.Program):
        return {"kind": "program", "text": block.source, "svg": "", "graph": None}
    if isinstance(block, lesson_text.ExercisePlace):
        return {"kind": "exercise", "text": block.name, "svg": "", "graph": None}
    if block.kind == "figure":
        return {"kind": "figure", "text": block.caption, "svg": figure_svg(lesson, block), "graph": None}
    return {"kind": "graph", "text": block.caption, "svg": "", "graph": live_graph(block)}


def live_graph(figure: lesson_text.Figure) -> LiveGraph:
    """Return the graph of a figure, and the numbers of its inputs."""
    expression = Expression(figure.content)
    root = _compute(expression, {})
    return {
        "expression": expression.text,
        "numbers": dict(expression.given),
        "gradients": figure.kind == "gradients",
        "scene": scene_of(root, expression.names),
    }


def _compute(expression: Expression, numbers: Mapping[str, float]) -> Value:
    return expression.value(numbers)
