"""The room Mistakes: a training run with a classic mistake next to the same run without it, and how to find it.

Both runs have the same seed and the same batches. The switch selects the wrong line or the correct one. A line that
runs in each step takes effect during training; for a line that creates the network, both runs restart.
"""

import math
from time import perf_counter
from typing import ClassVar

from adjoint.errors import LabError
from adjoint.see import number
from adjoint_lab.experiments import Experiment, Metrics
from adjoint_lab.faults import FAULTS
from adjoint_lab.player import Answer, Player
from adjoint_lab.protocol.mistakes import Detection, LossCurve, RunSummary, Snapshot, State
from adjoint_lab.serve import messages
from adjoint_lab.serve.dispatcher import Push
from adjoint_lab.serve.messages import Message
from adjoint_lab.serve.workers import ThreadWorker, Worker
from adjoint_lab.trials import Trial

MAX_STEPS = 300
PACE = 40.0  # steps per second: a run takes a few seconds
CHECK_EVERY = 1.0  # seconds between two runs of a check, at least
CHECK_SHARE = 4  # a check that takes longer waits this many times as long: on the Python engine, some take seconds


class Mistakes(Player):
    """The room of one page."""

    NAME = "mistakes"
    NEWEST_WINS = frozenset({"choose", "switch"})

    def __init__(self, push: Push, worker: type[Worker] = ThreadWorker):
        super().__init__(push, worker)
        self._pace = PACE
        self._worker.ask(self._start, "unzeroed", 0, True)

    # --- training: in the worker ---------------------------------------------------------------------------

    def _start(self, name: str, seed: int, is_on: bool) -> None:
        self._fault, self._seed, self._is_on = FAULTS[name], seed, is_on
        self._healthy = Trial(self._fault, seed, is_broken=False)
        self._broken = Trial(self._fault, seed, is_broken=is_on)
        self._taken, self._run = 0, self._run + 1
        self._detection: Detection | None = None
        self._check_due = 0.0
        self._stop()

    @property
    def _steps(self) -> int:
        return self._taken

    def _require_steps(self) -> None:
        if self._taken >= MAX_STEPS:
            raise LabError(f"all {MAX_STEPS} steps have been taken; reset to start over")

    def _step(self) -> None:
        for trial in (self._healthy, self._broken):
            if not trial.stopped:
                trial.step()
        self._taken += 1
        if self._taken >= MAX_STEPS:
            self._stop()

    # --- events: in the worker -----------------------------------------------------------------------------

    def _snapshot(self) -> Snapshot:
        self._check()
        return {
            "run": self._run,
            "step": self._taken,
            "playing": self._is_running,
            "on": self._is_on,
            "healthy": _summary(self._healthy),
            "broken": _summary(self._broken),
            "curves": {"healthy": _curve(self._healthy), "broken": _curve(self._broken)},
            "story": story(self._healthy, self._broken) if self._taken else "",
            "finding": self._detection,
        }

    def _check(self) -> None:
        """Look for a warning or run the check; not at every step, because a check takes time."""
        now = perf_counter()
        if self._taken and (now >= self._check_due or not self._is_running):
            self._detection = self._fault.find(self._broken)
            end = perf_counter()
            self._check_due = end + max(CHECK_EVERY, CHECK_SHARE * (end - now))

    def _state(self) -> State:
        trial = self._healthy
        return {
            "run": self._run,
            "mistake": self._fault.name,
            "seed": self._seed,
            "on": self._is_on,
            "playing": self._is_running,
            "most": MAX_STEPS,
            "networks": {"healthy": self._healthy.architecture(), "broken": self._broken.architecture()},
            "low": trial.low,
            "high": trial.high,
            "samples": [[*place, label] for place, label in zip(trial.X, trial.y)],
        }

    def _restart(self, name: str, seed: int, is_on: bool, is_playing: bool) -> Answer:
        self._start(name, seed, is_on)
        if is_playing:
            self._go(math.inf)
        self._report()
        return self._state()

    # --- requests: in the worker ---------------------------------------------------------------------------

    def _list(self, message: Message) -> Answer:
        return {"mistakes": [fault.as_json() for fault in FAULTS.values()]}

    def _choose(self, message: Message) -> Answer:
        name = messages.one_of(message, "mistake", FAULTS)
        seed = messages.whole(message, "seed", 0, 999_999, 0)
        return self._restart(name, seed, messages.flag(message, "on", True), messages.flag(message, "playing", True))

    def _switch(self, message: Message) -> Answer:
        is_on = messages.flag(message, "on")
        if not self._fault.is_in_step:
            return self._restart(self._fault.name, self._seed, is_on, is_playing=True)
        self._is_on = is_on
        self._broken.switch(is_on)
        self._check_due = 0.0
        self._report()
        return self._state()

    def _reset(self, message: Message) -> Answer:
        return self._restart(self._fault.name, self._seed, self._is_on, is_playing=False)

    REQUESTS: ClassVar = {
        **Player.REQUESTS,
        "list": _list,  # → all mistakes with their titles, lines and explanations
        "choose": _choose,  # mistake, seed, on, playing → the state of two new runs
        "switch": _switch,  # on → the state with the wrong line, or with the correct one
        "reset": _reset,  # → the state
    }


def story(healthy: Experiment, broken: Experiment) -> str:
    """Describe how two training runs differ, in a few sentences."""
    well, ill = healthy.evaluate(), broken.evaluate()
    steps = f"{broken.steps} step{'s' * (broken.steps != 1)}"
    if broken.stopped:
        first = f"After {steps} the loss was no longer finite"
    else:
        first = f"After {steps} the loss is {ill['loss']['train']:.3g}"
    text = (
        f"{first}; in the healthy run it is {well['loss']['train']:.3g}. "
        f"The accuracy is {_accuracy(ill)}, compared with {_accuracy(well)} in the healthy run."
    )
    if broken.stopped:  # the gradients of overflowed weights explain nothing
        return text
    return f"{text} {_compare(healthy.gradient_norms(), broken.gradient_norms())}"


def _accuracy(metrics: Metrics) -> str:
    share = metrics["accuracy"]["train"]
    assert share is not None  # only a set of test samples may be empty
    return f"{math.floor(100 * share + 0.5)}%"  # as the page rounds: 62.5% is 63%


def _compare(healthy: list[float], broken: list[float]) -> str:
    """Describe how the gradient norms differ, in the layer where they differ most."""
    gone = [k for k, (a, b) in enumerate(zip(healthy, broken), 1) if a and not b]
    if gone:
        layers = f"layer{'s' * (len(gone) > 1)} {' and '.join(map(str, gone))}"
        return f"No gradient reaches {layers}."
    ratios = [b / a if a and math.isfinite(b) else 1.0 for a, b in zip(healthy, broken)]
    k = max(range(len(ratios)), key=lambda i: abs(math.log(ratios[i])))
    if 0.5 < ratios[k] < 2:
        return "The gradient norms of all layers are within a factor of 2 of the healthy run."
    return f"The gradient norm of layer {k + 1} is {_size(ratios[k])} times that of the healthy run."


def _size(x: float) -> str:
    """Return a positive number with three significant digits, or as an integer if it is large."""
    return f"{x:,.0f}" if 100 <= x < 1e7 else number(float(f"{x:.3g}"))


def _summary(trial: Trial) -> RunSummary:
    metrics = trial.evaluate()
    return {
        "step": trial.steps,
        "loss": metrics["loss"]["train"],
        "accuracy": metrics["accuracy"]["train"],
        "gradient_norms": [*trial.gradient_norms()],
        "weights": [layer.as_json() for layer in trial.weights()],
        "stopped": trial.stopped,
    }


def _curve(trial: Trial) -> LossCurve:
    return {"steps": trial.history.steps, "loss": trial.history.columns[0]}
