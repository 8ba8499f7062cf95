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
