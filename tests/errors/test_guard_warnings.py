"""Guards, and the list that collects their warnings, are local to a thread."""

import threading
import warnings

import pytest

from adjoint import Value, guards, nn, optim, precision
from adjoint.errors import PrecisionWarning, StaleGradientWarning
from adjoint.errors.guard_warnings import collect_warnings, is_on


def forget_to_zero():
    w = Value([1.0])
    optimizer = optim.SGD([w], lr=0.1)
    for _ in range(2):
        (w * w).sum().backward()
        optimizer.step()


def test_a_listener_collects_the_warnings_of_guards_instead_of_issuing_them():
    with collect_warnings() as collected:
        forget_to_zero()
    assert [type(warning) for warning in collected] == [StaleGradientWarning]
    assert "zero_grad()" in str(collected[0])
    with pytest.warns(StaleGradientWarning):
        forget_to_zero()


def test_a_warning_within_a_decorated_function_of_adjoint_names_the_line_of_the_user():
    model = nn.GPT(5, 4, 8, 2, 1)
    with pytest.warns(PrecisionWarning) as caught, precision("bfloat16"):
        model.generate([1], 1)  # runs under the decorator no_grad, by contextlib
    assert {warning.filename for warning in caught} == {__file__}


def test_a_listener_does_not_collect_the_warnings_of_other_threads():
    with collect_warnings() as collected, warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        thread = threading.Thread(target=forget_to_zero)
        thread.start()
        thread.join()
    assert collected == []
    assert [warning.category for warning in given] == [StaleGradientWarning]


def test_a_nested_listener_collects_its_own_warnings():
    with collect_warnings() as outer:
        with collect_warnings() as inner:
            forget_to_zero()
        assert len(inner) == 1
        forget_to_zero()
    assert len(outer) == 1


def run_in_another_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def test_a_guard_switched_off_in_one_thread_is_on_in_another():
    with guards(stale_gradients=False):
        assert not is_on("stale_gradients")
        assert run_in_another_thread(lambda: is_on("stale_gradients"))
    assert is_on("stale_gradients")


def test_switching_a_guard_in_a_thread_does_not_affect_the_main_thread():
    def switch_off():
        guards(stale_gradients=False)
        return is_on("stale_gradients")

    assert run_in_another_thread(switch_off) is False
    assert is_on("stale_gradients")


def test_nested_guards_restore_the_previous_setting():
    with guards(stale_gradients=False, missing_gradients=False):
        with guards(stale_gradients=True):
            assert is_on("stale_gradients")
            assert not is_on("missing_gradients")
        assert not is_on("stale_gradients")
    assert is_on("stale_gradients")
    assert is_on("missing_gradients")
