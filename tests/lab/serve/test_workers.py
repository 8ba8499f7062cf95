"""A thread that works and answers."""

import threading

import pytest

from adjoint.errors import LabError
from adjoint.lab.serve.workers import Worker


def test_questions_are_answered_while_it_works():
    pieces = []
    worker = Worker("test", lambda: pieces.append(1) or 0.0)
    first = worker.ask(lambda: len(pieces))
    while worker.ask(lambda: len(pieces)) <= first + 10:
        pass
    worker.close()
    assert len(pieces) > 10


def test_an_error_goes_to_who_asked_and_the_thread_goes_on():
    worker = Worker("test", lambda: None)
    with pytest.raises(ZeroDivisionError):
        worker.ask(lambda: 1 / 0)
    assert worker.ask(lambda: threading.current_thread().name) == "adjoint lab: test"
    worker.close()


def test_who_asks_after_the_end_gets_an_error_and_does_not_wait():
    worker = Worker("test", lambda: None)
    worker.close()
    with pytest.raises(LabError, match="the page has gone"):
        worker.ask(int)
