"""Experiments: train a network on samples step by step, and inspect it.

    experiment = Experiment(Configuration.read({"dataset": "xor"}))
    while experiment.evaluate()["accuracy"]["train"] < 1:
        experiment.step()

The steps are those of `adjoint.fit`. The configuration and the changes determine everything: the same ones give the
same network bit for bit after the same number of steps.
"""

import re
from collections.abc import Iterator
from operator import attrgetter
from time import perf_counter
from typing import Any

from adjoint import Value, grouping, nn, no_grad, optim
from adjoint.data import Scale
from adjoint.errors import LabError, collect_warnings
from adjoint.see import Groups
from adjoint.training import LOSSES, EagerStep, NotFinite, Objective, ScalarStep, warn_of_divergence
from adjoint_lab.batches import Batch, Batches, Inputs, Targets, held_out
from adjoint_lab.configurations import SUM_OF_SQUARES, Change, Configuration
from adjoint_lab.engines import STEPS, LayerNumbers, Network, layers_of, move_numbers, move_state
from adjoint_lab.forward import PlainNetwork, loss_of, predicted_class
from adjoint_lab.protocol.common import Architecture
from adjoint_lab.samples import Point, as_lists

MAX_POINTS = 256  # of a curve; beyond, every other point is dropped
_MARGIN = 0.12  # around the samples, as a fraction of their extent
_SOURCE_LINE = re.compile(r",? (computed )?at \S+:\d+")  # in a warning; it is a line of the lab, not of the user

Metrics = dict[str, dict[str, float | None]]  # loss and accuracy, each on the training and the test samples


class Experiment:
    """A training run that can be stopped, inspected and changed at any step."""

    def __init__(self, configuration: Configuration):
        self.configuration = self.initial = configuration
        self.changes: list[Change] = []
        self.steps = 0
        self._start_timing()
        self.warnings: list[str] = []
        self.stopped = ""  # the reason why no further step can be taken
        self.history = Curves()
        self._metrics: Metrics | None = None  # of the current weights and samples, once they are evaluated
        self.X, self.y = configuration.data()
        self.is_test = held_out(len(self.X), configuration.held_out, configuration.seed)
        self.scale = Scale.of_rows(self.X) if configuration.dataset == "csv" and self.X else None
        self.is_plane = configuration.inputs == 2  # whether the samples are points of a plane; its corners follow
        self.low, self.high = _corners(self.X, is_square=self.scale is None)
        self._generated = len(self.X)  # the samples after these are added points
        self.network = self.create_network()
        self.optimizer = self.create_optimizer()
        self._step = self._create_step()
        self.loader: Batches | None = None
        self._set_points(configuration.points)
        self._record()

    # --- creation ---

    def create_network(self) -> Network:
        """Return the initial network: of scalar Values or, with the same weights, of arrays."""
        network = self.configuration.network()
        return network.to_arrays() if self.configuration.engine == "array" else network

    def create_optimizer(self) -> optim.Optimizer:
        """Return the optimizer of the network."""
        return optim.make(self.configuration.optimizer, self.network.parameters(), lr=self.configuration.lr)

    def _create_step(self) -> EagerStep | ScalarStep:
        chosen, parameters = self.configuration, self.network.parameters()
        objective = Objective(self.network, chosen.loss_function, chosen.l2, parameters)
        return STEPS[chosen.engine](objective, [], self.optimizer, None, True)

    def _set_points(self, points: tuple[Point, ...]) -> None:
        """Use these added points as training samples, and start a new epoch."""
        (X, y), count = as_lists(points), self._generated
        self.X, self.y = self.X[:count] + X, self.y[:count] + y
        self.is_test = self.is_test[:count] + [False] * len(X)
        self.inputs = [self._as_inputs(x) for x in self.X]
        self.targets = self.configuration.targets(self.y)
        self._metrics = None
        epoch = self.loader.epoch if self.loader else 0
        train = self._rows(is_test=False)
        self._batches: Iterator[Batch] = iter(())
        if not train:
            self.loader = None
            return
        inputs, targets = [self.inputs[i] for i in train], [self.targets[i] for i in train]
        self.loader = Batches(inputs, targets, self.configuration.batch_size, self.configuration.seed)
        self.loader.epoch = epoch

    def _rows(self, is_test: bool) -> list[int]:
        """Return the indices of the test samples, or of the training samples."""
        return [i for i, found in enumerate(self.is_test) if found == is_test]

    # --- training ---

    @property
    def epoch(self) -> int:
        """The number of epochs that have started."""
        return self.loader.epoch if self.loader else 0

    @property
    def rate(self) -> float | None:
        """The steps per second of the engine alone, without compilation and without the time for snapshots."""
        return self._timed_steps / self.seconds if self._timed_steps else None

    @property
    def compile_seconds(self) -> float:
        """How long compilation took so far, with the first run of each program."""
        return self._step.compile_seconds

    def _start_timing(self) -> None:
        self._timed_steps, self.seconds = 0, 0.0  # steps that compiled nothing, and how long they took

    def steps_left(self) -> int:
        """Return the number of steps to the end of the current or next epoch."""
        if self.loader is None:
            return 0
        return len(self.loader) - self.loader.batch % len(self.loader)

    def step(self) -> None:
        """Train on the next batch; warnings of the guards are added to `warnings`."""
        self.require_steps()
        self._metrics = None
        begun, compiled = perf_counter(), self.compile_seconds
        x, y = self._next_batch()
        with collect_warnings() as collected:
            try:
                self.train_on(x, y)
            except NotFinite as found:
                warn_of_divergence(
                    found, self._step.objective, None, self.epoch, self.optimizer.lr, "the weights of this step"
                )
                self.stopped = _SOURCE_LINE.sub("", str(collected[-1]))
                self._batches = iter(())
        if self.compile_seconds == compiled:
            self._timed_steps += 1
            self.seconds += perf_counter() - begun
        texts = [_SOURCE_LINE.sub("", str(warning)) for warning in collected]
        self.warnings += [text for text in texts if text not in self.warnings]
        if not self.stopped:
            self.steps += 1
            self._record()

    def train_on(self, x: Inputs, y: Targets) -> None:
        """Take one step on a batch."""
        if self.configuration.engine != "array":
            self._step(x, y)
            return
        import numpy as np

        self._step(np.array(x), np.array(y))

    def require_steps(self) -> None:
        """Raise an error if there are no training samples, or if training has stopped."""
        if self.loader is None:
            raise LabError("there are no training samples; add points of both classes")
        if self.stopped:
            raise LabError(f"training has stopped: {self.stopped}")

    def _next_batch(self) -> Batch:
        assert self.loader
        found = next(self._batches, None)
        if found is None:
            self._batches = iter(self.loader)
            self._step.reset()
            found = next(self._batches)
        return found

    def change(self, change: Change) -> None:
        """Apply a change; before the first step, it becomes part of the initial configuration."""
        before = self.configuration
        self.configuration = after = change.apply_to(before)
        if not self.steps:
            self.initial = after
        else:
            self.changes.append(change)
        if after.engine != before.engine:
            self._change_engine()
        self.optimizer.lr, self._step.objective.l2 = after.lr, after.l2
        if after.points != before.points:
            self._set_points(after.points)

    def _change_engine(self) -> None:
        """Continue on the engine of the configuration, with the same weights and the same state of the optimizer."""
        network, optimizer, steps = self.network, self.optimizer, self._step.steps
        if isinstance(network, nn.MLP) == (self.configuration.engine == "array"):
            self.network = self.create_network()
            move_numbers(network, self.network)
            self.optimizer = self.create_optimizer()
            move_state(network, optimizer, self.network, self.optimizer)
        self._step = self._create_step()
        self._step.steps = steps  # of the current epoch
        self._start_timing()

    # --- inspection ---

    def plain_network(self) -> PlainNetwork:
        """Return the network in plain numbers, with the current weights."""
        return PlainNetwork(self.weights(), self.architecture()["activations"])

    def _outputs(self) -> list[list[float]]:
        """Return the outputs of the network for all samples."""
        if isinstance(self.network, nn.MLP):
            return self.plain_network()(self.inputs)
        with no_grad():
            return self.network(self.inputs).numpy().tolist()

    def evaluate(self) -> Metrics:
        """Return loss and accuracy on the training samples and on the test samples; None for an empty set."""
        if self._metrics is None:
            self._metrics = self._evaluate()
        return self._metrics

    def _evaluate(self) -> Metrics:
        found: Metrics = {"loss": {}, "accuracy": {}}
        outputs, loss = self._outputs() if self.inputs else [], self.configuration.loss_function
        for name, is_test in (("train", False), ("test", True)):
            rows = self._rows(is_test)
            found["loss"][name] = found["accuracy"][name] = None
            if rows:
                mine, targets = [outputs[i] for i in rows], [self.targets[i] for i in rows]
                found["loss"][name] = loss_of(LOSSES[loss] if isinstance(loss, str) else loss, mine, targets)
                found["accuracy"][name] = sum(predicted_class(outputs[i]) == self.y[i] for i in rows) / len(rows)
        return found

    def weights(self) -> list[LayerNumbers]:
        """Return the weights of each layer."""
        return layers_of(self.network, attrgetter("data"))

    def gradients(self) -> list[LayerNumbers]:
        """Return the gradients of each layer, from the last step."""
        return layers_of(self.network, attrgetter("grad"))

    def gradient_norms(self) -> list[float]:
        """Return the gradient norm of each layer."""
        return [layer.norm for layer in self.gradients()]

    def architecture(self) -> Architecture:
        """Return what determines the outputs of the network besides its weights."""
        configuration, scale = self.configuration, self.scale
        return {
            "activations": [*[configuration.activation] * len(configuration.hidden), configuration.output],
            "mean": scale.mean if scale else [0.0] * configuration.inputs,
            "spread": scale.spread if scale else [1.0] * configuration.inputs,
        }

    def _as_inputs(self, x: list[float]) -> list[float]:
        """Return the inputs of a sample as the network takes them."""
        return x if self.scale is None else self.scale.row(x)

    def graph_of(self, index: int, of: str = "neurons") -> tuple[Value, Groups]:
        """Return the loss of one sample as a Value, and which part of the network created which nodes.

        A graph of "neurons" has a node for each product with a weight; a graph of "layers" has few nodes, with arrays.
        """
        if not 0 <= index < len(self.inputs):
            raise LabError(f"sample {index} does not exist; there are {len(self.inputs)} samples, counted from 0")
        network, place, target = self.scalar_network(), self.inputs[index], self.targets[index]
        name = self.configuration.loss
        loss_of = LOSSES["mse" if name == SUM_OF_SQUARES else name]  # of one sample, both are its squared error
        if of == "neurons":
            with grouping(network) as groups:
                output: Any = network([Value(x, label=f"x{i}") for i, x in enumerate(place, 1)])
            for value, label in zip(output if isinstance(output, list) else [output], self._output_names()):
                value.label = label
            loss = loss_of(output, target, reduction="none")
        else:
            arrays: Any = network.to_arrays()
            for i, p in enumerate(arrays.parameters()):
                p.label = f"{'Wb'[i % 2]}{i // 2 + 1}"
            with grouping(arrays) as groups:
                output = arrays(Value([place], label="x"))
            output.label = "scores" if self.configuration.classes > 2 else "score"
            loss = loss_of(output, [target] if self.configuration.classes > 2 else [[float(target)]])
        loss.label = "loss"
        return loss, groups

    def _output_names(self) -> list[str]:
        configuration = self.configuration
        return ["score"] if configuration.classes == 2 else [f"score {label}" for label in configuration.labels]

    def scalar_network(self) -> nn.MLP:
        """Return the network of scalar Values, with the current weights and a label for each."""
        network = self.configuration.network()
        for k, (layer, numbers) in enumerate(zip(network.layers, self.weights()), 1):
            for i, neuron in enumerate(layer.neurons):
                for j, w in enumerate(neuron.w):
                    w.data, w.label = numbers.w[i][j], f"w{k}_{i + 1}_{j + 1}"
                neuron.b.data, neuron.b.label = numbers.b[i], f"b{k}_{i + 1}"
        return network

    def _record(self) -> None:
        if self.loader is not None and self.history.includes(self.steps):
            self.history.add(self.steps, self.evaluate())


class Curves:
    """Loss and accuracy at evenly spaced steps: first at every step, in a long run at fewer."""

    COLUMNS = (("loss", "train"), ("loss", "test"), ("accuracy", "train"), ("accuracy", "test"))

    def __init__(self) -> None:
        self.every = 1
        self.steps: list[int] = []
        self.columns: list[list[float | None]] = [[] for _ in self.COLUMNS]

    def includes(self, step: int) -> bool:
        """Return whether a step is recorded."""
        return step % self.every == 0 and (not self.steps or step > self.steps[-1])

    def add(self, step: int, metrics: Metrics) -> None:
        """Record the metrics of a step; the number of a step alone decides whether it is kept."""
        self.steps.append(step)
        for column, (metric, part) in zip(self.columns, self.COLUMNS):
            column.append(metrics[metric][part])
        if len(self.steps) > MAX_POINTS:
            self.every *= 2
            for column in (self.steps, *self.columns):
                del column[1::2]


def _corners(X: list[list[float]], is_square: bool) -> tuple[list[float], list[float]]:
    """Return two corners of a rectangle around all samples; without samples, around 0."""
    if not X:
        return [-1.2, -1.2], [1.2, 1.2]
    columns = [[x[i] for x in X] for i in (0, 1)]
    extents = [max(column) - min(column) for column in columns]
    middles = [(max(column) + min(column)) / 2 for column in columns]
    halves = [(max(extents) if is_square else extent) or 1.0 for extent in extents]
    halves = [extent * (0.5 + _MARGIN) for extent in halves]
    return [x - half for x, half in zip(middles, halves)], [x + half for x, half in zip(middles, halves)]
