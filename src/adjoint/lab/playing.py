"""A room in which something goes on step by step, in a thread of its own: played, paused, taken a step further.

Snapshots come as events, each with all that there is to draw; a step that fails is an event "trouble". A subclass says
what a step is, what there is to tell of it, and what it can be asked to do.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, ClassVar

from adjoint.errors import LabError
from adjoint.errors.suggest import unknown
from adjoint.lab.serve.workers import Worker
from adjoint.see.explanation.summaries import as_json

PIECE = 0.005  # seconds of steps between two looks at what a page asks
SNAPSHOT = 1 / 30  # seconds from one snapshot to the next, at least
SHARE = 0.5  # of the time, that telling may take from the steps

Push = Callable[[dict[str, Any], str], None]
Message = dict[str, Any]


class Playing(ABC):
    """The room of one page."""

    NAME: ClassVar[str]

    def __init__(self, push: Push):
        self._push = push
        self._run = 0  # how often it has begun anew: a page leaves the events of another run aside
        self._goal = 0.0  # the step up to which it goes; infinite while playing
        self._pace = math.inf  # steps a second, at most
        self._due = self._step_due = 0.0
        self._worker = Worker(self.NAME, self._work)

    def handle(self, do: str, message: Message) -> dict[str, Any]:
        """Do what a message asks for, between two steps, and return the answer."""
        if do not in self.REQUESTS:
            raise LabError(str(unknown(f"request to the room {self.NAME}", do, self.REQUESTS)))
        return as_json(self._worker.ask(self.REQUESTS[do], self, message))

    def close(self) -> None:
        """End the thread."""
        self._worker.close()

    # --- what a subclass says ---

    @property
    @abstractmethod
    def _steps(self) -> int:
        """How many steps have been taken."""

    @abstractmethod
    def _step(self) -> None:
        """Take a step."""

    @abstractmethod
    def _require_steps(self) -> None:
        """Raise if no step can be taken."""

    @abstractmethod
    def _snapshot(self) -> dict[str, Any]:
        """Return all that a page draws of this moment."""

    # --- in the thread ---

    @property
    def _is_running(self) -> bool:
        return self._steps < self._goal

    def _rest(self) -> None:
        self._goal = float(self._steps)

    def _go(self, steps: float) -> None:
        """Take so many steps from here, at once the first."""
        self._require_steps()
        self._goal, self._step_due = self._steps + steps, 0.0

    def _work(self) -> float | None:
        """Take some steps, if there are any to take, and tell how it goes; return when to come back."""
        if not self._is_running:
            return None
        now, pace = perf_counter(), self._pace
        if now < self._step_due < math.inf and pace < math.inf:
            return self._step_due - now
        try:
            while self._is_running:
                self._step()
                if pace < math.inf or perf_counter() >= now + PIECE:
                    break
        except Exception as error:  # nobody asked for just this step: so it is told, and the room waits
            self._rest()
            self._send("trouble", {"error": str(error)})
            return None
        self._step_due = max(self._step_due, now - 1 / pace) + 1 / pace
        if not self._is_running or perf_counter() >= self._due:
            self._tell()
        return 0.0

    def _tell(self) -> None:
        begun = perf_counter()
        self._send("snapshot", self._snapshot())
        ended = perf_counter()
        self._due = max(begun + SNAPSHOT, ended + (ended - begun) * (1 - SHARE) / SHARE)

    def _send(self, event: str, fields: dict[str, Any]) -> None:
        """Send an event; of several that wait, the page gets the newest of each kind."""
        told = {"room": self.NAME, "event": event, "run": self._run, **fields}
        self._push(as_json(told), f"{self.NAME}.{event}")

    # --- what every such room can be asked to do ---

    def _play(self, message: Message) -> dict[str, Any]:
        self._go(math.inf)
        return {"playing": True}

    def _pause(self, message: Message) -> dict[str, Any]:
        self._rest()
        self._tell()
        return {"playing": False}

    def _take_step(self, message: Message) -> dict[str, Any]:
        """Take one step at once: several that are asked for in a row are as many steps."""
        self._require_steps()
        self._rest()
        self._step()
        self._rest()
        self._tell()
        return {"step": self._steps}

    REQUESTS: ClassVar[Mapping[str, Callable[[Any, Message], dict[str, Any]]]] = {
        "play": _play,
        "pause": _pause,
        "step": _take_step,
    }
