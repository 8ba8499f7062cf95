"""A trace leaves nothing behind: no tracer, no change of an object, no growing memory."""

import gc
import threading
import weakref

import numpy as np
import pytest
from closeness import require_close
from compiling import Adam, batch, training

import adjoint
from adjoint import Value, errors, jit
from adjoint.compile.xla.traced_values import TracedValues, View

jax = pytest.importorskip("jax")
jnp = jax.numpy


def tracers_left() -> list:
    gc.collect()
    Tensor = adjoint.Tensor
    values = [x for x in gc.get_objects() if issubclass(type(x), Tensor)]  # isinstance would load lazy modules
    held = [y for v in values for y in (v._data, v._grad, *v._operands)]
    return [x for x in held if isinstance(x, jax.core.Tracer)]


@pytest.mark.full
def test_no_tracer_is_left_behind_and_memory_stays_flat():
    before = len(tracers_left())
    model, optimizer, step = training(Adam, compiled=True)
    losses = [step(*batch(seed=i)) for i in range(3)]
    assert len(tracers_left()) == before
    assert not any(isinstance(m, jax.core.Tracer) for m in (*optimizer.m, *optimizer.v))
    del model, losses  # alive until here
    x, y = batch()
    for _ in range(20):
        step(x, y)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(500):
        step(x, y)
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_batches_are_not_kept_alive():
    class Batch(np.ndarray):
        """An array with weak references."""

    _, _, step = training(compiled=True)
    kept = []
    for i in range(3):
        x, y = batch(seed=i)
        x = x.view(Batch)
        kept.append(weakref.ref(x))
        step(x, y)
    del x
    gc.collect()
    assert [reference() for reference in kept] == [None] * 3


class Failure(Exception):
    pass


def snapshot(model, optimizer):
    held = [(p, p._data, p._grad) for p in model.parameters()]
    return held, dict(vars(optimizer)), list(optimizer.m)


def test_a_function_that_fails_leaves_everything_as_it_was():
    model, optimizer, step = training(Adam)
    model.parameters()[0].grad = np.ones(model.parameters()[0].shape)
    extra = []

    def failing(x, y):
        step(x, y)
        extra.append(1)
        optimizer.new = x
        del optimizer.lr
        raise Failure

    before = snapshot(model, optimizer)
    compiled = jit(failing)
    for _ in range(2):
        with pytest.raises(Failure):
            compiled(*batch())
        after = snapshot(model, optimizer)
        assert all(a is b for p, q in zip(before[0], after[0]) for a, b in zip(p, q))
        assert list(before[1]) == list(after[1])
        assert all(before[1][k] is after[1][k] for k in before[1])
        assert all(a is b for a, b in zip(before[2], after[2]))
        assert extra == []


def test_the_class_of_tracers_stays_as_it_is_even_while_a_function_is_traced():
    before = dict(vars(jax.core.Tracer))

    @jit
    def step(x):
        assert vars(jax.core.Tracer) == before
        return x * 2

    step(np.ones(2))
    assert vars(jax.core.Tracer) == before


def test_a_trace_in_one_thread_does_not_watch_another():
    w = Value(np.ones(1, np.float32), label="outside")
    hidden = {"w": w}.__getitem__

    def backward_in_jax():
        jax.jit(lambda x: [(hidden("w") * Value(x)).sum().backward(), x][1])(jnp.ones(1))

    @jit
    def step(x):
        other = threading.Thread(target=backward_in_jax)
        other.start()
        other.join()
        return x * 2

    raised = []
    hook, threading.excepthook = threading.excepthook, lambda args: raised.append(args.exc_value)
    try:
        step(np.ones(1))
    finally:
        threading.excepthook = hook
        w.zero_grad()
    assert raised == []


def test_a_trace_leaves_the_graph_of_a_value_as_it_was():
    a = Value([1.0, 2.0])
    b = a * 3
    parents, rule = b.parents, b._rule
    jit(lambda: b.sum())()
    assert b.parents == parents
    assert b._rule is rule
    b.sum().backward()
    require_close(a.grad, [3.0, 3.0])


@pytest.mark.parametrize("dtype", [">f4", ">f8", ">i4"])
def test_an_array_of_another_byte_order_is_an_error_that_says_how_to_convert_it(dtype):
    x = np.ones(2, dtype)
    for function, arguments in ((lambda v: v + x, ()), (lambda v, y: v + y, (x,))):
        with pytest.raises(errors.ArrayError, match=rf"dtype {dtype}, whose byte order.*newbyteorder"):
            jit(function)(Value([1.0, 2.0]), *arguments)


def test_another_thread_reads_the_marks_of_a_value_that_is_traced():
    value = Value([1.0])
    traced, seen = TracedValues(), []
    traced.enter([View(value, value._data, value._grad)])
    other = threading.Thread(target=lambda: seen.extend([value._spent, value._changed]))
    other.start()
    other.join()
    traced.leave()
    assert seen == [False, 0]
