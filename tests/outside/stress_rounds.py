"""The rounds of `stress.py`. Each returns what it counted, and raises if a result is wrong or something was lost."""

import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np

import adjoint
from adjoint import Value, nn, no_grad, optim
from adjoint.engine import native
from adjoint.engine.modes import modes
from adjoint.errors import GraphError
from adjoint.files.checkpoints import load_state, save_state

Actions = list[Callable[[Random], Counter]]
ROUND = 0.5  # seconds for which the threads of a round run


def at_once(rng: Random, actions: Actions, seconds: float = ROUND) -> Counter:
    """Repeat each action in a thread of its own; return the sum of what they counted, or raise their first error."""
    stop, failures, total = time.monotonic() + seconds, [], Counter()
    lock, barrier = threading.Lock(), threading.Barrier(len(actions))

    def repeat(action, seed):
        own, found = Random(seed), Counter()
        try:
            barrier.wait()
            while time.monotonic() < stop and not failures:
                found += action(own)
        except BaseException as error:
            failures.append(error)
        with lock:
            total.update(found)

    threads = [threading.Thread(target=repeat, args=(action, rng.random()), daemon=True) for action in actions]
    before = sys.getswitchinterval()
    sys.setswitchinterval(rng.choice([1e-6, 1e-4, 5e-3]))
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    if failures:
        raise failures[0]
    return total


# --- training that has one right result --------------------------------------------------------------


def train(seed: int, steps: int = 3, arrays: bool = True) -> list:
    """Return the parameters of a small network after some steps: the same at each call."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(16, 3)), rng.normal(size=(16, 1))
    model = nn.Sequential(nn.Linear(3, 8, seed=seed), nn.Tanh(), nn.Linear(8, 1, seed=seed))
    if not arrays:
        model, x, y = nn.MLP(3, [4, 1], seed=seed), x[:4], y[:4]
    optimizer = optim.Adam(model, lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        if arrays:
            nn.mse(model(x), y).backward()
        else:
            sum(((model(list(row)) - t) ** 2 for row, (t,) in zip(x, y)), Value(0.0)).backward()
        optimizer.step()
    return [np.array(p.data) for p in model.parameters()]


RESULTS: dict[tuple, list] = {}


def require_same_training(seed: int, arrays: bool) -> Counter:
    """Train, and compare with the result of the first training with this seed."""
    found = train(seed, arrays=arrays)
    for p, q in zip(found, RESULTS[seed, arrays], strict=True):
        np.testing.assert_array_equal(p, q)
    return Counter(trainings=1)


def prepare_training() -> None:
    for seed in range(4):
        for arrays in (True, False):
            RESULTS.setdefault((seed, arrays), train(seed, arrays=arrays))


# --- threads ------------------------------------------------------------------------------------------


def sharing(rng: Random, folder: Path) -> Counter:
    """Threads predict, differentiate, load and save one model, and train models of their own."""
    prepare_training()
    outputs = rng.choice([3, 300, 20_000])
    layer, x = nn.Linear(16, outputs), np.ones((4, 16))
    states = [{"weight": np.full((outputs, 16), number), "bias": np.zeros(outputs)} for number in (1.0, 2.0)]
    layer.load_state_dict(states[0])
    paths = [folder / "first.safetensors", folder / "second.safetensors"]
    for path, state in zip(paths, states):
        save_state(path, state, {})

    def predict(rng):
        y = layer(x).data if rng.random() < 0.5 else layer.eval()(Value(x)).data
        assert y.flat[0] in (16.0, 32.0), y
        assert (y == y.flat[0]).all(), y
        return Counter(predictions=1)

    def differentiate(rng):
        given = Value(x)
        y = layer(given)
        try:
            y.backward(np.ones(y.shape))
        except GraphError:  # the weight was assigned since
            return Counter(refusals=1)
        np.testing.assert_array_equal(given.grad, y.data[:, :1] / 16.0 * outputs * np.ones((4, 16)))
        return Counter(passes=1)

    def load(rng):
        layer.load_state_dict(rng.choice(states) if rng.random() < 0.5 else load_state(rng.choice(paths))[0])
        return Counter(loads=1)

    def assign(rng):
        layer.weight.data = rng.choice(states)["weight"]
        return Counter(assignments=1)

    def save(rng):
        path = folder / f"{threading.get_ident()}.safetensors"
        adjoint.save(path, layer)
        weight = load_state(path)[0]["weight"]
        assert weight.flat[0] in (1.0, 2.0)
        assert (weight == weight.flat[0]).all()
        return Counter(saves=1)

    def train(rng):
        return require_same_training(rng.randrange(4), rng.random() < 0.5)

    kinds = [predict, differentiate, load, assign, save, train]
    return at_once(rng, [predict, differentiate, rng.choice([load, assign]), *rng.choices(kinds, k=3)])


def accumulating(rng: Random, folder: Path) -> Counter:
    """Threads add to the gradients of shared leaves: every contribution counts."""
    array, number, shared = Value(np.zeros(rng.choice([1, 50, 30_000]))), Value(1.0), Value(2.0)
    square, inner = number * number, array * 3.0
    added = Counter()

    def arrays(rng):
        (array * 2.0).sum().backward()
        (inner + inner).sum().backward(retain_graph=True)
        return Counter(array=8)

    def numbers(rng):
        (square * 3.0).backward()
        (number + number * shared).backward()
        return Counter(number=9)

    def mixed(rng):
        (array * number).sum().backward()
        return Counter(array=1)

    def by_hand(rng):
        node = Value(1.0, (number,), "identity")

        def add():
            number.grad += node.grad

        node._backward = add
        node.backward()
        return Counter(number=1)

    def hooked(rng):
        y = number * 1.0
        y.register_hook(lambda g: g * 2.0)
        y.backward()
        return Counter(number=2)

    added = at_once(rng, [arrays, numbers, mixed, by_hand, hooked, *rng.choices([arrays, numbers], k=2)])
    assert (array.grad == added["array"]).all(), (array.grad, added)
    assert number.grad == added["number"], (number.grad, added)
    return Counter(contributions=added["array"] + added["number"])


def switching(rng: Random, folder: Path) -> Counter:
    """Threads switch modes, make cycles and free graphs: each thread has its own modes, and nothing leaks."""
    gc.collect()
    nodes = native.core.living_nodes() if native.core else 0
    x, v = Value(np.ones(100)), Value(2.0)

    def without(rng):
        with no_grad():
            assert not (x * 2.0).parents
            assert not (v * v + 1.0).parents
            nested = no_grad(lambda: v * v)()
        assert not nested.parents
        return Counter(modes=1)

    def recording(rng):
        y, z = x * 2.0, v * v
        assert y.parents
        assert z.parents
        vars(z)["note"] = [z, y]  # a cycle
        y.sum().backward(retain_graph=False)
        z.backward(retain_graph=False)
        try:
            z.backward()
        except GraphError:
            return Counter(graphs=2)
        raise AssertionError("a freed graph was differentiated")

    def collect(rng):
        gc.collect(rng.randrange(3))
        return Counter(collections=1)

    found = at_once(rng, [without, recording, without, recording, collect])
    gc.collect()
    if native.core:
        assert native.core.living_nodes() <= nodes + 1, "nodes leaked"
    return found


# --- signals ------------------------------------------------------------------------------------------


class Interrupts:
    """Ctrl-C at random moments of an action."""

    def __init__(self, rng: Random):
        self.rng, self.is_armed, self.count = rng, False, 0

    @contextmanager
    def installed(self):
        before = signal.signal(signal.SIGALRM, self._interrupt), sys.unraisablehook
        sys.unraisablehook = self._ignore
        try:
            yield self
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before[0])
            sys.unraisablehook = before[1]

    def _ignore(self, unraisable) -> None:
        """Python itself ignores what is raised in a finalizer; only an interrupt is raised there."""
        assert unraisable.exc_type is KeyboardInterrupt, unraisable

    def _interrupt(self, number, frame) -> None:
        if self.is_armed:
            self.is_armed = False
            signal.raise_signal(signal.SIGINT)  # what Ctrl-C sends: Python raises KeyboardInterrupt

    def during(self, action: Callable[[], object], longest: float) -> bool:
        """Run an action that is interrupted after a random time; return whether it ended before."""
        try:
            self.is_armed = True
            signal.setitimer(signal.ITIMER_REAL, self.rng.uniform(1e-6, longest))
            action()
            self.is_armed = False
            return True
        except KeyboardInterrupt:
            self.count += 1
            return False


def duration(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def interrupting(rng: Random, folder: Path) -> Counter:
    """Ctrl-C at any moment: parameters are old or new, files are whole, modes are restored, and work goes on."""
    prepare_training()
    path, model = folder / "model.safetensors", nn.Linear(40, 40, bias=False)
    states = [{"weight": np.full((40, 40), number)} for number in (1.0, 2.0)]
    model.load_state_dict(states[0])
    adjoint.save(path, model)
    leaf, number = Value(np.zeros(50)), Value(1.0)

    def backward():
        (leaf * 2.0 + leaf.tanh()).sum().backward()
        (number * number + number.tanh()).backward()
        with no_grad():
            leaf.exp()

    def require_sound() -> None:
        if not native.core and not modes.plain:  # a `with` written in Python can be interrupted while it is left
            modes.variable.set((0,))
        assert modes.plain
        assert modes.recording
        weight = model.weight.data
        assert weight.flat[0] in (1.0, 2.0)
        assert (weight == weight.flat[0]).all()
        saved = load_state(path)[0]["weight"]
        assert (saved == saved.flat[0]).all()
        assert not list(folder.glob(".*.tmp")), "a temporary file was left"
        leaf.zero_grad()
        number.zero_grad()
        backward()
        assert (leaf.grad == 3.0).all(), leaf.grad  # 2 + tanh'(0)
        assert abs(number.grad - (2.0 + 1.0 / np.cosh(1.0) ** 2)) < 1e-12, number.grad
        require_same_training(0, True)
        require_same_training(1, False)
        given = Value(np.ones((1, 40)))
        model(given).sum().backward()
        assert (given.grad == 40 * weight.flat[0]).all()

    actions = [
        backward,
        lambda: model.load_state_dict(rng.choice(states)),
        lambda: setattr(model.weight, "data", rng.choice(states)["weight"]),
        lambda: adjoint.save(path, model),
        lambda: load_state(path),
        lambda: train(2),
        lambda: train(3, arrays=False),
    ]
    with Interrupts(rng).installed() as interrupts:
        stop = time.monotonic() + ROUND
        while time.monotonic() < stop:
            action = rng.choice(actions)
            interrupts.during(action, 2 * duration(action))
            require_sound()
    return Counter(interrupts=interrupts.count)


# --- forks --------------------------------------------------------------------------------------------


def forking(rng: Random, folder: Path) -> Counter:
    """Processes forked while threads compute, assign and add gradients: each child trains and saves."""
    prepare_training()
    x, leaf = Value(np.ones(30_000)), Value(1.0)

    def work(rng):
        (x * 2.0 + x.exp()).sum().backward()
        x.data = np.ones(30_000)
        (leaf * leaf).backward()
        return Counter(passes=2)

    def fork(rng):
        child = os.fork()
        if not child:
            status = 1
            try:
                signal.alarm(60)  # a child that hangs is killed
                (x * leaf).sum().backward()
                x.data = np.full(30_000, 2.0)
                require_same_training(rng.randrange(4), rng.random() < 0.5)
                adjoint.save(folder / f"{os.getpid()}.safetensors", nn.Linear(2, 2))
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert ended == 0, f"a forked process ended with {ended}"
        return Counter(forks=1)

    return at_once(rng, [work, work, fork])


# --- memory -------------------------------------------------------------------------------------------


def starving(rng: Random, folder: Path) -> Counter:
    """Allocations of the interpreter fail at random moments: a MemoryError, and everything as before."""
    import _testcapi  # a part of CPython's own tests, which not every installation has

    x, y = Value(2.0), Value(3.0)

    def numbers():
        z = x * y + x.tanh() * 0.0
        for _ in range(300):
            z = y * 0.0 + z
        z.label = "z"
        z.backward()
        return z.data

    found = Counter()
    for _ in range(200):
        first = rng.randrange(60)
        x.zero_grad()
        y.zero_grad()
        data = None
        _testcapi.set_nomemory(first, first + rng.choice([1, 5, 0]))  # up to there, or from there on
        try:
            data = numbers()
        except MemoryError:
            pass
        finally:
            _testcapi.remove_mem_hooks()
        if data is None:
            found["MemoryErrors"] += 1
            assert x.grad == y.grad == 0.0
        else:
            assert (data, x.grad, y.grad) == (6.0, 3.0, 2.0)
        x.zero_grad()
        y.zero_grad()
        assert numbers() == 6.0
        assert (x.grad, y.grad) == (3.0, 2.0)
    return found


def limiting(rng: Random, folder: Path) -> Counter:
    """The memory of the process ends: operations on arrays are right or a MemoryError, and work again later."""
    from without_memory import no_memory

    size = 1 << 20
    x, w = Value(np.ones(size)), Value(np.full(size, 2.0))
    actions: list[Callable[[], object]] = [
        lambda: (x * w).sum().backward(),
        lambda: (x.exp() * w).mean().backward(),
        lambda: setattr(x, "data", np.ones(size)),
        lambda: x.softmax().sum().backward(),
        lambda: require_same_training(0, True),
    ]
    prepare_training()
    found = Counter()
    for _ in range(10):
        x.zero_grad()
        w.zero_grad()
        try:
            with no_memory(rng.randrange(3 * 8 * size)):
                rng.choice(actions)()
            found["operations"] += 1
        except MemoryError:
            found["MemoryErrors"] += 1
        x.zero_grad()
        w.zero_grad()
        (x * w).sum().backward()
        assert (x.grad == 2.0).all()
        assert (w.grad == 1.0).all()
    return found


ROUNDS = [sharing, interrupting, accumulating, switching, forking, limiting, sharing, starving, interrupting]
