"""The room Mistakes: a training with a classic mistake beside the same one without, and what would have told of it.

Both begin with the same seed and see the same batches. The switch puts the wrong line in, or the right one: where it
runs in each step, the training goes on with it; where it made the network, both begin anew.
"""

import math
from time import perf_counter
from typing import Any, ClassVar

from adjoint.errors import LabError
from adjoint.lab.experiments import Experiment
from adjoint.lab.faults import FAULTS, Finding, Trial
from adjoint.lab.playing import Message, Playing, Push
from adjoint.lab.responses import MOVING, Maps, norms
from adjoint.lab.serve import messages
from adjoint.see.explanation.narration import number

MOST_STEPS = 300
PACE = 40.0  # steps a second: a few seconds from the first to the last
CHECKED = 1.0  # seconds from one run of a check to the next


class Mistakes(Playing):
    """The room of one page."""

    NAME = "mistakes"
    NEWEST_WINS = frozenset({"choose", "switch"})

    def __init__(self, push: Push):
        super().__init__(push)
        self._pace = PACE
        self._worker.ask(self._begin, "unzeroed", 0, True)

    # --- training: in the thread ---------------------------------------------------------------------------

    def _begin(self, name: str, seed: int, is_on: bool) -> None:
        self._fault, self._seed, self._is_on = FAULTS[name], seed, is_on
        self._healthy = Trial(self._fault, seed, is_broken=False)
        self._broken = Trial(self._fault, seed, is_broken=is_on)
        self._taken, self._run = 0, self._run + 1
        self._finding: Finding | None = None
        self._check_due = 0.0
        self._rest()

    @property
    def _steps(self) -> int:
        return self._taken

    def _require_steps(self) -> None:
        if self._taken >= MOST_STEPS:
            raise LabError(f"the {MOST_STEPS} steps have been taken; reset begins anew")

    def _step(self) -> None:
        for trial in (self._healthy, self._broken):
            if not trial.stopped:
                trial.step()
        self._taken += 1
        if self._taken >= MOST_STEPS:
            self._rest()

    # --- telling: in the thread ----------------------------------------------------------------------------

    def _snapshot(self) -> dict[str, Any]:
        self._check()
        both = {"healthy": self._healthy, "broken": self._broken}
        return {
            "step": self._taken,
            "playing": self._is_running,
            "on": self._is_on,
            "size": MOVING,
            **{name: _told(trial) for name, trial in both.items()},
            "curves": {name: _curve(trial) for name, trial in both.items()},
            "story": story(self._healthy, self._broken) if self._taken else "",
            "finding": self._finding and self._finding._asdict(),
        }

    def _check(self) -> None:
        """Look for what a guard has said, or run the check: not at every step, for it takes its time."""
        now = perf_counter()
        if self._taken and (now >= self._check_due or not self._is_running):
            self._finding = self._fault.find(self._broken)
            self._check_due = now + CHECKED

    def _state(self) -> dict[str, Any]:
        trial = self._healthy
        return {
            "run": self._run,
            "mistake": self._fault.name,
            "seed": self._seed,
            "on": self._is_on,
            "playing": self._is_running,
            "most": MOST_STEPS,
            "sizes": trial.configuration.sizes,
            "low": trial.low,
            "high": trial.high,
            "samples": [[*place, label] for place, label in zip(trial.X.tolist(), trial.y.tolist())],
        }

    def _started(self, name: str, seed: int, is_on: bool, is_playing: bool) -> dict[str, Any]:
        self._begin(name, seed, is_on)
        if is_playing:
            self._go(math.inf)
        self._tell()
        return self._state()

    # --- requests: in the thread ---------------------------------------------------------------------------

    def _list(self, message: Message) -> dict[str, Any]:
        return {"mistakes": [fault.as_json() for fault in FAULTS.values()]}

    def _choose(self, message: Message) -> dict[str, Any]:
        name = messages.one_of(message, "mistake", FAULTS)
        seed = messages.whole(message, "seed", 0, 999_999, 0)
        return self._started(name, seed, messages.flag(message, "on", True), messages.flag(message, "playing", True))

    def _switch(self, message: Message) -> dict[str, Any]:
        is_on = messages.flag(message, "on")
        if not self._fault.is_in_step:
            return self._started(self._fault.name, self._seed, is_on, is_playing=True)
        self._is_on = is_on
        self._broken.switch(is_on)
        self._check_due = 0.0
        self._tell()
        return self._state()

    def _reset(self, message: Message) -> dict[str, Any]:
        return self._started(self._fault.name, self._seed, self._is_on, is_playing=False)

    REQUESTS: ClassVar = {
        **Playing.REQUESTS,
        "list": _list,  # → all mistakes: their titles, lines and explanations
        "choose": _choose,  # mistake, seed, on, playing → the state: both trainings from the beginning
        "switch": _switch,  # on → the state: with the wrong line, or with the right one
        "reset": _reset,  # → the state
    }


def story(healthy: Experiment, broken: Experiment) -> str:
    """Return in a few sentences how two trainings differ."""
    well, ill = healthy.judged(), broken.judged()
    if broken.stopped:
        first = f"After {broken.steps} steps the loss was no longer finite"
    else:
        first = f"After {broken.steps} steps the loss is {ill['loss']['train']:.3g}"
    return (
        f"{first}; in the healthy training it is {well['loss']['train']:.3g}. Of the samples {_part(ill)} are right, "
        f"and {_part(well)} in the healthy one. {_gradients(norms(healthy), norms(broken))}"
    )


def _part(reached: dict[str, Any]) -> str:
    return f"{reached['accuracy']['train']:.0%}"


def _gradients(healthy: list[float], broken: list[float]) -> str:
    """Return how the gradients differ, of the layer where they differ most."""
    gone = [k for k, (a, b) in enumerate(zip(healthy, broken), 1) if a and not b]
    if gone:
        layers = f"layer{'s' * (len(gone) > 1)} {' and '.join(map(str, gone))}"
        return f"No gradient at all reaches {layers}."
    ratios = [b / a if a and math.isfinite(b) else 1.0 for a, b in zip(healthy, broken)]
    k = max(range(len(ratios)), key=lambda i: abs(math.log(ratios[i])))
    times = f"{_size(ratios[k])} times as long" if ratios[k] >= 1 else f"1/{_size(1 / ratios[k])} as long"
    return f"The gradient of layer {k + 1} is {times} as in the healthy training."


def _size(x: float) -> str:
    """Return a number of at least 1 as people write it: with three digits, or whole."""
    return f"{x:,.0f}" if 100 <= x < 1e7 else number(float(f"{x:.3g}"))


def _told(trial: Trial) -> dict[str, Any]:
    reached = trial.judged()
    return {
        "step": trial.steps,
        "loss": reached["loss"]["train"],
        "accuracy": reached["accuracy"]["train"],
        "gradient_norms": norms(trial),
        "boundary": Maps(trial, MOVING).boundary(),
        "stopped": trial.stopped,
    }


def _curve(trial: Trial) -> dict[str, Any]:
    return {"steps": trial.history.steps, "loss": trial.history.columns[0]}
