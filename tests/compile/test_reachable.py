"""The state of a compiled function: everything it can reach is read before each call and updated after it."""

import argparse
import functools
from collections import namedtuple
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from closeness import require_close
from compiling import Adam, Descent, Network, ValueAdam, batch, both, counted, training

from adjoint import Value, jit, nn
from adjoint.errors import GraphError

jax = pytest.importorskip("jax")


def test_data_assigned_between_calls_is_used():
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
    require_close(losses, expected)
    require_close(w, v)
    require_close(b, c)


def test_a_batch_changed_in_place_is_read_again():
    total = jit(lambda x: x.sum())
    x = np.ones(4)
    for i in range(4):
        assert total(x) == 4 + i
        x[0] += 1


def test_training_and_evaluation_alternate():
    model, _, step = training(ValueAdam, compiled=True)
    other, _, eager = training(ValueAdam)
    predict = jit(lambda x: model(x))
    for i in range(4):
        x, y = batch(seed=i)
        step(x, y)
        eager(x, y)
        require_close(predict(x).data, other(x).data)
        require_close(predict(x[:3]).data, other(x[:3]).data)


def test_a_learning_rate_schedule_needs_one_more_trace():
    model, optimizer, step = training(Descent)
    other, other_optimizer, eager = training(Descent)
    fn, runs = counted(step)
    compiled = jit(fn)
    for i in range(6):
        optimizer.lr = other_optimizer.lr = 0.1 / (1 + i)
        compiled(*batch(seed=i))
        eager(*batch(seed=i))
    require_close(model.parameters()[0].data, other.parameters()[0].data)
    assert len(runs) == 2


@pytest.mark.filterwarnings("ignore::adjoint.errors.RecompilationWarning")
def test_a_number_that_python_needs_has_one_program_per_value():
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
    assert len(runs) == 4  # the extra run finds out that Python needs the number


def test_flags_and_names_of_objects_are_part_of_the_program():
    layer = SimpleNamespace(training=True, name="relu")

    @jit
    def apply(x):
        y = x.relu() if layer.name == "relu" else x.tanh()
        return y * 2 if layer.training else y

    x = Value([-1.0, 1.0])
    for _ in range(2):
        layer.training, layer.name = True, "relu"
        require_close(apply(x).data, [0.0, 2.0])
        layer.training = False
        require_close(apply(x).data, [0.0, 1.0])
        layer.name = "tanh"
        require_close(apply(x).data, np.tanh([-1.0, 1.0]))


def test_numbers_of_the_state_are_computed_in_python():
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
        require_close(state.scale, expected.scale)


def test_buffers_stay_numpy_arrays_that_can_be_changed():
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
        require_close(found, expected)


def test_the_first_step_can_create_buffers():
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
        require_close(q.data, p.data)
    require_close(other_optimizer.last, optimizer.last)
    assert type(other_optimizer.buffers[0]) is np.ndarray


@pytest.mark.filterwarnings("ignore::adjoint.errors.StaleGradientWarning")  # the gradients add up on purpose
def test_state_is_found_in_tuples_slots_dataclasses_and_dictionaries_of_values():
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
        require_close(found, expected)


def test_a_value_found_twice_is_one_value():
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


def test_objects_that_refer_to_each_other_are_visited_once():
    a, b = SimpleNamespace(w=Value([1.0])), SimpleNamespace()
    a.other, b.other = b, a
    a.itself = [a]

    @jit
    def step(x):
        a.w.data = a.w.data * x.sum()

    step(np.array([3.0]))
    require_close(a.w.data, [3.0])


W = Value([1.0, 2.0])
RATE = 0.5


def helper(x):
    return (W * x).sum() * RATE


def test_globals_of_the_function_and_of_functions_it_calls_are_state(monkeypatch):
    @jit
    def step(x):
        W.zero_grad()
        loss = helper(x)
        loss.backward()
        return loss

    x = np.array([1.0, 1.0])
    require_close(step(x).data, 1.5)
    require_close(W.grad, [0.5, 0.5])
    monkeypatch.setitem(globals(), "RATE", 2.0)
    require_close(step(x).data, 6.0)
    monkeypatch.setitem(globals(), "W", Value([1.0, 1.0]))
    require_close(step(x).data, 4.0)
    require_close(W.grad, [2.0, 2.0])


module = ModuleType("a_module_of_the_user")
module.w = Value([1.0, 2.0])
module.rate = 0.5


def test_attributes_of_another_module_are_state():
    @jit
    def step(x):
        module.w.zero_grad()
        (module.w * x).sum().backward()
        module.w.data -= module.rate * module.w.grad

    step(np.array([1.0, 1.0]))
    require_close(module.w.data, [0.5, 1.5])
    module.rate = 1.0
    step(np.array([1.0, 1.0]))
    require_close(module.w.data, [-0.5, 0.5])


def test_a_namespace_of_argparse_is_state():
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


def test_state_that_is_replaced_by_a_new_value_in_each_call_carries_over():
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
        require_close(found, expected)


@pytest.mark.filterwarnings("ignore::adjoint.errors.StaleGradientWarning")  # the gradients add up on purpose
@pytest.mark.parametrize("hidden", [4, 700])  # small arrays share one array on the device, large ones do not
def test_batches_of_two_sizes_alternate(hidden):
    def make(compile):
        model = Network([3, hidden, 2])

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
        require_close(found, expected)


def test_data_can_be_assigned_without_being_read():
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
        require_close(found, expected)


def test_a_count_can_be_a_value():
    count, total = Value(0.0), Value(1.0)

    @jit
    def step(x):
        count.data += 1.0
        total.data = total.data * 2.0 + count.data + x.sum()
        return x * count

    for i in range(3):
        require_close(step(np.ones(2)).data, [i + 1.0] * 2)
    assert (count.data, total.data) == (3.0, 33.0)


def test_a_variable_of_the_closure_can_be_rebound():
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


def test_networks_of_scalar_values_can_be_compiled():
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
        require_close(step(columns, y).data, eager(columns, y).data)
    for p, q in zip(model.parameters(), other.parameters()):
        assert type(p) is Value
        assert type(p.data) is float
        require_close(p.data, q.data)
        require_close(p.grad, q.grad)


def test_classes_of_a_program_without_a_name_hold_state():
    """Code that runs by exec() in an empty namespace makes classes of the module "builtins"."""
    names: dict = {"Value": Value, "jit": jit}
    exec(
        "class Model:\n    def __init__(self):\n        self.w = Value(2.0)\nm = Model()\nf = jit(lambda: m.w * 3)",
        names,
    )
    assert names["f"]().data == 6.0
    names["m"].w = Value(5.0)
    assert names["f"]().data == 15.0
