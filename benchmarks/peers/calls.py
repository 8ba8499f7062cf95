"""Repeated calls of compiled functions of a few numbers, with `adjoint.jit` and with `jax.jit` by hand.

What is measured is the way to the program and back. The last three are whole programs: a step of variational
inference, and leapfrog steps of Hamiltonian Monte Carlo, of a logistic regression with three weights.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

import adjoint
from adjoint import Value, jit, optim, vmap
from peers.problems import Step

CALLS = 100  # of one step
RATE, SAMPLES = 0.05, 10
ELEMENTS = np.arange(8.0)
TREE = {"w": np.ones((3, 2)), "b": np.zeros(2)}
ROWS = np.arange(12.0).reshape(4, 3)


def one_array(compile: Callable, m: Any) -> tuple[Callable, tuple]:
    return compile(lambda x: x * 2 + 1), (jnp.asarray(ELEMENTS),)


def dict_of_two(compile: Callable, m: Any) -> tuple[Callable, tuple]:
    x = jnp.asarray(ELEMENTS)
    return compile(lambda d: d["a"] * d["b"]), ({"a": x, "b": x + 1},)


def _unraveled(m: Any) -> tuple[Callable, Any]:
    raveled: Any = (adjoint.ravel_pytree if m is adjoint else ravel_pytree)(TREE)
    vector, unravel = raveled
    rows, vector = jnp.asarray(ROWS), jnp.asarray(vector.data if m is adjoint else vector)

    def loss(vector: Any) -> Any:
        tree = unravel(vector)
        return ((rows @ tree["w"] + tree["b"]) ** 2).sum()

    return loss, vector


def unravel(compile: Callable, m: Any) -> tuple[Callable, tuple]:
    loss, vector = _unraveled(m)
    return compile(loss), (vector,)


def vmap_of_unravel(compile: Callable, m: Any) -> tuple[Callable, tuple]:
    loss, vector = _unraveled(m)
    return compile((vmap if m is adjoint else jax.vmap)(loss)), (jnp.tile(vector, (5, 1)),)


PROGRAMS = {
    "one array": one_array,
    "a dict of two": dict_of_two,
    "unravel with a global array": unravel,
    "vmap over it": vmap_of_unravel,
}


def repeated(name: str, library: str) -> Step:
    """Return a step of many calls of a function."""
    jax.config.update("jax_enable_x64", True)
    m = adjoint if library == "adjoint" else jnp
    function, arguments = PROGRAMS[name](jit if m is adjoint else jax.jit, m)

    def step() -> float:
        return float([function(*arguments) for _ in range(CALLS)][-1].sum())

    return step


# --- whole programs ---


def _points() -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).normal(size=(50, 3))
    return x, (x @ np.array([1.0, -2.0, 0.5]) > 0).astype(float)


def _negative_elbo(m: Any, tree: Any, noise: Any, x: Any, y: Any) -> Any:
    deviation = m.exp(tree["rho"])
    scores = (tree["mean"] + deviation * noise) @ x.T
    fit = (y * scores - m.logaddexp(0.0, scores)).sum() / SAMPLES
    return 0.5 * (tree["mean"] ** 2 + deviation**2 - 2 * tree["rho"] - 1).sum() - fit


def inference(library: str) -> Step:
    """Return a step of variational inference with Adam, in the words of each library."""
    jax.config.update("jax_enable_x64", True)
    x, y = _points()
    start, noise = {"mean": np.zeros(3), "rho": np.full(3, -1.0)}, np.random.default_rng(1).normal(size=(SAMPLES, 3))
    if library == "adjoint":
        tree = {name: Value(array) for name, array in start.items()}
        optimizer = optim.Adam(list(tree.values()), lr=RATE)

        @jit
        def update(noise):
            loss = _negative_elbo(adjoint, tree, noise, x, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        return lambda: [update(noise) for _ in range(CALLS)][-1].item()

    vector, unravel = ravel_pytree(start)
    state = [vector, vector * 0, vector * 0, 0]

    @jax.jit
    def change(p, m, v, k, noise):
        loss, g = jax.value_and_grad(lambda p: _negative_elbo(jnp, unravel(p), noise, x, y))(p)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        p = p - RATE * (m / (1 - 0.9**k)) / ((v / (1 - 0.999**k)) ** 0.5 + 1e-8)
        return p, m, v, loss

    def step() -> float:
        losses = []
        for _ in range(CALLS):
            *state[:3], loss = change(*state[:3], float(state[3] + 1), noise)
            state[3] += 1
            losses.append(loss)
        return float(losses[-1])

    return step


def leapfrog(library: str) -> Step:
    """Return a step of Hamiltonian Monte Carlo, with its loop in Python."""
    jax.config.update("jax_enable_x64", True)
    x, y = _points()
    m, derive, compile = (adjoint, adjoint.value_and_grad, jit) if library == "adjoint" else (
        jnp, jax.value_and_grad, jax.jit)  # fmt: skip

    def energy(q):
        scores = x @ q
        return (m.logaddexp(0.0, scores) - y * scores).sum() + 0.5 * (q**2).sum()

    slope, momentum = compile(derive(energy)), np.random.default_rng(2).normal(size=3)

    def step() -> float:
        q, p = np.zeros(3), momentum
        for _ in range(CALLS):
            _, g = slope(q)
            p = p - RATE * g
            q = q + RATE * p
        return float((q * q).sum())

    return step
