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
from adjoint.errors.given import described
from adjoint.errors.suggest import unknown
from adjoint.training.history import History, time_in_words, written

Numbers = Mapping[str, float]
_WINDOW = 5.0  # seconds that the rate is the mean of: long enough to be steady, short enough to be of now
_LINES = 20  # of a run, where output is piped; more only if each takes long
_LONG = 10.0  # seconds that a reader of lines may be left without one
_SHORT = 0.5  # seconds that nobody need be told of
_LEAST, _MOST = 16, 60  # columns of a bar
_GAP = 2  # columns between its parts
_NOT_SHOWN = ("epoch", "lr", "seconds")


class Display:
    """What shows progress: this one shows nothing."""

    interval = 1.0

    def __init__(self, epochs: int, steps: int, done: int):
        self.epochs, self.steps = epochs, steps  # of the whole run, and of an epoch
        self.step = done * steps  # how many are done, of all epochs
        self._times: deque[tuple[float, int]] = deque()

    def begin(self, note: str) -> None:
        """Show that training begins, with a note if the first step takes long."""

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

    def pace(self) -> list[str]:
        """Return in words how many steps a second takes, and how long the rest will take at this rate."""
        if len(self._times) < 2:
            return []
        (start, first), (now, last) = self._times[0], self._times[-1]
        rate = (last - first) / (now - start)
        left = (self.epochs * self.steps - self.step) / rate
        return [rate_in_words(rate), *([f"{time_in_words(left)} left"] if left >= _SHORT else [])]

    def at(self, epoch: int) -> str:
        """Return which of all epochs this is, in words that are always as long."""
        return f"epoch {min(epoch, self.epochs):>{len(str(self.epochs))}}/{self.epochs}"


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
            print("  ".join([self.at(epoch), *told(row), *self.pace()]), file=sys.stderr, flush=True)

    def end(self, history: History) -> None:
        print(history.summary(), file=sys.stderr, flush=True)


class TerminalBar(Display):
    """A bar of rich that is drawn anew, with the numbers behind it, or below where the terminal is narrow."""

    interval = 0.1

    def __init__(self, epochs: int, steps: int, done: int):
        from rich.console import Console
        from rich.live import Live

        super().__init__(epochs, steps, done)
        self._console = Console(stderr=True, highlight=False)
        self._live = Live(console=self._console, auto_refresh=False)  # a thread of its own would slow training
        self._validated: Numbers = {}  # of the last epoch that has ended
        self._drawn = 0.0

    def begin(self, note: str) -> None:
        self._live.start()
        self._draw(self.step // self.steps + 1, [note] if note else [], [])

    def show(self, epoch: int, step: int, numbers: Numbers) -> None:
        self.reach(epoch, step)
        self._draw(epoch, told({**numbers, **self._validated}), self.pace())

    def ended(self, row: Numbers) -> None:
        self._validated = {name: x for name, x in row.items() if name.startswith("validation_")}
        if perf_counter() - self._drawn >= self.interval:  # epochs may be too quick to follow
            self.show(int(row["epoch"]), self.steps, row)

    def end(self, history: History) -> None:
        if history.rows:
            self.reach(history.epochs, self.steps)
            self._draw(history.epochs, told(history.rows[-1]), [])
        self.close()
        self._console.print(history.summary(), style="dim")

    def close(self) -> None:
        self._live.stop()

    def _draw(self, epoch: int, numbers: list[str], pace: list[str]) -> None:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        at, shown, behind = self.at(epoch), Text("  ".join(numbers)), Text("  ".join(pace), style="dim")
        room = self._console.width - len(at) - len(behind) - 3 * _GAP - 1
        is_narrow = room - len(shown) < _LEAST
        width = min(_MOST, max(_LEAST, room if is_narrow else room - len(shown)))
        bar = ProgressBar(total=self.epochs * self.steps, completed=self.step, width=width, complete_style="green")
        line = Table.grid(padding=(0, _GAP))
        cells = [Text(at, style="bold"), bar, *([] if is_narrow else [shown]), behind]
        line.add_row(*cells)
        self._live.update(Group(line, shown) if is_narrow else line, refresh=True)
        self._drawn = perf_counter()


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
        raise ArgumentError(f"progress is one of {', '.join(DISPLAYS)}, or False, not {described(progress)}")
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
