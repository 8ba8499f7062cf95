"""The five steps with adjoint: on NumPy arrays as they stand, and compiled as a whole by `adjoint.jit`.

The same function serves both: `step(x, y)` changes the Values that it knows.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import adjoint
from adjoint import Value
from adjoint.nn import functional as F
from peers.problems import ADAM, GPT, PENALTY, RATE, Problem, Step


def moons(problem: Problem, compiled: bool = False) -> Step:
    return descent(moons_loss, problem, compiled)


def digits(problem: Problem, compiled: bool = False) -> Step:
    parameters = values(problem.weights)
    adam = Adam(parameters)

    def step(x, y):
        loss = classification_loss(parameters, x, y)
        adam.zero_grad()
        loss.backward()
        adam.step()
        return loss

    return called(step, problem, compiled)


def images(problem: Problem, compiled: bool = False, retain_graph: bool = True) -> Step:
    return descent(classification_loss, problem, compiled, retain_graph)


def cnn(problem: Problem, compiled: bool = False) -> Step:
    return descent(cnn_loss, problem, compiled)


def gpt(problem: Problem, compiled: bool = False) -> Step:
    return descent(gpt_loss, problem, compiled)


def values(weights: Sequence[np.ndarray]) -> list[Any]:
    return [Value(weight) for weight in weights]


def descent(loss_of: Callable[..., Value], problem: Problem, compiled: bool, retain_graph: bool = True) -> Step:
    parameters = values(problem.weights)

    def step(x, y):
        loss = loss_of(parameters, x, y)
        for parameter in parameters:
            parameter.grad = None
        loss.backward(retain_graph=retain_graph)
        for parameter in parameters:
            parameter.data -= RATE * parameter.grad
        return loss

    return called(step, problem, compiled)


def called(step: Callable[..., Value], problem: Problem, compiled: bool) -> Step:
    run, x, y = adjoint.jit(step) if compiled else step, problem.inputs, problem.targets
    return lambda: float(run(x, y))


# --- the models ---


def mlp(parameters: Sequence[Any], x) -> Any:
    *hidden, weight, bias = parameters
    for w, b in zip(hidden[::2], hidden[1::2]):
        x = adjoint.linear(x, w, b).relu()
    return adjoint.linear(x, weight, bias)


def moons_loss(parameters: Sequence[Any], x, y) -> Any:
    margins = (1 - y * mlp(parameters, x)).relu()
    return margins.mean() + PENALTY * sum((p * p).sum() for p in parameters)


def classification_loss(parameters: Sequence[Any], x, y) -> Any:
    return F.cross_entropy(mlp(parameters, x), y)


def cnn_loss(parameters: Sequence[Any], x, y) -> Any:
    weights = iter(parameters)
    for _ in range(2):
        x = F.max_pool2d(F.conv2d(x, next(weights), next(weights), padding=1).relu(), 2)
    return F.cross_entropy(linear(x.reshape((len(y), -1)), weights), y)


def gpt_loss(parameters: Sequence[Any], x, y) -> Any:
    weights = iter(parameters)
    tokens, positions = next(weights), next(weights)
    h = adjoint.embedding(tokens, x) + positions
    for _ in range(GPT.layers):
        h = h + attention(layer_norm(h, weights), weights)
        hidden = linear(layer_norm(h, weights), weights).relu()
        h = h + linear(hidden, weights)
    logits = linear(layer_norm(h, weights), weights)
    return F.cross_entropy(logits.reshape((-1, logits.shape[-1])), y.reshape(-1))


def linear(x, weights) -> Any:
    return adjoint.linear(x, next(weights), next(weights))


def layer_norm(x, weights) -> Any:
    return F.layer_norm(x, GPT.width, next(weights), next(weights), eps=GPT.norm_floor)


def attention(x, weights) -> Any:
    q, k, v = linear(x, weights).reshape((-1, GPT.tokens, 3, GPT.heads, GPT.head_width)).permute_dims((2, 0, 3, 1, 4))
    mixed = adjoint.scaled_dot_product_attention(q, k, v, causal=True)
    return linear(mixed.permute_dims((0, 2, 1, 3)).reshape((-1, GPT.tokens, GPT.width)), weights)


# --- the optimizer ---


class Adam:
    """Adam on the arrays of Values: in place on NumPy arrays, with new arrays for immutable ones."""

    def __init__(self, parameters: Sequence[Any]):
        self.parameters = parameters
        self.means = values([np.zeros_like(p.data) for p in parameters])
        self.squares = values([np.zeros_like(p.data) for p in parameters])
        self.count = Value(np.zeros((), np.float32))

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def step(self) -> None:
        first, second = ADAM.decays
        self.count.data += 1.0
        rate = ADAM.rate / (1 - first**self.count.data)
        scale = (1 - second**self.count.data) ** -0.5
        for parameter, mean, square in zip(self.parameters, self.means, self.squares):
            g, m, v = parameter.grad, mean.data, square.data
            m *= first
            m += (1 - first) * g
            v *= second
            v += (1 - second) * (g * g)
            root = v**0.5
            root *= scale
            root += ADAM.floor
            parameter.data -= rate * m / root
            mean.data, square.data = m, v
