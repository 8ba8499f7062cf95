"""After an exception that comes at any time, Values, lists and attributes are all before or all after a step."""

import signal
from types import SimpleNamespace

import pytest

from adjoint import Value, jit
from adjoint.compile import places


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


def test_an_interrupt_while_a_trace_ends_leaves_everything_as_it_was(monkeypatch):
    w, state = Value(1.0), SimpleNamespace(n=1.0)
    interrupts = [Interrupt]

    def interrupted(container):
        if container.of is vars(state) and interrupts:
            container.of.clear()
            raise interrupts.pop()
        restore(container)

    def step():
        w.data = w.data + state.n
        state.last, state.n = Value(state.n), state.n + 1.0

    restore = places.DictContainer.restore
    monkeypatch.setattr(places.DictContainer, "restore", interrupted)
    compiled = jit(step)
    with pytest.raises(Interrupt):
        compiled()
    assert (w.data, vars(state)) == (1.0, {"n": 1.0})
    assert (w * 2).data == 2.0
    compiled()
    assert (w.data, state.n, state.last.data) == (2.0, 2.0, 1.0)
