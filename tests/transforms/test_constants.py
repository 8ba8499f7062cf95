"""`stop_gradient` against JAX, in every transform."""

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, grad, hvp, jit, jvp, scan, stop_gradient, vmap


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


X = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    "through",
    [
        lambda f: grad(lambda x: f(x).sum()),
        lambda f: jit(grad(lambda x: f(x).sum())),
        lambda f: grad(jit(lambda x: f(x).sum())),
        lambda f: grad(lambda x: vmap(f)(x).sum()),
        lambda f: grad(jit(lambda x: scan(lambda c, x: (c + f(x), None), 0.0, x)[0])),
    ],
)
def test_a_detached_value_is_a_constant_in_compiled_and_vectorized_functions(through):
    pytest.importorskip("jax")
    require_close(through(lambda x: x * x.detach())(X), X)
    require_close(through(lambda x: x * stop_gradient(x * x))(X), X**2)


@pytest.mark.parametrize("f", [lambda x: x * x.data, lambda x: (x * x) * (x * x).data])
def test_data_that_a_vectorized_function_or_a_step_reads_is_a_constant(f):
    pytest.importorskip("jax")
    once, twice = grad(lambda x: f(x).sum())(X), grad(lambda x: f(f(x)).sum())(X)
    require_close(grad(lambda x: vmap(f)(x).sum())(X), once)
    require_close(jit(grad(lambda x: scan(lambda c, x: (c + f(x), None), 0.0, x)[0]))(X), once)
    require_close(jit(grad(lambda x: scan(lambda c, _: (f(c), None), x, length=2)[0].sum()))(X), twice)
