"""Processes that write a checkpoint together: if one fails, all raise."""

import pytest

from adjoint import errors
from adjoint.files.joint_saves import Processes


@pytest.fixture
def first_of_two(monkeypatch):
    """The first of two processes; the rows that it gathers are its own and that of the other, `rows`."""
    processes = Processes()
    processes.count, processes.rows, processes.told = 2, [1, 7], []

    def gather(row):
        processes.told.append(row)
        return [list(row), processes.rows]

    monkeypatch.setattr(processes, "gather", gather)
    return processes


def test_one_process_does_something_and_raises_its_own_error():
    assert Processes().do("write", lambda: 3, lambda x: [x, x + 1]) == (3, [[3, 4]])
    with pytest.raises(ZeroDivisionError):
        Processes().do("write", lambda: 1 / 0)


def test_the_numbers_of_all_processes_are_returned(first_of_two):
    assert first_of_two.do("write", lambda: 3, lambda x: [x]) == (3, [[3], [7]])
    assert first_of_two.told == [[1, 3]]


def test_if_another_process_fails_all_raise(first_of_two):
    first_of_two.rows = [0]
    with pytest.raises(errors.FileError, match="cannot write 'x': process 1 failed, and its error says why"):
        first_of_two.do("write 'x'", lambda: 3)


def test_a_process_that_fails_tells_the_others_before_it_raises(first_of_two):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        first_of_two.do("write", interrupt)
    assert first_of_two.told == [[0]]
