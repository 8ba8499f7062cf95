"""The five steps with PyTorch, eager."""

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from peers.problems import ADAM, GPT, PENALTY, RATE, Problem, Step

torch.set_num_threads(1)


def moons(problem: Problem) -> Step:
    return descent(moons_loss, problem)


def digits(problem: Problem) -> Step:
    parameters, x, y = tensors(problem)
    adam = torch.optim.Adam(parameters, lr=ADAM.rate, betas=ADAM.decays, eps=ADAM.floor)

    def step() -> float:
        loss = classification_loss(parameters, x, y)
        adam.zero_grad()
        loss.backward()
        adam.step()
        return loss.item()

    return step


def images(problem: Problem) -> Step:
    return descent(classification_loss, problem)


def cnn(problem: Problem) -> Step:
    return descent(cnn_loss, problem)


def gpt(problem: Problem) -> Step:
    return descent(gpt_loss, problem)


def tensors(problem: Problem) -> tuple[list[Tensor], Tensor, Tensor]:
    parameters = [torch.tensor(weight, requires_grad=True) for weight in problem.weights]
    return parameters, torch.from_numpy(problem.inputs), torch.from_numpy(problem.targets)


def descent(loss_of: Callable[..., Tensor], problem: Problem) -> Step:
    parameters, x, y = tensors(problem)

    def step() -> float:
        loss = loss_of(parameters, x, y)
        for parameter in parameters:
            parameter.grad = None
        loss.backward()
        with torch.no_grad():
            for parameter in parameters:
                parameter -= RATE * parameter.grad  # pyright: ignore[reportOperatorIssue]
        return loss.item()

    return step


# --- the models ---


def mlp(parameters: Sequence[Tensor], x: Tensor) -> Tensor:
    *hidden, weight, bias = parameters
    for w, b in zip(hidden[::2], hidden[1::2]):
        x = F.linear(x, w, b).relu()
    return F.linear(x, weight, bias)


def moons_loss(parameters: Sequence[Tensor], x: Tensor, y: Tensor) -> Tensor:
    margins = (1 - y * mlp(parameters, x)).relu()
    return margins.mean() + PENALTY * sum((p * p).sum() for p in parameters)


def classification_loss(parameters: Sequence[Tensor], x: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(mlp(parameters, x), y)


def cnn_loss(parameters: Sequence[Tensor], x: Tensor, y: Tensor) -> Tensor:
    weights = iter(parameters)
    for _ in range(2):
        x = F.max_pool2d(F.conv2d(x, next(weights), next(weights), padding=1).relu(), 2)
    return F.cross_entropy(linear(x.reshape(len(y), -1), weights), y)


def gpt_loss(parameters: Sequence[Tensor], x: Tensor, y: Tensor) -> Tensor:
    weights = iter(parameters)
    tokens, positions = next(weights), next(weights)
    h = F.embedding(x, tokens) + positions
    for _ in range(GPT.layers):
        h = h + attention(layer_norm(h, weights), weights)
        hidden = linear(layer_norm(h, weights), weights).relu()
        h = h + linear(hidden, weights)
    logits = linear(layer_norm(h, weights), weights)
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))


def linear(x: Tensor, weights) -> Tensor:
    return F.linear(x, next(weights), next(weights))


def layer_norm(x: Tensor, weights) -> Tensor:
    return F.layer_norm(x, (GPT.width,), next(weights), next(weights), eps=GPT.norm_floor)


def attention(x: Tensor, weights) -> Tensor:
    q, k, v = linear(x, weights).reshape(-1, GPT.tokens, 3, GPT.heads, GPT.head_width).permute(2, 0, 3, 1, 4)
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return linear(mixed.transpose(1, 2).reshape(-1, GPT.tokens, GPT.width), weights)
