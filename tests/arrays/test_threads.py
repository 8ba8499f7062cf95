"""Threads that share Values: no result mixes old and new data, and no gradient is lost."""

import sys
import threading
from contextlib import contextmanager
from itertools import cycle

import numpy as np
import pytest
from closeness import is_close, require_close

import adjoint
from adjoint import Value, nn
from adjoint.errors import GraphError

THREADS, PASSES = 8, 200


@contextmanager
def repeating(action):
    """Call `action` again and again in another thread, and raise its error at the end."""
    stop, failures = threading.Event(), []

    def repeat():
        try:
            while not stop.is_set():
                action()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    assert not failures, failures


def in_threads(action, count: int = THREADS) -> None:
    """Call `action(i)` in several threads at once, which the interpreter switches as often as it can."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(count)

    def run(i):
        try:
            barrier.wait()
            action(i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not failures, failures


def assigning(parameters):
    """Return a function that assigns 1 and 2 in turn to all elements of the parameters."""
    numbers = cycle((1.0, 2.0))

    def assign():
        number = next(numbers)
        for p in parameters:
            p.data = np.full(p.shape, number)

    return assign


def test_a_layer_computes_with_the_parameters_of_one_moment_while_another_thread_loads_others():
    layer, x = nn.Linear(64, 8000, bias=False), np.ones((2, 64))
    states = cycle({"weight": np.full((8000, 64), number)} for number in (1.0, 2.0))
    layer.load_state_dict(next(states))
    with repeating(lambda: layer.load_state_dict(next(states))):
        for _ in range(60):
            y = layer(x).data
            assert y[0, 0] in (64.0, 128.0)
            assert (y == y[0, 0]).all()


@pytest.mark.parametrize(
    ("function", "factor"),
    [
        (lambda x: x * 3.0, 3.0),
        (lambda x: -x, -1.0),
        (lambda x: x.sum(), 50_000.0),
        (lambda x: x.mean(), 1.0),
        (lambda x: x.sum(axis=0), 50_000.0),
        (lambda x: x.exp().log(), 1.0),
        (lambda x: adjoint.linear(np.ones((3, 1)), x.reshape(50_000, 1), np.zeros(50_000)), 1.0),
    ],
    ids=["*", "neg", "sum", "mean", "sum(0)", "exp", "linear"],
)
def test_an_operation_reads_the_array_of_one_moment_while_another_thread_assigns(function, factor):
    x = Value(np.ones(50_000))
    with repeating(assigning([x])):
        for _ in range(300):
            (found,) = np.unique(function(x).data)
            assert is_close(found, factor) or is_close(found, 2 * factor)


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda x: x.square(), lambda y: 2 * np.sqrt(y)),
        (lambda x: x.exp(), lambda y: y),
        (lambda x: x.softmax().log(), lambda y: 0 * y),
    ],
    ids=["square", "exp", "softmax"],
)
def test_a_gradient_belongs_to_its_forward_pass_while_another_thread_assigns(function, slope):
    """Or backward() says that the data was assigned."""
    x = Value(np.ones(50_000))
    with repeating(assigning([x])):
        for _ in range(300):
            x.zero_grad()
            y = function(x)
            try:
                y.backward(np.ones(50_000))
            except GraphError:
                continue
            require_close(x.grad, slope(y.data))


def test_a_gradient_of_a_layer_belongs_to_its_forward_pass_while_another_thread_assigns():
    x, w, b = Value(np.ones((200, 64))), Value(np.ones((64, 64))), Value(np.zeros(64))
    with repeating(assigning([w])):
        for _ in range(300):
            x.zero_grad()
            y = adjoint.linear(x, w, b)
            try:
                y.backward(np.ones(y.shape))
            except GraphError:
                continue
            np.testing.assert_array_equal(x.grad, y.data)


def scalar_losses(leaf):
    """Return graphs that add 1, 2, 1 and 3 to the gradient of a number."""
    by_hand = Value(leaf.data, (leaf,), "identity")

    def add():
        leaf.grad += by_hand.grad

    by_hand._backward = add
    hooked = leaf * 1.0
    hooked.register_hook(lambda g: 3.0 * g)
    return [leaf * 1.0, leaf + leaf, by_hand, hooked]


def test_threads_that_add_to_the_gradient_of_one_number_all_count():
    leaf = Value(1.0)

    def run(i):
        for _ in range(PASSES):
            for loss in scalar_losses(leaf):
                loss.backward()

    in_threads(run)
    assert leaf.grad == THREADS * PASSES * 7.0


def test_threads_that_add_to_the_gradient_of_one_array_all_count():
    leaf, number = Value(np.ones(50)), Value(1.0)

    def run(i):
        for _ in range(PASSES):
            (leaf * 2.0).sum().backward()
            (leaf * number).sum().backward(np.float64(1.0))
            number.backward(1)

    in_threads(run)
    assert (leaf.grad == THREADS * PASSES * 3.0).all()
    assert number.grad == THREADS * PASSES * 51.0


def test_threads_that_pass_through_shared_nodes_all_count():
    leaf, number = Value(np.ones(50)), Value(2.0)
    shared, square = leaf * 3.0, number * number

    def run(i):
        for _ in range(PASSES):
            (shared + shared.exp() * 0.0).sum().backward()
            (square * square).backward()

    in_threads(run)
    assert (leaf.grad == THREADS * PASSES * 3.0).all()
    assert number.grad == THREADS * PASSES * 32.0
