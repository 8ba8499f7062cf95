"""Loops and pytrees as in JAX: `scan`, `stop_gradient`, `tree_map`, against JAX."""

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, grad, hvp, jit, jvp, scan, stop_gradient, tree_map
from adjoint.errors import AdjointError

W = np.array([[0.3, -0.2], [0.5, 0.1]])
XS = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]])


def recurrence(tanh, loop, total, reverse):
    """Return a loss of a small recurrent network, for adjoint or JAX."""

    def loss(w):
        def step(carry, x):
            h = tanh(carry["h"] @ w + x["x"])
            return {"h": h}, (h * 2.0, h.sum())

        carry, (outputs, sums) = loop(step, {"h": XS[0] * 0.1}, {"x": XS}, reverse=reverse)
        return total(outputs * XS) + sums[0] + carry["h"][1]

    return loss


@pytest.mark.parametrize("reverse", [False, True])
def test_scan_follows_jax_with_gradients_and_compiled(reverse):
    jax = pytest.importorskip("jax")
    jnp = pytest.importorskip("jax.numpy")
    theirs = recurrence(jnp.tanh, jax.lax.scan, jnp.sum, reverse)
    ours = recurrence(adjoint.tanh, scan, adjoint.sum, reverse)
    with jax.enable_x64(True):
        value, gradient = jax.value_and_grad(theirs)(jnp.asarray(W))
    found, slope = adjoint.value_and_grad(ours)(W)
    require_close(found, value)
    require_close(slope, gradient)
    require_close(jit(grad(ours))(W), gradient)


def test_scan_without_inputs_counts_steps():
    last, ys = scan(lambda c, x: (c * 2.0, c if x is None else None), Value(1.0), length=4)
    assert (last.data, ys.data.tolist()) == (16.0, [1.0, 2.0, 4.0, 8.0])
    assert scan(lambda c, x: (c + x, None), 0.0, np.array([1.0, 2.0]))[1] is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scan(lambda c, x: c, 0.0, np.ones(2)), r"must return a pair \(carry, y\)"),
        (lambda: scan(lambda c, x: ((c, c), x), 0.0, np.ones(2)), "the carry must keep its structure"),
        (lambda: scan(lambda c, x: (c, x), 0.0, (np.ones(2), np.ones(3))), "given: 2, 3"),
        (lambda: scan(lambda c, x: (c, x), 0.0), "given: none"),
        (lambda: scan(lambda c, x: (c, x), 0.0, 5.0), "arrays with a first axis"),
        (lambda: scan(lambda c, x: (c, x), 0.0, np.ones(0)), "at least one step"),
        (lambda: tree_map(lambda a, b: a, [1.0], {"a": 1.0}), "trees of the same structure"),
    ],
)
def test_a_wrong_loop_is_explained(call, message):
    with pytest.raises(AdjointError, match=message):
        call()


def test_stop_gradient_follows_jax_in_every_transform():
    jax = pytest.importorskip("jax")

    def ours(x):
        return stop_gradient(x * x) * x

    def theirs(x):
        return jax.lax.stop_gradient(x * x) * x

    for x in (3.0, 0.5):
        require_close(grad(ours)(x), float(jax.grad(theirs)(x)))
        require_close(float(jit(grad(ours))(x)), float(jax.grad(theirs)(x)))
        require_close(float(hvp(ours, x, 1.0)), float(jax.grad(jax.grad(theirs))(x)))
        require_close(float(jvp(ours, (x,), (1.0,))[1]), float(jax.jvp(theirs, (x,), (1.0,))[1]))
    x = Value([1.0, 2.0])
    tree = stop_gradient({"a": [x * 1.0], "b": 3.0})
    assert tree["a"][0].parents == ()
    assert tree["b"] == 3.0


def test_tree_functions_follow_jax():
    jax = pytest.importorskip("jax")
    tree = {"a": [1.0, (2.0, None)], "b": 3.0}
    assert tree_map(lambda x: 2 * x, tree) == jax.tree_util.tree_map(lambda x: 2 * x, tree)
    assert tree_map(lambda x, y: x + y, tree, tree) == jax.tree_util.tree_map(lambda x, y: x + y, tree, tree)
    leaves, structure = adjoint.tree_flatten(tree)
    assert leaves == jax.tree_util.tree_leaves(tree) == adjoint.tree_leaves(tree)
    assert adjoint.tree_unflatten(structure, leaves) == tree
