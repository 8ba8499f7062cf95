"""Progress of training, for a person who watches: a bar in a terminal or a notebook, lines where output is piped.

All of it goes to the error stream, so that what a program prints stays its own. A display is asked to show something
at most every `interval` seconds.
"""

import sys
from collections import deque
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from adjoint.errors import ArgumentError, MissingExtraError
from adjoint.floats import described
from adjoint.history import History, time_in_words, written
from adjoint.suggestions import unknown

Numbers = Mapping[str, float]
_WINDOW = 5.0  # seconds that the rate is the mean of: long enough to be steady, short enough to be of now
_LINES = 20  # of a run, where output is piped; more only if each takes long
_LONG = 10.0  # seconds that a reader of lines may be left without one
_NOT_SHOWN = ("epoch", "lr", "seconds")


class Display:
    """What shows progress: this one shows nothing."""

    interval = 1.0

    def __init__(self, epochs: int, steps: int, done: int):
        self.epochs, self.steps = epochs, steps  # of the whole run, and of an epoch
        self.step = done * steps  # how many are done, of all epochs
        self._times: deque[tuple[float, int]] = deque()

    def begin(self) -> None:
        """Show that training begins; the first step may take long, if it is compiled."""

    def show(self, epoch: int, step: int, numbers: Numbers) -> None:
        """Show the numbers in the midst of an epoch."""

    def ended(self, row: Numbers) -> None:
        """Show the numbers of an epoch that has ended."""

    def end(self, history: History) -> None:
        """Show that training has ended."""

    def close(self) -> None:
        """Leave the terminal in order, also where an error ended training."""

    # --- what displays say ---

    def reach(self, epoch: int, step: int) -> None:
        """Take note of how far training is: `step` of an epoch that is counted from 1."""
        self.step = (epoch - 1) * self.steps + step
        now = perf_counter()
        self._times.append((now, self.step))
        while len(self._times) > 2 and now - self._times[0][0] > _WINDOW:
            self._times.popleft()

    @property
    def rate(self) -> float | None:
        """Steps in a second; None while there are not two moments to compare."""
        (start, first), (now, last) = (self._times[0], self._times[-1]) if self._times else ((0.0, 0), (0.0, 0))
        return (last - first) / (now - start) if now > start and last > first else None

    @property
    def left(self) -> float | None:
        """Seconds until all epochs have ended, at this rate."""
        return (self.epochs * self.steps - self.step) / self.rate if self.rate else None


class Lines(Display):
    """A line for an epoch, as it is: not for all of them, where there are many and quick ones."""

    def __init__(self, epochs: int, steps: int, done: int):
        super().__init__(epochs, steps, done)
        self._every, self._last = -(-epochs // _LINES), perf_counter()

    def ended(self, row: Numbers) -> None:
        epoch, now = int(row["epoch"]), perf_counter()
        self.reach(epoch, self.steps)
        if epoch % self._every == 0 or epoch in (1, self.epochs) or now - self._last > _LONG:
            self._last = now
            parts = [f"epoch {epoch:>{len(str(self.epochs))}}/{self.epochs}", *told(row)]
            parts += [rate_in_words(self.rate)] if self.rate else []
            parts += [f"{time_in_words(self.left)} left"] if self.left else []
            print("  ".join(parts), file=sys.stderr, flush=True)

    def end(self, history: History) -> None:
        print(history.summary(), file=sys.stderr, flush=True)


class TerminalBar(Display):
    """A bar of rich, on one line that is drawn anew."""

    interval = 0.1

    def __init__(self, epochs: int, steps: int, done: int):
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        super().__init__(epochs, steps, done)
        self._bar = Progress(
            TextColumn("{task.description}", style="bold"),
            BarColumn(bar_width=None, complete_style="green", finished_style="green"),
            TextColumn("{task.fields[numbers]}"),
            TextColumn("{task.fields[pace]}", style="dim"),
            console=Console(stderr=True),
            auto_refresh=False,  # a thread of its own would take time from training
            expand=True,
        )
        self._task: Any = None

    def begin(self) -> None:
        self._bar.start()
        total = self.epochs * self.steps
        self._task = self._bar.add_task(
            self._at(self.step // self.steps + 1), total=total, completed=self.step, numbers="the first step …", pace=""
        )
        self._bar.refresh()

    def show(self, epoch: int, step: int, numbers: Numbers) -> None:
        self.reach(epoch, step)
        self._draw(epoch, numbers)

    def ended(self, row: Numbers) -> None:
        # only noted: the next `show` draws, for epochs may be too quick to follow
        self._row = row
        if not self._times or perf_counter() - self._times[-1][0] >= self.interval:
            self.show(int(row["epoch"]), self.steps, row)

    def end(self, history: History) -> None:
        if history.rows:
            self.reach(history.epochs, self.steps)
            is_whole = history.epochs == self.epochs
            pace = f"{time_in_words(history.seconds)}" if is_whole else history.stopped
            self._draw(history.epochs, history.rows[-1], pace)
        self.close()
        if history.rows:
            self._bar.console.print(history.summary(), highlight=False, style="dim")

    def close(self) -> None:
        self._bar.stop()

    def _draw(self, epoch: int, numbers: Numbers, pace: str | None = None) -> None:
        if pace is None:
            parts = [rate_in_words(self.rate)] if self.rate else []
            parts += [f"{time_in_words(self.left)} left"] if self.left else []
            pace = "  ".join(parts)
        shown = "  ".join(told(numbers))
        self._bar.update(self._task, description=self._at(epoch), completed=self.step, numbers=shown, pace=pace)
        self._bar.refresh()

    def _at(self, epoch: int) -> str:
        return f"epoch {min(epoch, self.epochs):>{len(str(self.epochs))}}/{self.epochs}"


class NotebookBar(Display):
    """A bar of tqdm: a widget where the notebook has widgets, and text where it has none."""

    interval = 0.1

    def __init__(self, epochs: int, steps: int, done: int):
        super().__init__(epochs, steps, done)
        tqdm = _tqdm()
        self._bar = tqdm(total=epochs * steps, initial=self.step, unit="step", mininterval=self.interval)

    def show(self, epoch: int, step: int, numbers: Numbers) -> None:
        before = self.step
        self.reach(epoch, step)
        self._bar.set_description(f"epoch {epoch}/{self.epochs}", refresh=False)
        self._bar.set_postfix_str(", ".join(told(numbers)), refresh=False)
        self._bar.update(self.step - before)

    def ended(self, row: Numbers) -> None:
        self.show(int(row["epoch"]), self.steps, row)

    def close(self) -> None:
        self._bar.close()


# --- which of them ---

DISPLAYS = ("auto", "bar", "notebook", "plain")


def display_of(progress: Any, epochs: int, steps: int, done: int) -> Display:
    """Return what shows progress as it was asked for; "auto" finds out where the output goes."""
    if progress is False or progress is None:
        kind = Display
    elif progress is True or progress == "auto":
        kind = _fitting()
    elif progress in DISPLAYS:
        kind = {"bar": TerminalBar, "notebook": NotebookBar, "plain": Lines}[progress]
    elif isinstance(progress, str):
        raise unknown("progress", progress, DISPLAYS, "; or False for none")
    else:
        raise ArgumentError(
            f"progress is 'auto', one of {', '.join(DISPLAYS[1:])}, or False, not {described(progress)}"
        )
    return kind(epochs, steps, done)


def _fitting() -> type[Display]:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if type(shell).__name__ == "ZMQInteractiveShell":
        import importlib.util

        return NotebookBar if importlib.util.find_spec("tqdm") else Lines
    if sys.stderr is None or not sys.stderr.isatty():
        return Lines if sys.stderr is not None else Display
    from rich.console import Console

    return Lines if Console(stderr=True).is_dumb_terminal else TerminalBar


def _tqdm() -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        raise MissingExtraError(
            "progress in notebooks is shown by tqdm, which is not installed: pip install adjoint[notebook]"
        ) from None
    try:
        import ipywidgets  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError:
        return tqdm
    from tqdm.notebook import tqdm as widget

    return widget


# --- words ---


def told(numbers: Numbers) -> list[str]:
    """Return the losses and metrics in words.

    >>> told({"epoch": 3, "loss": 0.123456, "accuracy": 0.95, "lr": 0.1})
    ['loss 0.1235', 'accuracy 95.0%']
    """
    return [f"{name.replace('_', ' ')} {written(name, x)}" for name, x in numbers.items() if name not in _NOT_SHOWN]


def rate_in_words(rate: float) -> str:
    """Return a rate.

    >>> rate_in_words(2314.2), rate_in_words(0.314)
    ('2,314 steps/s', '0.31 steps/s')
    """
    return f"{rate:,.0f} steps/s" if rate >= 10 else f"{rate:.2g} steps/s"
