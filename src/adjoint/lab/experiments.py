"""An experiment: one network that is trained on points in the plane, step by step, and can be looked into.

    experiment = Experiment(Configuration.read({"dataset": "xor"}))
    while experiment.judged()["accuracy"]["train"] < 1:
        experiment.step()

The steps are those of `adjoint.fit`. Everything follows from the configuration and the changes: the same ones, after as
many steps, give the same network bit for bit.
"""

import re
from collections.abc import Callable, Iterator
from operator import attrgetter
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from adjoint import nn, optim
from adjoint.data import DataLoader, train_test_split
from adjoint.engine.value import Value
from adjoint.errors import LabError
from adjoint.errors.guard_warnings import listening
from adjoint.lab.configurations import Change, Configuration, as_arrays
from adjoint.nn.observation import as_plain
from adjoint.see.explanation.groups import Groups, grouping
from adjoint.see.plots.boundaries import Plane
from adjoint.training.divergence import warn_of_divergence
from adjoint.training.evaluation import evaluate
from adjoint.training.objectives import LOSSES, Objective
from adjoint.training.recipes import Scale
from adjoint.training.steps import EagerStep, NotFinite

MOST_POINTS = 256  # of a curve: beyond, every other one is dropped
_MARGIN = 0.12  # around the samples, of their extent
_AT_LINE = re.compile(r",? (computed )?at \S+:\d+")  # a line of ours in the words of the engine: nobody's mistake


class Layer(NamedTuple):
    """The numbers of one layer, its weights or their gradients: a row of weights and a bias for each neuron."""

    w: np.ndarray
    b: np.ndarray

    @property
    def norm(self) -> float:
        """The length of all of them as one vector."""
        return float(np.sqrt((self.w**2).sum() + (self.b**2).sum()))


class Experiment:
    """A training that can be stopped, looked into, and changed at any step."""

    def __init__(self, configuration: Configuration):
        self.configuration = self.begun_with = configuration
        self.changes: list[Change] = []
        self.steps, self.seconds = 0, 0.0  # taken, and how long these took
        self.warnings: list[str] = []
        self.stopped = ""  # why no further step can be taken
        self.history = Curves()
        self.X, self.y = configuration.data()
        self.is_test = _held_out(configuration, len(self.X))
        self.scale = Scale.of(self.X) if configuration.dataset == "csv" else None
        self.low, self.high = _corners(self.X, is_square=self.scale is None)
        self._drawn = len(self.X)  # the samples after these were added by hand
        self.network = self.made_network()
        self.optimizer = self.made_optimizer()
        self.loader: DataLoader | None = None
        self._take(configuration.points)
        self._note()

    # --- what it is made of ---

    def made_network(self) -> Any:
        """Return the network as it begins: of single Values or, with the same weights, of arrays."""
        chosen = self.configuration
        return chosen.recipe.model(np.empty((0, 2)), np.arange(chosen.classes), chosen.engine, chosen.seed)

    def made_optimizer(self) -> optim.Optimizer:
        """Return what updates its weights."""
        return optim.make(self.configuration.optimizer, self.network.parameters(), lr=self.configuration.lr)

    def _take(self, points: tuple) -> None:
        """Take points that were added by hand among the samples, and begin an epoch with them."""
        (X, y), drawn = as_arrays(points), self._drawn
        self.X, self.y = np.concatenate([self.X[:drawn], X]), np.concatenate([self.y[:drawn], y])
        self.is_test = np.concatenate([self.is_test[:drawn], np.zeros(len(X), bool)])
        self.inputs = self.X if self.scale is None else self.scale(self.X)
        self.targets = self.configuration.targets(self.y)
        epoch = self.loader.epoch if self.loader else 0
        train = ~self.is_test
        self._batches: Iterator[Any] = iter(())
        if not train.any():
            self.loader = None
            return
        size = self.configuration.batch_size
        loader = DataLoader(
            self.inputs[train],
            self.targets[train],
            batch_size=size or int(train.sum()),
            shuffle=size is not None,
            seed=self.configuration.seed,
        )
        loader.epoch, self.loader = epoch, loader
        objective = Objective(self.network, self.configuration.loss, self.configuration.l2, self.network.parameters())
        self._step = EagerStep(objective, [], self.optimizer, None, True)

    # --- training ---

    @property
    def epoch(self) -> int:
        """How many epochs have begun."""
        return self.loader.epoch if self.loader else 0

    @property
    def rate(self) -> float | None:
        """The steps that the engine takes in a second; what is drawn in between does not count."""
        return self.steps / self.seconds if self.steps else None

    def steps_left(self) -> int:
        """Return how many steps end this epoch, or make the next one if none has begun."""
        if self.loader is None:
            return 0
        return len(self.loader) - self.loader.batch % len(self.loader)

    def step(self) -> None:
        """Train on the next batch; what the guards say is kept among the warnings."""
        self.require_steps()
        begun = perf_counter()
        x, y = self._next_batch()
        with listening() as heard:
            try:
                self.train_on(x, y)
            except NotFinite as found:
                assert self.loader
                warn_of_divergence(
                    found, self._step.objective, self.loader, self.epoch, self.optimizer.lr, "the weights of this step"
                )
                self.stopped = _AT_LINE.sub("", str(heard[-1]))
                self._batches = iter(())
        self.seconds += perf_counter() - begun
        self.warnings += [_AT_LINE.sub("", str(warning)) for warning in heard]
        if not self.stopped:
            self.steps += 1
            self._note()

    def train_on(self, x: np.ndarray, y: np.ndarray) -> None:
        """Take one step with a batch."""
        self._step(x, y)

    def require_steps(self) -> None:
        """Raise if there is nothing to train on, or training has ended."""
        if self.loader is None:
            raise LabError("there is nothing to train on yet; add points of both classes")
        if self.stopped:
            raise LabError(f"training has ended: {self.stopped}")

    def _next_batch(self) -> Any:
        assert self.loader
        found = next(self._batches, None)
        if found is None:
            self._batches = iter(self.loader)
            self._step.reset()
            found = next(self._batches)
        return found

    def change(self, change: Change) -> None:
        """Go on with another rate, or with a point more or less; at the beginning it is as if it had been so always."""
        before = self.configuration
        self.configuration = after = change.applied(before)
        if not self.steps:
            self.begun_with = after
        else:
            self.changes.append(change)
        self.optimizer.lr = after.lr
        if after.points != before.points:
            self._take(after.points)
        elif self.loader:
            self._step.objective.l2 = after.l2

    # --- looking into it ---

    def array_twin(self) -> Any:
        """Return the network on arrays, with the weights that it has now."""
        return self.network.to_arrays() if isinstance(self.network, nn.MLP) else self.network

    def judged(self) -> dict[str, dict[str, float | None]]:
        """Return loss and accuracy on the samples to train on and on those to test with; None where there are none."""
        twin = self.array_twin()
        found: dict[str, dict[str, float | None]] = {"loss": {}, "accuracy": {}}
        for name, rows in (("train", ~self.is_test), ("test", self.is_test)):
            reached: dict[str, float | None] = {"loss": None, "accuracy": None}
            if rows.any():
                samples = self.inputs[rows], self.targets[rows]
                reached |= evaluate(twin, samples, loss=self.configuration.loss, metrics="accuracy")
            for what, number in reached.items():
                found[what][name] = number
        return found

    def weights(self) -> list[Layer]:
        """Return the weights of each layer."""
        return list(_by_layer(self.network, attrgetter("data")))

    def gradients(self) -> list[Layer]:
        """Return the gradients of each layer: those of the last step."""
        return list(_by_layer(self.network, attrgetter("grad")))

    def plane(self, count: int) -> Plane:
        """Return a grid of so many rows and columns over the samples, in the order of reading: from above."""
        (left, bottom), (right, top) = self.low, self.high
        middles = (np.arange(count) + 0.5) / count  # of as many small rectangles
        return Plane(left + (right - left) * middles, top + (bottom - top) * middles)

    def as_inputs(self, places: np.ndarray) -> np.ndarray:
        """Return places of the plane as the network takes them."""
        return places if self.scale is None else self.scale(places)

    def graph_of(self, index: int, of: str = "neurons") -> tuple[Value, Groups]:
        """Return the loss of one sample as a Value, and which part of the network made which nodes.

        A graph of "neurons" has a node for each product of a weight; one of "layers" has arrays, and few nodes.
        """
        if not 0 <= index < len(self.inputs):
            raise LabError(f"there are {len(self.inputs)} samples, counted from 0; there is no sample {index}")
        network, place, target = self.scalar_twin(), self.inputs[index].tolist(), self.targets[index].tolist()
        loss_of = LOSSES[self.configuration.loss]
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

    def scalar_twin(self) -> nn.MLP:
        """Return the network of single Values, with the weights that it has now and names for them."""
        chosen = self.configuration
        network = chosen.recipe.model(np.empty((0, 2)), np.arange(chosen.classes), "scalar", chosen.seed)
        for k, (layer, numbers) in enumerate(zip(network.layers, self.weights()), 1):
            for i, neuron in enumerate(layer.neurons):
                for j, w in enumerate(neuron.w):
                    w.data, w.label = float(numbers.w[i, j]), f"w{k}_{i + 1}_{j + 1}"
                neuron.b.data, neuron.b.label = float(numbers.b[i]), f"b{k}_{i + 1}"
        return network

    def _note(self) -> None:
        if self.loader is not None and self.history.wants(self.steps):
            self.history.add(self.steps, self.judged())


class Curves:
    """Loss and accuracy at some of the steps, evenly spaced: at every one first, then at fewer and fewer."""

    COLUMNS = (("loss", "train"), ("loss", "test"), ("accuracy", "train"), ("accuracy", "test"))

    def __init__(self) -> None:
        self.every, self.steps = 1, []
        self.columns: list[list[float | None]] = [[] for _ in self.COLUMNS]

    def wants(self, step: int) -> bool:
        """Return whether a step is one of those that are noted."""
        return step % self.every == 0 and (not self.steps or step > self.steps[-1])

    def add(self, step: int, reached: dict[str, dict[str, float | None]]) -> None:
        """Note what was reached; which steps are kept follows from their numbers alone."""
        self.steps.append(step)
        for column, (what, part) in zip(self.columns, self.COLUMNS):
            column.append(reached[what][part])
        if len(self.steps) > MOST_POINTS:
            self.every *= 2
            for column in (self.steps, *self.columns):
                del column[1::2]


def _by_layer(network: Any, read: Callable[[Any], Any]) -> Iterator[Layer]:
    if isinstance(network, nn.MLP):
        for layer in network.layers:
            w = np.array([[read(w) for w in neuron.w] for neuron in layer.neurons], float)
            yield Layer(w, np.array([read(neuron.b) for neuron in layer.neurons], float))
    else:
        for linear in network:
            if isinstance(linear, nn.Linear):
                yield Layer(np.array(as_plain(read(linear.weight))), np.array(as_plain(read(linear.bias))))


def _held_out(configuration: Configuration, count: int) -> np.ndarray:
    """Return which of the samples are kept to test with."""
    is_test = np.zeros(count, bool)
    if count > 1 and configuration.held_out * count >= 0.5:
        _, test = train_test_split(np.arange(count), test_size=configuration.held_out, seed=configuration.seed)
        is_test[test] = True
    return is_test


def _corners(X: np.ndarray, is_square: bool) -> tuple[list[float], list[float]]:
    """Return two corners of what is around all samples; without any, it is around 0."""
    if not len(X):
        return [-1.2, -1.2], [1.2, 1.2]
    low, high = X.min(0), X.max(0)
    extent = high - low
    extent = np.full(2, extent.max()) if is_square else extent
    half = np.where(extent > 0, extent, 1.0) * (0.5 + _MARGIN)
    return ((low + high) / 2 - half).tolist(), ((low + high) / 2 + half).tolist()
