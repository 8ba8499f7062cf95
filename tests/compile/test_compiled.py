"""`jit`: a compiled function computes the same numbers, and is traced once for each kind of arguments."""

import numpy as np
import pytest
from closeness import require_close
from compiling import Adam, Descent, Network, ValueAdam, batch, both, counted, training

from adjoint import Value, jit

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.mark.parametrize(("optimizer", "dtype"), [(Descent, np.float32), (Adam, np.float64), (ValueAdam, np.float32)])
def test_compiled_training_agrees_with_eager_training(optimizer, dtype):
    model, _, step = training(optimizer, compiled=False, dtype=dtype)
    other, its_optimizer, compiled = training(optimizer, compiled=True, dtype=dtype)
    for i in range(5):
        x, y = batch(seed=i, dtype=dtype)
        require_close(compiled(x, y).data, step(x, y).data)
        count = getattr(its_optimizer, "t", i + 1)
        assert (type(count), count) == (int, i + 1)  # a count stays a plain number
    for p, q in zip(model.parameters(), other.parameters()):
        require_close(q.data, p.data)
        require_close(q.grad, p.grad)
        assert q.data.dtype == p.data.dtype == dtype
        assert isinstance(q.data, np.ndarray)
        assert isinstance(q.grad, np.ndarray)


def test_compiled_training_agrees_with_the_same_program_in_jax():
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
        require_close(step(x, y).data, value, dtype="float32")
    for p, q in zip(model.parameters(), parameters):
        require_close(p.data, q, dtype="float32")


def test_values_that_hold_jax_arrays_still_hold_jax_arrays_after_a_call():
    model, _, step = training(compiled=True, dtype=np.float32, to=jnp.asarray)
    other, _, eager = training(dtype=np.float32)
    held = model.parameters()[0].data
    for i in range(3):
        loss, expected = step(*batch(seed=i, dtype=np.float32)), eager(*batch(seed=i, dtype=np.float32))
        require_close(loss.data, expected.data)
        assert isinstance(loss.data, jax.Array)
    for p, q in zip(model.parameters(), other.parameters()):
        assert isinstance(p.data, jax.Array)
        assert isinstance(p.grad, jax.Array)
        require_close(p.data, q.data)
    assert not held.is_deleted()  # an array with other references is not donated


def test_gradients_accumulate_over_calls_until_they_are_set_to_zero():
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
    require_close(first, expected_first)
    require_close(last, expected_last)


def test_a_gradient_set_to_zero_at_the_end_of_a_step_is_zero():
    w = Value([1.0, 2.0])

    @jit
    def step(x):
        (w * x).sum().backward()
        w.data -= w.grad
        w.zero_grad()

    for _ in range(2):
        assert step(np.array([1.0, 1.0])) is None
    require_close(w.data, [-1.0, 0.0])
    require_close(w.grad, [0.0, 0.0])


def test_float32_stays_float32_with_python_numbers_and_integers():
    w = Value(np.ones(3, np.float32))

    @jit
    def step(x, lr, i):
        loss = (w * x[i] * 2.0 + 1).sum() / 3
        loss.backward()
        w.data -= lr * w.grad
        return loss, w.data * lr

    loss, array = step(np.ones((2, 3), np.float32), 0.1, np.array([0, 1, 1]))
    assert loss.dtype == w.data.dtype == w.grad.dtype == array.dtype == np.float32


def test_float64_stays_float64_without_changing_the_setting_of_jax():
    assert not jax.config.jax_enable_x64
    x = np.array([1 + 1e-12])
    result = jit(lambda x: x * 1.0)(x)
    assert result.dtype == np.float64
    assert result[0] == x[0]
    assert not jax.config.jax_enable_x64
    assert jnp.asarray(x).dtype == jnp.float32


# --- traced once ---


def test_a_function_is_traced_once_for_each_combination_of_shapes_and_dtypes():
    fn, runs = counted(lambda x, y: x * y)
    compiled = jit(fn)
    shapes = [((2,), np.float64), ((3,), np.float64), ((2,), np.float32), ((2, 2), np.float64)]
    for _ in range(3):
        for shape, dtype in shapes:
            x = np.full(shape, 2, dtype)
            require_close(compiled(x, x), np.full(shape, 4, dtype))
    assert len(runs) == len(shapes)


@pytest.mark.parametrize("optimizer", [Descent, ValueAdam])
def test_a_step_is_traced_once_and_a_second_time_if_it_changes_a_count(optimizer):
    model, optimizer, step = training(optimizer)
    fn, runs = counted(step)
    compiled = jit(fn)
    for i in range(6):
        compiled(*batch(seed=i))
        if i == 3:
            _ = model.parameters()[0].data.sum(), model.parameters()[1].grad.sum()  # reading does not cause a trace
    assert len(runs) == (1 if isinstance(optimizer, Descent) else 2)


def test_new_values_of_the_same_shapes_are_not_traced_again():
    fn, runs = counted(lambda x, w: (x * w).sum())
    compiled = jit(fn)
    for i in range(4):
        require_close(compiled(Value([1.0, i]), Value([2.0, 2.0])).data, 2 + 2 * i)
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
        require_close(loss.data, step(model, x).data)
        for p, g in zip(model.parameters(), grads):
            require_close(g, p.grad)
    assert len(runs) == 1


def test_results_are_the_same_without_the_fast_path(monkeypatch):
    monkeypatch.setattr("adjoint.compile.compiled.settings.fast", False)  # no call is recognized
    model, _, step = training(ValueAdam)
    fn, runs = counted(step)
    compiled, (other, _, eager) = jit(fn), training(ValueAdam)
    for i in range(4):
        require_close(compiled(*batch(seed=i)).data, eager(*batch(seed=i)).data)
    for p, q in zip(model.parameters(), other.parameters()):
        require_close(p.data, q.data)
    assert len(runs) == 2  # programs are found by their key; the second is for the count
