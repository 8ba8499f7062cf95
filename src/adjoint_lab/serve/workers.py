"""Work in small pieces and answer questions between two pieces: in a thread, or on the event loop where there is none.

What a room trains belongs to this thread alone, so nothing needs a lock. A question waits at most for the piece that is
being worked on.
"""

import asyncio
import math
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from time import perf_counter
from typing import Any, ParamSpec, Protocol, TypeVar

from adjoint.errors import LabError

Work = Callable[[], float | None]
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

CLOSED = "the page is closed, so the request was not carried out"
PAUSE = 0.0002  # seconds between two pieces; without it, threads that wait for the interpreter lock would starve
BURST = 0.05  # seconds of pieces on the event loop, after which it gets a real pause
REST = 0.004  # seconds of this pause at least
REST_SHARE = 0.1  # the pause after a long piece, as a share of it: on a busy machine, a short one has passed at once


class Worker(Protocol):
    """Calls `work` repeatedly. `work` returns the delay in seconds, or None to wait for a question."""

    def __init__(self, name: str, work: Work): ...

    def ask(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **options: Arguments.kwargs
    ) -> Result:
        """Call a function between two pieces, and return its result or raise its error."""
        ...

    def close(self) -> None:
        """Stop after the piece that is being worked on."""
        ...


class ThreadWorker:
    """A worker in a thread of its own.

    >>> worker = ThreadWorker("counting", lambda: None)
    >>> worker.ask(sum, [1, 2])
    3
    >>> worker.close()
    """

    def __init__(self, name: str, work: Work):
        self._work = work
        self._questions: queue.SimpleQueue[tuple[Callable[[], object], Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"adjoint lab: {name}", daemon=True)
        self._thread.start()

    def ask(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **options: Arguments.kwargs
    ) -> Result:
        """Call a function in the thread, and return its result or raise its error."""
        answer: Future[Result] = Future()
        self._questions.put((lambda: function(*arguments, **options), answer))
        if not self._thread.is_alive():
            self._refuse_all()
        return answer.result()

    def close(self) -> None:
        """End the thread after the piece that is being worked on."""
        self._questions.put(None)
        self._thread.join()

    def _run(self) -> None:
        due = math.inf  # the time of the next piece
        while True:
            wait = None if due == math.inf else max(due - perf_counter(), PAUSE)
            try:
                question = self._questions.get(timeout=wait)
            except queue.Empty:
                pass
            else:
                if question is None:
                    return self._refuse_all()
                self._answer(*question)
                due = 0.0  # the question may have created work; work also proceeds while many questions arrive
            if perf_counter() >= due:
                wait = self._work()
                due = math.inf if wait is None else perf_counter() + wait

    def _answer(self, question: Callable[[], object], answer: Future[Any]) -> None:
        try:
            answer.set_result(question())
        except BaseException as error:  # the caller of ask() handles it, and the thread continues
            answer.set_exception(error)

    def _refuse_all(self) -> None:
        while True:
            try:
                question = self._questions.get_nowait()
            except queue.Empty:
                return
            if question is not None:
                question[1].set_exception(LabError(CLOSED))


class LoopWorker:
    """A worker on the running event loop, which gets control back after each piece.

    Python in a browser has no threads. A question is answered at once, because no piece can be under way.

    Pyodide calls what is due at once through a MessageChannel, and a browser may empty this channel before it delivers
    the messages of the page. A timer lets them through, so that a long training can be paused.
    """

    def __init__(self, name: str, work: Work):
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._next: asyncio.Handle | None = None  # the next piece
        self._due = math.inf  # its time
        self._worked = 0.0  # seconds since the last pause
        self._is_open = True

    def ask(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **options: Arguments.kwargs
    ) -> Result:
        """Call a function, and return its result or raise its error."""
        if not self._is_open:
            raise LabError(CLOSED)
        if self._due > self._loop.time():  # else the next piece comes now: many questions must not delay it
            self._schedule(0.0)  # the question may create work
        return function(*arguments, **options)

    def close(self) -> None:
        """Do no more pieces."""
        self._schedule(None)
        self._is_open = False

    def _schedule(self, wait: float | None) -> None:
        if self._next:
            self._next.cancel()
        wait = None if wait is None else max(0.0, wait)  # the loop of Pyodide refuses negative delays
        self._due = math.inf if wait is None else self._loop.time() + wait
        self._next = None if wait is None else self._loop.call_later(wait, self._run)

    def _run(self) -> None:
        start = self._loop.time()
        wait = self._work()
        self._worked += self._loop.time() - start
        if wait is not None and wait < REST and self._worked >= BURST:
            wait = max(REST, REST_SHARE * self._worked)
        if wait is None or wait >= REST:
            self._worked = 0.0
        self._schedule(wait)
