"""`checkpoint` inside a compiled function: the recomputation is kept apart from the first computation.

XLA merges equal operations, which would undo `checkpoint`: the first result would be kept instead of recomputed.
JAX's own `checkpoint` puts an optimization barrier between the two. XLA's compiler for the CPU drops every barrier
before it merges, JAX's included, so these tests examine the program that is passed to XLA.
`tests/outside/checkpoint_on_gpu.py` counts the products of the compiled program on a GPU.
"""

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, checkpoint, errors, grad, jit, nn

jax = pytest.importorskip("jax")
jnp = jax.numpy

X = np.linspace(-1.0, 1.0, 15).reshape(5, 3)
WEIGHTS = [np.eye(3) + 0.1 * i for i in range(4)]


def block(x, weights):
    for w in weights:
        x = (x @ w).tanh()
    return x


def products(function, *arguments) -> int:
    """Return how many matrix products a program computes after equal operations were merged."""
    closed = jax.make_jaxpr(function)(*arguments)
    numbers: dict = {}  # one number for all variables that hold the same result
    seen: dict = {}
    found = 0

    def number(x):
        return ("literal", str(x)) if hasattr(x, "val") else numbers.setdefault(x, len(numbers))

    def visit(jaxpr):
        nonlocal found
        for eqn in jaxpr.eqns:
            inner = eqn.params.get("jaxpr")
            if inner is not None:
                inner = getattr(inner, "jaxpr", inner)
                numbers.update((var, number(x)) for var, x in zip(inner.invars, eqn.invars))
                visit(inner)
                numbers.update((var, number(x)) for var, x in zip(eqn.outvars, inner.outvars))
                continue
            key = (eqn.primitive.name, str(eqn.params), tuple(map(number, eqn.invars)))
            if key in seen and eqn.primitive.name != "optimization_barrier":
                numbers.update(zip(eqn.outvars, seen[key]))
                continue
            seen[key] = [number(var) for var in eqn.outvars]
            found += eqn.primitive.name == "dot_general"

    visit(closed.jaxpr)
    return found


def gradients(wrap):
    """Return the function that computes the gradient of a block for its input and its weights."""
    return grad(lambda x, weights: (wrap(block)(x, weights) ** 2).sum(), argnums=(0, 1))


def in_jax(wrap):
    def function(x, weights):
        for w in weights:
            x = jnp.tanh(x @ w)
        return x

    return jax.grad(lambda x, weights: (wrap(function)(x, weights) ** 2).sum(), argnums=(0, 1))


def captured(wrap):
    """Return the same function for a block that captures its input and its weights."""

    def run(x, weights):
        x, weights = Value(x), [Value(w) for w in weights]
        (wrap(lambda: block(x, weights))() ** 2).sum().backward()
        return x.grad, [w.grad for w in weights]

    return run


@pytest.mark.parametrize("derivative", [gradients, captured])
def test_a_checkpoint_costs_the_products_of_one_more_forward_pass_as_in_jax(derivative):
    x, weights = jnp.asarray(X), [jnp.asarray(w) for w in WEIGHTS]
    reference = jax.jit(in_jax(jax.checkpoint)).lower(x, weights).as_text().count("stablehlo.dot_general")
    assert products(derivative(lambda f: f), x, weights) == 12  # 4 forward, 8 backward
    assert products(derivative(checkpoint), x, weights) == reference == 16


@pytest.mark.parametrize("derivative", [gradients, captured])
def test_a_compiled_checkpoint_computes_the_same_gradients(derivative):
    found, expected = jit(derivative(checkpoint))(X, WEIGHTS), derivative(lambda f: f)(X, WEIGHTS)
    require_close(found[0], expected[0])
    for a, b in zip(found[1], expected[1], strict=True):
        require_close(a, b)


def test_a_compiled_checkpoint_differentiates_again():
    def curvature(wrap):
        total = wrap(lambda x: (x.sin() * x).sum())
        return grad(lambda x: (grad(total)(x) ** 2).sum())

    found, expected = jit(curvature(checkpoint))(X), curvature(lambda f: f)(X)
    require_close(found, expected)
    outside = grad(jit(lambda x: (grad(checkpoint(lambda x: (x.sin() * x).sum()))(x) ** 2).sum()))(X)
    require_close(outside, expected)


def test_a_compiled_checkpoint_of_a_function_that_makes_leaves_has_the_same_gradients():
    def block(x):
        return x * Value(np.full(3, 1.5)) * x.exp().detach() + (x.round() - x).detach() * x, x.detach()

    def gradient(wrap, x):
        x = Value(x)
        a, b = wrap(block)(x)
        (a * a * b).sum().backward()
        return x.grad

    expected = gradient(lambda f: f, X)
    require_close(jit(lambda x: gradient(checkpoint, x))(X), expected)


def test_a_compiled_checkpoint_refuses_other_values_and_fewer_random_numbers():
    def loop(weights, x):
        for w in weights:
            x = checkpoint(lambda x: x @ w)(x)  # noqa: B023 - the mistake
        return x.sum()

    with pytest.raises(errors.GraphError, match="the function used other Values when it ran again"):
        jit(grad(loop))(WEIGHTS, X)
    layer = nn.Dropout(0.5, seed=0)

    def step(x):
        x = Value(x)
        loss = checkpoint(layer.train())(x).sum()
        layer.eval()
        loss.backward()
        return x.grad

    with pytest.raises(errors.GraphError, match="the function drew fewer random numbers when it ran again"):
        jit(step)(X)


@pytest.mark.full
def test_a_compiled_gpt_with_dropout_has_the_same_gradients_with_checkpoints():
    tokens = np.random.default_rng(0).integers(0, 16, (2, 9))

    def train(is_checkpointed):
        model = nn.GPT(16, 8, 16, 2, 2, dropout=0.3, checkpoint=is_checkpointed, seed=0, dtype="float64")

        @jit
        def step(x, y):
            model.zero_grad()
            loss = model.loss(x, y)
            loss.backward()
            return loss

        losses = [float(step(tokens[:, :-1], tokens[:, 1:])) for _ in range(2)]
        return [losses, *[p.grad for p in model.parameters()]]

    for found, expected in zip(train(True), train(False), strict=True):
        require_close(found, expected)
