"""Guards that are listened to: in one thread, and nowhere else."""

import threading
import warnings

import pytest

from adjoint import Value, optim
from adjoint.errors import StaleGradientWarning
from adjoint.errors.guard_warnings import listening


def forget_to_zero():
    w = Value([1.0])
    optimizer = optim.SGD([w], lr=0.1)
    for _ in range(2):
        (w * w).sum().backward()
        optimizer.step()


def test_what_guards_say_is_heard_and_not_warned_of():
    with listening() as heard:
        forget_to_zero()
    assert [type(warning) for warning in heard] == [StaleGradientWarning]
    assert "zero_grad()" in str(heard[0])
    with pytest.warns(StaleGradientWarning):
        forget_to_zero()


def test_who_listens_hears_nothing_of_other_threads():
    with listening() as heard, warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        thread = threading.Thread(target=forget_to_zero)
        thread.start()
        thread.join()
    assert heard == []
    assert [warning.category for warning in given] == [StaleGradientWarning]


def test_listening_within_listening_hears_its_own():
    with listening() as outer:
        with listening() as inner:
            forget_to_zero()
        assert len(inner) == 1
        forget_to_zero()
    assert len(outer) == 1
