"""Measure a training step with each engine."""

import argparse
import importlib.util
import json
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import NamedTuple

import numpy as np

from adjoint import nn, optim
from adjoint.cli.option_types import OK, positive_number
from adjoint.compile.compiled import jit
from adjoint.data import moons
from adjoint.errors.text_table import table


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint bench`."""
    command.add_argument(
        "--seconds",
        type=positive_number,
        default=1.0,
        metavar="S",
        help="the duration of the measurement of each engine",
    )
    command.add_argument("--json", action="store_true", help="print JSON")


def run(asked: argparse.Namespace) -> int:
    """Measure a training step on two moons with each engine, and with PyTorch if it is installed."""
    found = list(measurements(asked.seconds))
    if asked.json:
        print(json.dumps([row._asdict() for row in found]))
        return OK
    slowest = max(row.seconds for row in found)
    rows = [
        [row.engine, f"{1 / row.seconds:,.0f}", f"{row.seconds * 1e3:.3g} ms", f"{slowest / row.seconds:,.1f} ×"]
        for row in found
    ]
    print(table(["one training step on two moons", "steps per second", "time", "speed"], rows, " rrr"))
    return OK


class Measurement(NamedTuple):
    """An engine, and the duration of one training step."""

    engine: str
    seconds: float


def measurements(seconds: float = 1.0) -> Iterator[Measurement]:
    """Yield the time of one step on two moons: 100 points, a network 2-16-16-1, hinge loss."""
    X, y = moons(100, noise=0.1, seed=1)
    labels = 2.0 * y - 1
    yield Measurement("adjoint, every weight a Value", _time(_scalar_step(X, labels), seconds))
    yield Measurement("adjoint, arrays", _time(_array_step(X, labels, compiled=False), seconds))
    if importlib.util.find_spec("jax"):
        yield Measurement("adjoint, compiled by XLA", _time(_array_step(X, labels, compiled=True), seconds))
    if importlib.util.find_spec("torch"):
        yield Measurement("PyTorch, eager", _time(_torch_step(X, labels), seconds))


def _network() -> nn.MLP:
    return nn.MLP(2, [16, 16, 1], "relu", "linear", seed=1)


def _time(step: Callable[[], float], seconds: float) -> float:
    """Return the median duration of a step, after a few warm-up steps."""
    for _ in range(3):
        step()
    times: list[float] = []
    begun = perf_counter()
    while len(times) < 5 or perf_counter() - begun < seconds:
        before = perf_counter()
        step()
        times.append(perf_counter() - before)
    return float(np.median(times))


def _scalar_step(X: np.ndarray, y: np.ndarray) -> Callable[[], float]:
    model = _network()
    optimizer = optim.SGD(model, lr=0.05)
    rows, labels = X.tolist(), y.tolist()

    def step():
        loss = nn.hinge([model(row) for row in rows], labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss)

    return step


def _array_step(X: np.ndarray, y: np.ndarray, compiled: bool) -> Callable[[], float]:
    model = _network().to_arrays()
    optimizer = optim.SGD(model, lr=0.05)

    def step(x, labels):
        loss = nn.hinge(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    run, labels = jit(step) if compiled else step, y[:, None]
    return lambda: float(run(X, labels))


def _torch_step(X: np.ndarray, y: np.ndarray) -> Callable[[], float]:
    import torch

    model = torch.nn.Sequential(
        torch.nn.Linear(2, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
    ).double()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    x, labels = torch.tensor(X), torch.tensor(y[:, None])

    def step():
        loss = (1 - labels * model(x)).relu().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    return step
