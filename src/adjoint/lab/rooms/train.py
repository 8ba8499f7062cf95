"""The room Train: a network learns while one watches. It trains in a thread of its own, and tells how it goes.

What it can be asked to do is in `REQUESTS`. Events come by themselves: "snapshot", all that a page draws of a moment,
"curves", the course of loss and accuracy so far, "rates", what `compare` has measured, and "state", when a training
has been restored. Each holds all there is to say of its kind, so that a page may miss any but the last.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from adjoint.arrays.backends import NUMPY
from adjoint.engine.value import Value
from adjoint.errors import LabError
from adjoint.lab.configurations import (
    ACTIVATIONS,
    DRAWN,
    ENGINES,
    LOSSES,
    MANY,
    MOST_CHANGES,
    MOST_CLASSES,
    MOST_LAYERS,
    MOST_NEURONS,
    MOST_SAMPLES,
    MOST_STEPS,
    OPTIMIZERS,
    PRESETS,
    Change,
    Configuration,
    decay,
    point,
    rate,
    read_changes,
    read_csv,
)
from adjoint.lab.experiments import Experiment, Layer
from adjoint.lab.export import page_of
from adjoint.lab.playing import Message, Playing, Push
from adjoint.lab.responses import MOVING, RESTING, TILE, Maps, norms, responses
from adjoint.lab.scenes import scene_of
from adjoint.lab.serve import messages
from adjoint.see.explanation.groups import Groups

PACES = {"slow": 1.0, "medium": 10.0, "full": math.inf}  # steps a second, at most
CURVES = 1 / 5  # seconds from one event "curves" to the next, at least
RESTORING = 1 / 3  # seconds from one snapshot to the next while a training is restored
MEASURED = 0.25  # seconds for which each engine is measured, in turns
LONGEST_CSV = 100_000
FEW_WEIGHTS, MOST_WEIGHTS = 40, 160  # of a network whose neurons are drawn one by one, unasked and at all


class Train(Playing):
    """The room of one page."""

    NAME = "train"
    NEWEST_WINS = frozenset({"set", "tune", "respond", "probe"})

    def __init__(self, push: Push):
        self._curves_due = 0.0
        self._focus: tuple[int, int] | None = None  # the neuron whose response is shown large
        self._comparison: Comparison | None = None
        self._rates: Mapping[str, float | None] | None = None
        self._chosen_pace = "full"
        super().__init__(push)
        self._worker.ask(self._begin, PRESETS["xor"])

    def graph_of(self, index: int) -> tuple[Value, Groups]:
        """Return the loss of one sample as a Value, and which neuron made which nodes of its graph."""
        return self._worker.ask(lambda: self._experiment.graph_of(index))

    # --- training: in the thread ---------------------------------------------------------------------------

    def _begin(self, configuration: Configuration, steps: int = 0, changes: list[Change] | None = None) -> None:
        """Begin a training anew; one that is restored takes so many steps at once, with the changes among them."""
        experiment = Experiment(configuration)
        if steps:
            experiment.require_steps()
        self._experiment, self._run = experiment, self._run + 1
        self._changes = list(changes or [])  # that are still to come
        self._restored, self._goal = steps, float(steps)
        self._due = self._curves_due = 0.0
        self._focus = self._comparison = self._rates = None
        self._change()
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
        self._change()
        if self._experiment.stopped:
            self._rest()
        if self._steps == self._restored:
            self._set_speed()
            self._send("state", self._state())

    def _change(self) -> None:
        """Make the changes that belong to this step of a training that is restored."""
        while self._changes and self._changes[0].step <= self._steps:
            self._experiment.change(self._changes.pop(0))

    def _rest(self) -> None:
        super()._rest()
        self._restored, self._changes = 0, []
        self._set_speed()

    def _set_speed(self) -> None:
        """Take steps as fast as was chosen; those that restore a training, as fast as can be."""
        self._pace = math.inf if self._is_restoring else PACES[self._chosen_pace]
        self._step_due = 0.0

    @property
    def _is_restoring(self) -> bool:
        return self._steps < self._restored

    def _compare(self) -> None:
        comparison = self._comparison
        if comparison and comparison.go_on():
            self._comparison, self._rates = None, comparison.rates()
            self._send("rates", {"rates": self._rates})

    # --- telling: in the thread ----------------------------------------------------------------------------

    def _tell(self) -> None:
        super()._tell()
        now = perf_counter()
        if self._is_restoring:
            self._due = now + RESTORING
        if now >= self._curves_due or not self._is_running:
            history = self._experiment.history
            columns = {f"{part}_{what}": column for (what, part), column in zip(history.COLUMNS, history.columns)}
            self._send("curves", {"steps": history.steps, **columns})
            self._curves_due = now + CURVES

    def _snapshot(self) -> dict[str, Any]:
        experiment, is_running = self._experiment, self._is_running
        maps = Maps(experiment, MOVING if is_running else RESTING)
        return {
            "step": experiment.steps,
            "epoch": experiment.epoch,
            "playing": is_running,
            "restoring": self._is_restoring,
            **experiment.judged(),
            "rate": experiment.rate,
            "rates": self._rates,
            "weights": [_as_lists(layer) for layer in experiment.weights()],
            "gradients": [_as_lists(layer) for layer in experiment.gradients()],
            "gradient_norms": norms(experiment),
            "size": maps.size,
            "boundary": maps.boundary(),
            "tiles": maps.tiles(),
            "focus": self._focus and _focused(maps, *self._focus),
            "warnings": experiment.warnings,
            "stopped": experiment.stopped,
        }

    def _state(self) -> dict[str, Any]:
        """Return what does not change from step to step."""
        experiment, weights = self._experiment, self._experiment.weights()
        samples = zip(experiment.X.tolist(), experiment.y.tolist(), experiment.is_test.tolist())
        return {
            "run": self._run,
            "configuration": experiment.begun_with.as_json(),
            "changes": [change.as_json() for change in experiment.changes],
            "lr": experiment.configuration.lr,
            "l2": experiment.configuration.l2,
            "step": experiment.steps,
            "playing": self._is_running,
            "pace": self._chosen_pace,
            "sizes": experiment.configuration.sizes,
            "parameters": sum(layer.w.size + layer.b.size for layer in weights),
            "steps_in_epoch": len(experiment.loader) if experiment.loader else 0,
            "low": experiment.low,
            "high": experiment.high,
            "samples": [[*place, label, is_test] for place, label, is_test in samples],
            "labels": experiment.configuration.labels,
            "tile": TILE,
        }

    def _told(self) -> dict[str, Any]:
        """Tell how things stand now, and return the state."""
        self._tell()
        return self._state()

    # --- requests: in the thread ---------------------------------------------------------------------------

    def _choices(self, message: Message) -> dict[str, Any]:
        return {
            "presets": [PRESETS[name].as_json() for name in (*DRAWN, "points")],
            "thumbnails": {name: _thumbnail(PRESETS[name]) for name in DRAWN},
            "activations": list(ACTIVATIONS),
            "losses": {"two": list(LOSSES), "more": [MANY]},
            "optimizers": list(OPTIMIZERS),
            "engines": list(ENGINES),
            "paces": list(PACES),
            "most": {
                "samples": MOST_SAMPLES, "layers": MOST_LAYERS, "neurons": MOST_NEURONS, "classes": MOST_CLASSES,
                "steps": MOST_STEPS,
            },
        }  # fmt: skip

    def _set(self, message: Message) -> dict[str, Any]:
        configuration = Configuration.read(messages.fields(message, "configuration"))
        return self._begun(message, configuration)

    def _csv(self, message: Message) -> dict[str, Any]:
        text, name = messages.text(message, "text", LONGEST_CSV), messages.text(message, "name", 200)
        found = {"dataset": "csv", **read_csv(text, name), "points": []}
        return self._begun(message, Configuration.read({**messages.fields(message, "configuration", {}), **found}))

    def _begun(self, message: Message, configuration: Configuration) -> dict[str, Any]:
        steps = messages.whole(message, "steps", 0, MOST_STEPS, 0)
        changes, last = read_changes(message, configuration.classes), configuration
        for change in changes:
            last = change.applied(last)  # which raises now, and not when it is its turn
        is_playing = messages.flag(message, "playing", self._is_running and not self._is_restoring)
        self._begin(configuration, steps, changes)
        if is_playing and self._experiment.loader:
            self._goal = math.inf
        return self._told()

    def _reset(self, message: Message) -> dict[str, Any]:
        self._begin(self._experiment.configuration)
        return self._told()

    def _take_epoch(self, message: Message) -> dict[str, Any]:
        count = self._experiment.steps_left()
        self._rest()
        self._go(count)
        return {"until": self._steps + count}

    def _set_pace(self, message: Message) -> dict[str, Any]:
        self._chosen_pace = messages.one_of(message, "pace", PACES)
        self._set_speed()
        return {"pace": self._chosen_pace}

    def _tune(self, message: Message) -> dict[str, Any]:
        return self._changed(Change(self._experiment.steps, lr=rate(message, None), l2=decay(message, None)))

    def _add(self, message: Message) -> dict[str, Any]:
        classes = self._experiment.configuration.classes
        row = point([message.get("x1"), message.get("x2"), message.get("class")], classes)
        (left, bottom), (right, top) = self._experiment.low, self._experiment.high
        if not (left <= row[0] <= right and bottom <= row[1] <= top):
            raise LabError(
                f"the point ({row[0]:g}, {row[1]:g}) is outside of the plane: x1 goes from {left:.3g} to {right:.3g}, "
                f"x2 from {bottom:.3g} to {top:.3g}"
            )
        return self._changed(Change(self._experiment.steps, add=row))

    def _undo(self, message: Message) -> dict[str, Any]:
        return self._changed(Change(self._experiment.steps, undo=True))

    def _changed(self, change: Change) -> dict[str, Any]:
        if self._is_restoring:
            raise LabError("the training is being restored; wait until it stands, or pause")
        if len(self._experiment.changes) >= MOST_CHANGES:
            raise LabError(
                f"{MOST_CHANGES} changes in one training are the most; reset begins anew with what they made"
            )
        self._experiment.change(change)
        if not self._experiment.loader:
            self._rest()
        return self._told()

    def _sample(self, message: Message) -> dict[str, Any]:
        experiment = self._experiment
        index = messages.whole(message, "index", 0, max(0, len(experiment.X) - 1))
        weights = sum(layer.w.size for layer in experiment.weights())
        of = messages.one_of(message, "of", ("neurons", "layers"), "neurons" if weights <= FEW_WEIGHTS else "layers")
        if of == "neurons" and weights > MOST_WEIGHTS:
            raise LabError(
                f"a graph of single neurons is drawn for at most {MOST_WEIGHTS} weights, and the network has "
                f"{weights:,}; look at its layers, or take fewer neurons"
            )
        loss, groups = experiment.graph_of(index, of)
        return {"index": index, "of": of, "step": experiment.steps, "scene": scene_of(loss, groups=groups)}

    def _export(self, message: Message) -> dict[str, Any]:
        title, scene = messages.text(message, "title", 200), self._sample(message)["scene"]
        return {"html": page_of(scene, title, messages.whole(message, "at", 0, len(scene["steps"]), None))}

    def _respond(self, message: Message) -> dict[str, Any]:
        """Show the response of a neuron large from now on, or that of none; layer 0 is the inputs."""
        if message.get("layer") is None:
            self._focus = None
            return {"focus": None}
        sizes = self._experiment.configuration.sizes
        layer = messages.whole(message, "layer", 0, len(sizes) - 1)
        self._focus = layer, messages.whole(message, "neuron", 0, sizes[layer] - 1)
        return {"focus": _focused(Maps(self._experiment, RESTING), *self._focus)}

    def _probe(self, message: Message) -> dict[str, Any]:
        """Return what each neuron gives at one place, and what the network says of it."""
        place = np.array([[messages.number(message, "x1", -1e9, 1e9), messages.number(message, "x2", -1e9, 1e9)]])
        layers = [layer[0] for layer in NUMPY.quietly(responses, self._experiment, place)]
        scores = layers[-1]
        said = int(scores[0] > 0) if len(scores) == 1 else int(scores.argmax())
        return {"layers": [layer.tolist() for layer in layers], "class": said}

    def _start_comparison(self, message: Message) -> dict[str, Any]:
        self._experiment.require_steps()
        self._comparison = Comparison(self._experiment.begun_with)
        return {"seconds": len(ENGINES) * MEASURED}

    REQUESTS: ClassVar = {
        **Playing.REQUESTS,
        "choices": _choices,  # → presets, thumbnails, what can be chosen
        "state": lambda room, message: room._told(),  # → the state, and a snapshot
        "set": _set,  # configuration, steps, changes, playing → the state: a training anew, or restored
        "csv": _csv,  # text, name, configuration → the state
        "reset": _reset,  # → the state: from the first step, with all that was changed
        "epoch": _take_epoch,
        "pace": _set_pace,  # pace
        "tune": _tune,  # lr, l2 → the state; training goes on
        "add": _add,  # x1, x2, class → the state; training goes on
        "undo": _undo,  # → the state, without the point that was added last
        "sample": _sample,  # index, of → the scene of its graph, of single neurons or of layers, for Explore
        "export": _export,  # index, of, title, at → the same as a page that plays by itself
        "respond": _respond,  # layer, neuron → its map, in each snapshot from now on
        "probe": _probe,  # x1, x2 → the response of every neuron there
        "compare": _start_comparison,  # → an event "rates", later
    }


class Comparison:
    """How many steps each engine takes in a second, with the same network and data; measured in turns."""

    def __init__(self, configuration: Configuration):
        self._experiments: dict[str, Experiment] = {}
        for engine in ENGINES:
            try:
                self._experiments[engine] = Experiment(replace(configuration, engine=engine).checked())
            except LabError:  # too large for the scalar engine
                continue

    def go_on(self) -> bool:
        """Let each engine take its turn, and return whether all have been measured."""
        is_over = True
        for experiment in self._experiments.values():
            until = min(MEASURED, experiment.seconds + MEASURED / 10)
            while experiment.seconds < until and not experiment.stopped:
                experiment.step()
            is_over = is_over and (experiment.seconds >= MEASURED or bool(experiment.stopped))
        return is_over

    def rates(self) -> dict[str, float | None]:
        """Return the steps a second of each engine; None for one that the network is too large for."""
        return {name: self._experiments[name].rate if name in self._experiments else None for name in ENGINES}


def _focused(maps: Maps, layer: int, i: int) -> dict[str, Any]:
    return {"layer": layer, "neuron": i, **maps.neuron(layer, i)}


def _as_lists(layer: Layer) -> dict[str, Any]:
    """Return the numbers of a layer with six digits, which is more than a page shows."""
    return {"w": [[_six(x) for x in row] for row in layer.w.tolist()], "b": [_six(x) for x in layer.b.tolist()]}


def _six(x: float) -> float:
    return float(f"{x:.6g}")


def _thumbnail(configuration: Configuration) -> list[list[float]]:
    X, y = configuration.data()
    return [[*map(_six, place), label] for place, label in zip(X.tolist(), y.tolist())]
