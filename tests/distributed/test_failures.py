"""An error that ends one of several processes is told to the others, which end too."""

import sys
from types import SimpleNamespace

import pytest

from adjoint.distributed import failures
from adjoint.distributed.failures import FailureWatch


class Ended(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def keys(monkeypatch):
    """Let the process end with an exception, and return the keys that the processes share."""

    def end(code):
        raise Ended(code)

    monkeypatch.setattr(failures, "os", SimpleNamespace(_exit=end))
    monkeypatch.setattr(failures, "_started", [])
    monkeypatch.setattr(failures, "_EVERY", 0.001)
    monkeypatch.setattr(failures, "_GRACE", 0.001)
    monkeypatch.setattr(failures.logging, "shutdown", lambda: None)
    return {}


def watch(keys, index=1):
    client = SimpleNamespace(key_value_set=keys.__setitem__, key_value_dir_get=lambda name: list(keys.items()))
    return FailureWatch(client, index)


def start(keys, index, monkeypatch):
    """Start a watch, and return what it does when the process ends."""
    handlers = []
    monkeypatch.setattr(failures.atexit, "register", handlers.append)
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, traceback: print(f"reported {error}"))
    watch(keys, index).start()
    return handlers[0]


@pytest.mark.parametrize("index", [0, 1])
def test_an_error_is_reported_and_told_and_ends_the_process_without_waiting(keys, monkeypatch, capsys, index):
    leave = start(keys, index, monkeypatch)
    sys.excepthook(ValueError, ValueError("a mistake"), None)
    assert capsys.readouterr().out == "reported a mistake\n"
    assert keys == {f"adjoint/failed/{index}": f"process {index} ended with ValueError: a mistake"}
    with pytest.raises(Ended, match="1"):
        leave()


def test_an_error_that_ends_a_program_by_an_exit_code_is_told_too(keys, monkeypatch):
    leave = start(keys, 1, monkeypatch)
    failures.tell_others(ValueError("a mistake"))
    assert keys == {"adjoint/failed/1": "process 1 ended with ValueError: a mistake"}
    with pytest.raises(Ended, match="1"):
        leave()


def test_a_process_that_ends_without_an_error_waits_for_the_others_as_before(keys, monkeypatch):
    start(keys, 1, monkeypatch)()
    assert keys == {}


def test_a_process_ends_after_an_error_in_another(keys, capsys):
    keys["adjoint/failed/0"] = "process 0 ended with ValueError: a mistake"
    with pytest.raises(Ended, match="1"):
        watch(keys)._look()
    assert (
        capsys.readouterr().err == "adjoint: process 0 ended with ValueError: a mistake\nadjoint: process 1 ends too\n"
    )


def test_an_error_that_follows_from_another_process_is_reported_with_its_reason(keys, monkeypatch, capsys):
    own = watch(keys)
    monkeypatch.setattr(own, "_report", lambda *error: None)
    keys["adjoint/failed/0"] = "process 0 ended with ValueError: a mistake"
    own._note(RuntimeError, RuntimeError("connection closed"), None)
    assert "process 0 ended with ValueError: a mistake" in capsys.readouterr().err


def test_nothing_is_told_when_the_process_that_keeps_the_keys_has_gone(keys, monkeypatch):
    def fail(*arguments):
        raise RuntimeError("UNAVAILABLE")

    own = FailureWatch(SimpleNamespace(key_value_set=fail, key_value_dir_get=fail), 1)
    monkeypatch.setattr(own, "_report", lambda *error: None)
    own._look()
    own._note(ValueError, ValueError("a mistake"), None)
