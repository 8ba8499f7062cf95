"""History: the loss and metrics of each epoch of a training run, as data."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from adjoint.engine import late
from adjoint.errors import ArgumentError, MissingExtraError
from adjoint.errors.optional import library
from adjoint.errors.suggest import unknown_name_error
from adjoint.errors.text_table import html_table, table


class History:
    """The rows of a training run, one per epoch, and the reason why it ended.

    >>> from adjoint import History
    >>> history = History("loss")
    >>> history.add({"loss": 0.5, "accuracy": 0.8, "lr": 0.1, "seconds": 0.01})
    >>> history.add({"loss": 0.25, "accuracy": 0.9, "lr": 0.1, "seconds": 0.01})
    >>> history["loss"]
    [0.5, 0.25]
    >>> history.best["epoch"], history.epochs, history.stopped
    (2, 2, 'finished')
    """

    def __init__(self, monitor: str, largest_is_best: bool = False):
        self.rows: list[dict[str, float]] = []
        self.monitor, self.largest_is_best = monitor, largest_is_best
        self.stopped = "finished"  # or "early stopping", "interrupted", "diverged", "callback"
        self.steps: int | None = None  # the number of updates, if training counts steps: `fit(steps=…)`
        self.saved: int | None = None  # the number of updates in the last checkpoint that this run wrote
        self.compile_seconds = 0.0  # how long compilation took, as part of `seconds`; 0 without `jit`

    def add(self, row: Mapping[str, float]) -> None:
        """Add the row of an epoch."""
        self.rows.append({"epoch": len(self.rows) + 1, **row})

    @property
    def columns(self) -> list[str]:
        """The names of what is in each row: "epoch", "loss", the metrics, "lr" and "seconds"."""
        return list(self.rows[0]) if self.rows else []

    def __getitem__(self, name: str) -> list[float]:
        """Return a column: the number of each epoch."""
        if not self.rows:
            raise ArgumentError(f"no epoch has ended yet, so there is no column {name!r}")
        if name not in self.rows[0]:
            raise unknown_name_error("column", name, self.columns)
        return [row[name] for row in self.rows]

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[dict[str, float]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def epochs(self) -> int:
        """The number of epochs."""
        return len(self.rows)

    @property
    def seconds(self) -> float:
        """The duration of all epochs, including the callbacks and checkpoints between them."""
        return sum(row["seconds"] for row in self.rows)

    @property
    def best(self) -> dict[str, float]:
        """The row of the best epoch: the first with the smallest (or largest) value of the monitored column."""
        if not self.rows:
            raise ArgumentError("no epoch has ended yet, so there is no best epoch")
        sign = -1 if self.largest_is_best else 1
        return min(self.rows, key=lambda row: _rank(sign * row[self.monitor]))

    def is_better(self, candidate: float, than: float, by: float = 0.0) -> bool:
        """Return whether one value of the monitored column is better than another."""
        return candidate > than + by if self.largest_is_best else candidate < than - by

    def to_json(self) -> str:
        """Return the history as JSON; numbers that are not finite become null."""
        rows = [{name: x if _is_finite(x) else None for name, x in row.items()} for row in self.rows]
        facts = {"monitor": self.monitor, "stopped": self.stopped, "seconds": self.seconds, "rows": rows}
        if self.compile_seconds:
            facts["compile_seconds"] = self.compile_seconds
        return json.dumps(facts, allow_nan=False)

    def to_dataframe(self) -> Any:
        """Return the rows as a DataFrame of pandas, with a column for each name.

        >>> history = History("loss")
        >>> history.add({"loss": 0.5, "lr": 0.1, "seconds": 0.01})
        >>> history.to_dataframe()[["epoch", "loss"]]
           epoch  loss
        0      1   0.5
        """
        return library("pandas", "History.to_dataframe", "pandas").DataFrame(self.rows, columns=self.columns)

    def plot(self, ax: Any = None) -> Any:
        """Draw the losses and metrics over the epochs with matplotlib (the extra `plot`); return the axes."""
        return late.plot_loss(self, ax)

    def cells(self) -> list[list[str]]:
        """Return the rows as formatted text; a long history shows only the first and last rows."""
        shown = self.rows if len(self.rows) <= _SHOWN else [*self.rows[: _SHOWN // 2], *self.rows[-_SHOWN // 2 :]]
        return [[format_number(name, row[name]) for name in self.columns] for row in shown]

    def __str__(self) -> str:
        if not self.rows:
            return self.summary()
        lines = self.cells()
        text = table(self._headings(), lines, "r" * len(self.columns))
        if len(lines) < len(self.rows):
            above = text.splitlines()
            above.insert(2 + len(lines) // 2, f"… {len(self.rows) - len(lines)} more …")
            text = "\n".join(above)
        return f"{text}\n{self.summary()}"

    def __rich__(self) -> Any:
        return late.history_plots().as_table(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        """Return the display of a notebook: the plot, or the table without matplotlib."""
        text = {"text/plain": str(self)}
        if not self.rows:
            return text
        try:
            picture, width = late.history_plots().as_png(self)
        except MissingExtraError:
            return {**text, "text/html": self._as_html()}
        return {**text, "image/png": picture}, {"image/png": {"width": width}}

    def _as_html(self) -> str:
        from html import escape  # for notebooks

        lines = self.cells()
        if len(lines) < len(self.rows):
            lines.insert(len(lines) // 2, ["…"] * len(self.columns))
        return f"{html_table(self._headings(), lines, 'r' * len(self.columns))}\n<p>{escape(self.summary())}</p>"

    def _headings(self) -> list[str]:
        return [name.replace("_", " ") for name in self.columns]

    def summary(self) -> str:
        """Return one line that says how training ended."""
        if not self.rows:
            done = "before the first epoch had ended" if self.steps is None else f"after {count(self.steps, 'step')}"
            return f"{self.stopped} {done}"
        best, name = self.best, self.monitor.replace("_", " ")
        unit = "epoch" if self.steps is None else "step"
        done = self.epochs if self.steps is None else self.steps
        ended = f"{self.stopped} after {count(done, unit)} in {self.duration()}"
        return f"{ended}; best: {unit} {best[unit]}, {name} {format_number(self.monitor, best[self.monitor])}"

    def duration(self) -> str:
        """Return the duration of all epochs as text, and the part of it that was spent on compiling."""
        compiling = f", of which {time_in_words(self.compile_seconds)} compiling" if self.compile_seconds else ""
        return f"{time_in_words(self.seconds)}{compiling}"

    def __repr__(self) -> str:
        return f"History({count(self.epochs, 'epoch')}, {', '.join(self.columns[1:])}; {self.stopped})"


_SHOWN = 20  # rows of a table


def _rank(x: float) -> float:
    return float("inf") if x != x else x


def _is_finite(x: float) -> bool:
    return x - x == 0


def count(n: int, what: str) -> str:
    """Return a number of things as text, such as "1 epoch" or "2,000 epochs"."""
    return f"{n:,} {what}{'s' * (n != 1)}"


# --- formatting ---


def format_number(name: str, x: float) -> str:
    """Return a number of a column as formatted text."""
    if name in ("epoch", "step", "lr"):
        return f"{x:g}"
    return f"{x:.1%}" if name.endswith("accuracy") else f"{x:.4g}" if abs(x) < 1e-3 or abs(x) >= 1e4 else f"{x:.4f}"


def time_in_words(seconds: float) -> str:
    """Return a duration as text.

    >>> time_in_words(0.024), time_in_words(0.24), time_in_words(12.2), time_in_words(75), time_in_words(7300)
    ('24 ms', '0.2 s', '12 s', '1:15', '2:01:40')
    """
    if seconds < 0.0995:
        return f"{1000 * seconds:.2g} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
