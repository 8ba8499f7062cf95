"""After an exception that comes at any time, Values, lists and attributes are all before or all after a step."""

import signal
from types import SimpleNamespace

import pytest

from adjoint import Value, jit


class Interrupt(BaseException):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_the_state_is_whole_after_a_signal_that_raises():
    values, items, state = [Value(0.0), Value(0.0)], [0.0, 0.0, 0.0], SimpleNamespace(n=0, x=0.0, names={"k": 0.0})

    @jit
    def step():
        for v in values:
            v.data = v.data + 1.0
        for i in range(3):
            items[i] = items[i] + 1.0
        state.n += 1
        state.x = state.x + 1.0
        state.names["k"] = state.names["k"] + 1.0

    def raise_interrupt(signum, frame):
        raise Interrupt

    for _ in range(3):
        step()
    before, interrupts = signal.signal(signal.SIGALRM, raise_interrupt), 0
    try:
        for k in range(100):
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-5 + 1e-6 * k)
                for _ in range(1000):
                    step()
            except Interrupt:
                interrupts += 1
            found = [*(v.data for v in values), *items, state.n, state.x, state.names["k"]]
            assert len(set(found)) == 1, f"after {interrupts} interrupts: {found}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupts > 50
