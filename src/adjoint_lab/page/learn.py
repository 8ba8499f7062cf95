"""The room Learn in a page: programs run in a second worker of the browser, which has a Python of its own.

The worker takes the place of the process in learn/isolated.py: it is terminated when the learner stops the program,
when a newer check begins, and at the end of the time. It serves several checks, because starting Python takes seconds;
but a program that has changed Python itself is its last one.
"""

import asyncio
import contextlib
import gc
import json
import os
import sys
import warnings
from collections.abc import Awaitable
from types import ModuleType
from typing import Any, Protocol

from adjoint.engine import randomness
from adjoint.engine.modes import modes
from adjoint_lab.rooms.learn import Check, Learn, load_course
from adjoint_lab.serve.dispatcher import Push
from adjoint_learn.child import result_of
from adjoint_learn.course import Exercise
from adjoint_learn.isolated import end_reason, request_of
from adjoint_learn.results import Result
from adjoint_learn.running import cut_output


class Checks(Protocol):
    """The second worker. In the page, this is an object of JavaScript (web/src/page/checks.ts)."""

    def prepare(self) -> object:
        """Start Python in the worker, so that the first check does not wait for it."""
        ...

    def run(self, request: str, seconds: float) -> Awaitable[str]:
        """Check the program of a request, and return a JSON object.

        It has `report`, what `check` returned; or null, and then one of `late`, true after this many seconds, `exit`,
        the code with which the program ended Python, and `crash`, the error of Python. `printed` is what the program
        printed outside of the check.
        """
        ...

    def kill(self) -> None:
        """End the program that runs, or that waits for Python to start."""
        ...


class LearnInPage(Learn):
    """The room of a page."""

    def __init__(self, push: Push, checks: Checks):
        super().__init__(push)
        self._checks = checks
        self._waiting: set[asyncio.Task[None]] = set()  # asyncio itself keeps no reference to a task
        checks.prepare()

    def _start(self, check: Check) -> None:
        check.process = self._checks
        task = asyncio.get_running_loop().create_task(self._wait(check))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _wait(self, check: Check) -> None:
        request = request_of(load_course(), check.exercise, check.source, modules=check.modules)
        try:
            answer = json.loads(await self._checks.run(json.dumps(request), request["seconds"]))
            result = _result(check.exercise, answer)
        except Exception as error:  # Python could not be loaded a second time, for example without a network
            result = Result("stopped", f"Your program could not be started: {error}")
        self._finish(check, result)


def _result(exercise: Exercise, answer: dict[str, Any]) -> Result:
    if answer["report"] is not None:
        result = Result.from_json(json.loads(answer["report"])["result"])
    elif answer.get("crash"):
        result = Result("stopped", f"Your program crashed Python ({answer['crash']}).")
    else:
        result = Result("stopped", end_reason(exercise, answer.get("exit", 0), late=answer.get("late", False)))
    result.output = cut_output(result.output + answer["printed"])
    return result


# --- in the second worker ----------------------------------------------------------------------------------------

_State = list[tuple[Any, dict[str, object]]]


def check(request: str) -> str:
    """Check the program of a request in this interpreter, and return a JSON object.

    It has the `result`, and `changed`, which is true if the program may have left Python unfit for the next one: it
    has replaced a part of a module, seeded adjoint, written a file, changed a setting of Python, or it was stopped, for
    example for lack of memory.
    """
    before, settings = _state(), _settings()
    result = result_of(json.loads(request))
    with contextlib.suppress(Exception):  # the program may have closed its output
        sys.stdout.flush()
    changed = result.status == "stopped" or settings != _settings() or _differs(before)
    return json.dumps({"result": result.as_json(), "changed": changed})


def _settings() -> tuple[object, ...]:
    """Return what a program can change without replacing a part of a module."""
    lists = [list(x) for x in (sys.path, sys.meta_path, warnings.filters, randomness._seeded)]
    limits = sys.getrecursionlimit(), gc.isenabled(), sys.gettrace(), sys.getprofile()
    return lists, limits, dict(os.environ), os.getcwd(), sorted(os.listdir()), modes.plain


def _state() -> _State:
    """Return the loaded modules, their attributes and those of their classes."""
    modules = [module for module in list(sys.modules.values()) if isinstance(module, ModuleType)]
    # not isinstance(): it asks an object for its class, and some objects warn or import something when they are asked
    classes = [x for module in modules for x in vars(module).values() if issubclass(type(x), type)]
    parts = [*modules, *{id(x): x for x in classes}.values()]
    return [(sys.modules, dict(sys.modules)), *((each, dict(vars(each))) for each in parts)]


def _differs(before: _State) -> bool:
    """Return whether an attribute was replaced or deleted, or added to a class."""
    for each, names in before:
        now = each if each is sys.modules else vars(each)
        if isinstance(each, type) and len(now) != len(names):
            return True
        # A name that was None may be set later by its own module.
        if any(x is not None and now.get(name) is not x for name, x in names.items()):
            return True
    return False
