"""Whole programs compiled by XLA: the same numbers as without, the same objects, and nothing left behind."""

import argparse
import copy
import functools
import gc
import itertools
import os
import socket
import subprocess
import sys
import threading
import weakref
from collections import deque, namedtuple
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import adjoint
from adjoint import Value, detect_anomaly, grad, jit, nn, no_grad, vmap
from adjoint.errors import (
    ArgumentError,
    GraphError,
    LibraryError,
    MissingExtraError,
    ShapeError,
    TraceError,
)

jax = pytest.importorskip("jax")
jnp = jax.numpy

OUTSIDE = Path(__file__).parents[1] / "outside"


# --- models and optimisers as people write them ---


class Linear:
    def __init__(self, inputs, outputs, rng, dtype=np.float64):
        self.inputs, self.outputs = inputs, outputs
        self.weight = Value((rng.standard_normal((inputs, outputs)) / inputs**0.5).astype(dtype))
        self.bias = Value(np.zeros(outputs, dtype))

    def __call__(self, x):
        return x @ self.weight + self.bias


class Network:
    def __init__(self, sizes, seed=0, dtype=np.float64):
        rng = np.random.default_rng(seed)
        self.layers = [Linear(a, b, rng, dtype) for a, b in itertools.pairwise(sizes)]

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = layer(x).tanh()
        return self.layers[-1](x)

    def parameters(self):
        return [p for layer in self.layers for p in (layer.weight, layer.bias)]

    def zero_grad(self):
        for p in self.parameters():
            p.zero_grad()


class Descent:
    def __init__(self, parameters, lr):
        self.parameters, self.lr = parameters, lr

    def step(self):
        for p in self.parameters:
            p.data -= self.lr * p.grad


class Adam:
    """With plain arrays as buffers and a plain count, as a first version is written."""

    def __init__(self, parameters, lr=0.01):
        self.parameters, self.lr, self.t = parameters, lr, 0
        self.m = [np.zeros_like(p.data) for p in parameters]
        self.v = [np.zeros_like(p.data) for p in parameters]

    def step(self):
        self.t += 1
        for i, p in enumerate(self.parameters):
            self.m[i] = 0.9 * self.m[i] + 0.1 * p.grad
            self.v[i] = 0.999 * self.v[i] + 0.001 * p.grad * p.grad
            m, v = self.m[i] / (1 - 0.9**self.t), self.v[i] / (1 - 0.999**self.t)
            p.data -= self.lr * m / (v**0.5 + 1e-8)


class ValueAdam:
    """With Values as buffers, which stay on the device."""

    def __init__(self, parameters, lr=0.01):
        self.parameters, self.lr, self.t = parameters, lr, 0
        self.m = [Value(np.zeros_like(p.data)) for p in parameters]
        self.v = [Value(np.zeros_like(p.data)) for p in parameters]

    def step(self):
        self.t += 1
        for p, m, v in zip(self.parameters, self.m, self.v):
            m.data = 0.9 * m.data + 0.1 * p.grad
            v.data = 0.999 * v.data + 0.001 * p.grad * p.grad
            p.data -= self.lr * (m.data / (1 - 0.9**self.t)) / ((v.data / (1 - 0.999**self.t)) ** 0.5 + 1e-8)


def batch(n=8, inputs=3, outputs=2, seed=1, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, inputs)).astype(dtype), rng.standard_normal((n, outputs)).astype(dtype)


def training(optimizer=Descent, compiled=False, dtype=np.float64, to=lambda x: x, lr=0.1):
    """Return a model, its optimiser and a training step."""
    model = Network([3, 5, 2], dtype=dtype)
    for p in model.parameters():
        p._data = to(p._data)
    optimizer = optimizer(model.parameters(), lr)

    def step(x, y):
        loss = ((model(x) - y) ** 2).mean()
        model.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return model, optimizer, jit(step) if compiled else step


def close(a, b, tolerance=1e-10):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


def both(make, run):
    """Return what `run` returns for what `make(jit)` and `make(identity)` made."""
    return run(make(jit)), run(make(lambda f: f))


# --- the same numbers ---


@pytest.mark.parametrize("optimizer", [Descent, Adam, ValueAdam])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_training_goes_as_without_jit(optimizer, dtype):
    tolerance = 1e-10 if dtype is np.float64 else 1e-4
    model, _, step = training(optimizer, compiled=False, dtype=dtype)
    other, _, compiled = training(optimizer, compiled=True, dtype=dtype)
    for i in range(5):
        x, y = batch(seed=i, dtype=dtype)
        close(compiled(x, y).data, step(x, y).data, tolerance)
    for p, q in zip(model.parameters(), other.parameters()):
        close(q.data, p.data, tolerance)
        close(q.grad, p.grad, tolerance)
        assert q.data.dtype == p.data.dtype == dtype
        assert isinstance(q.data, np.ndarray)
        assert isinstance(q.grad, np.ndarray)


def test_training_goes_as_written_by_hand_in_jax():
    model, _, step = training(compiled=True)
    parameters = [jnp.asarray(p.data, dtype=jnp.float32) for p in model.parameters()]

    @jax.jit
    def by_hand(parameters, x, y):
        def loss(parameters):
            w1, b1, w2, b2 = parameters
            return jnp.mean((jnp.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2)

        value, gradients = jax.value_and_grad(loss)(parameters)
        return value, [p - 0.1 * g for p, g in zip(parameters, gradients)]

    for i in range(5):
        x, y = batch(seed=i)
        value, parameters = by_hand(parameters, x, y)
        close(step(x, y).data, value, 1e-5)
    for p, q in zip(model.parameters(), parameters):
        close(p.data, q, 1e-5)


def test_values_that_hold_jax_arrays_hold_jax_arrays_afterwards():
    model, _, step = training(compiled=True, dtype=np.float32, to=jnp.asarray)
    other, _, eager = training(dtype=np.float32)
    held = model.parameters()[0].data
    for i in range(3):
        loss, expected = step(*batch(seed=i, dtype=np.float32)), eager(*batch(seed=i, dtype=np.float32))
        close(loss.data, expected.data, 1e-5)
        assert isinstance(loss.data, jax.Array)
    for p, q in zip(model.parameters(), other.parameters()):
        assert isinstance(p.data, jax.Array)
        assert isinstance(p.grad, jax.Array)
        close(p.data, q.data, 1e-5)
    assert not held.is_deleted()  # somebody else's array is not taken away


def test_gradients_add_up_unless_they_are_set_to_zero():
    def make(compile):
        w = Value([1.0, 2.0])

        def accumulate(x):
            (w * x).sum().backward()

        return w, compile(accumulate)

    def run(made):
        w, accumulate = made
        found = []
        for i in range(4):
            accumulate(np.array([1.0, i]))
            found.append(np.array(w.grad) if i == 1 else None)
            if i == 2:
                w.grad = np.array([10.0, 10.0])
        return found[1], w.grad

    (first, last), (expected_first, expected_last) = both(make, run)
    close(first, expected_first)
    close(last, expected_last)


def test_a_gradient_that_is_set_to_zero_last_is_zero():
    w = Value([1.0, 2.0])

    @jit
    def step(x):
        (w * x).sum().backward()
        w.data -= w.grad
        w.zero_grad()

    for _ in range(2):
        assert step(np.array([1.0, 1.0])) is None
    close(w.data, [-1.0, 0.0])
    close(w.grad, [0.0, 0.0])


def test_float32_stays_float32_beside_python_numbers_and_integers():
    w = Value(np.ones(3, np.float32))

    @jit
    def step(x, lr, i):
        loss = (w * x[i] * 2.0 + 1).sum() / 3
        loss.backward()
        w.data -= lr * w.grad
        return loss, w.data * lr

    loss, array = step(np.ones((2, 3), np.float32), 0.1, np.array([0, 1, 1]))
    assert loss.dtype == w.data.dtype == w.grad.dtype == array.dtype == np.float32


def test_float64_is_kept_without_a_word_to_jax():
    assert not jax.config.jax_enable_x64
    x = np.array([1 + 1e-12])
    result = jit(lambda x: x * 1.0)(x)
    assert result.dtype == np.float64
    assert result[0] == x[0]
    assert not jax.config.jax_enable_x64
    assert jnp.asarray(x).dtype == jnp.float32


# --- traced once ---


def counted(fn):
    """Return a function, and what grows with every run of it. A number or a list would be state of the function."""
    runs = deque()

    @functools.wraps(fn)
    def counting(*arguments, **options):
        runs.append("a run")
        return fn(*arguments, **options)

    return counting, runs


def test_a_function_is_traced_once_for_each_combination_of_shapes_and_dtypes():
    fn, runs = counted(lambda x, y: x * y)
    compiled = jit(fn)
    shapes = [((2,), np.float64), ((3,), np.float64), ((2,), np.float32), ((2, 2), np.float64)]
    for _ in range(3):
        for shape, dtype in shapes:
            x = np.full(shape, 2, dtype)
            close(compiled(x, x), np.full(shape, 4.0))
    assert len(runs) == len(shapes)


@pytest.mark.parametrize("optimizer", [Descent, ValueAdam])
def test_a_step_is_traced_once_and_once_more_for_a_count_that_it_changes(optimizer):
    model, optimizer, step = training(optimizer)
    fn, runs = counted(step)
    compiled = jit(fn)
    for i in range(6):
        compiled(*batch(seed=i))
        if i == 3:
            _ = model.parameters()[0].data.sum(), model.parameters()[1].grad.sum()  # looking costs no trace
    assert len(runs) == (1 if isinstance(optimizer, Descent) else 2)


def test_new_values_of_the_same_shapes_need_no_new_trace():
    fn, runs = counted(lambda x, w: (x * w).sum())
    compiled = jit(fn)
    for i in range(4):
        close(compiled(Value([1.0, i]), Value([2.0, 2.0])).data, 2 + 2 * i)
    assert len(runs) == 1


def test_two_models_of_one_architecture_share_a_program():
    def step(model, x):
        loss = (model(x) ** 2).sum()
        model.zero_grad()
        loss.backward()
        return loss

    fn, runs = counted(step)
    compiled = jit(fn)
    a, b = Network([3, 4, 2], seed=1), Network([3, 4, 2], seed=2)
    x, _ = batch()
    for model in (a, b, a, b):
        loss = compiled(model, x)
        grads = [np.array(p.grad) for p in model.parameters()]
        close(loss.data, step(model, x).data)
        for p, g in zip(model.parameters(), grads):
            close(g, p.grad)
    assert len(runs) == 1


# --- state: what a function can reach ---


def test_what_is_assigned_between_calls_is_seen():
    def make(compile):
        return training(Descent, compiled=compile is jit)

    def run(made):
        model, _, step = made
        x, y = batch()
        w, b = model.layers[0].weight, model.layers[0].bias
        found = []
        for i in range(6):
            found.append(float(step(x, y)))
            if i == 1:
                w.data = np.ones(w.shape)
            if i == 2:
                w.data[0] = 5.0
            if i == 3:
                b.data -= 1.0
                x = x * 2
        return found, w.data, b.data

    (losses, w, b), (expected, v, c) = both(make, run)
    close(losses, expected)
    close(w, v)
    close(b, c)


def test_a_batch_that_is_changed_in_place_is_seen():
    total = jit(lambda x: x.sum())
    x = np.ones(4)
    for i in range(4):
        assert total(x) == 4 + i
        x[0] += 1


def test_training_and_evaluation_take_turns():
    model, _, step = training(ValueAdam, compiled=True)
    other, _, eager = training(ValueAdam)
    predict = jit(lambda x: model(x))
    for i in range(4):
        x, y = batch(seed=i)
        step(x, y)
        eager(x, y)
        close(predict(x).data, other(x).data)
        close(predict(x[:3]).data, other(x[:3]).data)


def test_a_schedule_of_the_learning_rate_costs_one_more_trace():
    model, optimizer, step = training(Descent)
    other, other_optimizer, eager = training(Descent)
    fn, runs = counted(step)
    compiled = jit(fn)
    for i in range(6):
        optimizer.lr = other_optimizer.lr = 0.1 / (1 + i)
        compiled(*batch(seed=i))
        eager(*batch(seed=i))
    close(model.parameters()[0].data, other.parameters()[0].data)
    assert len(runs) == 2


def test_a_number_that_the_function_needs_as_such_has_a_program_for_each_value():
    state = SimpleNamespace(times=1)

    def power(x):
        result = x
        for _ in range(state.times):
            result = result * x
        return result

    fn, runs = counted(power)
    compiled = jit(fn)
    x = np.array([2.0])
    for times in (1, 2, 3, 2, 1):
        state.times = times
        assert compiled(x)[0] == 2.0 ** (times + 1)
    assert len(runs) == 4  # one of them to find out


def test_flags_and_names_of_objects_are_part_of_the_program():
    layer = SimpleNamespace(training=True, name="relu")

    @jit
    def apply(x):
        y = x.relu() if layer.name == "relu" else x.tanh()
        return y * 2 if layer.training else y

    x = Value([-1.0, 1.0])
    for _ in range(2):
        layer.training, layer.name = True, "relu"
        close(apply(x).data, [0.0, 2.0])
        layer.training = False
        close(apply(x).data, [0.0, 1.0])
        layer.name = "tanh"
        close(apply(x).data, np.tanh([-1.0, 1.0]))


def test_counts_stay_plain_numbers():
    _, optimizer, step = training(Adam, compiled=True)
    for i in range(3):
        step(*batch())
        assert type(optimizer.t) is int
        assert optimizer.t == i + 1


def test_numbers_of_the_state_are_computed_as_python_does():
    state = SimpleNamespace(lr=0.1, t=3, scale=1.0)

    @jit
    def step(x):
        state.t = 2 * state.t - 1
        state.lr *= 0.5
        state.scale = state.lr / state.t + x.sum()
        return x * state.lr

    expected = SimpleNamespace(lr=0.1, t=3, scale=1.0)
    for _ in range(3):
        step(np.ones(2))
        expected.t, expected.lr = 2 * expected.t - 1, expected.lr * 0.5
        expected.scale = expected.lr / expected.t + 2.0
        assert (state.t, state.lr) == (expected.t, expected.lr)
        assert type(state.t) is int
        close(state.scale, expected.scale)


def test_buffers_stay_numpy_arrays_that_may_be_changed():
    def make(compile):
        return training(Adam, compiled=compile is jit, lr=0.01)

    def run(made):
        model, optimizer, step = made
        for i in range(4):
            step(*batch(seed=i))
            if i == 1:
                optimizer.m[0] *= 0.5
            if i == 2:
                optimizer.v[1] = np.ones_like(optimizer.v[1])
        assert all(type(m) is np.ndarray for m in optimizer.m)
        return [np.array(m) for m in optimizer.m] + [p.data for p in model.parameters()]

    for found, expected in zip(*both(make, run)):
        close(found, expected)


def test_buffers_may_be_made_by_the_first_step():
    class Momentum(Descent):
        def __init__(self, parameters, lr):
            super().__init__(parameters, lr)
            self.buffers = {}
            self.last = None

        def step(self):
            for i, p in enumerate(self.parameters):
                if i not in self.buffers:
                    self.buffers[i] = np.zeros(p.shape)
                self.buffers[i] = 0.9 * self.buffers[i] + p.grad
                p.data -= self.lr * self.buffers[i]
            self.last = self.buffers[0].sum()

    model, optimizer, step = training(Momentum)
    other, other_optimizer, compiled = training(Momentum, compiled=True)
    for i in range(4):
        step(*batch(seed=i))
        compiled(*batch(seed=i))
    for p, q in zip(model.parameters(), other.parameters()):
        close(q.data, p.data)
    close(other_optimizer.last, optimizer.last)
    assert type(other_optimizer.buffers[0]) is np.ndarray


def test_state_may_be_in_tuples_slots_dataclasses_and_dictionaries_of_values():
    Pair = namedtuple("Pair", "a b")

    class Slotted:
        __slots__ = ("w",)

        def __init__(self):
            self.w = Value([1.0, 1.0])

    @dataclass
    class Config:
        pair: Pair
        slotted: Slotted
        by_value: dict

    def make(compile):
        slotted = Slotted()
        config = Config(Pair(Value([1.0, 2.0]), np.ones(2)), slotted, {slotted.w: np.zeros(2)})

        def step(x):
            loss = (config.pair.a * config.slotted.w * x * config.pair.b).sum()
            loss.backward()
            config.slotted.w.data -= config.slotted.w.grad
            config.by_value[config.slotted.w] = config.by_value[config.slotted.w] + config.slotted.w.grad
            config.pair = Pair(config.pair.a, config.pair.b * 2)
            return loss

        return config, compile(step)

    def run(made):
        config, step = made
        losses = [float(step(np.array([1.0, -1.0]))) for _ in range(3)]
        assert isinstance(config.pair, Pair)
        return losses, config.slotted.w.data, config.by_value[config.slotted.w], config.pair.b, config.pair.a.grad

    for found, expected in zip(*both(make, run)):
        close(found, expected)


def test_a_value_that_is_found_twice_is_one():
    w = Value([1.0])
    holder = SimpleNamespace(first=w, second=[w])

    @jit
    def step(holder, again):
        holder.first.data += 1.0
        assert holder.second[0].data is holder.first.data
        assert again is holder.first
        return holder.second[0].data * 1

    assert step(holder, w) == 2.0
    assert step(holder, w) == 3.0


def test_objects_that_refer_to_each_other_are_walked_once():
    a, b = SimpleNamespace(w=Value([1.0])), SimpleNamespace()
    a.other, b.other = b, a
    a.itself = [a]

    @jit
    def step(x):
        a.w.data = a.w.data * x.sum()

    step(np.array([3.0]))
    close(a.w.data, [3.0])


W = Value([1.0, 2.0])
RATE = 0.5


def helper(x):
    return (W * x).sum() * RATE


def test_globals_are_state_also_those_of_functions_that_are_called(monkeypatch):
    @jit
    def step(x):
        W.zero_grad()
        loss = helper(x)
        loss.backward()
        return loss

    x = np.array([1.0, 1.0])
    close(step(x).data, 1.5)
    close(W.grad, [0.5, 0.5])
    monkeypatch.setitem(globals(), "RATE", 2.0)
    close(step(x).data, 6.0)
    monkeypatch.setitem(globals(), "W", Value([1.0, 1.0]))
    close(step(x).data, 4.0)
    close(W.grad, [2.0, 2.0])


module = ModuleType("a_module_of_the_user")
module.w = Value([1.0, 2.0])
module.rate = 0.5


def test_what_another_module_holds_is_state():
    @jit
    def step(x):
        module.w.zero_grad()
        (module.w * x).sum().backward()
        module.w.data -= module.rate * module.w.grad

    step(np.array([1.0, 1.0]))
    close(module.w.data, [0.5, 1.5])
    module.rate = 1.0
    step(np.array([1.0, 1.0]))
    close(module.w.data, [-0.5, 0.5])


def test_options_of_the_command_line_are_state():
    options = argparse.Namespace(rate=0.5, deep=False)
    compiled = jit(lambda x: x * options.rate if options.deep else x)
    x = np.array([2.0])
    assert compiled(x) == 2.0
    options.deep = True
    assert compiled(x) == 1.0
    options.rate = 2.0
    assert compiled(x) == 4.0


def test_arrays_in_frozen_objects_are_state():
    @dataclass(frozen=True, slots=True)
    class Frozen:
        scale: np.ndarray

    frozen = Frozen(np.array([2.0]))
    compiled = jit(lambda x: x * frozen.scale)
    assert compiled(np.array([3.0])) == 6.0
    frozen.scale[0] = 5.0
    assert compiled(np.array([3.0])) == 15.0
    assert type(frozen.scale) is np.ndarray


def test_a_state_that_is_a_new_value_after_each_call_goes_on():
    def make(compile):
        cell = SimpleNamespace(h=Value(np.zeros(2)), last=Value(0.0))

        def step(x):
            cell.h = (cell.h * 0.5 + x).tanh()
            cell.last = cell.h.sum()
            return cell.h

        return cell, compile(step)

    def run(made):
        cell, step = made
        found = [np.array(step(np.array([1.0, i])).data) for i in range(4)]
        return *found, cell.h.data, cell.last.data

    for found, expected in zip(*both(make, run)):
        close(found, expected)


@pytest.mark.parametrize("hidden", [4, 80])  # small arrays, that live together, and large ones, that live alone
def test_batches_of_two_sizes_take_turns(hidden):
    def make(compile):
        model = Network([3, hidden, 80, 2])

        def step(x, y):
            loss = ((model(x) - y) ** 2).mean()
            loss.backward()
            for p in model.parameters():
                p.data -= 0.1 * p.grad
            return loss

        return model, compile(step)

    def run(made):
        model, step = made
        losses = [float(step(*batch(n=8 if i % 2 else 5, seed=i))) for i in range(6)]
        return losses, *(p.data for p in model.parameters()), *(p.grad for p in model.parameters())

    for found, expected in zip(*both(make, run)):
        close(found, expected, 1e-9)


def test_data_may_be_assigned_without_being_read():
    def make(compile):
        model, target = Network([3, 4, 2], seed=1), Network([3, 4, 2], seed=2)

        def update(x):
            for p, q in zip(model.parameters(), target.parameters()):
                q.data = p.data
                p.data = p.data * 2
            return target(x).sum()

        return model, target, compile(update)

    def run(made):
        model, target, update = made
        x, _ = batch()
        sums = [float(update(x)) for _ in range(3)]
        target.layers[0].bias.data = np.ones(4)
        before = target(x)
        sums.append(float(update(x)))
        with pytest.raises(GraphError, match="assigned after"):
            before.sum().backward()
        return sums, *(p.data for network in (model, target) for p in network.parameters())

    for found, expected in zip(*both(make, run)):
        close(found, expected)


def test_a_count_may_be_a_value():
    count, total = Value(0.0), Value(1.0)

    @jit
    def step(x):
        count.data += 1.0
        total.data = total.data * 2.0 + count.data + x.sum()
        return x * count

    for i in range(3):
        close(step(np.ones(2)).data, [i + 1.0] * 2)
    assert (count.data, total.data) == (3.0, 33.0)


def test_a_closure_may_be_rebound():
    w = Value([1.0])
    count = 0

    @jit
    def step(x):
        nonlocal count
        count += 1
        return (w * x).sum()

    assert float(step(np.ones(1))) == 1.0
    w = Value([5.0])
    assert float(step(np.ones(1))) == 5.0
    assert count == 2
    assert float(step(np.ones(1))) == 5.0
    assert count == 3


def test_methods_callable_objects_and_partials_can_be_compiled():
    class Model:
        def __init__(self):
            self.w = Value([1.0, 2.0])

        @jit
        def decorated(self, x):
            return (self.w * x).sum()

        def __call__(self, x):
            return (self.w * x).sum()

    model, x = Model(), np.array([1.0, 1.0])
    scaled = functools.partial(lambda w, x: (w * x).sum(), model.w)
    for compiled in (model.decorated, jit(model), jit(model.__call__), jit(scaled)):
        assert float(compiled(x)) == 3.0
        model.w.data = model.w.data * 2
        assert float(compiled(x)) == 6.0
        model.w.data = model.w.data / 2
    assert Model.decorated.__name__ == "decorated"


def test_networks_of_single_values_can_be_compiled():
    def make(compile):
        model = nn.MLP(2, [3, 1], seed=0)

        def step(xs, y):
            out = model(xs)
            loss = ((out - y) ** 2).mean() + 1e-3 * sum(p * p for p in model.parameters())
            model.zero_grad()
            loss.backward()
            for p in model.parameters():
                p.data -= 0.1 * p.grad
            return loss

        return model, compile(step)

    rng = np.random.default_rng(0)
    columns, y = [rng.standard_normal(5), rng.standard_normal(5)], rng.standard_normal(5)
    model, step = make(jit)
    other, eager = make(lambda f: f)
    for _ in range(3):
        close(step(columns, y).data, eager(columns, y).data)
    for p, q in zip(model.parameters(), other.parameters()):
        assert type(p) is Value
        assert type(p.data) is float
        close(p.data, q.data)
        close(p.grad, q.grad)


# --- arguments and results ---


def test_arguments_and_results_are_nested_structures():
    @jit
    def apply(tree, *, scale):
        return {"x": tree["x"] * scale, "rest": [tree["y"][0] + 1, (None, "text", tree["y"][1])], "three": 3}

    for scale in (2.0, 3.0):
        found = apply({"x": np.array([1.0, 2.0]), "y": (Value([3.0]), 4)}, scale=scale)
        close(found["x"], scale * np.array([1.0, 2.0]))
        assert type(found["x"]) is np.ndarray
        assert isinstance(found["rest"][0], Value)
        close(found["rest"][0].data, [4.0])
        assert found["rest"][1] == (None, "text", 4)
        assert type(found["rest"][1][2]) is int
        assert found["three"] == 3


def test_numbers_are_inputs_and_come_back_as_numbers():
    fn, runs = counted(lambda x, n: (x * x + n, n + 1, n > 3))
    compiled = jit(fn)
    for x, n in ((1.5, 2), (2.5, 5), (-1.0, 7)):
        square, more, above = compiled(x, n)
        assert (square, more, bool(above)) == (x * x + n, n + 1, n > 3)
        assert type(square) is float
        assert type(more) is int
    assert len(runs) == 1


@pytest.mark.parametrize("to", [np.asarray, jnp.asarray])
def test_batches_in_tuples_and_dictionaries_may_be_others_in_each_call(to):
    fn, runs = counted(lambda batch, more: batch["x"] * more[0] + batch["y"][0])
    compiled = jit(fn)
    for i in range(4):
        x = np.array([1.0, i], np.float32)
        found = compiled({"x": to(x), "y": [to(x + 1)]}, (2.0, "name", None))
        close(found, 3 * x + 1)
    assert len(runs) == 1
    close(compiled({"x": to(x), "y": [to(x)]}, (3.0, "other", None)), 4 * x)
    close(compiled({"y": [to(x)], "x": to(x)}, (3.0, "other", None)), 4 * x)
    with pytest.raises(KeyError):
        compiled({"x": to(x)}, (3.0,))


def test_a_batch_may_be_given_twice_and_given_back():
    @jit
    def both_sums(a, b):
        return a[0].sum() + b[1].sum(), a

    for k in (1.0, 2.0):
        pair = [np.array([k]), np.array([2 * k])]
        total, same = both_sums(pair, pair)
        assert total == 3 * k
        close(same, pair)


def test_arguments_by_name_come_in_any_order():
    fn, runs = counted(lambda *, a, b: a - b)
    compiled = jit(fn)
    x, y = np.array([3.0]), np.array([1.0])
    assert compiled(a=x, b=y) == 2.0
    assert compiled(b=y, a=x) == 2.0
    assert compiled(b=x, a=y) == -2.0
    assert len(runs) == 1


def test_values_given_back_are_the_very_objects():
    w, holder = Value([1.0]), SimpleNamespace(w=Value([2.0]))

    @jit
    def step(w, holder):
        w.data = w.data + 1
        return w, [holder.w], holder

    for k in (2.0, 3.0):
        found = step(w, holder)
        assert found[0] is w
        assert found[1][0] is holder.w
        assert found[2] is holder
        close(w.data, [k])


def test_values_made_inside_come_back_new_each_time():
    @jit
    def make(x):
        v = Value(x * 2, label="twice")
        return v, Value(3.0), [v]

    first, number, again = make(np.array([1.0]))
    second, _, _ = make(np.array([2.0]))
    assert first is not second
    assert again[0] is first
    assert first.label == "twice"
    close(first.data, [2.0])
    close(second.data, [4.0])
    assert number.data == 3.0


def test_objects_made_inside_come_back():
    @dataclass
    class Output:
        loss: object
        name: str

    output = jit(lambda x: Output(Value(x).sum(), "n"))(np.ones(3))
    assert isinstance(output, Output)
    assert float(output.loss) == 3.0
    assert output.name == "n"


def test_values_created_inside_take_part_in_backward():
    @jit
    def slope(x):
        v = Value(x)
        total = Value(0.0)
        for _ in range(2):
            total = total + (v * v).sum()
        total.backward()
        return v.grad

    close(slope(np.array([1.0, 3.0])), [4.0, 12.0])


def test_static_arguments_are_python_values_and_each_has_its_program():
    def power(x, n, how="times"):
        result = x
        for _ in range(n - 1):
            result = result * x
        return result if how == "times" else -result

    fn, runs = counted(power)
    compiled = jit(fn, static_argnames=("n",))
    x = np.array([2.0])
    assert [compiled(x, n)[0] for n in (2, 3, 2, 3)] == [4.0, 8.0, 4.0, 8.0]
    assert compiled(x, n=3)[0] == 8.0
    assert compiled(x, 2, "minus")[0] == -4.0
    assert len(runs) == 4
    assert jit(power, static_argnames="n")(x, 2)[0] == 4.0


def test_a_list_that_is_an_argument_may_be_changed_by_the_function():
    def make(compile):
        def step(parameters, x):
            gradients = grad(lambda ps: ((ps[0] * x).sum() + ps[1].sum()) ** 2)(parameters)
            for i, g in enumerate(gradients):
                parameters[i] = parameters[i] - 0.1 * g

        return compile(step)

    def run(step):
        parameters = [np.array([1.0, 2.0]), np.array([0.5])]
        for i in range(3):
            step(parameters, np.array([1.0, i]))
        assert all(type(p) is np.ndarray for p in parameters)
        return parameters

    for found, expected in zip(*both(make, run)):
        close(found, expected)


def test_arrays_of_jax_go_in_and_come_out():
    result = jit(lambda x: (x * 2, x.sum()))(jnp.ones(3))
    assert all(isinstance(x, jax.Array) for x in result)
    assert result[0].dtype == jnp.float32


def test_random_keys_are_state():
    state = SimpleNamespace(key=jax.random.key(0))

    @jit
    def draw(n):
        state.key, key = jax.random.split(state.key)
        return jax.random.uniform(key, (3,)) * n

    first, second = draw(1.0), draw(1.0)
    _, a = jax.random.split(jax.random.key(0))
    close(first, jax.random.uniform(a, (3,)), 1e-6)
    assert first.dtype == jnp.float32  # JAX's own arrays follow JAX's own setting
    assert not np.allclose(first, second)


# --- together with the rest ---


def test_transforms_work_inside():
    f = lambda x: (x.sin() * x).sum()  # noqa: E731
    x = np.array([0.3, 1.2])
    for transform in (grad, adjoint.hessian, lambda f: adjoint.value_and_grad(f)):
        for found, expected in zip(jit(transform(f))(x), transform(f)(x)):
            close(found, expected)
    hvp = lambda x, v: adjoint.hvp(f, x, v)  # noqa: E731
    close(jit(hvp)(x, x), hvp(x, x))


def test_gradients_pass_through_a_compiled_function_that_changes_nothing():
    def make(compile):
        w, s = Value([1.0, 2.0]), Value(0.5)
        return w, s, compile(lambda x: ((w * x).tanh() * s, (w * w).sum()))

    def run(made):
        w, s, f = made
        x = Value([0.3, -0.7])
        for _ in range(2):
            a, b = f(x * 2)
            (a.sum() * b).backward()
        return w.grad, s.grad, x.grad

    for found, expected in zip(*both(make, run)):
        close(found, expected)


def test_compiled_functions_differentiate_to_any_order_in_both_modes():
    cube = jit(lambda x: (x**4).sum())
    x = np.array([1.0, 2.0])
    close(grad(cube)(x), 4 * x**3)
    close(adjoint.hessian(cube)(x), np.diag(12 * x**2))
    close(grad(lambda x: (grad(cube)(x) * x).sum())(x), 16 * x**3)
    close(adjoint.jvp(cube, (x,), (np.ones(2),))[1], (4 * x**3).sum())
    assert grad(grad(grad(jit(lambda x: x**4))))(2.0) == 48.0


def test_a_result_of_a_step_has_no_history_outside_and_says_so():
    _, _, step = training(compiled=True)
    for _ in range(2):
        loss = step(*batch())
        with pytest.raises(GraphError):
            loss.backward()
        loss.detach().backward()


def test_an_eager_backward_notices_that_a_compiled_step_changed_the_data():
    model, _, step = training(compiled=True)
    x, y = batch()
    for _ in range(2):
        loss = (model(x) ** 2).mean()
        step(x, y)
        with pytest.raises(GraphError, match="assigned after"):
            loss.backward()


def test_a_backward_through_a_compiled_function_notices_that_a_step_changed_the_data():
    model, _, step = training(compiled=True)
    x, y = batch()
    predict = jit(lambda x: model(x))
    step(x, y)
    for _ in range(2):
        outputs = predict(x)
        step(x, y)
        with pytest.raises(GraphError, match="assigned after"):
            outputs.sum().backward()


def test_models_can_be_copied_between_steps():
    model, _, step = training(compiled=True)
    step(*batch())
    holder = SimpleNamespace(model=model, step=jit(lambda x: x + 1))
    copied = copy.deepcopy(holder)
    before = [np.array(p.data) for p in model.parameters()]
    step(*batch())
    for p, q, data in zip(model.parameters(), copied.model.parameters(), before):
        close(q.data, data)
        assert not np.array_equal(p.data, data)
    assert copied.step(np.array([1.0])) == 2.0


def test_compiled_functions_run_in_other_threads():
    model, _, step = training(compiled=True)
    other, _, eager = training()
    for i in range(3):
        thread = threading.Thread(target=step, args=batch(seed=i))
        thread.start()
        thread.join()
        eager(*batch(seed=i))
    close(model.parameters()[0].data, other.parameters()[0].data)


def test_compiled_functions_nest():
    inner_fn, runs = counted(lambda x: (W * x).tanh())
    inner = jit(inner_fn)

    @jit
    def outer(x):
        W.zero_grad()
        inner(x).sum().backward()
        return W.grad * 1

    x = np.array([0.1, 0.2])
    close(outer(x), x * (1 - np.tanh(W.data * x) ** 2))
    close(outer(x * 2), 2 * x * (1 - np.tanh(W.data * 2 * x) ** 2))
    assert len(runs) == 1
    close(jax.jit(lambda x: inner(x).data)(jnp.ones(2)), np.tanh(W.data), 1e-5)


def test_no_grad_holds_inside():
    fn, runs = counted(lambda x: (W * x).sum())
    compiled = jit(fn)
    x = np.array([1.0, 1.0])
    for _ in range(2):
        with no_grad():
            assert compiled(x).parents == ()
        assert compiled(x).parents != ()
    assert len(runs) == 2
    with no_grad():
        assert float(compiled(x)) == 3.0
        with pytest.raises(GraphError, match="no_grad"):
            jit(lambda x: (W * x).sum().backward())(x)


def test_detect_anomaly_runs_the_function_itself():
    compiled = jit(lambda x: (Value(x) - 1.0).log())
    close(compiled(np.array([1.0])).data, [-np.inf])
    with detect_anomaly(), np.errstate(invalid="ignore"), pytest.raises(adjoint.errors.AnomalyError, match="log"):
        compiled(np.array([1.0]))


def test_create_graph_inside_leaves_a_value_as_gradient():
    x = Value([2.0])

    @jit
    def step():
        x.zero_grad()
        (x**3).sum().backward(create_graph=True)
        slope = x.grad
        x.zero_grad()
        slope.sum().backward()
        return slope

    close(step().data, [12.0])
    close(x.grad, [12.0])


def test_where_chooses_without_branching():
    @jit
    def huber(x):
        return adjoint.where(abs(x) < 1, x * x / 2, abs(x) - 0.5).sum()

    x = np.array([0.5, -3.0])
    close(huber(x), 0.125 + 2.5)
    close(grad(huber)(x), [0.5, -1.0])


# --- nothing is left behind ---


def tracers_left() -> list:
    gc.collect()
    Tensor = adjoint.Tensor
    values = [x for x in gc.get_objects() if issubclass(type(x), Tensor)]  # isinstance asks lazy modules
    held = [y for v in values for y in (v._data, v._grad, *v._operands)]
    return [x for x in held if isinstance(x, jax.core.Tracer)]


def test_no_tracer_is_left_behind():
    before = len(tracers_left())
    model, optimizer, step = training(Adam, compiled=True)
    losses = []
    for i in range(3):
        losses.append(step(*batch(seed=i)))
    assert len(tracers_left()) == before
    assert not any(isinstance(m, jax.core.Tracer) for m in (*optimizer.m, *optimizer.v))
    assert model is not None


def test_memory_stays_flat():
    _, _, step = training(Adam, compiled=True)
    x, y = batch()
    for _ in range(20):
        step(x, y)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(500):
        step(x, y)
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_no_batch_is_kept():
    class Batch(np.ndarray):
        """One that can be referred to weakly."""

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


def test_a_history_outside_is_the_same_after_a_trace():
    a = Value([1.0, 2.0])
    b = a * 3
    parents, rule = b.parents, b._rule
    jit(lambda: b.sum())()
    assert b.parents == parents
    assert b._rule is rule
    b.sum().backward()
    close(a.grad, [3.0, 3.0])


# --- what cannot be compiled, and what is said ---


def branch(v):
    return v * 2 if v.sum() > 0 else v


def loop(v):
    while v.sum() < 10:
        v = v * 2
    return v


NEEDS_NUMBERS = {
    "if": branch,
    "while": loop,
    "float": lambda v: float(v.sum()),
    "int": lambda v: int(v.sum().data),
    "item": lambda v: v.sum().item(),
    "numpy": lambda v: v.numpy(),
    "bool": lambda v: bool(v.sum()),
    "mask": lambda v: v[v.data > 0],
    "sqrt": lambda v: np.sqrt(v.data),
}


@pytest.mark.parametrize("name", NEEDS_NUMBERS)
def test_python_that_needs_numbers_is_explained(name):
    v = Value([1.0, 2.0])
    data = v._data
    with pytest.raises(TraceError) as caught:
        jit(NEEDS_NUMBERS[name])(v)
    message = str(caught.value)
    assert "adjoint.where(condition, a, b)" in message
    assert "static_argnames" in message
    assert "test_jit.py:" in message
    assert v._data is data


def test_the_message_shows_the_line_of_the_user():
    with pytest.raises(TraceError, match=r"`while v.sum\(\) < 10:` \(test_jit.py:\d+\): it decides by a number"):
        jit(loop)(Value([1.0]))


def test_the_message_names_numbers_that_could_be_static():
    with pytest.raises(TraceError, match="such as 'n', belongs into static_argnames"):
        jit(lambda x, n: [x * i for i in range(n)])(np.ones(2), 3)


def test_a_value_that_cannot_be_reached_is_named():
    hidden = iter([Value([1.0], label="hidden")])
    w = next(hidden)
    box = {"w": w}.__getitem__  # no object that jit looks into
    w.grad = np.array([7.0])

    def step(x):
        (box("w") * x).sum().backward()

    with pytest.raises(TraceError, match=r"'hidden'.*pass it as an argument"):
        jit(step)(np.ones(1))
    close(w.grad, [7.0])


def test_a_backward_that_would_stop_at_the_function_raises():
    a = Value([1.0, 2.0])
    with pytest.raises(TraceError, match=r"computed outside.*\.detach\(\)"):
        jit(lambda h: h.sum().backward())(a * 2)
    h = (a * 2).detach()
    jit(lambda h: h.sum().backward())(h)
    close(h.grad, [1.0, 1.0])


def test_what_cannot_be_given_back_raises():
    with pytest.raises(TraceError, match="make it a list"):
        jit(lambda x: map(float, x))(np.ones(2))
    with pytest.raises(TraceError, match="make it a list"):
        jit(lambda x: {Value(x)})(np.ones(2))


def test_assignment_to_a_part_of_an_array_raises():
    def fill(x):
        x[0] = 1.0

    with pytest.raises(TraceError, match=r"`x\[0\] = 1.0` \(test_jit.py:\d+\).*immutable"):
        jit(fill)(np.ones(2))


def test_a_number_among_the_keys_of_a_dictionary_or_in_a_partial_is_named():
    w = Value(2.0)
    rates = {w: 0.1}
    with pytest.raises(TraceError, match="rates is a dictionary whose keys are Values of one number"):
        jit(lambda x: x * rates[w])(np.ones(2))
    with pytest.raises(TraceError, match="cannot be changed, such as a partial"):
        jit(functools.partial(lambda w, x: w * x, w))(np.ones(2))


@pytest.mark.parametrize("what", ["buffer", "data", "grad", "argument"])
def test_a_change_in_place_that_would_be_lost_raises(what):
    w, state = Value([1.0, 2.0]), SimpleNamespace(m=[np.zeros(2)])

    def step(x):
        (w * x).sum().backward()
        changed = {"buffer": state.m[0], "data": w.data, "grad": w.grad, "argument": x}[what]
        changed *= 0.5

    with pytest.raises(TraceError, match=r"in place at test_jit.py:\d+"):
        jit(step)(np.ones(2))
    assert type(state.m[0]) is np.ndarray


def test_a_change_in_place_that_is_assigned_is_fine():
    w, state = Value([1.0, 2.0]), SimpleNamespace(m=[np.ones(2)])

    @jit
    def step(x):
        state.m[0] *= x
        m = w.data
        m *= 2
        w.data = m

    step(np.array([3.0, 3.0]))
    close(state.m[0], [3.0, 3.0])
    close(w.data, [2.0, 4.0])


def test_a_list_that_grows_with_every_call_raises():
    losses = []

    @jit
    def step(x):
        losses.append((W * x).sum())

    step(np.ones(2))
    close(losses[0].data, 3.0)
    step(np.ones(2))
    with pytest.raises(TraceError, match="losses grows with every call"):
        step(np.ones(2))
    assert len(losses) == 2


def test_without_jax_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    for transform in (jit, vmap):
        with pytest.raises(MissingExtraError, match=r"pip install adjoint\[jax\]"):
            transform(lambda x: x)


def test_importing_adjoint_and_decorating_does_not_load_jax():
    program = "import sys, adjoint; f = adjoint.jit(lambda x: x); assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_module_may_be_called_in_the_place_of_its_function():
    program = "import adjoint.jit, numpy; assert adjoint.jit(lambda x: x + 1)(numpy.ones(1))[0] == 2"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_bad_arguments_are_named():
    with pytest.raises(ArgumentError, match="'m' is no parameter of the function; it has x, n"):
        jit(lambda x, n: x, static_argnames=("m",))
    with pytest.raises(ArgumentError, match="static argument 'n' must be hashable"):
        jit(lambda x, n: x, static_argnames=("n",))(np.ones(1), [1])
    with pytest.raises(ArgumentError, match="compiles a function, not"):
        jit(3)
    with pytest.raises(ArgumentError, match="asked to use 99 devices"):
        jit(lambda x: x, devices=99)(np.ones(1))
    with pytest.raises(ArgumentError, match="devices is a number of them"):
        jit(lambda x: x, devices="all")(np.ones(1))


def test_values_of_pytorch_are_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(LibraryError, match="PyTorch"):
        jit(lambda v: v * 2)(Value(torch.ones(2)))


# --- vmap ---


def test_vmap_applies_a_function_to_each_example():
    X = np.arange(6.0).reshape(3, 2)
    close(vmap(lambda x: x[0] * x)(X), X[:, :1] * X)
    close(vmap(lambda x: x[0] * x, in_axes=1)(X), (X[:1] * X).T)
    close(vmap(lambda x: x[0] * x, out_axes=1)(X), (X[:, :1] * X).T)
    turned, sums = vmap(lambda x: (x, x.sum()), out_axes=(1, 0))(X)
    close(turned, X.T)
    close(sums, X.sum(1))
    close(vmap(lambda x, s: x * s, in_axes=(0, None))(X, 2.0), X * 2)
    found = vmap(lambda x: {"sum": x.sum(), "pair": (x, W)})(X)
    close(found["sum"], X.sum(1))
    close(found["pair"][1].data, np.tile(W.data, (3, 1)))
    close(vmap(lambda d: d["a"] * d["b"], in_axes=({"a": 0, "b": None},))({"a": X, "b": X[0]}), X * X[0])


def test_vmap_takes_numbers_and_single_values_that_all_examples_share():
    X, scale = np.arange(6.0).reshape(3, 2), Value(2.0)
    apply = vmap(lambda x, n, v, *, shift: (x * n * v + shift, n + 1), in_axes=(0, None, None))
    values, more = apply(X, 3, scale, shift=X)
    close(values.data, X * 7)
    assert more.tolist() == [4, 4, 4]
    values.sum().backward()
    assert scale.grad == 3 * X.sum()
    with no_grad():
        assert apply(X, 3, scale, shift=X)[0].parents == ()


def test_vmap_of_grad_gives_the_gradient_of_each_example():
    X = np.arange(6.0).reshape(3, 2)

    def loss(w, x):
        return ((w * x).sum()) ** 2

    each = vmap(grad(loss), in_axes=(None, 0))
    expected = np.stack([grad(loss)(W.data, x) for x in X])
    close(each(W.data, X), expected)
    close(jit(each)(W.data, X), expected)
    reference = jax.vmap(jax.grad(loss), in_axes=(None, 0))(jnp.asarray(W.data), jnp.asarray(X))
    close(each(W.data, X), reference, 1e-5)


def test_gradients_pass_through_vmap():
    w, X = Value([1.0, 2.0]), Value(np.arange(6.0).reshape(3, 2) / 10)
    (vmap(lambda x: (w * x).sum().tanh())(X) ** 2).sum().backward()
    v, Y = Value([1.0, 2.0]), Value(X.data)
    ((v * Y).sum(axis=1).tanh() ** 2).sum().backward()
    close(w.grad, v.grad)
    close(X.grad, Y.grad)
    hessian = adjoint.hessian(lambda w: (vmap(lambda x: (w * x).sum().tanh())(X.data) ** 2).sum())(w.data)
    close(hessian, adjoint.hessian(lambda w: ((w * X.data).sum(axis=1).tanh() ** 2).sum())(w.data))


def test_vmap_nests_and_compiles():
    outer = vmap(vmap(lambda a, b: a * b, in_axes=(None, 0)), in_axes=(0, None))
    a, b = np.arange(3.0), np.arange(4.0)
    close(outer(a, b), np.outer(a, b))
    close(jit(outer)(a, b), np.outer(a, b))

    @jit
    def step(X):
        W.zero_grad()
        vmap(lambda x: (W * x).sum() ** 2)(X).sum().backward()
        return W.grad * 1

    X = np.arange(6.0).reshape(3, 2)
    close(step(X), (2 * (X @ W.data)[:, None] * X).sum(0))


def test_vmap_says_what_does_not_fit():
    X = np.ones((3, 2))
    with pytest.raises(ShapeError, match="x has 3, y has 2"):
        vmap(lambda x, y: x + y)(X, np.ones((2, 2)))
    with pytest.raises(ArgumentError, match=r"s is a number.*give None"):
        vmap(lambda x, s: x * s)(X, 2.0)
    with pytest.raises(ShapeError, match=r"x has the shape \(3, 2\) and no axis 2"):
        vmap(lambda x: x, in_axes=2)(X)
    with pytest.raises(ArgumentError, match="in_axes has 2 entries for 1 arguments"):
        vmap(lambda x: x, in_axes=(0, 0))(X)
    with pytest.raises(ArgumentError, match="no argument has an axis of examples"):
        vmap(lambda x: x, in_axes=None)(X)
    with pytest.raises(ArgumentError, match="out_axes has 2 entries for 1 results"):
        vmap(lambda x: x, out_axes=(0, 0))(X)
    with pytest.raises(TraceError, match="changes a Value"):
        vmap(lambda x: (W * x).sum().backward())(X)
    with pytest.raises(TraceError, match="decides by a number"):
        vmap(lambda x: x if x.sum() > 0 else -x)(X)
    with pytest.raises(ArgumentError, match="vmap needs a function"):
        vmap(3)


# --- many devices ---


def run_outside(program: str, *arguments: str, **environment: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, str(OUTSIDE / program), *arguments],
        env={**os.environ, "JAX_PLATFORMS": "cpu", **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def finished(process: subprocess.Popen) -> str:
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    return output


@pytest.mark.parametrize("devices", [1, jax.devices()[:1], jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))])
def test_one_device_is_a_mesh_too(devices):
    w, state = Value([1.0, 2.0]), SimpleNamespace(t=0, m=np.ones(2))

    @functools.partial(jit, devices=devices)
    def step(x, rate):
        state.t += 1
        state.m = state.m * 2
        loss = (w * x * state.m).sum(axis=1).mean()
        w.zero_grad()
        loss.backward()
        w.data -= rate * w.grad
        return loss

    x = np.array([[1.0, 1.0], [3.0, 1.0]])
    assert [float(step(x, 0.5)), float(step(jnp.asarray(x), 0.5))] == [8.0, -4.0]
    close(w.grad, [8.0, 4.0])
    close(state.m, [4.0, 4.0])
    assert state.t == 2


def test_eight_devices_compute_what_one_computes():
    output = finished(run_outside("devices.py", XLA_FLAGS="--xla_force_host_platform_device_count=8"))
    assert "the same on 8 devices" in output


def test_two_processes_compute_what_one_computes():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    processes = [run_outside("processes.py", port, str(i), XLA_FLAGS="") for i in range(2)]
    for output in [finished(process) for process in processes]:
        assert "the same in 2 processes" in output
