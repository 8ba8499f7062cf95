"""A thread that works, piece by piece, and answers questions between two pieces.

What a room trains belongs to this thread alone: nobody else touches it, so nothing needs a lock, and a question waits
no longer than for the piece that is being worked on.
"""

import math
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from time import perf_counter
from typing import Any

from adjoint.errors import LabError

Work = Callable[[], float | None]

BREATH = 0.0002  # seconds between two pieces: else threads that wait for Python's lock, the socket's, would starve


class Worker:
    """A thread that calls `work` again and again: after as many seconds as it returns, or, for None, when asked next.

    >>> worker = Worker("counting", lambda: None)
    >>> worker.ask(sum, [1, 2])
    3
    >>> worker.close()
    """

    def __init__(self, name: str, work: Work):
        self._work, self._questions = work, queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"adjoint lab: {name}", daemon=True)
        self._thread.start()

    def ask(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the thread, and return its result, or raise its error."""
        answer: Future = Future()
        self._questions.put((function, arguments, answer))
        if not self._thread.is_alive():
            self._refuse_all()
        return answer.result()

    def close(self) -> None:
        """End the thread after the piece that is being worked on."""
        self._questions.put(None)
        self._thread.join()

    def _run(self) -> None:
        due = math.inf  # when to work again
        while True:
            wait = None if due == math.inf else max(due - perf_counter(), BREATH)
            try:
                question = self._questions.get(timeout=wait)
            except queue.Empty:
                pass
            else:
                if question is None:
                    return self._refuse_all()
                self._answer(*question)
                due = 0.0  # there may be something to do now; and many questions do not keep it from working
            if perf_counter() >= due:
                wait = self._work()
                due = math.inf if wait is None else perf_counter() + wait

    def _answer(self, function: Callable[..., Any], arguments: tuple, answer: Future) -> None:
        try:
            answer.set_result(function(*arguments))
        except BaseException as error:  # whoever asked has to know, and the thread goes on
            answer.set_exception(error)

    def _refuse_all(self) -> None:
        while True:
            try:
                question = self._questions.get_nowait()
            except queue.Empty:
                return
            if question is not None:
                question[2].set_exception(LabError("the page has gone, and with it what was asked"))
