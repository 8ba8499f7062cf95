"""The room Train: trains a network in a worker, and sends its progress to the page.

`REQUESTS` lists the requests. The room also sends events: "snapshot" with everything that a page draws of a moment,
"curves" with loss and accuracy so far, "rates" with the result of `compare`, and "state" when a run has been restored.
Each event is complete, so that a page needs only the latest of each kind.
"""

import math
from collections.abc import Sequence
from time import perf_counter
from typing import ClassVar

from adjoint import Value
from adjoint.errors import LabError
from adjoint.see import Groups
from adjoint_lab.comparison import Comparison
from adjoint_lab.configurations import (
    ACTIVATIONS,
    BINARY_CROSS_ENTROPY,
    INITIALIZATIONS,
    LOSSES,
    MAX_CHANGES,
    MAX_LAYERS,
    MAX_NEURONS,
    MAX_STEPS,
    MULTICLASS_LOSS,
    OPTIMIZERS,
    OUTPUTS,
    PRESETS,
    Change,
    Configuration,
    read_changes,
    read_engine,
    read_l2,
    read_lr,
)
from adjoint_lab.engines import available_engines, missing_engine
from adjoint_lab.experiments import Experiment
from adjoint_lab.export import page_of
from adjoint_lab.player import Answer, Player
from adjoint_lab.protocol.train import Choices, Rates, Sample, Snapshot, State
from adjoint_lab.samples import BUILT_IN, GENERATED, MAX_CLASSES, MAX_SAMPLES, Point, read_csv, read_point
from adjoint_lab.scenes import Scene, scene_of
from adjoint_lab.serve import messages
from adjoint_lab.serve.dispatcher import Push
from adjoint_lab.serve.messages import Message
from adjoint_lab.serve.workers import ThreadWorker, Worker

PACES = {"slow": 1.0, "medium": 10.0, "full": math.inf}  # steps per second, at most
CURVES = 1 / 5  # seconds between two events "curves", at least
RESTORING = 1 / 3  # seconds between two snapshots while a run is restored
MAX_CSV = 100_000  # characters
MAX_CASES = 16  # rows of the table of cases
PROBABILITY_LOSSES = (BINARY_CROSS_ENTROPY, MULTICLASS_LOSS)
FEW_WEIGHTS, MAX_WEIGHTS = 40, 160  # of a network whose graph shows single neurons, by default and at most


class Train(Player):
    """The room of one page."""

    NAME = "train"
    NEWEST_WINS = frozenset({"set", "tune"})

    def __init__(self, push: Push, worker: type[Worker] = ThreadWorker):
        self._curves_due = 0.0
        self._comparison: Comparison | None = None
        self._rates: Rates | None = None
        self._chosen_pace = "full"
        super().__init__(push, worker)
        self._worker.ask(self._start, PRESETS["xor"])

    def graph_of(self, index: int) -> tuple[Value, Groups]:
        """Return the loss of one sample as a Value, and which neuron created which nodes of its graph."""
        return self._worker.ask(lambda: self._experiment.graph_of(index))

    # --- training: in the worker ---------------------------------------------------------------------------

    def _start(self, configuration: Configuration, steps: int = 0, changes: Sequence[Change] = ()) -> None:
        """Start a run; to restore one, take `steps` steps at full speed and apply the changes in between."""
        experiment = Experiment(configuration)
        if steps:
            experiment.require_steps()
        self._experiment, self._run = experiment, self._run + 1
        self._changes = list(changes)  # that are still to be applied
        self._restored, self._goal = steps, float(steps)
        self._due = self._curves_due = 0.0
        self._comparison = self._rates = None
        self._apply_changes()
        self._set_speed()

    @property
    def _steps(self) -> int:
        return self._experiment.steps

    def _require_steps(self) -> None:
        self._experiment.require_steps()

    def _work(self) -> float | None:
        if self._comparison:
            self._compare()
            return 0.0
        return super()._work()

    def _step(self) -> None:
        self._experiment.step()
        self._apply_changes()
        if self._experiment.stopped:
            self._stop()
        if self._steps == self._restored:
            self._set_speed()
            self._send("state", self._state())

    def _apply_changes(self) -> None:
        """Apply the changes of the current step while a run is restored."""
        while self._changes and self._changes[0].step <= self._steps:
            self._experiment.change(self._changes.pop(0))

    def _stop(self) -> None:
        super()._stop()
        self._restored, self._changes = 0, []
        self._set_speed()

    def _set_speed(self) -> None:
        """Use the chosen pace, or full speed while a run is restored."""
        self._pace = math.inf if self._is_restoring else PACES[self._chosen_pace]
        self._step_due = 0.0

    @property
    def _is_restoring(self) -> bool:
        return self._steps < self._restored

    def _compare(self) -> None:
        comparison = self._comparison
        if comparison and comparison.advance():
            self._comparison, self._rates = None, comparison.rates()
            self._send("rates", {"rates": self._rates})

    # --- events: in the worker -----------------------------------------------------------------------------

    def _report(self) -> None:
        super()._report()
        now = perf_counter()
        if self._is_restoring:
            self._due = now + RESTORING
        if now >= self._curves_due or not self._is_running:
            history = self._experiment.history
            columns = {f"{part}_{metric}": column for (metric, part), column in zip(history.COLUMNS, history.columns)}
            self._send("curves", {"steps": history.steps, **columns})
            self._curves_due = now + CURVES

    def _snapshot(self) -> Snapshot:
        experiment, is_running = self._experiment, self._is_running
        metrics = experiment.evaluate()
        return {
            "run": self._run,
            "step": experiment.steps,
            "epoch": experiment.epoch,
            "playing": is_running,
            "restoring": self._is_restoring,
            "loss": {"train": metrics["loss"]["train"], "test": metrics["loss"]["test"]},
            "accuracy": {"train": metrics["accuracy"]["train"], "test": metrics["accuracy"]["test"]},
            "rate": experiment.rate,
            "compile_seconds": experiment.compile_seconds,
            "rates": self._rates,
            "weights": [layer.as_json() for layer in experiment.weights()],
            "gradients": [layer.as_json() for layer in experiment.gradients()],
            "gradient_norms": [*experiment.gradient_norms()],
            "warnings": experiment.warnings,
            "stopped": experiment.stopped,
        }

    def _state(self) -> State:
        """Return what does not change from step to step."""
        experiment, weights = self._experiment, self._experiment.weights()
        return {
            "run": self._run,
            "configuration": experiment.initial.as_json(),
            "changes": [change.as_json() for change in experiment.changes],
            "lr": experiment.configuration.lr,
            "l2": experiment.configuration.l2,
            "engine": experiment.configuration.engine,
            "step": experiment.steps,
            "playing": self._is_running,
            "pace": self._chosen_pace,
            "sizes": experiment.configuration.sizes,
            "network": experiment.architecture(),
            "parameters": sum(len(layer.b) * (1 + len(layer.w[0])) for layer in weights),
            "steps_in_epoch": len(experiment.loader) if experiment.loader else 0,
            "low": experiment.low,
            "high": experiment.high,
            "samples": _samples(experiment),
            "labels": experiment.configuration.labels,
            "cases": _count_cases(experiment),
            "is_plane": experiment.is_plane,
            "is_probability": experiment.configuration.loss in PROBABILITY_LOSSES,
        }

    def _report_state(self) -> Answer:
        """Send a snapshot, and return the state."""
        self._report()
        return self._state()

    # --- requests: in the worker ---------------------------------------------------------------------------

    def _choices(self, message: Message) -> Answer:
        choices: Choices = {
            "presets": [PRESETS[name].as_json() for name in (*BUILT_IN, "points")],
            "thumbnails": {name: _thumbnail(PRESETS[name]) for name in GENERATED},
            "activations": list(ACTIVATIONS),
            "outputs": list(OUTPUTS),
            "initializations": list(INITIALIZATIONS),
            "losses": {"two": list(LOSSES), "more": [MULTICLASS_LOSS]},
            "optimizers": list(OPTIMIZERS),
            "engines": list(available_engines()),
            "missing_engine": missing_engine(),
            "paces": list(PACES),
            "most": {
                "samples": MAX_SAMPLES, "layers": MAX_LAYERS, "neurons": MAX_NEURONS, "classes": MAX_CLASSES,
                "steps": MAX_STEPS,
            },
        }  # fmt: skip
        return choices

    def _set(self, message: Message) -> Answer:
        configuration = Configuration.read(messages.fields(message, "configuration"))
        return self._restart(message, configuration)

    def _csv(self, message: Message) -> Answer:
        text, name = messages.text(message, "text", MAX_CSV), messages.text(message, "name", 200)
        found = {"dataset": "csv", **read_csv(text, name), "points": []}
        return self._restart(message, Configuration.read({**messages.fields(message, "configuration", {}), **found}))

    def _restart(self, message: Message, configuration: Configuration) -> Answer:
        steps = messages.whole(message, "steps", 0, MAX_STEPS, 0)
        changes, last = read_changes(message, configuration.classes), configuration
        for change in changes:
            last = change.apply_to(last)  # raises an error now rather than in the middle of the run
        is_playing = messages.flag(message, "playing", self._is_running and not self._is_restoring)
        self._start(configuration, steps, changes)
        asked = [messages.fields(message, "configuration", {}), *messages.items(message, "changes", MAX_CHANGES, [])]
        if missing_engine() and any(given.get("engine") == "array" for given in asked):
            self._experiment.warnings.append(f"{missing_engine()} This run uses the engine compiled.")
        if is_playing and self._experiment.loader:
            self._goal = math.inf
        return self._report_state()

    def _reset(self, message: Message) -> Answer:
        self._start(self._experiment.configuration)
        return self._report_state()

    def _take_epoch(self, message: Message) -> Answer:
        count = self._experiment.steps_left()
        self._stop()
        self._go(count)
        return {"until": self._steps + count}

    def _set_pace(self, message: Message) -> Answer:
        self._chosen_pace = messages.one_of(message, "pace", PACES)
        self._set_speed()
        return {"pace": self._chosen_pace}

    def _tune(self, message: Message) -> Answer:
        if message.get("engine") == "array" and missing_engine():
            raise LabError(missing_engine())
        lr, l2, engine = read_lr(message, None), read_l2(message, None), read_engine(message, None)
        return self._apply(Change(self._experiment.steps, lr=lr, l2=l2, engine=engine))

    def _add(self, message: Message) -> Answer:
        self._require_plane()
        classes = self._experiment.configuration.classes
        row = read_point([message.get("x1"), message.get("x2"), message.get("class")], classes)
        (left, bottom), (right, top) = self._experiment.low, self._experiment.high
        if not (left <= row[0] <= right and bottom <= row[1] <= top):
            raise LabError(
                f"the point ({row[0]:g}, {row[1]:g}) is outside the plane; x1 must be from {left:.3g} to {right:.3g}, "
                f"and x2 from {bottom:.3g} to {top:.3g}"
            )
        return self._apply(Change(self._experiment.steps, add=row))

    def _undo(self, message: Message) -> Answer:
        return self._apply(Change(self._experiment.steps, undo=True))

    def _apply(self, change: Change) -> Answer:
        if self._is_restoring:
            raise LabError("the run is still being restored; wait until it is done, or pause it")
        if len(self._experiment.changes) >= MAX_CHANGES:
            raise LabError(
                f"a run can have at most {MAX_CHANGES} changes; reset starts a new run with the current settings"
            )
        self._experiment.change(change)
        if not self._experiment.loader:
            self._stop()
        return self._report_state()

    def _sample_scene(self, message: Message) -> tuple[int, str, Scene]:
        experiment = self._experiment
        index = messages.whole(message, "index", 0, max(0, len(experiment.X) - 1))
        weights = sum(len(layer.w) * len(layer.w[0]) for layer in experiment.weights())
        is_small = weights <= FEW_WEIGHTS or (weights <= MAX_WEIGHTS and bool(missing_engine()))
        of = messages.one_of(message, "of", ("neurons", "layers"), "neurons" if is_small else "layers")
        if of == "neurons" and weights > MAX_WEIGHTS:
            other = "use fewer neurons" if missing_engine() else "show the graph of its layers, or use fewer neurons"
            limit = f"the graph of its neurons is limited to {MAX_WEIGHTS}"
            raise LabError(f"the network has {weights:,} weights, and {limit}; {other}")
        if of == "layers" and missing_engine():
            raise LabError(
                f"the network has {weights:,} weights. A graph of its layers needs NumPy, which is not available here, "
                f"and a graph of its neurons at most {MAX_WEIGHTS} weights; use fewer neurons"
            )
        loss, groups = experiment.graph_of(index, of)
        return index, of, scene_of(loss, groups=groups)

    def _sample(self, message: Message) -> Answer:
        index, of, scene = self._sample_scene(message)
        return {"index": index, "of": of, "step": self._steps, "scene": scene}

    def _export(self, message: Message) -> Answer:
        title, (_, _, scene) = messages.text(message, "title", 200), self._sample_scene(message)
        return {"html": page_of(scene, title, messages.whole(message, "at", 0, len(scene["steps"]), None))}

    def _require_plane(self) -> None:
        if not self._experiment.is_plane:
            inputs = self._experiment.configuration.inputs
            raise LabError(f"only data with two inputs has a plane; these samples have {inputs} inputs")

    def _start_comparison(self, message: Message) -> Answer:
        self._experiment.require_steps()
        self._comparison = Comparison(self._experiment.initial)
        return {"seconds": self._comparison.seconds}

    REQUESTS: ClassVar = {
        **Player.REQUESTS,
        "choices": _choices,  # → presets, thumbnails, and the options of each setting
        "state": lambda room, message: room._report_state(),  # → the state, and a snapshot
        "set": _set,  # configuration, steps, changes, playing → the state of a new or restored run
        "csv": _csv,  # text, name, configuration → the state
        "reset": _reset,  # → the state of a new run with the current settings
        "epoch": _take_epoch,
        "pace": _set_pace,  # pace
        "tune": _tune,  # lr, l2, engine → the state; training continues
        "add": _add,  # x1, x2, class → the state; training continues
        "undo": _undo,  # → the state without the last added point
        "sample": _sample,  # index, of → the scene of its graph, of neurons or of layers, for Explore
        "export": _export,  # index, of, title, at → the scene as an HTML file
        "compare": _start_comparison,  # → an event "rates" later
    }


def _count_cases(experiment: Experiment) -> int:
    """Return how many samples the table of cases lists: all of a small data set, else some if it has no plane."""
    count = len(experiment.X)
    return 0 if experiment.is_plane and count > MAX_CASES else min(count, MAX_CASES)


def _six(x: float) -> float:
    return float(f"{x:.6g}")


def _samples(experiment: Experiment) -> list[Sample]:
    columns = (experiment.X, experiment.y, experiment.targets, experiment.is_test)
    return [
        {"inputs": inputs, "label": label, "target": target, "is_test": is_test}
        for inputs, label, target, is_test in zip(*columns)
    ]


def _thumbnail(configuration: Configuration) -> list[Point]:
    X, y = configuration.data()
    return [(_six(x1), _six(x2), label) for (x1, x2), label in zip(X, y)]
