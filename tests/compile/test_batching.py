"""`vmap`: a function of one example, applied to a batch."""

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, grad, jit, no_grad, vmap
from adjoint.errors import ArgumentError, ShapeError, TraceError

jax = pytest.importorskip("jax")
jnp = jax.numpy

W = Value([1.0, 2.0])


def test_vmap_applies_a_function_to_each_example():
    X = np.arange(6.0).reshape(3, 2)
    require_close(vmap(lambda x: x[0] * x)(X), X[:, :1] * X)
    require_close(vmap(lambda x: x[0] * x, in_axes=1)(X), (X[:1] * X).T)
    require_close(vmap(lambda x: x[0] * x, out_axes=1)(X), (X[:, :1] * X).T)
    turned, sums = vmap(lambda x: (x, x.sum()), out_axes=(1, 0))(X)
    require_close(turned, X.T)
    require_close(sums, X.sum(1))
    require_close(vmap(lambda x, s: x * s, in_axes=(0, None))(X, 2.0), X * 2)
    found = vmap(lambda x: {"sum": x.sum(), "pair": (x, W)})(X)
    require_close(found["sum"], X.sum(1))
    require_close(found["pair"][1].data, np.tile(W.data, (3, 1)))
    require_close(vmap(lambda d: d["a"] * d["b"], in_axes=({"a": 0, "b": None},))({"a": X, "b": X[0]}), X * X[0])


def test_vmap_accepts_numbers_and_scalar_values_that_all_examples_share():
    X, scale = np.arange(6.0).reshape(3, 2), Value(2.0)
    apply = vmap(lambda x, n, v, *, shift: (x * n * v + shift, n + 1), in_axes=(0, None, None))
    values, more = apply(X, 3, scale, shift=X)
    require_close(values.data, X * 7)
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
    require_close(each(W.data, X), expected)
    require_close(jit(each)(W.data, X), expected)
    reference = jax.vmap(jax.grad(loss), in_axes=(None, 0))(jnp.asarray(W.data), jnp.asarray(X))
    require_close(each(W.data, X), reference, dtype="float32")


def test_gradients_pass_through_vmap():
    w, X = Value([1.0, 2.0]), Value(np.arange(6.0).reshape(3, 2) / 10)
    (vmap(lambda x: (w * x).sum().tanh())(X) ** 2).sum().backward()
    v, Y = Value([1.0, 2.0]), Value(X.data)
    ((v * Y).sum(axis=1).tanh() ** 2).sum().backward()
    require_close(w.grad, v.grad)
    require_close(X.grad, Y.grad)
    hessian = adjoint.hessian(lambda w: (vmap(lambda x: (w * x).sum().tanh())(X.data) ** 2).sum())(w.data)
    require_close(hessian, adjoint.hessian(lambda w: ((w * X.data).sum(axis=1).tanh() ** 2).sum())(w.data))


def test_vmap_nests_and_compiles():
    outer = vmap(vmap(lambda a, b: a * b, in_axes=(None, 0)), in_axes=(0, None))
    a, b = np.arange(3.0), np.arange(4.0)
    require_close(outer(a, b), np.outer(a, b))
    require_close(jit(outer)(a, b), np.outer(a, b))

    @jit
    def step(X):
        W.zero_grad()
        vmap(lambda x: (W * x).sum() ** 2)(X).sum().backward()
        return W.grad * 1

    X = np.arange(6.0).reshape(3, 2)
    require_close(step(X), (2 * (X @ W.data)[:, None] * X).sum(0))


def test_wrong_arguments_of_vmap_are_named():
    X = np.ones((3, 2))
    with pytest.raises(ShapeError, match="x has 3, y has 2"):
        vmap(lambda x, y: x + y)(X, np.ones((2, 2)))
    with pytest.raises(ArgumentError, match=r"s is a number.*None"):
        vmap(lambda x, s: x * s)(X, 2.0)
    with pytest.raises(ShapeError, match=r"x has the shape \(3, 2\), which has no axis 2"):
        vmap(lambda x: x, in_axes=2)(X)
    with pytest.raises(ArgumentError, match="in_axes has 2 entries for 1 arguments"):
        vmap(lambda x: x, in_axes=(0, 0))(X)
    with pytest.raises(ArgumentError, match="no argument has a batch axis"):
        vmap(lambda x: x, in_axes=None)(X)
    with pytest.raises(ArgumentError, match="out_axes has 2 entries for 1 results"):
        vmap(lambda x: x, out_axes=(0, 0))(X)
    with pytest.raises(TraceError, match="changes a Value"):
        vmap(lambda x: (W * x).sum().backward())(X)
    with pytest.raises(TraceError, match="control flow that depends on a number"):
        vmap(lambda x: x if x.sum() > 0 else -x)(X)
    with pytest.raises(ArgumentError, match="vmap needs a function"):
        vmap(3)


def test_the_array_of_a_batch_may_be_used_as_a_whole_too():
    xs, nested = np.arange(1.0, 5.0), [np.arange(1.0, 3.0), np.ones(2)]
    expected = xs * xs.sum()
    assert np.array_equal(vmap(lambda x: (x * xs).sum())(xs), expected)
    assert np.array_equal(vmap(lambda x, all: (x * all).sum(), in_axes=(0, None))(xs, xs), expected)
    assert np.array_equal(vmap(lambda xy: (xy[0] * nested[0]).sum() + xy[1])(nested), 3 * nested[0] + 1)
    v = Value(xs)
    result = vmap(lambda x: (x * v).sum())(v)
    assert np.array_equal(result.data, expected)
    result.sum().backward()
    assert np.array_equal(v.grad, np.full(4, 2 * xs.sum()))


KINKS = {
    "norm": lambda x: adjoint.norm(x, axis=-1).sum(),
    "cdist": lambda x: adjoint.cdist(x, x).sum(),
    "std": lambda x: x.std(axis=-1).sum(),
    "relu": lambda x: adjoint.relu(x).sum(),
    "abs": lambda x: adjoint.abs(x).sum(),
    "clip": lambda x: adjoint.clip(x, 0.0, 1.0).sum(),
    "maximum": lambda x: adjoint.maximum(x, 0.0).sum(),
    "atan2": lambda x: adjoint.atan2(x, x).sum(),
    "max": lambda x: x.max(axis=0).sum(),
    "hardtanh": lambda x: adjoint.hardtanh(x).sum(),
    "power": lambda x: (abs(x) ** abs(x)).sum() + (0.0 ** (x - x.min())).sum(),
}


@pytest.mark.parametrize("name", KINKS)
def test_gradients_at_kinks_are_those_of_a_loop(name):
    """Under vmap, and behind a compiled function: JAX would differentiate the computation itself, which has others."""
    function = KINKS[name]
    batch = np.array([[[0.0, 0.0], [0.0, 0.0], [1.0, 2.0]], [[1.0, -1.0], [1.0, 1.0], [0.5, 0.0]]])
    expected = np.stack([grad(function)(x) for x in batch])
    assert np.isfinite(expected).all()
    require_close(grad(lambda x: vmap(function)(x).sum())(batch), expected)
    for x, slopes in zip(batch, expected):
        require_close(grad(jit(function))(x), slopes)
        v = Value(x)
        jit(function)(v).backward()
        require_close(v.grad, slopes)


def test_gradients_pass_from_outside_through_operations_that_hold_traced_arrays():
    rng = np.random.default_rng(0)
    X, k = rng.normal(size=(3, 4)), np.array([0, 2, 1])

    functions = [
        lambda x, k: (x[k] ** 2).sum(),
        lambda x, k: (adjoint.take_along_axis(x, k[:, None], axis=1) ** 2).sum(),
        lambda x, k: adjoint.nn.cross_entropy(x, k),
        lambda x, k: adjoint.where(k[:, None] > 0, x, -x).max(axis=0).sum(),
        lambda x, k: adjoint.norm(x[:, k], axis=1).sum(),
    ]
    for function in functions:
        require_close(grad(jit(function))(X, k), grad(function)(X, k))


def test_a_gradient_rule_of_the_users_own_is_used_behind_jit_and_vmap():
    @adjoint.custom_vjp
    def straight(x, k):
        return (x > k) * 1.0

    @straight.vjp
    def rule(g, y, x, k):
        return 3.0 * g * x, None

    X = np.array([[0.5, -1.0, 2.0], [0.0, 1.0, -2.0]])
    expected = grad(lambda x: (2.0 * straight(x, 0.25)).sum())(X)
    assert expected.tolist() == (6.0 * X).tolist()
    require_close(grad(jit(lambda x: (2.0 * straight(x, 0.25)).sum()))(X), expected)
    require_close(grad(lambda x: (2.0 * vmap(lambda row: straight(row, 0.25))(x)).sum())(X), expected)
    require_close(jit(grad(lambda x: (2.0 * straight(x, 0.25)).sum()))(X), expected)


def test_the_first_call_of_a_gradient_rule_may_be_inside_a_compiled_function():
    @adjoint.custom_vjp
    def cube(x):
        return x**3

    @cube.vjp
    def rule(g, y, x):
        return 10.0 * g * x

    x = np.array([1.0, 2.0])
    require_close(grad(jit(lambda x: cube(x).sum()))(x), 10.0 * x)
