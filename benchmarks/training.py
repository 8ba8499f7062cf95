"""Speed of training from end to end with `fit`, compared with the same loops in PyTorch and micrograd.

    python benchmarks/training.py [--quick] [--only NAME …] [--json FILE]

All peers start from the same weights, use the same batches, read the loss of each step and count correct predictions.
The losses are compared before anything is timed. The peers run alternately, in this process, on one thread. A missed
target is reported and is not an error.
"""

import gc
import importlib
import os
import random
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from alternation import Row, Times, alternate, require_same, run, times_faster
from arrays import ONE_THREAD

NEEDED = ("numpy", "torch", "jax", "micrograd")


def main(arguments: Sequence[str] | None = None) -> None:
    os.environ.update(ONE_THREAD)
    run("Measure training with fit and compare it with its peers.", (digits, compiled_digits, moons), NEEDED, arguments)


# --- digits: an MLP 64-128-64-10 in single precision with Adam, one epoch in batches of 64 ---

BATCH, RATE, SIZES = 64, 1e-3, (64, 128, 64, 10)


class Digits:
    """The data, and the same network for both libraries."""

    def __init__(self):
        from adjoint import data, nn, optim

        images, self.labels = data.digits()
        self.images = images.astype("float32")
        layers: list[Any] = []
        for i, (inputs, outputs) in enumerate(pairwise(SIZES)):
            layers += [nn.ReLU()] if i else []
            layers.append(nn.Linear(inputs, outputs, seed=i, dtype="float32"))
        self.model = nn.Sequential(*layers)
        self.optimizer = optim.Adam(self.model, lr=RATE)
        self.loader = data.DataLoader(self.images, self.labels, batch_size=BATCH, shuffle=True, seed=0)

    def fit(self, **options: Any) -> Any:
        import adjoint

        return adjoint.fit(
            self.model,
            self.loader,
            loss="cross_entropy",
            optimizer=self.optimizer,
            metrics="accuracy",
            progress=False,
            **options,
        )

    def epoch(self) -> list[float]:
        history = self.fit(epochs=1)
        return [history["loss"][0], history["accuracy"][0]]


class TorchDigits:
    """The same training as a PyTorch loop."""

    def __init__(self, ours: Digits):
        import torch

        from adjoint import data

        torch.set_num_threads(1)
        layers: list[Any] = []
        for inputs, outputs in pairwise(SIZES):
            layers += [torch.nn.ReLU()] if layers else []
            layers.append(torch.nn.Linear(inputs, outputs))
        self.model = torch.nn.Sequential(*layers)
        self.model.load_state_dict({name: torch.from_numpy(x) for name, x in ours.model.state_dict().items()})
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=RATE)
        self.loader = data.DataLoader(ours.images, ours.labels, batch_size=BATCH, shuffle=True, seed=0)
        self.torch, self.cross_entropy = torch, torch.nn.functional.cross_entropy

    def epoch(self) -> list[float]:
        total, right, samples = 0.0, 0, 0
        from_numpy = self.torch.from_numpy
        for images, labels in self.loader:
            x, y = from_numpy(images), from_numpy(labels)
            scores = self.model(x)
            loss = self.cross_entropy(scores, y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(y)
            right += (scores.argmax(1) == y).sum().item()
            samples += len(y)
        return [total / samples, right / samples]


def digits(rounds: int) -> list[Row]:
    ours = Digits()
    theirs = TorchDigits(ours)
    for _ in range(3):
        require_same("digits", ours.epoch(), theirs.epoch(), tolerance=1e-3)
    gc.freeze()
    times = alternate({"ours": ours.epoch, "torch": theirs.epoch}, 10 * rounds, slice_seconds=0.1)
    workload = "digits MLP, one epoch through fit, NumPy vs PyTorch"
    return [times_faster(workload, times["ours"], times["torch"], at_least=1)]


def compiled_digits(rounds: int) -> list[Row]:
    """Time the epochs of one call of `fit` and, between them, those of PyTorch. The first epoch compiles."""
    ours = Digits()
    theirs = TorchDigits(ours)
    losses: list[list[float]] = []
    torch_times: Times = []
    turns: Times = [0.0]  # the seconds of this callback, which count as part of the epoch after it

    def turn(model: Any, history: Any) -> None:
        start = time.perf_counter()
        gc.collect()
        before = time.perf_counter()
        losses.append(theirs.epoch())
        torch_times.append(time.perf_counter() - before)
        gc.collect()
        turns.append(time.perf_counter() - start)

    history = ours.fit(epochs=30 * rounds + 3, jit=True, callbacks=turn)
    for row, expected in zip(history.rows[:3], losses):
        require_same("digits, compiled", [row["loss"], row["accuracy"]], expected, tolerance=1e-3)
    own = [seconds - turn for seconds, turn in zip(history["seconds"], turns)]
    workload = "the same with jit, epochs after the first"
    return [
        times_faster(workload, own[3:], torch_times[3:], at_least=2),
        Row("  the first of them, which compiles", own[0], None, "s", own[0], "≤", None, "s"),
    ]


# --- moons: a scalar MLP 2-16-16-1, 100 steps on 100 points ---

STEPS = 100
TIMED = 10  # number of timed micrograd steps; 100 would take minutes, and all take equally long


class MicrogradMoons:
    """micrograd's demo notebook: hinge loss, L2, and a learning rate that decreases from 1 to 0.1."""

    def __init__(self):
        from adjoint import data

        random.seed(1)
        self.points, zero_or_one = data.moons(100, noise=0.1, seed=0)
        self.labels = 2 * zero_or_one - 1
        self.value: Callable[[float], Any] = importlib.import_module("micrograd.engine").Value
        self.model = importlib.import_module("micrograd.nn").MLP(2, [16, 16, 1])
        self.start = self.weights()

    def weights(self) -> list[float]:
        return [p.data for p in self.model.parameters()]

    def train(self, steps: int) -> list[float]:
        for p, x in zip(self.model.parameters(), self.start):
            p.data = x
        losses = []
        for step in range(steps):
            inputs = [list(map(self.value, row)) for row in self.points.tolist()]
            scores = list(map(self.model, inputs))
            hinges = [(1 + -y * score).relu() for y, score in zip(self.labels.tolist(), scores)]
            mean = sum(hinges) * (1.0 / len(hinges))
            loss: Any = mean + 1e-4 * sum(p * p for p in self.model.parameters())
            sum((y > 0) == (score.data > 0) for y, score in zip(self.labels.tolist(), scores))
            self.model.zero_grad()
            loss.backward()
            for p in self.model.parameters():
                p.data -= (1.0 - 0.9 * step / STEPS) * p.grad
            losses.append(loss.data)
        return losses


def scalar_moons(theirs: MicrogradMoons) -> list[float]:
    import adjoint

    model = adjoint.nn.MLP(2, [16, 16, 1], "relu", "linear", seed=0)
    for p, x in zip(model.parameters(), theirs.start):
        p.data = x
    history = adjoint.fit(
        model,
        (theirs.points, theirs.labels),
        loss="hinge",
        l2=1e-4,
        optimizer="sgd",
        lr=1.0,
        schedule=lambda part: 1 - 0.9 * part,
        epochs=STEPS,
        metrics="accuracy",
        progress=False,
    )
    return history["loss"]


def moons(rounds: int) -> list[Row]:
    theirs = MicrogradMoons()
    require_same("moons", scalar_moons(theirs)[:3], theirs.train(3))
    peers = {"ours": lambda: scalar_moons(theirs), "micrograd": lambda: theirs.train(TIMED)}
    times = alternate(peers, rounds, settling=0)
    whole = [seconds * STEPS / TIMED for seconds in times["micrograd"]]
    workload = f"scalar moons, {STEPS} steps through fit vs micrograd ({TIMED} of them timed)"
    return [times_faster(workload, times["ours"], whole, at_least=150)]


if __name__ == "__main__":
    main()
