"""After an exception that comes at any time, Values, lists and attributes are all before or all after a step."""

import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from adjoint import Value, jit
from adjoint.compile import places


class Interrupt(BaseException):
    pass


def storm_of_signals():
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
    signal.signal(signal.SIGALRM, raise_interrupt)
    interrupts = 0
    for k in range(100):
        try:
            signal.setitimer(signal.ITIMER_REAL, 2e-5 + 1e-6 * k)
            for _ in range(1000):
                step()
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Interrupt:
            interrupts += 1
        found = [*(v.data for v in values), *items, state.n, state.x, state.names["k"]]
        assert len(set(found)) == 1, f"after {interrupts} interrupts: {found}"
    assert interrupts > 10


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_the_state_is_whole_after_a_signal_that_raises():
    """In a process of its own: a signal may come while a tool such as coverage holds a lock."""
    run = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr[-3000:]


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


if __name__ == "__main__":
    storm_of_signals()
