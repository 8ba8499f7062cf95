"""Operations on an array of 100 by 16 in double precision, in the words of adjoint and of PyTorch.

A program takes the library, an array `h` of 100 by 16, a matrix `w` of 16 by 16 and a vector `b` of 16. Where
the libraries have different names, `LIBRARIES` has a function for each.
"""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from peers.problems import PENALTY, RATE, Step, moons

ROWS, COLUMNS = 100, 16
NORM_FLOOR = 1e-5


def layer_norm(m: Any, h: Any, w: Any, b: Any) -> Any:
    centered = h - m.mean(h)
    return centered / (m.mean(centered * centered) + NORM_FLOOR).sqrt() * b + b


PROGRAMS: Mapping[str, Callable[[Any, Any, Any, Any], Any]] = {
    "h @ w + b": lambda m, h, w, b: h @ w + b,
    "linear(h, w, b)": lambda m, h, w, b: m.linear(h, w, b),
    "h @ w": lambda m, h, w, b: h @ w,
    "h[:, 0]": lambda m, h, w, b: h[:, 0],
    "h.reshape(-1)": lambda m, h, w, b: h.reshape(-1),
    "h.T": lambda m, h, w, b: h.T,
    "h.sum(axis=1)": lambda m, h, w, b: m.sum(h),
    "softmax(h)": lambda m, h, w, b: m.softmax(h),
    "h.max(axis=1)": lambda m, h, w, b: m.max(h),
    "concat([h, h])": lambda m, h, w, b: m.concat([h, h]),
    "h.exp()": lambda m, h, w, b: h.exp(),
    "h * h + h": lambda m, h, w, b: h * h + h,
    "layer norm by hand": layer_norm,
}


def moons_step(library: str) -> Step:
    """Return the step of the moons problem with `@`, `+`, an index and an assignment: one text for both libraries."""
    problem, words = moons(), WORDS[library]()
    x, y = words.constant(problem.inputs), words.constant(problem.targets[:, 0])
    parameters = [words.array(weight.T.copy()) for weight in problem.weights]
    w1, b1, w2, b2, w3, b3 = parameters

    def step() -> float:
        h = (x @ w1 + b1).relu()
        h = (h @ w2 + b2).relu()
        scores = (h @ w3 + b3)[:, 0]
        loss = (1 - y * scores).relu().mean() + PENALTY * sum((p * p).sum() for p in parameters)
        for p in parameters:
            p.grad = None
        loss.backward()
        for p in parameters:
            p.data = p.data - RATE * p.grad
        return loss.item()

    return step


def adjoint_words() -> Any:
    import adjoint

    return SimpleNamespace(
        array=adjoint.Value,
        constant=lambda x: x,
        linear=adjoint.linear,
        mean=lambda h: h.mean(axis=-1, keepdims=True),
        sum=lambda h: h.sum(axis=1),
        softmax=lambda h: adjoint.softmax(h, axis=-1),
        max=lambda h: h.max(axis=1),
        concat=lambda hs: adjoint.concat(hs, axis=0),
    )


def torch_words() -> Any:
    import torch

    torch.set_num_threads(1)
    return SimpleNamespace(
        array=lambda x: torch.tensor(x, requires_grad=True),
        constant=torch.from_numpy,
        linear=torch.nn.functional.linear,
        mean=lambda h: h.mean(dim=-1, keepdim=True),
        sum=lambda h: h.sum(dim=1),
        softmax=lambda h: torch.softmax(h, dim=-1),
        max=lambda h: h.max(dim=1).values,
        concat=lambda hs: torch.cat(hs, dim=0),
    )


class Differentiation:
    """One program on the leaves of one library: forward, to a number, and backward."""

    def __init__(self, name: str, library: str):
        random = np.random.default_rng(1)
        shapes = (ROWS, COLUMNS), (COLUMNS, COLUMNS), (COLUMNS,)
        self.program, self.words = PROGRAMS[name], WORDS[library]()
        self.leaves = [self.words.array(random.normal(size=shape)) for shape in shapes]

    def __call__(self) -> None:
        h, w, b = self.leaves
        h.grad = w.grad = b.grad = None
        self.program(self.words, h, w, b).sum().backward()

    def gradients(self) -> list[float]:
        self()
        return gradients_of(self.leaves)


OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "tanh": lambda x, w: x.tanh(),
    "product": lambda x, w: x * w,
    "sum": lambda x, w: x + w,
}


class Chain:
    """A chain of one operation on leaves of four elements."""

    def __init__(self, operation: str, library: str):
        self.operation, words = OPERATIONS[operation], WORDS[library]()
        self.leaves = [words.array(np.array(x)) for x in ([0.1, 0.2, 0.3, 0.4], [0.98, 0.99, 1.01, 1.02])]

    def length(self) -> int:
        return 100

    def __call__(self) -> None:
        x, w = self.leaves
        x.grad = w.grad = None
        for _ in range(self.length()):
            x = self.operation(x, w)
        x.sum().backward()

    def gradients(self) -> list[float]:
        return gradients_of(self.leaves)


def gradients_of(leaves: list[Any]) -> list[float]:
    zeros = [np.zeros(leaf.shape) if leaf.grad is None else np.asarray(leaf.grad) for leaf in leaves]
    return np.concatenate([grad.ravel() for grad in zeros]).tolist()


WORDS: Mapping[str, Callable[[], Any]] = {"adjoint": adjoint_words, "torch": torch_words}
