"""Checkpoints of training: written while it goes on, and how it goes on from one as if it had never stopped.

A checkpoint has the model as it was after its best epoch, so that `adjoint.load` gives the best; beside it all that
training needs to go on: the optimiser and its buffers, the schedule, the order of the data, the random numbers of the
model, the history, and the model as it is now, if that is not the best.
"""

import os
from math import inf
from time import perf_counter
from typing import Any

from adjoint.data.loading import DataLoader
from adjoint.errors import ArgumentError, FileError, StateError
from adjoint.errors.given import described
from adjoint.files import atomic
from adjoint.files.atomic import as_path
from adjoint.files.checkpoints import load, save
from adjoint.nn.module import Module
from adjoint.optim import Optimizer, Schedule
from adjoint.training.history import History
from adjoint.training.snapshots import Snapshot

_SECONDS = 1.0  # between two files, where epochs are quicker: a killed run loses no more than that


class Keeper:
    """Keeps the best state of a model, and if there is a path a checkpoint of the training."""

    def __init__(
        self,
        path: str | os.PathLike | None,
        model: Any,
        best: Snapshot,
        optimizer: Optimizer,
        schedule: Schedule | None,
        loader: DataLoader,
        history: History,
        notes: dict[str, Any],
    ):
        if path is not None and not isinstance(model, Module):
            raise ArgumentError(f"a checkpoint is of a model of adjoint.nn, not of {described(model)}")
        if path is not None:
            atomic.require_writable(path)
        if "training" in notes:
            raise ArgumentError("notes: the name 'training' is taken by what training needs to go on; use another")
        self.notes = notes
        if path is not None:
            _require_writable(path)
        self.path, self.model, self.best = path, model, best
        self.optimizer, self.schedule, self.loader, self.history = optimizer, schedule, loader, history
        self.reached = inf
        self._is_best = False  # whether the state of now is the best
        self._written = -inf

    def note(self, reached: float) -> None:
        """Keep the state after an epoch, if it is the best so far."""
        self._is_best = not self.best.is_kept or self.history.is_better(reached, self.reached)
        if self._is_best:
            self.best.keep()
            self.reached = reached

    def write(self, at_once: bool) -> None:
        """Write the checkpoint, if it is time."""
        if self.path is None or not (at_once or perf_counter() - self._written >= _SECONDS):
            return
        last = None
        if not self._is_best:
            last = self.model.state_dict(transient=True)
            self.best.restore()
        try:
            save(
                self.path,
                self.model,
                training={
                    "kind": type(self.optimizer).__name__,
                    "optimizer": self.optimizer,
                    "schedule": self.schedule,
                    "loader": self.loader,
                    "batches": len(self.loader),
                    "rows": self.history.rows,
                    "last": last,
                },
                **self.notes,
            )
        finally:
            if last is not None:
                self.model.load_state_dict(last)
        self._written = perf_counter()

    def resume(self, columns: list[str]) -> None:
        """Go on from the checkpoint: all of it fits, or an error says what does not and nothing is changed."""
        if self.path is None:
            raise ArgumentError("resume=True goes on from a checkpoint, and none was given: fit(…, checkpoint=path)")
        before = self.model.state_dict(transient=True)
        _, extra = load(self.path, self.model)
        try:
            saved = self._checked(extra.get("training"), columns)
            self.optimizer.load_state_dict(saved["optimizer"])
            if self.schedule is not None:
                self.schedule.load_state_dict(saved["schedule"])
            self.loader.load_state_dict(saved["loader"])
        except BaseException:
            self.model.load_state_dict(before)
            raise
        self.history.rows = [dict(row) for row in saved["rows"]]
        self.best.keep()
        self.reached = self.history.best[self.history.monitor]
        if saved["last"] is not None:
            self.model.load_state_dict(saved["last"])

    def _checked(self, saved: Any, columns: list[str]) -> dict[str, Any]:
        where = repr(os.fspath(self.path or ""))
        if not isinstance(saved, dict):
            raise StateError(f"{where} has a model, and no training to go on with; fit(…, checkpoint=…) saves that")
        kind, own = saved["kind"], type(self.optimizer).__name__
        if kind != own:
            raise StateError(f"{where} is of a training with {kind}, and the optimiser is {own}; give the same one")
        if saved["batches"] != len(self.loader):
            raise StateError(
                f"{where} is of a training with {saved['batches']} steps in an epoch, and the data have "
                f"{len(self.loader)}; give the same data and batch_size"
            )
        if (saved["schedule"] is None) != (self.schedule is None):
            has = "no schedule" if saved["schedule"] is None else "a schedule"
            raise StateError(f"{where} is of a training with {has}; give the same")
        known = [name for name in saved["rows"][0] if name not in ("epoch", "lr", "seconds")]
        if known != columns:
            raise StateError(
                f"{where} is of a training that is judged by {', '.join(known)}, and this one is by "
                f"{', '.join(columns)}; give the same metrics and validation"
            )
        return saved


def _require_writable(path: str | os.PathLike) -> None:
    """Raise before the first epoch, which may take hours, if no file can be written there."""
    folder = as_path(path).absolute().parent
    shown = str(as_path(path).parent)
    if not folder.is_dir():
        raise FileError(f"{os.fspath(path)!r} cannot be written: there is no folder {shown!r}; make it first")
    if not os.access(folder, os.W_OK) or as_path(path).is_dir():
        raise FileError(f"{os.fspath(path)!r} cannot be written: no file can be made there in {shown!r}")
