"""Write your own engine: a course with exercises that are checked."""

import argparse
import contextlib
import json
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjoint.errors import AdjointError, CourseError

if TYPE_CHECKING:
    from adjoint_learn.course import Exercise
    from adjoint_learn.results import Result
    from adjoint_learn.workspace import Workspace


OK, FAILED = 0, 1  # exit codes


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint learn`."""
    _place_options(command, is_action=False)
    command.add_argument("--notebooks", action="store_true", help="write the lessons as notebooks, and end")
    actions = command.add_subparsers(metavar="ACTION", title="actions, for scripts and classrooms")
    for name, help_text, act, takes_name in (
        ("list", "list the lessons and exercises, and which are solved", _list, False),
        ("run", "check one exercise", _run, True),
        ("hint", "print the next hint of an exercise", _hint, True),
        ("reset", "write the stub of an exercise again; the old file is kept", _reset, True),
        ("check", "check all exercises", _check, False),
    ):
        action = actions.add_parser(name, help=help_text, description=help_text)
        if takes_name:
            action.add_argument("name", metavar="NAME", help="an exercise, such as slope")
        action.add_argument("--json", action="store_true", help="print the result as JSON")
        _place_options(action, is_action=True)
        action.set_defaults(act=act)
    proof = actions.add_parser(
        "verify",
        help="prove that a course works: stubs fail, solutions pass, wrong answers get their messages",
    )
    proof.add_argument("folder", nargs="?", metavar="DIR", help="the folder of a course; default: the built-in course")
    proof.add_argument("--lesson", metavar="NAME", action="append", help="only this lesson; may be repeated")
    proof.add_argument("--json", action="store_true", help="print the problems as JSON")
    proof.set_defaults(act=_verify)
    command.set_defaults(act=_watch)


def _place_options(command: argparse.ArgumentParser, is_action: bool) -> None:
    """Add the options that may stand before or after the action."""
    default = argparse.SUPPRESS if is_action else None
    command.add_argument("--from", dest="course", default=default, metavar="DIR", help="a course in another folder")
    command.add_argument(
        "--in", dest="place", default=default, metavar="DIR", help="your files: ./adjoint-course (default)"
    )


def run(asked: argparse.Namespace) -> int:
    """Run an action of `adjoint learn`. With `--json`, a mistake of the user is also printed as JSON."""
    try:
        with _end_with_signals():
            return asked.act(asked)
    except AdjointError as error:
        if getattr(asked, "json", False):
            _print_json({"error": str(error)})
        raise


@contextlib.contextmanager
def _end_with_signals() -> Iterator[None]:
    """End the program in good order, with its checks, if it is asked to end or if its terminal is closed."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _watch(asked: argparse.Namespace) -> int:
    """Copy the exercises and watch them, if there is a terminal to show them in."""
    from adjoint_learn.terminal import screens
    from adjoint_learn.terminal.watching import Watch

    if asked.notebooks:
        return _notebooks(asked)
    workspace = _workspace(asked, create=True)
    console = screens.console()
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):  # a closed input is None
        for line in screens.overview(workspace, workspace.first_unsolved()):
            console.print(line)
        name = workspace.first_unsolved().name
        console.print(f"\nThis is not a terminal: check a file with `adjoint learn run {name}`.", markup=False)
        return OK
    Watch(workspace, console).run()
    return OK


def _workspace(asked: argparse.Namespace, create: bool = False) -> "Workspace":
    from adjoint_learn.course import BUILT_IN, load
    from adjoint_learn.workspace import FOLDER, Workspace

    workspace = Workspace(asked.place or FOLDER, load(asked.course or BUILT_IN))
    if create:
        written = workspace.copy_stubs()
        if written:
            print(f"wrote {len(written)} files into {workspace.folder}")
    elif not workspace.folder.is_dir():
        raise CourseError(f"there is no folder {str(workspace.folder)!r} here; `adjoint learn` creates it")
    return workspace


def _notebooks(asked: argparse.Namespace) -> int:
    """Write a notebook for each lesson. Notebooks that exist are not changed."""
    from adjoint_learn.course import BUILT_IN, load
    from adjoint_learn.notebook_files import write_notebooks
    from adjoint_learn.workspace import FOLDER

    folder = Path(asked.place or FOLDER) / "notebooks"
    written, kept = write_notebooks(load(asked.course or BUILT_IN), folder)
    print(f"wrote {len(written)} notebooks into {folder}" + (f"; kept {len(kept)} that were there" if kept else ""))
    if written:
        print(f"open the first one with Jupyter, for example: jupyter lab {written[0]}")
    return OK


def _list(asked: argparse.Namespace) -> int:
    from adjoint_learn.course import BUILT_IN, load
    from adjoint_learn.terminal import screens
    from adjoint_learn.workspace import FOLDER, Workspace

    workspace = Workspace(asked.place or FOLDER, load(asked.course or BUILT_IN))
    if asked.json:
        return _print_json([
            {
                "lesson": lesson.name,
                "title": lesson.title,
                "exercises": [
                    {
                        "name": exercise.name,
                        "title": exercise.title,
                        "file": exercise.file,
                        "solved": exercise.name in workspace.progress.solved,
                    }
                    for exercise in lesson.exercises
                ],
            }
            for lesson in workspace.course.lessons
        ])  # fmt: skip
    console = screens.console()
    for line in screens.overview(workspace):
        console.print(line)
    return OK


def _run(asked: argparse.Namespace) -> int:
    from adjoint_learn.terminal import screens

    workspace = _workspace(asked)
    exercise = workspace.course.exercise(asked.name)
    found, ours = _check_file(workspace, exercise)
    if asked.json:
        _print_json({"exercise": exercise.name, **found.as_json()})
    else:
        console = screens.console()
        for part in screens.result(found, exercise, ours):
            console.print(part)
    return OK if found.passed else FAILED


def _check_file(workspace: "Workspace", exercise: "Exercise") -> tuple["Result", list[str]]:
    """Check the learner's file, and return the result and the names of files that are ours, not the learner's."""
    from adjoint_learn.isolated import check_isolated
    from adjoint_learn.results import Result

    try:
        source = workspace.read(exercise)
    except CourseError as error:
        return Result("stopped", f"{error}."), []
    modules, ours = workspace.modules(exercise)
    try:
        found = check_isolated(workspace.course, exercise, source, exercise.file, modules)
    except OSError as error:  # no space for temporary files, or no more processes
        raise CourseError(f"the check cannot start: {error}") from None
    if found.passed:
        workspace.record_solved(exercise)
        _remark(workspace)
    return found, ours


def _remark(workspace: "Workspace") -> None:
    if workspace.remark:
        print(f"adjoint: {workspace.remark}", file=sys.stderr)
        workspace.remark = ""


def _hint(asked: argparse.Namespace) -> int:
    workspace = _workspace(asked)
    exercise = workspace.course.exercise(asked.name)
    number, hint = workspace.next_hint(exercise)
    _remark(workspace)
    if asked.json:
        return _print_json({"exercise": exercise.name, "number": number, "of": len(exercise.hints), "hint": hint})
    from adjoint_learn.terminal import screens

    screens.console().print(screens.markdown(f"Hint {number} of {len(exercise.hints)}: {hint}"))
    return OK


def _reset(asked: argparse.Namespace) -> int:
    workspace = _workspace(asked)
    exercise = workspace.course.exercise(asked.name)
    kept = workspace.reset(exercise)
    if asked.json:
        return _print_json({"exercise": exercise.name, "file": exercise.file, "kept": kept})
    print(f"wrote the stub of {exercise.file}" + (f"; the old file is {kept}" if kept else ""))
    return OK


def _check(asked: argparse.Namespace) -> int:
    """Check every exercise, and report how many pass."""
    workspace = _workspace(asked)
    found: dict[str, Result] = {}
    for exercise in workspace.course.exercises:
        found[exercise.name], _ = _check_file(workspace, exercise)
        if not asked.json:
            print(f"[{'x' if found[exercise.name].passed else ' '}] {exercise.name}", flush=True)
    passed = sum(result.passed for result in found.values())
    if asked.json:
        results = [{"exercise": name, **result.as_json()} for name, result in found.items()]
        _print_json({"passed": passed, "of": len(found), "results": results})
    else:
        print(f"\n{passed} of {len(found)} exercises pass")
    return OK if passed == len(found) else FAILED


def _verify(asked: argparse.Namespace) -> int:
    from adjoint_learn.course import BUILT_IN, load
    from adjoint_learn.verification import verify

    course = load(asked.folder or asked.course or BUILT_IN)
    lessons = [course.lesson(name) for name in asked.lesson] if asked.lesson else course.lessons
    problems = []
    for lesson in lessons:
        found = list(verify(course, lesson))
        problems += found
        if not asked.json:
            wrong = sum(len(exercise.wrong_answers) for exercise in lesson.exercises)
            state = f"{len(found)} problems" if found else "ok"
            print(f"{lesson.number:2} {lesson.name}: {len(lesson.exercises)} exercises, {wrong} wrong answers: {state}")
            for problem in found:
                print(f"   {problem.name}: {problem.text}")
    if asked.json:
        _print_json({"problems": [{"name": problem.name, "text": problem.text} for problem in problems]})
    return FAILED if problems else OK


def _print_json(found: Any) -> int:
    print(json.dumps(found))
    return OK
