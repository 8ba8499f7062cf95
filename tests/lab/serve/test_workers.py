"""A thread that works and answers questions in between."""

import threading

import pytest

from adjoint.errors import LabError
from adjoint.lab.serve.workers import ThreadWorker


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
