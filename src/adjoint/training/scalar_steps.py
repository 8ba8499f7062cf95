"""Compiled passes and steps of models with scalar parameters.

`jit` records the operations on single numbers once for each number of samples, and replays them. A batch is written
into Values, from which the compiled function reads its samples: passing each number as an argument would take longer
than the step. Metrics and the test of the loss are computed outside, from the numbers that the function returns.
"""

import math
from collections.abc import Callable, Iterator
from itertools import chain
from math import inf, isfinite
from typing import Any

from adjoint import optim
from adjoint.arrays.scalars import scatter
from adjoint.compile.sharing import compile_shared
from adjoint.engine import ops
from adjoint.engine.modes import no_grad
from adjoint.engine.value import Value
from adjoint.optim import Optimizer
from adjoint.training.compiled_functions import (
    CHECKED_SIZE,
    CHECKED_STEPS,
    Shape,
    Stopwatch,
    parts_of,
    shapes_of,
    structure_of,
)
from adjoint.training.eager_steps import EagerPass, NotFinite, shares_of
from adjoint.training.metric import Metric
from adjoint.training.objectives import Objective
from adjoint.transforms.trees import tree_map


class ScalarBatch:
    """Values that hold the samples of batches of one shape: arrays, or nested lists of numbers."""

    def __init__(self, batch: tuple):
        self.structure = structure_of(batch)
        self.values = [Value(0.0) for _ in range(sum(map(math.prod, shapes_of(batch))))]
        self._kinds = [kind for array in parts_of(batch) for kind in [_kind(array)] * math.prod(*shapes_of(array))]

    def write(self, batch: tuple) -> None:
        """Write a batch into the Values."""
        arrays = parts_of(batch)
        if any(isinstance(array, list) for array in arrays):
            scatter(list(chain.from_iterable(map(_flatten, arrays))), self.values)
            return
        import numpy as np

        scatter(np.concatenate([array.ravel() for array in arrays], dtype=float), self.values)

    def read(self) -> tuple:
        """Return the samples as nested lists of numbers: what `tolist()` returns for the arrays."""
        return _read(self.structure, map(_number, self.values, self._kinds))


def _kind(array: Any) -> type:
    """Return int for an array of integers, such as labels; float for others."""
    while isinstance(array, list):
        array = array[0]
    return int if type(array) is int or getattr(getattr(array, "dtype", None), "kind", "f") in "iu" else float


def _number(value: Value, kind: type) -> Any:
    """Return the number that a Value holds: an integer if it was one. A recorded number is not converted."""
    x = value.data
    return int(x) if kind is int and type(x) is float else x


def _flatten(array: list) -> list[float]:
    return [float(x) for row in array for x in row] if isinstance(array[0], list) else list(map(float, array))


def _read(structure: Any, numbers: Iterator) -> Any:
    if isinstance(structure, Shape):
        return _nest(structure.sizes, numbers)
    if isinstance(structure, tuple):
        return tuple([_read(part, numbers) for part in structure])
    return {key: _read(part, numbers) for key, part in structure.items()}


def _nest(shape: tuple[int, ...], numbers: Iterator) -> Any:
    return [_nest(shape[1:], numbers) for _ in range(shape[0])] if shape else next(numbers)


class ScalarPass(EagerPass):
    """Computes the loss and the metrics of batches, compiled."""

    is_compiled = True
    compile = staticmethod(compile_shared)  # compiles a function

    def __init__(self, objective: Objective, metrics: list[Metric]):
        super().__init__(objective, metrics)
        self._functions: dict[tuple, tuple[ScalarBatch, Callable[[], tuple[float, Any]]]] = {}
        self._stopwatch = Stopwatch()

    @property
    def compile_seconds(self) -> float:
        return self._stopwatch.seconds

    def __call__(self, x: Any, y: Any, weight: Any = None) -> bool:
        share, total = shares_of(y, weight)
        self.add(*self._run(x, y, share), y, total)
        return False

    def _run(self, x: Any, y: Any, share: Any) -> tuple[float, Any]:
        """Return the loss of a batch, and the predictions if there are metrics of them."""
        given = (x, y) if share is None else (x, y, share)
        kind = shapes_of(given)
        if kind not in self._functions:
            batch = ScalarBatch(given)
            self._functions[kind] = batch, self._function(batch)
        batch, function = self._functions[kind]
        batch.write(given)
        loss, prediction = self._stopwatch.measure(kind, function)
        return loss, prediction

    def _function(self, batch: ScalarBatch) -> Any:
        objective, has_metrics = self.objective, bool(self.metrics)

        def evaluate():
            loss, prediction = objective(*batch.read())
            return loss.data, numbers_of(prediction) if has_metrics else None

        return self.compile(no_grad(evaluate))


class ScalarStep(ScalarPass):
    """A compiled training step of a network of single numbers.

    >>> from adjoint import nn, optim
    >>> from adjoint.training import Objective, ScalarStep
    >>> model = nn.MLP(2, [1], seed=0)
    >>> objective = Objective(model, "mse", 0.0, model.parameters())
    >>> step = ScalarStep(objective, [], optim.SGD(model.parameters(), lr=0.1), None, True)
    >>> step([[0.0, 1.0]], [1.0]), step.steps
    (True, 1)
    """

    def __init__(
        self,
        objective: Objective,
        metrics: list[Metric],
        optimizer: Optimizer,
        clip_norm: float | None,
        is_guarded: bool,
    ):
        self.optimizer, self.clip_norm, self.is_guarded = optimizer, clip_norm, is_guarded
        super().__init__(objective, metrics)

    def _function(self, batch: ScalarBatch) -> Any:
        objective, optimizer, clip_norm = self.objective, self.optimizer, self.clip_norm
        has_metrics, kept = bool(self.metrics), self.objective.parameters if self.is_guarded else []

        def step():
            loss, prediction = objective(*batch.read())
            before = [(p.data, p.grad) for p in kept]
            optimizer.zero_grad()
            loss.backward()
            if clip_norm is not None:
                optim.clip_grad_norm(objective.parameters, clip_norm)
            optimizer.step()
            is_finite = abs(loss.data) < inf
            for p, (data, grad) in zip(kept, before):  # as in an eager step, which ends before the backward pass
                p.data, p.grad = ops.where(is_finite, p.data, data), ops.where(is_finite, p.grad, grad)
            return loss.data, numbers_of(prediction) if has_metrics else None

        is_small = len(objective.parameters) <= CHECKED_SIZE
        return self.compile(step, check=CHECKED_STEPS if is_small else 0)

    def __call__(self, x: Any, y: Any, weight: Any = None) -> bool:
        """Take a step; return whether it has updated the weights."""
        self.run_checked(x, y, *shares_of(y, weight))
        return True

    def run_checked(self, x: Any, y: Any, share: Any, total: float) -> None:
        """Run a batch, and raise if its loss is not finite."""
        loss, prediction = self._run(x, y, share)
        if self.is_guarded and not isfinite(loss):
            raise NotFinite(loss, self.steps + 1, (x, y, share))
        self.add(loss, prediction, y, total)

    def finish(self) -> bool:
        """Complete the epoch; return whether that has updated the weights."""
        return False


def numbers_of(prediction: Any) -> Any:
    """Return the numbers of predictions, which are nested lists of scalar Values."""
    return tree_map(lambda x: x.data if isinstance(x, Value) else x, prediction)
