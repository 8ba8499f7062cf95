"""Checkpoints of training: writing them during training, and resuming from one as if training had not stopped.

A checkpoint holds the model of the best epoch, which `adjoint.load` returns. For resuming, it also holds the optimizer
and its buffers, the schedule, the position in the data, the random state of the model, the history, the sums of an
epoch that has not ended, and the current model if it is not the best one.
"""

import os
from collections.abc import Mapping
from math import inf
from time import perf_counter
from typing import Any

from adjoint import files
from adjoint.errors import ArgumentError, StateError
from adjoint.errors.given import describe, whole
from adjoint.files.joint_saves import Processes
from adjoint.nn.module import Module
from adjoint.training.history import History
from adjoint.training.metric import Metric
from adjoint.training.snapshots import NoSnapshot, Snapshot

_RESERVED = {"training": "the state of training"} | dict.fromkeys(
    ("path", "model", "parts", "max_size"), "an argument of adjoint.save"
)
_SECONDS = 1.0  # the minimum time between two writes; a killed run loses at most that


def updates_between(checkpoint_every: int | None, of_all_samples: list[Metric]) -> int | None:
    """Return the number of updates between two checkpoints; raise if they cannot hold the state of a metric."""
    if checkpoint_every is None:
        return None
    every = whole(checkpoint_every, "checkpoint_every")
    if of_all_samples:
        raise ArgumentError(
            f"checkpoint_every cannot be used with the metric {of_all_samples[0].name!r}, which needs all samples "
            "of an epoch; leave out one of them"
        )
    return every


class Keeper:
    """Keeps the best state of a model and, if a path is given, a checkpoint of the training."""

    def __init__(
        self,
        model: Any,
        best: Snapshot | NoSnapshot,
        history: History,
        columns: list[str],
        parts: Mapping[str, Any],
        settings: Mapping[str, Any],
        *,
        path: str | os.PathLike | None = None,
        every: int | None = None,
        notes: Mapping[str, Any] | None = None,
    ):
        notes = dict(notes or {})
        if path is not None and not isinstance(model, Module):
            raise ArgumentError(f"a checkpoint needs a model of adjoint.nn, not {describe(model)}")
        if path is not None:
            files.require_writable(path)
        for name in notes:
            if name in _RESERVED:
                raise ArgumentError(f"notes: the name {name!r} is reserved for {_RESERVED[name]}; use another")
        self.path, self.model, self.best, self.notes = path, model, best, notes
        self.history, self.columns = history, columns
        self.parts = parts  # what has a state beside the model: optimizer, loader, and schedule, ema, scaler or None
        self.settings = settings  # what must be the same when training resumes
        self.processes = Processes()  # they write together, and their clocks differ
        self.every = every  # the number of updates between two writes; None writes after epochs
        self.unfinished: dict[str, Any] | None = None  # the state of the epoch that training resumes in
        self.reached = inf
        self.updates = 0  # of the weights, so far
        self._is_best = False  # whether the state after the last epoch is the best
        self._written = -inf

    def note(self, reached: float) -> None:
        """Keep the state if it is the best so far."""
        self._is_best = not self.best.is_kept or self.history.is_better(reached, self.reached)
        if self._is_best:
            self.best.keep()
            self.reached = reached

    @property
    def is_due(self) -> bool:
        """Whether the number of updates asks for a checkpoint."""
        return self.every is not None and self.updates % self.every == 0

    def write_after_epoch(self, at_once: bool) -> None:
        """Write the checkpoint, unless the last one is recent, or one is written by the number of updates."""
        is_recent = perf_counter() - self._written < _SECONDS
        is_due = self.is_due if self.every is not None else self.processes.count > 1 or not is_recent
        if at_once or is_due:
            self.write()

    def write(self, unfinished: dict[str, Any] | None = None) -> None:
        """Write the checkpoint, if there is a path: after an epoch, or with the state of the unfinished one."""
        if self.path is None:
            return
        last = None
        # with a moving average, the best state holds averages, and the current state never is the best
        if self.best.is_kept and (not self._is_best or self.parts["ema"] is not None or unfinished is not None):
            last = self.model.state_dict(transient=True)
            self.best.restore()
        try:
            files.save(
                self.path,
                self.model,
                training={
                    "kind": type(self.parts["optimizer"]).__name__,
                    **self.parts,
                    "batches": self.parts["loader"].steps,
                    "rows": self.history.rows,
                    "columns": self.columns,
                    "unfinished": unfinished,
                    "updates": self.updates,
                    "last": last,
                    "settings": self.settings,
                },
                **self.notes,
            )
        finally:
            if last is not None:
                self.model.load_state_dict(last)
        self._written, self.history.saved = perf_counter(), self.updates

    def resume(self) -> None:
        """Load the checkpoint; if anything in it does not fit, raise an error and change nothing."""
        if self.path is None:
            raise ArgumentError("resume=True needs a checkpoint: fit(…, checkpoint=path)")
        self.parts["loader"].require_rewindable()
        parts = {name: part for name, part in self.parts.items() if part is not None}
        before, states = self.model.state_dict(transient=True), [part.state_dict() for part in parts.values()]
        rows = self.history.rows
        _, extra = files.load(self.path, self.model)
        try:
            with files.refuse_malformed(self.path):
                saved = self._check(extra.get("training"))
                for name, part in parts.items():
                    part.load_state_dict(saved[name])
                self.history.rows = [dict(row) for row in saved["rows"]]
                self.updates = int(saved.get("updates", 0))
                self.unfinished = saved.get("unfinished")
                if self.history.rows:
                    self.best.keep()
                    self.reached = float(self.history.best[self.history.monitor])
                if saved["last"] is not None:
                    self.model.load_state_dict(saved["last"])
        except BaseException:
            self.model.load_state_dict(before)
            for part, state in zip(parts.values(), states):
                part.load_state_dict(state)
            self.history.rows = rows
            raise

    def _check(self, saved: Any) -> dict[str, Any]:
        where = repr(os.fspath(self.path or ""))
        if not isinstance(saved, dict):
            raise StateError(f"{where} has a model but no state of training; fit(…, checkpoint=…) saves one")
        kind, own = saved["kind"], type(self.parts["optimizer"]).__name__
        if kind != own:
            raise StateError(f"{where} was trained with {kind}, but the optimizer is {own}; use the same one")
        steps = self.parts["loader"].steps
        if saved["batches"] != steps:
            raise StateError(
                f"{where} was trained with {saved['batches']} steps per epoch, but the data have {steps}; use the same "
                "data and batch_size"
            )
        for name, own in self.settings.items():
            known = saved.get("settings", {}).get(name, own)
            if known != own:
                raise StateError(f"{where} was trained with {name}={known}, but now it is {own}; use the same")
        if (saved["schedule"] is None) != (self.parts["schedule"] is None):
            has = "no schedule" if saved["schedule"] is None else "a schedule"
            raise StateError(f"{where} was trained with {has}; use the same")
        if saved["columns"] != self.columns:
            raise StateError(
                f"{where} has the columns {', '.join(saved['columns'])}, but this training has "
                f"{', '.join(self.columns)}; use the same metrics and validation"
            )
        return saved
