"""Checks of programs in a page: the worker is an object of the page, here a stand-in."""

import asyncio
import json
import resource
from typing import Any

import pytest
from without_numpy import output_of

from adjoint_lab.page.learn import LearnInPage, check
from adjoint_lab.rooms.learn import STOPPED
from adjoint_learn.course import load
from adjoint_learn.isolated import check_isolated

COURSE = load()
SLOPE = COURSE.exercise("slope")
HALF = next(wrong for wrong in SLOPE.wrong_answers if wrong.name == "half")


class Worker:
    """A worker that answers as it is told; without an answer, its program runs until it is killed."""

    def __init__(self, answer: dict[str, Any] | Exception | None):
        self.answer, self.requests, self.seconds, self.prepared = answer, [], [], 0
        self.ended: asyncio.Future[str] | None = None

    def prepare(self):
        self.prepared += 1

    async def run(self, request: str, seconds: float) -> str:
        self.requests.append(json.loads(request))
        self.seconds.append(seconds)
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is None:
            self.ended = asyncio.get_running_loop().create_future()
            return await self.ended
        return json.dumps({"printed": "", "report": None} | self.answer)

    def kill(self):
        if self.ended and not self.ended.done():
            self.ended.set_result(json.dumps({"report": None, "printed": "so far\n"}))


def outcomes(worker: Worker, *messages: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events of a room that receives these messages."""
    events: list[dict[str, Any]] = []

    async def play() -> None:
        room = LearnInPage(lambda event, key: events.append(dict(event)), worker)
        for do, message in messages:
            room.handle(do, message)
            for _ in range(5):
                await asyncio.sleep(0)
        room.close()

    asyncio.run(play())
    return events


def checking(source: str, run: int = 1) -> tuple[str, dict[str, Any]]:
    return "check", {"run": run, "exercise": "slope", "source": source}


@pytest.mark.parametrize("source", [SLOPE.solution, HALF.source, "print('hello')\nexit()\n"])
def test_a_program_gets_the_result_that_it_gets_in_a_process(source):
    worker = Worker(None)
    outcomes(worker, checking(source))
    (request,) = worker.requests
    assert worker.prepared == 1
    assert worker.seconds == [40]
    limits = resource.getrlimit(resource.RLIMIT_CPU)
    report = check(json.dumps(request))
    assert resource.getrlimit(resource.RLIMIT_CPU) == limits  # those of a process are not for a worker
    (outcome,) = outcomes(Worker({"report": report}), checking(source, run=7))
    assert (outcome["event"], outcome["run"], outcome["exercise"]) == ("outcome", 7, "slope")
    assert outcome["result"] == check_isolated(COURSE, SLOPE, source).as_json()
    assert bool(outcome["why"]) == (source == SLOPE.solution)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"late": True}, "Your program was still running after 10 seconds, and was stopped. Does a loop never end?"),
        ({"exit": 3}, "Your program ended Python with the exit code 3 before the check was finished. Remove calls"),
        ({"crash": "out of memory"}, "Your program crashed Python (out of memory)."),
        (OSError("no network"), "Your program could not be started: no network"),
    ],
)
def test_a_program_without_a_report_is_explained(answer, message):
    (outcome,) = outcomes(Worker(answer), checking(""))
    assert outcome["result"]["status"] == "stopped"
    assert outcome["result"]["message"].startswith(message)


def test_a_stopped_program_is_killed_and_its_output_is_kept():
    (outcome,) = outcomes(Worker(None), checking("while True: pass"), ("stop", {}))
    assert outcome["result"]["message"] == STOPPED
    assert outcome["result"]["output"] == "so far\n"


def test_a_newer_check_replaces_the_one_that_runs():
    worker = Worker(None)
    assert [x["run"] for x in outcomes(worker, checking("1", 1), checking("2", 2), ("stop", {}))] == [2]
    assert [request["source"] for request in worker.requests] == ["1", "2"]


def test_the_output_outside_of_the_check_follows_that_of_the_program_and_is_cut():
    report = check(json.dumps({**_request(), "source": "print('inside')\n" + SLOPE.solution}))
    (outcome,) = outcomes(Worker({"report": report, "printed": "x" * 100_000}), checking(""))
    assert outcome["result"]["output"].startswith("inside\nxxx")
    assert outcome["result"]["output"].endswith("(the output is longer, and was cut here)")


def _request() -> dict[str, Any]:
    worker = Worker(None)
    outcomes(worker, checking(""))
    return worker.requests[0]


CHANGES = {
    SLOPE.solution: False,
    HALF.source: False,
    "import random\nrandom.seed(1)\nprint(random.random())\n": False,
    "from adjoint import Value\nValue.double = lambda self: self + self\n": True,
    "import collections\ncollections.namedtuple = None\n": True,
    "import sys\ndel sys.modules['random']\n": True,
    "import sys\nsys.path.insert(0, 'lib')\n": True,
    "import sys\nsys.setrecursionlimit(900)\n": True,
    "import os\nos.environ['MODE'] = 'test'\n": True,
    "open('notes.txt', 'w').close()": True,
    "import warnings\nwarnings.simplefilter('error')\n": True,
    "import adjoint\nadjoint.manual_seed(0)\n": True,
    "import adjoint\nadjoint.no_grad().__enter__()\n": True,
    "exit()": True,
}


def test_a_program_that_changes_python_is_the_last_one_of_its_interpreter():
    program = f"""import contextvars, json, os, tempfile
from adjoint_lab.page.learn import check
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
request = json.loads({json.dumps(_request())!r})
check(json.dumps(request))  # imports what checks need
for source in {[*CHANGES]!r}:
    context = contextvars.copy_context()  # the modes of adjoint belong to it
    print(json.loads(context.run(check, json.dumps(request | {{"source": source}})))["changed"])
os.chdir("/")
"""
    assert output_of(program, numpy=False).split() == [str(changed) for changed in CHANGES.values()]
