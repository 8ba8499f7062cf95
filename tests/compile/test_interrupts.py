"""After an exception that comes at any time, the state is that before or after a step of a compiled function, whole."""

import ctypes
import signal
import subprocess
import sys
import threading
import traceback
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


def are_whole(numbers) -> bool:
    return len(set().union(*numbers())) == 1


def storm_of_signals(name):
    """Interrupt steps at random moments. JAX does not survive each of them, so a step may fail later on."""
    step, numbers = PROGRAMS[name]()
    step()
    x64 = jax.config.jax_enable_x64

    def raise_interrupt(signum, frame):
        raise Interrupt

    signal.signal(signal.SIGALRM, raise_interrupt)
    interrupts, rng, is_broken = 0, np.random.default_rng(0), False
    for _ in range(150):
        try:
            signal.setitimer(signal.ITIMER_REAL, float(rng.uniform(2e-5, 6e-4)))
            for _ in range(10_000):  # an exception in a callback of the garbage collector is lost
                step()
        except Interrupt as interrupt:
            interrupts += 1
            *_, place, _ = traceback.extract_tb(interrupt.__traceback__)  # the last entry is the handler
            is_broken = "/jax/" in place.filename and jax.config.jax_enable_x64 != x64
        except Exception:  # of JAX, whose own state was interrupted
            is_broken = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert are_whole(numbers), f"after {interrupts} interrupts: {numbers()}"
        if is_broken:
            break
        assert jax.config.jax_enable_x64 == x64
    assert interrupts > (0 if is_broken else 10)
    if not is_broken:
        last = set().union(*numbers()).pop()
        step()
        assert set().union(*numbers()) == {last + 1}


def storm_of_exceptions():
    """Send exceptions from one thread to another."""
    step, numbers = values(True)
    step()
    done, is_over = [], threading.Event()

    def work():
        while len(done) < 60 and not is_over.is_set():
            try:
                for _ in range(10_000):
                    step()
            except Interrupt:
                done.append(are_whole(numbers))
            except Exception:  # of JAX
                break
        is_over.set()

    worker = threading.Thread(target=work)
    worker.start()
    while worker.is_alive() and not is_over.wait(0.002):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(Interrupt))
    worker.join()
    assert done
    assert all(done)
    assert are_whole(numbers)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.parametrize("name", [*PROGRAMS, "threads"])
def test_the_state_is_whole_after_an_exception_at_any_moment(name):
    """In a process of its own, because an exception inside JAX may break it for the tests that follow."""
    run = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-3000:]


@pytest.mark.full
def test_after_ctrl_c_while_jax_is_loaded_the_next_call_works():
    program = """
import signal, sys
import numpy as np
from adjoint import Value, jit

class Press:
    "Presses Ctrl-C whenever Python looks for one of three modules of JAX."
    def find_spec(self, name, *where):
        if name in ("jax._src", "jax._src.config", "jax._src.numpy"):
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
double = jit(lambda x: Value(x) * 2)
sys.meta_path.insert(0, Press())
try:
    double(np.ones(3))
except KeyboardInterrupt:
    print("interrupted", hasattr(sys.modules["jax"], "core"))
print(double(np.ones(3)).data)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert run.stdout == "interrupted True\n[2. 2. 2.]\n", run.stderr[-3000:]


if __name__ == "__main__":
    storm_of_exceptions() if sys.argv[1] == "threads" else storm_of_signals(sys.argv[1])
