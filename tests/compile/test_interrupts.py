"""After an exception that comes at any time, the state is that before or after a step of a compiled function, whole."""

import ctypes
import signal
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from adjoint import Value, jit

jax = pytest.importorskip("jax")


class Interrupt(BaseException):
    pass


def values(small):
    """Return Values and a step that counts: all of them have the same number before and after each step."""
    shapes = [(3,), (2, 2), (1,)] if small else [(70, 70), (2,), (80, 80)]
    w = [Value(np.zeros(shape)) for shape in shapes]
    clock = Value(0.0)

    @jit
    def step():
        for v in w:
            v.data = v.data + 1.0
        clock.data = clock.data + 1.0

    return step, lambda: [*(set(v.data.flat) for v in w), {clock.data}]


def gradients():
    w, v = Value(np.zeros(3)), Value(np.zeros(2))

    @jit
    def step():
        (w.sum() + v.sum()).backward()
        w.data = w.data + 1.0

    return step, lambda: [set(w.data.flat), set(w.grad.flat), set(v.grad.flat)]


def buffers():
    """The state is in Values, plain arrays of lists, numbers, and a Value that each step replaces."""
    w, state = Value(np.zeros(3)), SimpleNamespace(m=[np.zeros(2), np.zeros(4)], t=0, last=Value(np.zeros(1)))

    @jit
    def step():
        w.data = w.data + 1.0
        for i in range(2):
            state.m[i] = state.m[i] + 1.0
        state.t += 1
        state.last = Value(state.last.data + 1.0)

    return step, lambda: [set(w.data.flat), *(set(m.flat) for m in state.m), {state.t}, set(state.last.data.flat)]


PROGRAMS = {"small": lambda: values(True), "large": lambda: values(False), "gradients": gradients, "buffers": buffers}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_state_is_whole_after_a_signal_that_raises(name):
    step, numbers = PROGRAMS[name]()
    step()
    x64 = jax.config.jax_enable_x64

    def raise_interrupt(signum, frame):
        raise Interrupt

    before = signal.signal(signal.SIGALRM, raise_interrupt)
    interrupts, rng = 0, np.random.default_rng(0)
    try:
        for _ in range(150):
            try:
                signal.setitimer(signal.ITIMER_REAL, float(rng.uniform(2e-5, 6e-4)))
                while True:
                    step()
            except Interrupt:
                interrupts += 1
            found = set().union(*numbers())
            assert len(found) == 1, f"after {interrupts} interrupts: {numbers()}"
            assert jax.config.jax_enable_x64 == x64
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupts == 150
    step()
    assert set().union(*numbers()) == {found.pop() + 1}


def test_the_state_is_whole_after_exceptions_that_another_thread_sends():
    step, numbers = values(True)
    step()
    running, done = threading.Event(), []

    def work():
        for _ in range(60):
            try:
                running.set()
                while True:
                    step()
            except Interrupt:
                done.append(len(set().union(*numbers())))

    worker = threading.Thread(target=work)
    worker.start()
    while worker.is_alive():
        running.wait(1)
        running.clear()
        count = len(done)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(Interrupt))
        while len(done) == count and worker.is_alive():
            pass
    worker.join()
    assert done == [1] * 60
