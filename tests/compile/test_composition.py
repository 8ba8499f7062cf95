"""Compiled functions together with transforms, modes, threads, copies and each other."""

import copy
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from closeness import require_close
from compiling import batch, both, counted, training

import adjoint
from adjoint import Value, detect_anomaly, grad, jit, no_grad
from adjoint.errors import GraphError

jax = pytest.importorskip("jax")
jnp = jax.numpy

W = Value([1.0, 2.0])


def test_transforms_work_inside_a_compiled_function():
    f = lambda x: (x.sin() * x).sum()  # noqa: E731
    x = np.array([0.3, 1.2])
    for transform in (grad, adjoint.hessian, lambda f: adjoint.value_and_grad(f)):
        for found, expected in zip(jit(transform(f))(x), transform(f)(x)):
            require_close(found, expected)
    hvp = lambda x, v: adjoint.hvp(f, x, v)  # noqa: E731
    require_close(jit(hvp)(x, x), hvp(x, x))


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
        require_close(found, expected)


def test_compiled_functions_differentiate_to_any_order_in_both_modes():
    cube = jit(lambda x: (x**4).sum())
    x = np.array([1.0, 2.0])
    require_close(grad(cube)(x), 4 * x**3)
    require_close(adjoint.hessian(cube)(x), np.diag(12 * x**2))
    require_close(grad(lambda x: (grad(cube)(x) * x).sum())(x), 16 * x**3)
    require_close(adjoint.jvp(cube, (x,), (np.ones(2),))[1], (4 * x**3).sum())
    assert grad(grad(grad(jit(lambda x: x**4))))(2.0) == 48.0


def test_backward_from_the_result_of_a_step_raises_because_its_graph_is_inside():
    _, _, step = training(compiled=True)
    for _ in range(2):
        loss = step(*batch())
        with pytest.raises(GraphError):
            loss.backward()
        (loss.detach() * 2.0).backward()


def test_an_eager_backward_raises_after_a_compiled_step_changed_the_data():
    model, _, step = training(compiled=True)
    x, y = batch()
    for _ in range(2):
        loss = (model(x) ** 2).mean()
        step(x, y)
        with pytest.raises(GraphError, match="assigned after"):
            loss.backward()


def test_backward_through_a_compiled_function_raises_after_a_step_changed_the_data():
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
        require_close(q.data, data)
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
    require_close(model.parameters()[0].data, other.parameters()[0].data)


def test_compiled_functions_nest():
    inner_fn, runs = counted(lambda x: (W * x).tanh())
    inner = jit(inner_fn)

    @jit
    def outer(x):
        W.zero_grad()
        inner(x).sum().backward()
        return W.grad * 1

    x = np.array([0.1, 0.2])
    require_close(outer(x), x * (1 - np.tanh(W.data * x) ** 2))
    require_close(outer(x * 2), 2 * x * (1 - np.tanh(W.data * 2 * x) ** 2))
    assert len(runs) == 1
    require_close(jax.jit(lambda x: inner(x).data)(jnp.ones(2)), np.tanh(W.data), dtype="float32")


def test_no_grad_holds_inside_a_compiled_function():
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


def test_detect_anomaly_runs_the_function_eagerly():
    compiled = jit(lambda x: (Value(x) - 1.0).log())
    require_close(compiled(np.array([1.0])).data, [-np.inf])
    with detect_anomaly(), np.errstate(invalid="ignore"), pytest.raises(adjoint.errors.AnomalyError, match="log"):
        compiled(np.array([1.0]))


def test_create_graph_inside_makes_the_gradient_a_value():
    x = Value([2.0])

    @jit
    def step():
        x.zero_grad()
        (x**3).sum().backward(create_graph=True)
        slope = x.grad
        x.zero_grad()
        slope.sum().backward()
        return slope

    require_close(step().data, [12.0])
    require_close(x.grad, [12.0])


def test_where_chooses_without_branching():
    @jit
    def huber(x):
        return adjoint.where(abs(x) < 1, x * x / 2, abs(x) - 0.5).sum()

    x = np.array([0.5, -3.0])
    require_close(huber(x), 0.125 + 2.5)
    require_close(grad(huber)(x), [0.5, -1.0])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_compiled_jacobian_computes_all_columns_at_once(mode):
    w = Value([0.5, -1.0])

    def of_tree(x):
        y = adjoint.tanh(x["a"] * x["b"])
        return [y, adjoint.stack([y.sum(), 2.0 * x["b"]]), x["a"] * 0.0 + 1.0]

    def of_value(x):
        return (x * w).sin() * x.sum()

    given = {"a": np.array([0.3, -0.2, 0.5]), "b": 1.5}
    eager = adjoint.jacobian(of_tree, mode=mode)(given)
    compiled = jit(lambda x: adjoint.jacobian(of_tree, mode=mode)(x))(given)
    for found, expected in zip(adjoint.tree_leaves(compiled), adjoint.tree_leaves(eager), strict=True):
        require_close(np.asarray(found), np.asarray(expected), terms=3)
    x = np.array([0.3, -0.2])
    expected = adjoint.jacobian(of_value, mode=mode)(x).data
    for wrap in (Value, lambda x: x):
        found = jit(lambda x, wrap=wrap: adjoint.jacobian(of_value, mode=mode)(wrap(x)))(x)
        require_close(found.data, expected, terms=3)

    def equations(size):
        f = jit(lambda x: adjoint.jacobian(lambda x: (x * x).sin() + x.sum(), mode=mode)(x))
        f(np.ones(size))
        return len(f.program.listing(full=True).splitlines())

    assert equations(50) == equations(5)
