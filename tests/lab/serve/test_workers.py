"""A worker that works and answers questions in between: a thread, or a part of an event loop."""

import asyncio
import itertools
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest
from clockwork import Clockwork

from adjoint.errors import LabError
from adjoint_lab.serve.workers import LoopWorker, ThreadWorker

Result = TypeVar("Result")


def test_questions_are_answered_between_pieces_of_work():
    pieces = []
    worker = ThreadWorker("test", lambda: pieces.append(1) or 0.0)
    first = worker.ask(lambda: len(pieces))
    while worker.ask(lambda: len(pieces)) <= first + 10:
        pass
    worker.close()
    assert len(pieces) > 10


def test_an_error_is_raised_by_ask_and_the_thread_continues():
    worker = ThreadWorker("test", lambda: None)
    with pytest.raises(ZeroDivisionError):
        worker.ask(lambda: 1 / 0)
    assert worker.ask(lambda: threading.current_thread().name) == "adjoint lab: test"
    worker.close()


def test_asking_after_close_raises_an_error():
    worker = ThreadWorker("test", lambda: None)
    worker.close()
    with pytest.raises(LabError, match="the page is closed"):
        worker.ask(int)


def on_a_loop(play: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    with asyncio.Runner(loop_factory=Clockwork) as runner:
        return runner.run(play())


def test_on_a_loop_other_tasks_run_between_two_pieces():
    async def play():
        seen: list[object] = []
        worker = LoopWorker("test", lambda: seen.append("piece") or 0.0)
        worker.ask(seen.append, "question")
        for i in range(3):
            await asyncio.sleep(0)
            worker.ask(seen.append, i)
        worker.close()
        await asyncio.sleep(1)
        return seen

    seen = on_a_loop(play)
    assert [x for x in seen if x != "piece"] == ["question", 0, 1, 2]
    assert [x for x in seen if x == "piece"]  # the work proceeds while questions arrive
    assert not any(seen[i : i + 3] == ["piece"] * 3 for i in range(len(seen)))


def test_on_a_loop_the_delay_that_work_asks_for_is_kept_and_a_question_ends_it():
    async def play():
        loop, times = asyncio.get_running_loop(), []
        waits: list[float | None] = [0.5, 10.0, None, None]
        worker = LoopWorker("test", lambda: times.append(loop.time()) or waits.pop(0))
        await asyncio.sleep(1)
        assert times == []  # nothing happens before the first question
        worker.ask(int)
        await asyncio.sleep(2)
        worker.ask(int)
        await asyncio.sleep(100)
        worker.close()
        return times

    assert on_a_loop(play) == [1.0, 1.5, 3.0]


def test_on_a_loop_an_error_is_raised_by_ask_and_asking_after_close_is_one():
    async def play():
        pieces = []
        worker = LoopWorker("test", lambda: pieces.append(1))
        with pytest.raises(ZeroDivisionError):
            worker.ask(lambda: 1 / 0)
        assert worker.ask(int) == 0
        worker.close()
        with pytest.raises(LabError, match="the page is closed"):
            worker.ask(int)
        await asyncio.sleep(1)
        return pieces

    assert on_a_loop(play) == []


@pytest.mark.parametrize(("seconds", "pieces"), [(0.3, 1), (0.02, 3)])
def test_on_a_loop_long_work_pauses_so_that_a_browser_delivers_its_messages(seconds: float, pieces: int):
    """Pyodide calls what is due within 2 ms without a timer, and Chromium then holds back the messages of the page.

    It also does so if the timer is due when a busy machine gets to it, so a long piece needs a longer pause.
    """

    async def play():
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Clockwork)
        starts: list[float] = []

        def work() -> float:
            starts.append(loop.time())
            loop.now += seconds
            return 0.0

        worker = LoopWorker("test", work)
        worker.ask(int)
        while len(starts) < 7:
            await asyncio.sleep(0.01)
        worker.close()
        return [b - a - seconds for a, b in itertools.pairwise(starts)]

    gaps = on_a_loop(play)
    assert [gap > 0.002 for gap in gaps[:6]] == [(i + 1) % pieces == 0 for i in range(6)]
    assert max(gaps[:6]) > 0.09 * pieces * seconds
