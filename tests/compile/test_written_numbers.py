"""Numbers of objects that a compiled function assigns: they are inputs of its program from the first call on."""

import pytest

from adjoint import Value, jit
from adjoint.compile.compiled import Compiled


@pytest.fixture
def slow_calls(monkeypatch):
    """The calls that look at all that a function can reach."""
    calls, call_slowly = [], Compiled._call_slowly

    def counting(self, arguments, options):
        calls.append(arguments)
        return call_slowly(self, arguments, options)

    monkeypatch.setattr(Compiled, "_call_slowly", counting)
    return calls


def test_a_step_that_assigns_equal_numbers_is_recognized(slow_calls):
    weights, means = [Value(0.0), Value(1.0)], [0.0, 0.0]  # the gradient of the first one is always zero

    @jit
    def step(x):
        loss = sum(w * w * x for w in weights)
        loss.backward()
        for i, w in enumerate(weights):
            means[i] = 0.5 * means[i] + w.grad
            w.data -= 0.25 * means[i]
            w.grad = 0.0
        return loss.data

    assert [step(1.0) for _ in range(4)] == [1.0, 0.25, 0.0, 0.0625]
    assert means[0] == 0.0
    assert len(slow_calls) == 1


def test_many_numbers_are_assigned_in_linear_time(slow_calls):
    count = 3000
    w, numbers = Value(1.0), [0.0] * count

    @jit
    def step(x):
        for i in range(count):
            numbers[i] = (w * x).data + i

    for x in (1.0, 2.0, 3.0):
        step(x)
        assert numbers == [x + i for i in range(count)]
    assert len(slow_calls) == 1
