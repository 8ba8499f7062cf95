"""The moons step with MyGrad."""

from typing import Any

import mygrad  # pyright: ignore[reportMissingImports]
from mygrad.nnet.activations import relu  # pyright: ignore[reportMissingImports]

from peers.problems import PENALTY, RATE, Problem, Step


def moons(problem: Problem) -> Step:
    # weights on the right of a product have the shape (inputs, outputs)
    parameters: list[Any] = [mygrad.tensor(weight.T.copy()) for weight in problem.weights]  # pyright: ignore[reportPrivateImportUsage]
    x, y = problem.inputs, problem.targets

    def step() -> float:
        w1, b1, w2, b2, w3, b3 = parameters
        hidden = relu(relu(x @ w1 + b1) @ w2 + b2)
        margins = relu(1 - y * (hidden @ w3 + b3))
        loss = margins.mean() + PENALTY * sum((p * p).sum() for p in parameters)
        loss.backward()
        for parameter in parameters:
            parameter.data -= RATE * parameter.grad
        return loss.item()

    return step
