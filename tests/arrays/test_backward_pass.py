"""The backward pass over arrays: long and wide graphs, which gradients are kept, and memory use.

These tests cover both the native loop and the Python loop: `make test` runs this file on each engine.
"""

import copy
import gc
import importlib.util
import itertools
import os
import pickle
import subprocess
import sys
import tracemalloc
import warnings
import weakref
from weakref import WeakSet

import numpy as np
import pytest
from closeness import is_close, require_close

import adjoint
from adjoint import Value
from adjoint.arrays import tensor
from adjoint.arrays.apply import make_leaf
from adjoint.arrays.backward_pass import known_gradients
from adjoint.arrays.tensor import Tensor
from adjoint.engine import hooks, native
from adjoint.errors import GraphError, ShapeError

MEGABYTE = 2**20
LARGE = MEGABYTE // 8  # elements in an array of one megabyte


@pytest.fixture(autouse=True)
def _no_registered_hooks(monkeypatch):
    """Hide hooks of other tests: a hook anywhere in the process makes every pass use the Python loop."""
    monkeypatch.setattr(hooks, "registered", WeakSet())


# --- long and wide graphs ------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.full
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


@pytest.mark.long
def test_a_long_chain_is_freed_during_the_pass_without_recursion():
    x = Value(np.ones(4))
    y = x
    for _ in range(100_000):
        y = y * 1.0
    y.backward(np.ones(4), retain_graph=False)
    assert x.grad.tolist() == [1.0] * 4
    assert y.parents == ()


def test_an_array_used_ten_thousand_times_receives_a_gradient_from_each_use():
    x = Value(np.array([1.0, 2.0]))
    h = x * 2.0
    uses = [h * 3.0 for _ in range(10_000)]
    while len(uses) > 1:  # a tree keeps the graph wide and shallow
        uses = [a + b for a, b in zip(uses[::2], uses[1::2])] + uses[len(uses) // 2 * 2 :]
    uses[0].backward(np.ones(2))
    assert x.grad.tolist() == [60_000.0, 60_000.0]
    assert h.grad.tolist() == [30_000.0, 30_000.0]


def test_a_graph_with_exponentially_many_paths_visits_each_node_once():
    x = Value(np.array([1.0, 2.0]))
    y = x
    for _ in range(60):
        y = y + y  # 2**60 paths
    y.backward(np.ones(2))
    assert x.grad.tolist() == [2.0**60] * 2


def test_a_node_is_visited_after_all_nodes_that_use_it_regardless_of_the_order_in_which_the_graph_was_built():
    torch = pytest.importorskip("torch")
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
    require_close(x.grad, t.grad.numpy())


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
    numbers = native.core.living_nodes() if native.core else 0
    return numbers, sum(issubclass(type(x), Value) for x in gc.get_objects()), len(gc.get_objects())


@pytest.mark.long
@pytest.mark.full
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


def test_a_graph_is_freed_without_the_garbage_collector():
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


passes = pytest.mark.parametrize("retain_graph", [True, False], ids=["kept graph", "freed graph"])
loops = pytest.mark.parametrize("hooked", [False, True], ids=["native where built", "Python loop"])


@passes
@loops
def test_an_inner_array_that_retains_its_gradient_has_it_also_without_its_graph(monkeypatch, hooked, retain_graph):
    monkeypatch.setattr(hooks, "registered", hooked)
    w = Value(np.array([1.0, 2.0]))
    h = w * 3.0
    h.retain_grad()
    (h * h).sum().backward(retain_graph=retain_graph)
    assert h.grad.tolist() == [6.0, 12.0]
    assert w.grad.tolist() == [18.0, 36.0]


@loops
def test_a_kept_gradient_shares_its_memory_with_no_other(monkeypatch, hooked):
    monkeypatch.setattr(hooks, "registered", hooked)
    w = Value(np.array([1.0, 2.0]))
    h = w + 1.0
    k = h + 1.0
    h.retain_grad()
    k.retain_grad()
    (k * 2.0).sum().backward()
    h.grad[0] = 100.0
    assert (k.grad.tolist(), w.grad.tolist()) == ([2.0, 2.0], [2.0, 2.0])


@loops
def test_reading_the_gradient_of_an_inner_array_computes_it_again(monkeypatch, hooked):
    monkeypatch.setattr(hooks, "registered", hooked)
    w = Value(np.array([1.0, 2.0]))
    h = w * 3.0
    y = (h * h).sum()
    y.backward()
    assert type(h._grad).__name__ == "NotKept"
    assert h.grad.tolist() == [6.0, 12.0]
    assert h.grad is h.grad
    assert w.grad.tolist() == [18.0, 36.0]  # which the second pass leaves as it is


def test_a_gradient_that_is_computed_again_can_be_differentiated_if_that_of_the_pass_could():
    w = Value(np.array([1.0, 2.0]))
    h = w * 3.0
    y = (h * h).sum()
    y.backward(create_graph=True)
    slope = h.grad
    w.zero_grad()
    slope.sum().backward()
    assert w.grad.tolist() == [6.0, 6.0]


def lose_the_result(h, y):
    (y * 2.0).backward()


def free_the_graph(h, y):
    y.backward(retain_graph=False)


def call_a_hook(h, y):
    y.register_hook(lambda gradient: 10 * gradient)
    y.backward()


def change_data_in_place(h, y):
    y.backward()
    h.parents[0].data[0] = 5.0


def assign_data(h, y):
    y.backward()
    h.data = np.array([7.0, 8.0])


def use_a_result_made_by_hand(h, y):
    made = Value(h.data * 2.0, (h,), "twice")
    made._backward = lambda: setattr(h, "grad", h.grad + 2.0 * made.grad)
    made.backward([1.0, 1.0])
    return made


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (lose_the_result, "is gone"),
        (free_the_graph, r"backward\(retain_graph=False\) freed the graph"),
        (call_a_hook, "a hook took part"),
        (change_data_in_place, "data of the graph was changed"),
        (assign_data, "data of the graph was changed|was assigned after"),
        (use_a_result_made_by_hand, "was made by hand"),
    ],
)
def test_a_gradient_that_cannot_be_computed_again_raises_an_error_that_says_how_to_keep_it(program, reason):
    w = Value(np.array([1.0, 2.0]))
    h = w * 3.0
    y = (h * h).sum()
    result = program(h, y)
    with pytest.raises(GraphError, match=rf"did not keep the gradient of .*'\*'.*{reason}.*retain_grad\(\).*label"):
        _ = h.grad
    del result


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


def inner_nodes(y):
    """Return the nodes between `y` and its leaves, nearest first."""
    waiting, inner = list(y.parents), []
    while waiting:
        node = waiting.pop()
        inner += [node] if node.parents else []
        waiting += node.parents
    return inner


def test_an_inner_array_reads_as_zero_before_the_first_pass_and_after_zero_grad():
    y = (Value([1.0, 2.0]) * 2.0).sum()
    assert y.parents[0].grad.tolist() == [0.0, 0.0]
    y.backward()
    y.parents[0].zero_grad()
    assert y.parents[0].grad.tolist() == [0.0, 0.0]


def test_gradients_that_were_not_kept_can_be_recomputed():
    torch = pytest.importorskip("torch")
    w = Value(np.array([0.5, 1.5]))
    y = ((w * 3.0).tanh() * w).sum()
    y.backward([2.0] if y.shape else 2.0)
    nodes = [y, *inner_nodes(y), w]
    known = known_gradients(nodes)
    t = torch.tensor(w.data, requires_grad=True, dtype=torch.float64)
    scaled = t * 3.0
    curved = scaled.tanh()
    product = curved * t
    for inner in (scaled, curved, product):
        inner.retain_grad()
    (2.0 * product.sum()).backward()
    expected = {
        "*": [scaled.grad, product.grad],
        "tanh": [curved.grad],
        "sum": [torch.tensor(2.0, dtype=torch.float64)],
    }
    for node in nodes[:-1]:
        assert any(is_close(known[node], grad) for grad in expected[node.op])
    require_close(known[w], t.grad.numpy())


def test_a_recomputed_gradient_is_that_of_the_whole_pass():
    w = Value(np.array([1.0, 2.0]))
    h = w * 2.0
    first, second = h.sum(), (h * 5.0).sum()
    reference = h
    total = first + second
    del h, reference
    total.backward()
    (inner,) = first.parents
    assert known_gradients([inner])[inner].tolist() == [6.0, 6.0]


def test_a_gradient_that_cannot_be_recomputed_is_omitted():
    w = Value(np.array([1.0, 2.0]))
    y = (w * w).sum()
    y.backward()
    w.data = np.array([3.0, 4.0])  # the derivatives of w * w need the old numbers
    assert known_gradients(y.parents) == {}
    y = (w * 2.0).sum()
    inner = y.parents
    del inner
    y.backward()
    inner = y.parents
    del y  # the root of the pass
    assert known_gradients(inner) == {}


def test_a_gradient_is_not_computed_again_from_data_that_was_changed_in_place():
    x, w = Value(np.array([1.0, 2.0])), Value(np.array([3.0, 4.0]))
    y = ((x * 2.0) * w).sum()
    y.backward()
    w.data[:] = 100.0
    require_close(known_gradients(y.parents[0].parents), {w: [2.0, 4.0]})


def test_a_gradient_is_not_computed_again_if_hooks_took_part():
    x = Value(np.array([1.0, 2.0]))
    h = x * 2.0
    remove = h.register_hook(lambda gradient: 10 * gradient)
    y = (h.tanh() * 3.0).sum()
    y.backward()
    (inner,) = y.parents
    remove()
    assert known_gradients([inner]) == {}


def test_a_gradient_computed_again_calls_no_hook():
    x = Value(np.array([1.0, 2.0]))
    y = ((x * 2.0).exp() * 3.0).sum()
    y.backward()
    (inner,) = y.parents
    seen = []
    inner.register_hook(seen.append)
    assert known_gradients([inner])[inner].tolist() == [1.0, 1.0]
    assert seen == []


def test_a_gradient_that_was_not_kept_is_not_kept_in_a_copy_either():
    y = (Value([1.0, 2.0]) * 2.0).sum()
    y.backward()
    for copied in (copy.deepcopy(y), pickle.loads(pickle.dumps(y))):
        assert copied.grad.item() == 1.0
        with pytest.raises(GraphError, match="did not keep"):
            _ = copied.parents[0].grad


@loops
def test_an_inner_array_used_several_times_has_the_sum_of_all_contributions(monkeypatch, hooked):
    monkeypatch.setattr(hooks, "registered", hooked)
    w = Value(np.array([1.0, 2.0]))
    h = w * 1.0
    y = (h * h + h * h + h).sum()
    for retains in (False, True):
        if retains:
            h.retain_grad()
        y.backward()
        assert h.grad.tolist() == [5.0, 9.0]


# --- memory use ----------------------------------------------------------------------------------


def peak_of(program):
    """Return the peak memory, in megabytes, that a program allocates while it runs."""
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
def test_intermediate_results_are_freed_during_the_pass_if_the_graph_is_not_retained(retain_graph):
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
h.retain_grad()
k.retain_grad()
loss = (k.softmax(axis=0) * k.max(axis=1, keepdims=True) * h).sum() + (a * a).exp() * b.max()
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


def test_the_general_loop_and_the_fast_one_compute_the_same_gradients(monkeypatch):
    def gradients():
        w, a = Value(np.array([0.5, 1.5])), Value(2.0)
        h = w * a
        h.retain_grad()
        (h.tanh() * h + w).sum().backward()
        return [w.grad.tolist(), h.grad.tolist(), a.grad]

    fast = gradients()
    monkeypatch.setattr(hooks, "registered", True)
    assert gradients() == fast


@pytest.mark.skipif(not adjoint.accelerated, reason="there is no native loop to return to")
def test_passes_use_the_native_loop_again_once_a_value_with_a_hook_is_freed(monkeypatch):
    passes_in_python = []
    monkeypatch.setattr(tensor, "store", lambda *given: passes_in_python.append(1))
    w = Value(np.ones(3))

    def differentiate():
        passes_in_python.clear()
        (w * 2.0).sum().backward()
        return 1 - len(passes_in_python)

    assert differentiate() == 1
    hooked, other = Value(2.0), Value(np.ones(2))
    hooked.register_hook(lambda gradient: gradient)
    remove = other.register_hook(lambda gradient: gradient)
    assert differentiate() == 0
    remove()
    assert differentiate() == 0
    del hooked
    assert differentiate() == 1


def chain(x):
    return (x * x.tanh()).sum()


# Programs that a pass may meet, each with leaves for a function that makes a result of them.
PASSES = {
    "an array": (lambda: [Value(np.array([1.0, 2.0]))], chain),
    "an array of float32": (lambda: [Value(np.array([1.0, 2.0], np.float32))], chain),
    "an array without axes": (lambda: [make_leaf(np.float64(3.0))], lambda x: x * x),
    "two arrays, one used twice": (lambda: [Value([1.0, 2.0]), Value([3.0, 4.0])], lambda x, z: (x * z + x).sum()),
    "one gradient for two leaves": (lambda: [Value([1.0, 2.0]), Value([3.0, 4.0])], lambda x, z: (x + z).sum()),
    "a view of a gradient": (lambda: [Value(np.ones((2, 3)))], lambda x: (x.T * np.arange(6.0).reshape(3, 2)).sum()),
    "an array and a number": (lambda: [Value([1.0, 2.0]), Value(3.0)], lambda x, a: (x * (a * a)).sum()),
    "a rule in Python": (lambda: [Value([[2.0, 1.0], [1.0, 3.0]])], lambda x: adjoint.linalg.det(x)),
    "a leaf that is long": (lambda: [Value(np.ones(30_000))], lambda x: (x * x).sum()),
}


@pytest.mark.skipif(not adjoint.accelerated, reason="the Python engine has one backward()")
@pytest.mark.parametrize("retain_graph", [True, False])
@pytest.mark.parametrize("name", PASSES)
def test_backward_in_c_does_what_backward_in_python_does(name, retain_graph):
    make, function = PASSES[name]
    found = {}
    for way in (Tensor.backward, Tensor.backward.__wrapped__):
        leaves = make()
        for _ in range(2):  # the second pass adds to the gradients of the first
            y = function(*leaves)
            way(y, retain_graph=retain_graph)
        grads = [x.grad for x in leaves]
        assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(grads, 2))
        assert all(g.base is None and g.flags.writeable for g in grads if isinstance(g, np.ndarray))
        inner = [type(x._grad).__name__ for x in y.parents]
        found[way] = (
            [np.asarray(g).tolist() for g in grads],
            [type(g) for g in grads],
            y.grad.item(),
            inner,
            y.parents == (),
        )
    first, second = found.values()
    assert first == second


@pytest.mark.skipif(not adjoint.accelerated, reason="the Python engine has one backward()")
def test_backward_in_c_takes_a_gradient_and_leaves_it_as_it_was():
    for way in (Tensor.backward, Tensor.backward.__wrapped__):
        x, seed = Value([1.0, 2.0]), np.array([3.0, 4.0])
        y = x * 1.0 + 0.0
        way(y, seed)
        way(y, gradient=seed)
        assert x.grad.tolist() == [6.0, 8.0]
        assert seed.tolist() == [3.0, 4.0]
        assert not np.shares_memory(x.grad, seed)
        with pytest.raises(TypeError):
            way(y, seed, True)
        with pytest.raises(TypeError, match="retain"):
            way(y, seed, retain=True)


def test_a_division_by_zero_in_a_rule_in_python_is_quiet_within_backward():
    x, z = Value([0.0, 1.0]), Value([0.0, 2.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (adjoint.hypot(x, z).sqrt() ** z).sum().backward()
        before = np.geterr()
        (x**z).sum().backward()
    assert np.geterr() == before


def test_an_assigned_array_is_a_copy_that_later_passes_notice():
    x, given = Value([1.0, 2.0]), np.array([3.0, 4.0])
    y = (x * x).sum()
    x.data = given
    given[0] = 9.0
    assert x.data.tolist() == [3.0, 4.0]
    with pytest.raises(GraphError, match="assigned"):
        y.backward()
    with pytest.raises(ShapeError, match="data must have the shape"):
        x.data = np.ones(3)
    x.data = np.array([5, 6])
    assert x.data.dtype == np.float64
    (x * x).sum().backward()
    x.data = x.data - 0.1 * x.grad
    assert (x._grad_read, x._grad_used) == (False, True)
    x.zero_grad()
    assert not x._grad_used


def test_a_failed_pass_leaves_the_leaves_unchanged_and_can_be_repeated():
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
    with pytest.raises(GraphError):  # any assignment counts, even of equal numbers
        good.backward()
    again = (w * p).sum()
    again.backward()
    assert (w.grad.tolist(), p.grad.tolist()) == ([3.0, 4.0], [1.0, 2.0])
