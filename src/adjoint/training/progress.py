"""The display of training progress: a bar in a terminal or a notebook, lines where output is piped.

Everything is written to the error stream, so that the output of a program is unaffected. A display is updated at most
every `interval` seconds.
"""

import sys
from collections import deque
from collections.abc import Mapping
from importlib.util import find_spec
from math import ceil, isfinite
from time import perf_counter

from adjoint.errors import ArgumentError, MissingExtraError
from adjoint.errors.given import describe
from adjoint.errors.optional import install_command
from adjoint.errors.suggest import unknown_name_error
from adjoint.training.history import History, format_number, time_in_words
from adjoint.training.stopping import Plan

Numbers = Mapping[str, float]
_WINDOW = 5.0  # seconds over which the rate is averaged: long enough to be steady, short enough to be current
_LINES = 20  # lines of a run, where output is piped; more only if epochs take long
_LONG = 10.0  # seconds after which a line is printed in any case
_SHORT = 0.5  # remaining seconds that are not worth showing
_LEAST = 16  # the minimum width of a bar
_NOT_SHOWN = ("epoch", "step", "lr", "seconds")


class Display:
    """The base class of displays; it shows nothing."""

    interval = 1.0

    def __init__(self, plan: Plan, done: int, updates: int):
        self.plan, self.counts_steps = plan, plan.steps is not None
        self.steps = plan.batches or 1  # per epoch
        self.total: float = plan.steps if plan.steps is not None else plan.epochs * self.steps
        self.step = updates if self.counts_steps else done * self.steps  # of all epochs
        self._times: deque[tuple[float, int]] = deque()

    def begin(self, note: str) -> None:
        """Show the start of training, with a note if the first step takes long."""

    def show(self, epoch: int, step: int, numbers: Numbers) -> None:
        """Show the numbers during an epoch, at a step of it; if training counts steps, at a step of all."""

    def end_epoch(self, row: Numbers) -> None:
        """Show the numbers at the end of an epoch."""

    def end(self, history: History) -> None:
        """Show the end of training."""

    def close(self) -> None:
        """Restore the terminal, also after an error."""

    # --- text ---

    def reach(self, epoch: int, step: int) -> None:
        """Record the position: `step` of an epoch, which is counted from 1, or of all if training counts steps."""
        self.step = step if self.counts_steps else (epoch - 1) * self.steps + step
        now = perf_counter()
        self._times.append((now, self.step))
        while len(self._times) > 2 and now - self._times[0][0] > _WINDOW:
            self._times.popleft()

    def end_of(self, row: Numbers) -> int:
        """Return the position at the end of an epoch, for `reach`."""
        return int(row["step"]) if self.counts_steps else self.steps

    def pace(self) -> list[str]:
        """Return the steps or tokens per second, the share of the device's peak, and the remaining time, as text."""
        if len(self._times) < 2:
            return []
        (start, first), (now, last) = self._times[0], self._times[-1]
        rate = (last - first) / (now - start)
        left = (self.total - self.step) / rate if rate else 0.0
        plan = self.plan
        per_step = plan.tokens * (plan.accumulate if self.counts_steps else 1)
        words = [rate_in_words(rate * per_step, "tokens") if per_step else rate_in_words(rate)]
        if per_step and plan.utilization is not None:
            words += plan.utilization.words(rate * per_step)
        return [*words, *([f"{time_in_words(left)} left"] if left >= _SHORT else [])]

    def at(self, epoch: int) -> str:
        """Return the number of the epoch or the step as text of constant width."""
        unit, done, total = ("step", self.step, self.total) if self.counts_steps else ("epoch", epoch, self.plan.epochs)
        return f"{unit} {min(done, total):>{len(str(total))}}/{total}"


class Lines(Display):
    """One line per epoch; if there are many short epochs, only some have a line, and a long epoch has several."""

    def __init__(self, plan: Plan, done: int, updates: int):
        super().__init__(plan, done, updates)
        self._every = max(1, ceil(plan.epochs / _LINES)) if isfinite(plan.epochs) else 1
        self._last = perf_counter()

    def show(self, epoch: int, step: int, numbers: Numbers) -> None:
        self.reach(epoch, step)
        if perf_counter() - self._last > _LONG:
            self._print(epoch, numbers)

    def end_epoch(self, row: Numbers) -> None:
        epoch = int(row["epoch"])
        self.reach(epoch, self.end_of(row))
        if epoch % self._every == 0 or epoch in (1, self.plan.epochs) or perf_counter() - self._last > _LONG:
            self._print(epoch, row)

    def _print(self, epoch: int, numbers: Numbers) -> None:
        self._last = perf_counter()
        print("  ".join([self.at(epoch), *format_numbers(numbers), *self.pace()]), file=sys.stderr, flush=True)

    def end(self, history: History) -> None:
        print(history.summary(), file=sys.stderr, flush=True)


class Bar(Display):
    """A progress bar of rich, in a terminal or a notebook; its numbers are next to it or, if it is narrow, below."""

    interval = 0.1

    def __init__(self, plan: Plan, done: int, updates: int):
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.text import Text

        super().__init__(plan, done, updates)

        class EpochProgress(Progress):
            """A bar whose numbers go to a second line if they do not fit into the first."""

            numbers = ""

            def get_renderables(self):
                yield self.make_tasks_table(self.tasks)
                if self.numbers:
                    yield Text(self.numbers)

        self._console = Console(stderr=True, highlight=False)
        self._progress = EpochProgress(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[numbers]}"),
            TextColumn("[dim]{task.fields[pace]}"),
            console=self._console,
            auto_refresh=False,  # a thread would slow training
            expand=True,
        )
        self._task = self._progress.add_task("", total=self.total, completed=self.step, numbers="", pace="")
        self._validation: Numbers = {}  # of the last epoch that has ended
        self._drawn = 0.0

    def begin(self, note: str) -> None:
        self._progress.start()
        self._draw(self.step // self.steps + 1, [note] if note else [], [])

    def show(self, epoch: int, step: int, numbers: Numbers) -> None:
        self.reach(epoch, step)
        self._draw(epoch, format_numbers({**numbers, **self._validation}), self.pace())

    def end_epoch(self, row: Numbers) -> None:
        self._validation = {name: x for name, x in row.items() if name.startswith("validation_")}
        if perf_counter() - self._drawn >= self.interval:  # epochs may be shorter than the interval
            self.show(int(row["epoch"]), self.end_of(row), row)

    def end(self, history: History) -> None:
        if history.rows:
            self.reach(history.epochs, self.end_of(history.rows[-1]))
            self._draw(history.epochs, format_numbers(history.rows[-1]), [])
        self.close()
        self._console.print(history.summary(), style="dim")

    def close(self) -> None:
        self._progress.stop()

    def _draw(self, epoch: int, numbers: list[str], pace: list[str]) -> None:
        at, shown, rest = self.at(epoch), "  ".join(numbers), "  ".join(pace)
        is_narrow = self._console.width < len(at) + len(shown) + len(rest) + _LEAST + 4
        self._progress.numbers = shown if is_narrow else ""
        beside = "" if is_narrow else shown
        self._progress.update(self._task, description=at, completed=self.step, numbers=beside, pace=rest, refresh=True)
        self._drawn = perf_counter()


# --- choosing a display ---

DISPLAYS = ("auto", "bar", "notebook", "plain")


def display_of(progress: object, plan: Plan, done: int = 0, updates: int = 0) -> Display:
    """Return the display of that name, after some epochs and updates; "auto" chooses one for the error stream."""
    if progress is False or progress is None:
        kind = Display
    elif progress is True or progress == "auto":
        kind = _display_of_stream()
    elif progress in DISPLAYS:
        kind = _notebook_bar() if progress == "notebook" else Bar if progress == "bar" else Lines
    elif isinstance(progress, str):
        raise unknown_name_error("progress", progress, DISPLAYS, "; or False to hide it")
    else:
        raise ArgumentError(f"progress must be one of {', '.join(DISPLAYS)}, or False, not {describe(progress)}")
    return kind(plan, done, updates)


def _display_of_stream() -> type[Display]:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if type(shell).__name__ == "ZMQInteractiveShell":
        return Bar if find_spec("ipywidgets") else Lines
    if sys.stderr is None or not sys.stderr.isatty():
        return Lines if sys.stderr is not None else Display
    from rich.console import Console

    return Lines if Console(stderr=True).is_dumb_terminal else Bar


def _notebook_bar() -> type[Display]:
    if not find_spec("ipywidgets"):
        raise MissingExtraError(f"progress bars in notebooks need ipywidgets: {install_command('notebook')}")
    return Bar


# --- formatting ---


def format_numbers(numbers: Numbers) -> list[str]:
    """Return the losses and metrics as text.

    >>> format_numbers({"epoch": 3, "loss": 0.123456, "accuracy": 0.95, "lr": 0.1})
    ['loss 0.1235', 'accuracy 95.0%']
    """
    return [
        f"{name.replace('_', ' ')} {format_number(name, x)}" for name, x in numbers.items() if name not in _NOT_SHOWN
    ]


def rate_in_words(rate: float, unit: str = "steps") -> str:
    """Return a rate as text.

    >>> rate_in_words(2314.2), rate_in_words(0.314), rate_in_words(52314.2, "tokens")
    ('2,314 steps/s', '0.31 steps/s', '52,314 tokens/s')
    """
    return f"{rate:,.0f} {unit}/s" if rate >= 10 else f"{rate:.2g} {unit}/s"
