"""The backward pass over arrays: long and wide graphs, whose gradients are kept, and how much memory is held.

Both loops, the native and the Python one, run these tests: `make test` runs this file on either engine.
"""

import gc
import importlib.util
import os
import subprocess
import sys
import tracemalloc
import weakref

import numpy as np
import pytest
import torch

import adjoint
from adjoint import Value
from adjoint.engine import hooks
from adjoint.errors import GraphError

MEGABYTE = 2**20
LARGE = MEGABYTE // 8  # elements of an array of one megabyte


@pytest.fixture(autouse=True)
def _as_in_a_program_without_hooks(monkeypatch):
    """A hook anywhere in the process makes every pass the Python loop."""
    monkeypatch.setattr(hooks, "registered", False)


# --- long and wide graphs ------------------------------------------------------------------------


def test_a_chain_of_a_million_arrays_builds_differentiates_and_is_freed():
    length = 1_000_000 if adjoint.accelerated else 300_000
    x = Value(np.ones(4))
    y = first = x * 1.0
    gone = weakref.ref(first)
    del first
    for _ in range(length - 1):
        y = y + 0.5
    assert y.tolist() == [1.0 + 0.5 * (length - 1)] * 4
    y.backward([1.0, 2.0, 3.0, 4.0])
    assert x.grad.tolist() == [1.0, 2.0, 3.0, 4.0]
    del y
    assert gone() is None


def test_a_long_chain_is_freed_on_the_way_without_recursion():
    x = Value(np.ones(4))
    y = x
    for _ in range(100_000):
        y = y * 1.0
    y.backward(np.ones(4), retain_graph=False)
    assert x.grad.tolist() == [1.0] * 4
    assert y.parents == ()


def test_an_array_used_a_hundred_thousand_times_receives_from_each_use():
    x = Value(np.array([1.0, 2.0]))
    h = x * 2.0
    uses = [h * 3.0 for _ in range(100_000)]
    while len(uses) > 1:  # a tree, so that the graph is wide and not deep
        uses = [a + b for a, b in zip(uses[::2], uses[1::2])] + uses[len(uses) // 2 * 2 :]
    uses[0].backward(np.ones(2))
    assert x.grad.tolist() == [600_000.0, 600_000.0]
    assert h.grad.tolist() == [300_000.0, 300_000.0]


def test_paths_that_double_at_every_step_are_walked_once_each():
    x = Value(np.array([1.0, 2.0]))
    y = x
    for _ in range(60):
        y = y + y  # 2**60 paths
    y.backward(np.ones(2))
    assert x.grad.tolist() == [2.0**60] * 2


def test_a_node_is_visited_after_all_that_uses_it_however_the_graph_was_built():
    inputs = np.random.default_rng(0).normal(size=(4, 3))
    x, t = Value(inputs), torch.tensor(inputs, requires_grad=True)

    def compute(x):
        early = x * 2.0
        deep = early
        for _ in range(20):
            deep = deep.tanh() + x
        late = early * deep
        return (late + early * late.sum()).sum()

    compute(x).backward()
    compute(t).backward()
    np.testing.assert_allclose(x.grad, t.grad.numpy(), rtol=1e-10)


# --- a training loop -----------------------------------------------------------------------------


def train(steps, p, a):
    X, y = np.ones((4, 3)), np.ones(4)
    for _ in range(steps):
        for parameter in (p, a):
            parameter.zero_grad()
        loss = ((X @ p * a - y) ** 2).mean()
        loss.backward()
        for parameter in (p, a):
            parameter.data -= 0.01 * parameter.grad
    return loss


def living():
    gc.collect()
    numbers = adjoint.native.core.living_nodes() if adjoint.native.core else 0
    return numbers, sum(issubclass(type(x), Value) for x in gc.get_objects()), len(gc.get_objects())


def test_ten_thousand_steps_leave_nothing_behind():
    parameters = Value(np.zeros(3)), Value(0.5)
    train(100, *parameters)
    numbers, values, objects = living()
    tracemalloc.start()
    try:
        train(100, *parameters)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        train(9_700, *parameters)
        tracemalloc.start()
        train(100, *parameters)
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    now = living()
    assert now[:2] == (numbers, values)
    assert abs(now[2] - objects) < 50
    assert after < before + 20_000


def test_a_graph_needs_no_collector_to_be_freed():
    gc.collect()
    gc.disable()
    try:
        w = Value(np.ones(3))
        h = (w * 2.0).tanh()
        y = (h @ h).sum()
        watched = [weakref.ref(x) for x in (h, y)]
        y.backward()
        del h, y
        assert [x() for x in watched] == [None, None]
    finally:
        gc.enable()


# --- which gradients are kept --------------------------------------------------------------------


class Holder:
    """Anything with an attribute."""


def _with_attribute(h):
    holder = Holder()
    holder.h = h
    return holder


HELD = {
    "a variable": lambda h: h,
    "a list": lambda h: [h],
    "a dict": lambda h: {"h": h},
    "an attribute": _with_attribute,
    "a closure": lambda h: lambda: h,
}
passes = pytest.mark.parametrize("retain_graph", [True, False], ids=["kept graph", "freed graph"])


@passes
@pytest.mark.parametrize("hold", HELD.values(), ids=HELD)
def test_an_inner_array_that_somebody_holds_keeps_its_gradient(hold, retain_graph):
    w = Value(np.array([1.0, 2.0]))

    def program():
        h = w * 3.0
        return hold(h), (h * h).sum(), weakref.ref(h)

    held, y, h = program()
    y.backward(retain_graph=retain_graph)
    assert h().grad.tolist() == [6.0, 12.0]
    assert w.grad.tolist() == [18.0, 36.0]
    del held


def test_an_inner_array_with_a_label_keeps_its_gradient():
    w = Value(np.array([1.0, 2.0]))
    h = w * 3.0
    h.label = "h"
    y = (h * h).sum()
    del h
    y.backward()
    (h,) = {node for node in y.parents[0].parents if node.label == "h"}
    assert h.grad.tolist() == [6.0, 12.0]


def test_the_root_keeps_its_gradient():
    y = (Value([1.0, 2.0]) * 2.0).sum()
    y.backward()
    assert y.grad.item() == 1.0


def test_an_inner_array_that_nobody_holds_keeps_none():
    w = Value(np.array([1.0, 2.0]))
    y = ((w * 3.0).tanh() * 2.0).sum()
    y.backward()
    waiting, inner = list(y.parents), []
    while waiting:
        node = waiting.pop()
        inner += [node] if node.parents else []
        waiting += node.parents
    assert len(inner) == 3
    assert all(node._grad is None for node in inner)
    assert w.grad.tolist() != [0.0, 0.0]


@passes
def test_an_inner_array_used_several_times_and_held_keeps_its_gradient(retain_graph):
    w = Value(np.array([1.0, 2.0]))
    h = w * 1.0
    y = (h * h + h * h + h).sum()
    y.backward(retain_graph=retain_graph)
    assert h.grad.tolist() == [5.0, 9.0]


def test_a_gradient_of_an_earlier_pass_is_not_left_on_a_node_that_nobody_holds_any_more():
    w = Value(np.ones(2))
    h = w * 2.0
    y = (h * 3.0).sum()
    y.backward()
    assert h.grad.tolist() == [3.0, 3.0]
    node = weakref.ref(h)
    del h
    y.backward()
    assert node()._grad is None


# --- how much memory -----------------------------------------------------------------------------


def peak_of(program):
    """Return the most memory, in megabytes, that is taken while a program runs, beyond what is there before."""
    gc.collect()
    tracemalloc.start()
    try:
        program()
        return tracemalloc.get_traced_memory()[1] / MEGABYTE
    finally:
        tracemalloc.stop()


def test_gradients_are_freed_as_they_are_passed_on():
    x = Value(np.ones(LARGE))
    y = x
    for _ in range(50):
        y = y.tanh()
    y, seed = y.sum(), np.ones(())
    assert peak_of(lambda: y.backward(seed)) < 6  # one megabyte each: not 50
    assert x.grad.shape == (LARGE,)


def test_a_chain_of_sums_passes_one_gradient_on_and_copies_it_once():
    x = Value(np.ones(LARGE))
    y = x
    for _ in range(50):
        y = y + 1.0
    y = y.sum()
    assert peak_of(y.backward) < 4


@passes
def test_intermediates_are_freed_on_the_way_where_the_graph_is_not_retained(retain_graph):
    x = Value(np.ones(LARGE))
    held = []

    def program():
        y = x
        for _ in range(20):
            y = y.tanh()
        y = y.sum()
        y.backward(retain_graph=retain_graph)
        held.append(y)
        held.append(tracemalloc.get_traced_memory()[0] / MEGABYTE)

    peak_of(program)
    y, megabytes = held
    assert y.grad.item() == 1.0
    assert megabytes > 20 if retain_graph else megabytes < 5


# --- both loops ----------------------------------------------------------------------------------

PROGRAM = """
import numpy as np, adjoint
from adjoint import Value
random = np.random.default_rng(5)
W, b, a = Value(random.normal(size=(3, 4))), Value(random.normal(size=4)), Value(0.75)
X = random.normal(size=(8, 3))
h = (X @ W + b).tanh()
k = h * a + h[:, ::-1]
loss = (k.softmax(axis=1) * h).sum() + (a * a).exp() * b.max()
loss.backward()
loss.backward(retain_graph=False)
numbers = [loss.data, W.grad, b.grad, a.grad, h.grad, k.grad]
print(adjoint.accelerated, *[np.asarray(x, dtype=float).tobytes().hex() for x in numbers])
"""


def run_with(pure: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=os.environ | {"ADJOINT_PURE": pure}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().split()


def test_both_loops_give_the_same_bits():
    if importlib.util.find_spec("adjoint.engine._core") is None:
        pytest.skip("the native core is not built here, so there is only one loop")
    native, pure = run_with(""), run_with("1")
    assert (native[0], pure[0]) == ("True", "False")
    assert native[1:] == pure[1:]


def test_the_general_loop_gives_the_same_as_the_fast_one(monkeypatch):
    def gradients():
        w, a = Value(np.array([0.5, 1.5])), Value(2.0)
        h = w * a
        (h.tanh() * h + w).sum().backward()
        return [w.grad.tolist(), h.grad.tolist(), a.grad]

    fast = gradients()
    monkeypatch.setattr(hooks, "registered", True)
    assert gradients() == fast


def test_a_failed_pass_leaves_the_leaves_and_can_be_repeated():
    w, p = Value(np.array([1.0, 2.0])), Value(np.array([3.0, 4.0]))
    good = (w * p).sum()
    h = w * p
    bad = (h * h).sum()
    kept = p.data.copy()
    p.data -= 1.0
    with pytest.raises(GraphError):
        bad.backward()
    assert w.grad.tolist() == p.grad.tolist() == [0.0, 0.0]
    p.data = kept
    with pytest.raises(GraphError):  # it was assigned, whatever to
        good.backward()
    again = (w * p).sum()
    again.backward()
    assert (w.grad.tolist(), p.grad.tolist()) == ([3.0, 4.0], [1.0, 2.0])
