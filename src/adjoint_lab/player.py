"""A room that advances step by step in a worker: it can be played, paused, and advanced by one step.

Snapshots are sent as events; each contains everything that a page draws. A step that fails is sent as an event
"trouble". A subclass defines the step, the snapshot, and its own requests.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, ClassVar

from adjoint.errors import LabError, unknown_name_error
from adjoint.see import as_json
from adjoint_lab.serve.dispatcher import Push
from adjoint_lab.serve.messages import Message
from adjoint_lab.serve.workers import ThreadWorker, Worker

PIECE = 0.005  # seconds of steps between two looks at the requests of the page
SNAPSHOT = 1 / 30  # seconds between two snapshots, at least
SHARE = 0.5  # the largest share of time that snapshots may take from the steps

Answer = Mapping[str, object]


class Player(ABC):
    """The room of one page."""

    NAME: ClassVar[str]

    def __init__(self, push: Push, worker: type[Worker] = ThreadWorker):
        self._push = push
        self._run = 0  # the number of the run: a page ignores the events of other runs
        self._goal = 0.0  # the step to stop at; infinite while playing
        self._pace = math.inf  # steps per second, at most
        self._due = self._step_due = 0.0
        self._worker = worker(self.NAME, self._work)

    def handle(self, do: str, message: Message) -> Answer:
        """Carry out a message between two steps, and return the answer."""
        if do not in self.REQUESTS:
            raise LabError(str(unknown_name_error(f"request to the room {self.NAME}", do, self.REQUESTS)))
        return as_json(self._worker.ask(self.REQUESTS[do], self, message))

    def close(self) -> None:
        """End the worker."""
        self._worker.close()

    # --- defined by a subclass ---

    @property
    @abstractmethod
    def _steps(self) -> int:
        """The number of steps taken."""

    @abstractmethod
    def _step(self) -> None:
        """Take a step."""

    @abstractmethod
    def _require_steps(self) -> None:
        """Raise an error if no step can be taken."""

    @abstractmethod
    def _snapshot(self) -> Mapping[str, object]:
        """Return everything that a page draws of this moment."""

    # --- in the worker ---

    @property
    def _is_running(self) -> bool:
        return self._steps < self._goal

    def _stop(self) -> None:
        self._goal = float(self._steps)

    def _go(self, steps: float) -> None:
        """Take this many steps from here, the first one at once."""
        self._require_steps()
        self._goal, self._step_due = self._steps + steps, 0.0

    def _work(self) -> float | None:
        """Take the next steps and send a snapshot; return the seconds until the next call, or None to wait."""
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
        except Exception as error:  # no request waits for this step, so the error is an event
            self._stop()
            self._send("trouble", {"error": str(error)})
            return None
        self._step_due = max(self._step_due, now - 1 / pace) + 1 / pace
        if not self._is_running or perf_counter() >= self._due:
            self._report()
        return 0.0

    def _report(self) -> None:
        start = perf_counter()
        self._send("snapshot", self._snapshot())
        end = perf_counter()
        self._due = max(start + SNAPSHOT, end + (end - start) * (1 - SHARE) / SHARE)

    def _send(self, event: str, fields: Mapping[str, object]) -> None:
        """Send an event; of several unsent ones, the page receives the newest of each kind."""
        message = {"room": self.NAME, "event": event, "run": self._run, **fields}
        self._push(as_json(message), f"{self.NAME}.{event}")

    # --- requests that every such room supports ---

    def _play(self, message: Message) -> Answer:
        self._go(math.inf)
        return {"playing": True}

    def _pause(self, message: Message) -> Answer:
        self._stop()
        self._report()
        return {"playing": False}

    def _take_step(self, message: Message) -> Answer:
        """Take one step immediately, so that several requests in a row take as many steps."""
        self._require_steps()
        self._stop()
        self._step()
        self._stop()
        self._report()
        return {"step": self._steps}

    REQUESTS: ClassVar[Mapping[str, Callable[[Any, Message], Answer]]] = {
        "play": _play,
        "pause": _pause,
        "step": _take_step,
    }
