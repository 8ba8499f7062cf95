"""The five steps by hand in JAX: pure functions of a list of parameters, one compiled program each."""

import math
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from peers.problems import ADAM, GPT, PENALTY, RATE, Problem, Step

jax.config.update("jax_enable_x64", True)  # the moons use double precision; float32 stays float32


def moons(problem: Problem) -> Step:
    return descent(moons_loss, problem)


def digits(problem: Problem) -> Step:
    first, second = ADAM.decays

    def update(parameter, mean, square, g, count):
        mean = first * mean + (1 - first) * g
        square = second * square + (1 - second) * (g * g)
        rate = ADAM.rate / (1 - first**count)
        root = jnp.sqrt(square) * (1 - second**count) ** -0.5
        return parameter - rate * mean / (root + ADAM.floor), mean, square

    def step(state, x, y):
        parameters, means, squares, count = state
        loss, gradients = jax.value_and_grad(classification_loss)(parameters, x, y)
        count = count + 1
        updated = [update(*each, count) for each in zip(parameters, means, squares, gradients)]
        parameters, means, squares = (list(each) for each in zip(*updated))
        return (parameters, means, squares, count), loss

    zeros = [np.zeros_like(weight) for weight in problem.weights]
    return trained(step, (problem.weights, zeros, zeros, np.float32(0)), problem)


def images(problem: Problem) -> Step:
    return descent(classification_loss, problem)


def cnn(problem: Problem) -> Step:
    return descent(cnn_loss, problem)


def gpt(problem: Problem) -> Step:
    return descent(gpt_loss, problem)


def descent(loss_of: Callable[..., Array], problem: Problem) -> Step:
    def step(parameters, x, y):
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
        return jax.tree.map(lambda parameter, g: parameter - RATE * g, parameters, gradients), loss

    return trained(step, problem.weights, problem)


def trained(step: Callable, state, problem: Problem) -> Step:
    """Return the compiled step, which keeps its state between calls."""
    run, x, y = jax.jit(step, donate_argnums=0), problem.inputs, problem.targets
    state = jax.tree.map(jnp.array, state)

    def call() -> float:
        nonlocal state
        state, loss = run(state, x, y)
        return float(loss)

    return call


# --- the models ---


def mlp(parameters: Sequence[Array], x: Array) -> Array:
    *hidden, weight, bias = parameters
    for w, b in zip(hidden[::2], hidden[1::2]):
        x = jax.nn.relu(x @ w.T + b)
    return x @ weight.T + bias


def moons_loss(parameters: Sequence[Array], x: Array, y: Array) -> Array:
    margins = jax.nn.relu(1 - y * mlp(parameters, x))
    return margins.mean() + PENALTY * sum((p * p).sum() for p in parameters)


def cross_entropy(logits: Array, y: Array) -> Array:
    return -jax.nn.log_softmax(logits)[jnp.arange(len(y)), y].mean()


def classification_loss(parameters: Sequence[Array], x: Array, y: Array) -> Array:
    return cross_entropy(mlp(parameters, x), y)


def cnn_loss(parameters: Sequence[Array], x: Array, y: Array) -> Array:
    weights = iter(parameters)
    for _ in range(2):
        x = jax.lax.conv(x, next(weights), (1, 1), "SAME") + next(weights)[:, None, None]
        x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    return cross_entropy(linear(x.reshape(len(y), -1), weights), y)


def gpt_loss(parameters: Sequence[Array], x: Array, y: Array) -> Array:
    weights = iter(parameters)
    tokens, positions = next(weights), next(weights)
    h = tokens[x] + positions
    for _ in range(GPT.layers):
        h = h + attention(layer_norm(h, weights), weights)
        hidden = jax.nn.relu(linear(layer_norm(h, weights), weights))
        h = h + linear(hidden, weights)
    logits = linear(layer_norm(h, weights), weights)
    return cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))


def linear(x: Array, weights) -> Array:
    return x @ next(weights).T + next(weights)


def layer_norm(x: Array, weights) -> Array:
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered * centered).mean(axis=-1, keepdims=True)
    return centered / jnp.sqrt(variance + GPT.norm_floor) * next(weights) + next(weights)


def attention(x: Array, weights) -> Array:
    q, k, v = linear(x, weights).reshape(-1, GPT.tokens, 3, GPT.heads, GPT.head_width).transpose(2, 0, 3, 1, 4)
    scores = q @ k.mT / math.sqrt(GPT.head_width)
    seen = jnp.tri(GPT.tokens, dtype=bool)
    mixed = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1) @ v
    return linear(mixed.transpose(0, 2, 1, 3).reshape(-1, GPT.tokens, GPT.width), weights)
