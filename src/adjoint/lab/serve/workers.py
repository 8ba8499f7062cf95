"""A thread that works in small pieces and answers questions between two pieces.

What a room trains belongs to this thread alone, so nothing needs a lock. A question waits at most for the piece that is
being worked on.
"""

import math
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from time import perf_counter
from typing import Any, ParamSpec, TypeVar

from adjoint.errors import LabError

Work = Callable[[], float | None]
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

PAUSE = 0.0002  # seconds between two pieces; without it, threads that wait for the interpreter lock would starve


class Worker:
    """A thread that calls `work` repeatedly. `work` returns the delay in seconds, or None to wait for a question.

    >>> worker = Worker("counting", lambda: None)
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
                question[1].set_exception(LabError("the page is closed, so the request was not carried out"))
