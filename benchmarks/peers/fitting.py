"""Training from end to end: with `fit`, and as the same loops in PyTorch and micrograd.

Each class is a workload for a process of its own. Those of PyTorch and micrograd start from adjoint's weights and data,
so their processes load adjoint too, without its compiler.
"""

import random
from itertools import pairwise
from threading import Semaphore, Thread
from typing import Any

# --- digits: an MLP 64-128-64-10 in single precision with Adam, one epoch in batches of 64 ---

BATCH, RATE, SIZES = 64, 1e-3, (64, 128, 64, 10)


def digits() -> tuple[Any, Any]:
    """Return the batches and the model, the same for each library."""
    from adjoint import data, nn

    images, labels = data.digits()
    loader = data.DataLoader(images.astype("float32"), labels, batch_size=BATCH, shuffle=True, seed=0)
    layers: list[Any] = []
    for i, (inputs, outputs) in enumerate(pairwise(SIZES)):
        layers += [nn.ReLU()] if i else []
        layers.append(nn.Linear(inputs, outputs, seed=i, dtype="float32"))
    return loader, nn.Sequential(*layers)


class Digits:
    """An epoch by a call of `fit`."""

    def __init__(self):
        from adjoint import optim

        self.loader, self.model = digits()
        self.optimizer = optim.Adam(self.model, lr=RATE)

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

    def __call__(self) -> list[float]:
        history = self.fit(epochs=1)
        return [history["loss"][0], history["accuracy"][0]]


class CompiledDigits(Digits):
    """One epoch after the other of a single compiled call of `fit`, which waits between them."""

    def __init__(self):
        super().__init__()
        self.wanted, self.done, self.row = Semaphore(0), Semaphore(0), {}
        Thread(target=self.fit, kwargs={"epochs": 10**6, "jit": True, "callbacks": self.wait}, daemon=True).start()

    def wait(self, model: Any, history: Any) -> None:
        self.row = history.rows[-1]
        self.done.release()
        self.wanted.acquire()

    def __call__(self) -> list[float]:
        if self.row:  # the first epoch began with the thread
            self.wanted.release()
        self.done.acquire()
        return [self.row["loss"], self.row["accuracy"]]


class TorchDigits:
    """An epoch as a PyTorch loop."""

    def __init__(self):
        import torch

        torch.set_num_threads(1)
        self.loader, ours = digits()
        layers: list[Any] = []
        for inputs, outputs in pairwise(SIZES):
            layers += [torch.nn.ReLU()] if layers else []
            layers.append(torch.nn.Linear(inputs, outputs))
        self.model = torch.nn.Sequential(*layers)
        self.model.load_state_dict({name: torch.from_numpy(x) for name, x in ours.state_dict().items()})
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=RATE)
        self.torch, self.cross_entropy = torch, torch.nn.functional.cross_entropy

    def __call__(self) -> list[float]:
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


# --- moons: a scalar MLP 2-16-16-1 on 100 points ---

STEPS = 100


class MicrogradMoons:
    """The first steps of micrograd's demo notebook: hinge loss, L2, and a rate that decreases from 1 to 0.1."""

    def __init__(self, timed: int = STEPS):
        from micrograd.engine import Value  # pyright: ignore[reportMissingImports]
        from micrograd.nn import MLP  # pyright: ignore[reportMissingImports]

        from adjoint import data

        random.seed(1)
        self.points, zero_or_one = data.moons(100, noise=0.1, seed=0)
        self.labels = 2 * zero_or_one - 1
        self.value, self.model, self.timed = Value, MLP(2, [16, 16, 1]), timed
        self.start = [p.data for p in self.model.parameters()]

    def __call__(self) -> list[float]:
        for p, x in zip(self.model.parameters(), self.start):
            p.data = x
        losses = []
        for step in range(self.timed):
            inputs = [list(map(self.value, row)) for row in self.points.tolist()]
            scores: list[Any] = list(map(self.model, inputs))
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


class Moons:
    """All steps by a call of `fit`, from micrograd's weights."""

    def __init__(self):
        self.theirs = MicrogradMoons()

    def __call__(self) -> list[float]:
        import adjoint

        model = adjoint.nn.MLP(2, [16, 16, 1], "relu", "linear", seed=0)
        for p, x in zip(model.parameters(), self.theirs.start):
            p.data = x
        history = adjoint.fit(
            model,
            (self.theirs.points, self.theirs.labels),
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
