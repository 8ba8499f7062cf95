"""Compiled functions in several threads: right answers, steps one after the other, and readers beside a trace."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest
from closeness import require_close
from compiling import Network, batch, training

from adjoint import Value, jit, vmap

jax = pytest.importorskip("jax")


def in_threads(*workers):
    """Run functions in threads at the same time, and raise what one of them raises."""
    start, errors = threading.Barrier(len(workers)), []

    def run(worker):
        start.wait()
        try:
            worker()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.fixture(autouse=True)
def switch_often():
    import sys

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


W = Value([2.0, 3.0])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, k: x * k, lambda x, k: x * k),
        (lambda x, k: [k * 2, x.sum()], lambda x, k: [k * 2, x.sum()]),
        (lambda x, k: (W * x).sum() * k, lambda x, k: (2 * x[0] + 3 * x[1]) * k),
    ],
)
def test_a_pure_function_gives_each_thread_its_own_answer(function, expected):
    compiled = jit(function)

    def work(number):
        rng = np.random.default_rng(number)
        for _ in range(150):
            x, k = rng.standard_normal(2), float(rng.standard_normal())
            found = compiled(x, k)
            for a, b in zip(np.atleast_1d(getattr(found, "data", found)), np.atleast_1d(expected(x, k))):
                require_close(a, b)

    in_threads(*(lambda number=number: work(number) for number in range(4)))


def test_training_steps_of_several_threads_come_one_after_the_other():
    w, state = Value(np.zeros(3)), SimpleNamespace(m=[np.zeros(2)], t=0)

    @jit
    def step(x):
        w.data = w.data + x
        state.m[0] = state.m[0] + 1.0
        state.t += 1
        return w.sum()

    @jit
    def other(x):
        w.data = w.data + x

    one = np.ones(3)
    in_threads(*[lambda: [step(one) for _ in range(50)]] * 3, lambda: [other(one) for _ in range(50)])
    assert w.data.tolist() == [200.0] * 3
    assert (state.m[0].tolist(), state.t) == ([150.0] * 2, 150)


def test_a_prediction_in_another_thread_sees_a_whole_step():
    """Each step makes all numbers of both arrays the same: an eager or compiled prediction finds no difference."""
    a, b = Value(np.zeros(3)), Value(np.zeros((60, 60)))
    compiled = jit(lambda: (a.sum() / 3, b.mean()))
    done = threading.Event()

    @jit
    def step():
        a.data = a.data + 1.0
        b.data = b.data + 1.0

    def train():
        try:
            for _ in range(200):
                step()
        finally:
            done.set()

    def predict(function):
        while not done.is_set():
            for x in function():
                assert float(x) == round(float(x))

    in_threads(train, lambda: predict(compiled), lambda: predict(lambda: (a.sum() / 3, b.mean())))
    assert a.data.tolist() == [200.0] * 3
    assert set(b.data.flat) == {200.0}


def test_values_and_their_graphs_can_be_used_while_another_thread_traces():
    model = Network([3, 4, 2])
    x, y = batch()
    inside, done, errors = threading.Event(), threading.Event(), []
    expected = model(x).data
    parents = [type(p) for p in model.parameters()]
    older = (model(x) ** 2).sum()

    @jit
    def step(x, y):
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        for p in model.parameters():
            p.data = p.data - 0.1 * p.grad
        inside.set()
        done.wait(600)
        return loss

    def predict():
        inside.wait(600)
        try:
            for p in model.parameters():
                assert type(p.data) is np.ndarray
                assert not p.grad.any()
            require_close(model(x).data, expected)
            older.backward()
            assert all(type(p.grad) is np.ndarray for p in model.parameters())
        finally:
            done.set()

    in_threads(lambda: step(x, y), predict)
    assert [type(p) for p in model.parameters()] == parents
    assert not errors


def test_functions_compile_in_several_threads_at_once():
    model, _, step = training(compiled=True)
    x, y = batch()
    predict = jit(lambda x: model(x))
    square = vmap(lambda x: x * x)
    in_threads(
        lambda: [step(x, y) for _ in range(3)],
        lambda: [predict(x) for _ in range(3)],
        lambda: [predict(x[:3]) for _ in range(3)],
        lambda: [require_close(square(x), x * x) for _ in range(3)],
    )
    require_close(predict(x).data, model(x).data)
