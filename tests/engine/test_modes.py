"""The modes of a context: recording under `no_grad()`, and independence between threads and tasks."""

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import adjoint
from adjoint import Value, detect_anomaly, errors, guards, no_grad
from adjoint.errors import guard_warnings
from adjoint.nn import MLP


def records():
    """Return whether operations are currently recorded."""
    return bool((Value(2.0) * 3).parents)


# --- no_grad -------------------------------------------------------------------------------------


def test_under_no_grad_results_are_leaves_with_the_right_numbers():
    a, b = Value(2.0), Value(-3.0)
    with no_grad():
        out = (a * b + 1).tanh() - 2**a
        function = adjoint.atan2(a, b)
    recorded = (a * b + 1).tanh() - 2**a
    assert out.data == recorded.data
    assert function.data == adjoint.atan2(a, b).data
    assert (out.parents, out.op, out._prev) == ((), "", set())
    assert function.parents == ()


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x + 1,
        lambda x: 1 - x,
        lambda x: x * x,
        lambda x: x**2,
        lambda x: -x,
        lambda x: abs(x),
        lambda x: x.exp(),
        lambda x: x.maximum(3),
        lambda x: x.elu(),
        lambda x: adjoint.sigmoid(x),
        lambda x: adjoint.op("same", lambda m, x: x, lambda m, y, x: 1.0)(x),
        lambda x: MLP(1, [2, 1], seed=0)(x),
        lambda x: sum([x, x]),
    ],
)
def test_no_grad_records_nothing(compute):
    x = Value(0.5)
    with no_grad():
        out = compute(x)
    assert out.parents == ()
    assert out.data == compute(x).data
    assert compute(x).parents != ()


def test_a_result_of_no_grad_is_a_constant_for_later_operations():
    a = Value(3.0)
    with no_grad():
        frozen = a * 2
    (a * frozen).backward()
    assert a.grad == 6.0
    assert frozen.grad == 3.0  # a separate leaf


def test_no_grad_does_not_affect_an_existing_graph():
    a = Value(3.0)
    b = a * a
    with no_grad():
        _ = b * 5
        a.data = 4.0  # an update, as an optimizer makes it
    with guards(stale_graph=False):
        b.backward()
    assert a.grad == 6.0


def test_recording_continues_after_no_grad():
    with no_grad():
        assert not records()
    assert records()


def test_no_grad_may_be_nested():
    with no_grad():
        with no_grad():
            assert not records()
        assert not records()
    assert records()


def test_an_exception_ends_no_grad():
    with pytest.raises(KeyError), no_grad():
        raise KeyError("inside")
    assert records()


def test_an_error_of_adjoint_ends_only_the_inner_no_grad():
    with no_grad():
        with pytest.raises(errors.OperandError), no_grad():
            Value(1.0) + "x"
        assert not records()
    assert records()


def test_no_grad_decorates_a_function_for_every_call():
    @no_grad()
    def evaluate(x, *, scale):
        """Evaluate."""
        return x * scale

    x = Value(2.0)
    for _ in range(3):
        out = evaluate(x, scale=4)
        assert (out.data, out.parents) == (8.0, ())
        assert records()
    assert (evaluate.__name__, evaluate.__doc__) == ("evaluate", "Evaluate.")


def test_a_decorated_function_may_call_itself():
    @no_grad()
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    out = power(Value(2.0), 5)
    assert (out.data, out.parents) == (32.0, ())
    assert records()


def test_a_decorated_function_that_raises_ends_no_grad():
    @no_grad()
    def fails():
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        fails()
    assert records()


def test_values_can_be_made_and_detached_under_no_grad():
    with no_grad():
        x = Value(2.0, label="x")
        y = x.detach()
    assert (x.data, y.data, y.label) == (2.0, 2.0, "x")


def test_no_grad_and_detect_anomaly_work_together_in_either_order():
    with no_grad(), detect_anomaly():
        assert not records()
        with pytest.raises(errors.AnomalyError):
            Value(0.0).log()
    with detect_anomaly():
        with no_grad():
            assert not records()
            with pytest.raises(errors.AnomalyError):
                Value(0.0).log()
        assert records()
    assert Value(0.0).log().data == float("-inf")


# --- threads -------------------------------------------------------------------------------------


def run_in_thread(function):
    """Run `function` in a new thread and return its result."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result(timeout=600)


separate_threads = pytest.mark.skipif(
    getattr(sys.flags, "thread_inherit_context", 0) == 1,
    reason="threads inherit the context of the one that starts them, as they do on free-threaded Python",
)


@separate_threads
def test_no_grad_affects_only_its_own_thread():
    with no_grad():
        assert run_in_thread(records)
        assert not records()


@separate_threads
def test_detect_anomaly_affects_only_its_own_thread():
    with detect_anomaly():
        assert run_in_thread(lambda: Value(0.0).log().data) == float("-inf")
        with pytest.raises(errors.AnomalyError):
            Value(0.0).log()


def test_threads_switch_recording_independently():
    inside, checked = threading.Event(), threading.Event()

    def quiet():
        with no_grad():
            inside.set()
            assert checked.wait(600)
            return records()

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(quiet)
        assert inside.wait(600)
        recorded_here = records()
        with no_grad():
            pass
        checked.set()
        assert recorded_here
        assert records()
        assert not future.result(timeout=600)


def train(seed):
    """Train a small network and return every parameter exactly."""
    model = MLP(2, [3, 1], seed=seed)
    for step in range(40):
        loss = sum((model([x, step / 40]) - x) ** 2 for x in (-1.0, 0.5, 2.0))
        model.zero_grad()
        loss.backward(retain_graph=step % 2 == 0)
        with no_grad():
            for p in model.parameters():
                p.data -= 0.1 * p.grad
            assert not records()
        assert records()
    return [p.data for p in model.parameters()]


@pytest.fixture
def frequent_thread_switches():
    """Make Python switch threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("frequent_thread_switches")
def test_threads_on_separate_graphs_do_not_affect_each_other():
    seeds = range(8)
    alone = [train(seed) for seed in seeds]
    with ThreadPoolExecutor(len(seeds)) as pool:
        together = list(pool.map(train, seeds))
    assert together == alone


@pytest.mark.usefixtures("frequent_thread_switches")
def test_graphs_made_in_one_thread_are_differentiated_and_freed_in_another():
    def build(n):
        x = Value(float(n))
        out = x
        for _ in range(2000):
            out = out * 1.0 + x
        return x, out

    def differentiate(pair):
        x, out = pair
        out.backward()
        return x.grad

    with ThreadPoolExecutor(4) as makers, ThreadPoolExecutor(4) as takers:
        assert list(takers.map(differentiate, makers.map(build, range(16)))) == [2001.0] * 16


def test_no_grad_is_a_decorator_with_or_without_parentheses():
    @no_grad
    def bare(v):
        return v * 2

    @no_grad()
    def called(v):
        return v * 2

    a = Value(1.0)
    assert bare(a).parents == called(a).parents == ()
    assert (a * 2).parents == (a,)


def test_one_no_grad_object_can_be_reused_and_nested():
    switch, a = no_grad(), Value(1.0)
    for _ in range(2):
        with switch:
            with switch:
                assert (a * 2).parents == ()
            assert (a * 2).parents == ()
        assert (a * 2).parents == (a,)


def test_nodes_made_by_hand_under_no_grad_have_no_history():
    a = Value(1.0)
    with no_grad():
        assert Value(2.0, (a,), "f").parents == ()
    assert Value(2.0, (a,), "f").parents == (a,)


# --- generators and asyncio ----------------------------------------------------------------------


def recorded_inside(switch):
    """Yield once inside the switch, then whether operations are recorded there."""
    with switch():
        yield
        yield records()


@pytest.mark.parametrize("first_to_leave", [0, 1])
def test_generators_leave_no_grad_in_any_order(first_to_leave):
    generators = [recorded_inside(no_grad), recorded_inside(no_grad)]
    for generator in generators:
        next(generator)
    generators[first_to_leave].close()
    assert next(generators[1 - first_to_leave]) is False
    generators[1 - first_to_leave].close()
    assert records()


def test_a_generator_that_leaves_another_mode_first_leaves_the_rest():
    quiet, strict = recorded_inside(no_grad), recorded_inside(detect_anomaly)
    next(quiet), next(strict)
    quiet.close()
    assert records()
    with pytest.raises(errors.AnomalyError):
        Value(0.0).log()
    strict.close()
    assert Value(0.0).log().data == float("-inf")


def test_asyncio_tasks_have_their_own_modes():
    async def evaluates():
        found = []
        with no_grad():
            for _ in range(3):
                await asyncio.sleep(0)
                found.append(records())
        return found

    async def trains():
        found = []
        for _ in range(3):
            await asyncio.sleep(0)
            found.append(records())
        return found

    async def run():
        return await asyncio.gather(evaluates(), trains(), evaluates())

    assert asyncio.run(run()) == [[False] * 3, [True] * 3, [False] * 3]
    assert records()


def test_threads_may_share_one_no_grad_object():
    shared, inside, left = no_grad(), threading.Event(), threading.Event()

    def other():
        with shared:
            inside.set()
            left.wait(600)
            return records()
        return None

    with ThreadPoolExecutor(1) as pool:
        with shared:
            pending = pool.submit(lambda: (other(), records()))
            inside.wait(600)
        assert records()
        left.set()
        assert pending.result() == (False, True)
    assert records()


def test_guards_belong_to_an_asyncio_task():
    async def quiet():
        with adjoint.guards(stale_gradients=False):
            await asyncio.sleep(0)
            return guard_warnings.is_on("stale_gradients")

    async def usual():
        await asyncio.sleep(0)
        return guard_warnings.is_on("stale_gradients")

    async def run():
        return await asyncio.gather(quiet(), usual(), quiet())

    assert asyncio.run(run()) == [False, True, False]
