"""Logs of training: callbacks that write CSV, JSON lines or TensorBoard's files.

    fit(model, X, y, loss="mse", callbacks=[CSVLogger("run.csv"), TensorBoardLogger("runs/first")])

A log holds each epoch as soon as it ends. When training resumes, CSV and JSON files are written again from the history,
so they have each epoch once.
"""

import csv
import json
import os
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import IO, Any

from adjoint.arrays.tensor import Tensor
from adjoint.errors import ArgumentError, FileError
from adjoint.errors.given import describe
from adjoint.errors.optional import library
from adjoint.files.atomic import as_path, require_writable
from adjoint.nn.module import Module
from adjoint.training.callbacks import Callback, Step
from adjoint.training.history import History


class _FileLogger(Callback):
    """A log in a text file, which is open from the start to the end of training."""

    def __init__(self, path: str | os.PathLike):
        self.path = as_path(path)
        require_writable(self.path)
        self._file: IO[str] | None = None

    def on_start(self, model: Any, history: History) -> None:
        try:
            self._file = open(self.path, "w", newline="", encoding="utf-8")  # noqa: SIM115 -- closed at the end
        except OSError as error:
            raise FileError(f"cannot write {os.fspath(self.path)!r}: {error.strerror}") from None
        for row in history.rows:
            self._write(row)

    def on_epoch(self, model: Any, history: History) -> None:
        self._write(history.rows[-1])

    def on_end(self, model: Any, history: History) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None

    def _write(self, row: Mapping[str, Any]) -> None:
        raise NotImplementedError


class CSVLogger(_FileLogger):
    """Writes a row for each epoch to a CSV file, with the columns of the history.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from adjoint import CSVLogger, data, fit, nn
    >>> X, y = data.blobs(60, classes=3, seed=0)
    >>> path = tempfile.mkdtemp() + "/run.csv"
    >>> model = nn.Sequential(nn.Linear(2, 3, seed=0))
    >>> history = fit(model, X, y, loss="cross_entropy", epochs=2, callbacks=CSVLogger(path), progress=False)
    >>> Path(path).read_text().splitlines()[0]
    'epoch,loss,lr,seconds'
    """

    def _write(self, row: Mapping[str, Any]) -> None:
        assert self._file is not None
        writer = csv.DictWriter(self._file, list(row), lineterminator="\n")
        if not self._file.tell():
            writer.writeheader()
        writer.writerow(row)
        self._file.flush()


class JSONLogger(_FileLogger):
    """Writes a line of JSON for each epoch, and with `steps` for each step; numbers that are not finite become null.

    A line has `"event": "epoch"` and the columns of the history, or `"event": "step"` and the number of the step, the
    epoch, the loss and the learning rate. Resumed training writes the epochs so far again, but not their steps.

    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from adjoint import JSONLogger, data, fit, nn
    >>> X, y = data.blobs(60, classes=3, seed=0)
    >>> path = tempfile.mkdtemp() + "/run.jsonl"
    >>> model = nn.Sequential(nn.Linear(2, 3, seed=0))
    >>> log = JSONLogger(path, steps=True)
    >>> history = fit(model, X, y, loss="cross_entropy", epochs=1, callbacks=log, progress=False)
    >>> [json.loads(line)["event"] for line in Path(path).read_text().splitlines()]
    ['step', 'epoch']
    """

    def __init__(self, path: str | os.PathLike, *, steps: bool = False):
        super().__init__(path)
        self.steps = steps

    def on_step(self, model: Any, step: Step) -> None:
        if self.steps:
            self._write_line(
                {"event": "step", "step": step.number, "epoch": step.epoch, "loss": step.loss, "lr": step.lr}
            )

    def _write(self, row: Mapping[str, Any]) -> None:
        self._write_line({"event": "epoch", **row})

    def _write_line(self, line: Mapping[str, Any]) -> None:
        assert self._file is not None
        finite = {name: None if isinstance(x, float) and not isfinite(x) else x for name, x in line.items()}
        self._file.write(json.dumps(finite) + "\n")
        self._file.flush()


class TensorBoardLogger(Callback):
    """Writes a log that TensorBoard reads, into a folder for each run: `tensorboard --logdir runs`.

    The scalars of an epoch have names such as `epoch/loss` and those of a step `step/loss` and `step/lr`. With
    `histograms`, the log has a histogram of each parameter after each epoch. `parameters` are settings of the run, such
    as `{"lr": 0.1}`, which TensorBoard shows with the final numbers. It needs the extra `tensorboard`.

    >>> import tempfile
    >>> from adjoint import TensorBoardLogger, data, fit, nn
    >>> X, y = data.blobs(60, classes=3, seed=0)
    >>> model = nn.Sequential(nn.Linear(2, 3, seed=0))
    >>> log = TensorBoardLogger(tempfile.mkdtemp(), histograms=True, parameters={"epochs": 2})
    >>> history = fit(model, X, y, loss="cross_entropy", epochs=2, callbacks=log, progress=False)
    """

    def __init__(
        self,
        folder: str | os.PathLike,
        *,
        steps: bool = True,
        histograms: bool = False,
        parameters: Mapping[str, bool | int | float | str] | None = None,
    ):
        self.folder, self.steps, self.histograms = as_path(folder), steps, histograms
        self.parameters = dict(parameters or {})
        for name, x in self.parameters.items():
            if not isinstance(x, (bool, int, float, str)):
                raise ArgumentError(f"parameters must be numbers and text, but {name!r} is {describe(x)}")
        self._tensorboard: Any = library("tensorboardX", "TensorBoardLogger", "tensorboard")
        self._writer: Any = None

    def on_start(self, model: Any, history: History) -> None:
        Path(self.folder).mkdir(parents=True, exist_ok=True)
        self._writer = self._tensorboard.SummaryWriter(os.fspath(self.folder))

    def on_step(self, model: Any, step: Step) -> None:
        if self.steps:
            self._writer.add_scalar("step/loss", step.loss, step.number)
            self._writer.add_scalar("step/lr", step.lr, step.number)

    def on_epoch(self, model: Any, history: History) -> None:
        row = history.rows[-1]
        epoch = int(row["epoch"])
        for name, x in row.items():
            if name != "epoch":
                self._writer.add_scalar(f"epoch/{name}", x, epoch)
        if self.histograms and isinstance(model, Module):
            for name, p in model.named_parameters():
                self._writer.add_histogram(
                    f"parameters/{name}", p.numpy() if isinstance(p, Tensor) else [p.data], epoch
                )
        self._writer.flush()

    def on_end(self, model: Any, history: History) -> None:
        if self._writer is None:
            return
        if self.parameters and history.rows:
            numbers = {f"epoch/{name}": x for name, x in history.rows[-1].items() if name != "epoch"}
            for part in self._tensorboard.summary.hparams(self.parameters, numbers):
                self._writer.file_writer.add_summary(part)
        self._writer.close()
        self._writer = None
