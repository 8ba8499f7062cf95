"""Operations on an array of 100 by 16 in double precision, in the words of adjoint and of PyTorch.

A program takes the library, an array `h` of 100 by 16, a matrix `w` of 16 by 16 and a vector `b` of 16. Where
the libraries have different names, `LIBRARIES` has a function for each.
"""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from peers.problems import PENALTY, RATE, Problem, Step

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


def moons_step(problem: Problem, words: Any) -> Step:
    """Return the step of the moons problem with `@`, `+`, an index and an assignment: one text for both libraries."""
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

    def __init__(self, name: str, words: Any):
        random = np.random.default_rng(1)
        shapes = (ROWS, COLUMNS), (COLUMNS, COLUMNS), (COLUMNS,)
        self.program, self.words = PROGRAMS[name], words
        self.leaves = [words.array(random.normal(size=shape)) for shape in shapes]

    def __call__(self) -> None:
        h, w, b = self.leaves
        h.grad = w.grad = b.grad = None
        self.program(self.words, h, w, b).sum().backward()

    def gradients(self) -> list[float]:
        self()
        zeros = [np.zeros(leaf.shape) if leaf.grad is None else np.asarray(leaf.grad) for leaf in self.leaves]
        return np.concatenate([grad.ravel() for grad in zeros]).tolist()


WORDS: Mapping[str, Callable[[], Any]] = {"ours": adjoint_words, "torch": torch_words}
