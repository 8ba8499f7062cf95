"""Line plots: the loss over the epochs, and a function with its tangents."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.engine.modes import no_grad
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, number
from adjoint.see.drawing.palette import CLASSES, GRID, INK, MARKERS, NEGATIVE, POSITIVE
from adjoint.see.plots.canvas import axes_of, tidy
from adjoint.training.history import History, count, time_in_words
from adjoint.transforms.derivatives import grad

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 30  # up to this many epochs each have a marker
_FINE = 400  # points of a function


# --- training ---


def plot_loss(history: History | Iterable[float | Value], ax: "Axes | None" = None) -> "Axes":
    """Draw the loss over the epochs, dashed for validation; accuracy and other metrics on an axis to the right.

    Instead of a `History`, a list of losses, as numbers or Values, can be given.

    >>> from adjoint import History, plots
    >>> from adjoint.see.plots.canvas import figure
    >>> history = History("loss")
    >>> for loss, share in ((0.9, 0.5), (0.4, 0.8), (0.1, 1.0)):
    ...     history.add({"loss": loss, "accuracy": share, "lr": 0.1, "seconds": 0.01})
    >>> ax = plots.plot_loss(history, figure()[1][0])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('epoch', 'loss')
    """
    if isinstance(history, History):
        if not history.rows:
            raise ArgumentError("the history has no epochs yet, so there is nothing to plot")
        ax = axes_of(ax)
        columns = {name: history[name] for name in history.columns if name not in ("epoch", "lr", "seconds")}
        _plot_columns(ax, columns, history["epoch"])
        ax.set_xlabel("epoch", color=INK)
        ax.set_title(f"{count(history.epochs, 'epoch')}, {time_in_words(history.seconds)}", fontsize=10, color=INK)
    else:
        losses = _numbers(history)
        ax = axes_of(ax)
        _plot_columns(ax, {"loss": losses}, range(1, len(losses) + 1))
        ax.set_xlabel("step", color=INK)
    return ax


def _numbers(losses: Iterable[float | Value]) -> list[float]:
    if isinstance(losses, (str, dict)) or not isinstance(losses, Iterable):
        raise ArgumentError(f"plot_loss needs a History or a list of losses, not {describe(losses)}")
    found = [number(x.item() if isinstance(x, Value) else x, "plot_loss") for x in losses]
    if not found:
        raise ArgumentError("the list of losses is empty, so there is nothing to plot")
    return found


def _plot_columns(ax: "Axes", columns: dict[str, list[float]], xs: Sequence[float]) -> None:
    """Draw the losses on the left axis and other metrics on the right one."""
    losses = {name: column for name, column in columns.items() if _base(name) == "loss"}
    others = {name: column for name, column in columns.items() if name not in losses}
    _plot_lines(ax, losses, xs, CLASSES)
    if is_steep([x for column in losses.values() for x in column]):
        ax.set_yscale("log")
    ax.set_ylabel("loss", color=INK)
    ax.grid(True, color=GRID, linewidth=0.6)
    tidy(ax)
    lines, above = list(ax.get_lines()), ax
    if others:
        above = ax.twinx()
        is_share = {_base(name) for name in others} == {"accuracy"}
        _plot_lines(above, others, xs, CLASSES[1:], 100 if is_share else 1)
        above.set_ylabel("accuracy (%)" if is_share else ", ".join(dict.fromkeys(map(_base, others))), color=INK)
        if is_share:
            above.set_ylim(0, 103)
        tidy(above)
        above.spines["right"].set_visible(True)
        lines += above.get_lines()
    if len(lines) > 1:
        above.legend(lines, [str(line.get_label()) for line in lines], frameon=False, fontsize=9, loc="center right")


def is_steep(losses: Sequence[float]) -> bool:
    """Return whether the losses span a range that needs a logarithmic axis."""
    return len(losses) > 0 and min(losses) > 0 and 20 * min(losses) < max(losses) < np.inf


def _base(name: str) -> str:
    return name.removeprefix("validation_").replace("_", " ")


def _plot_lines(
    ax: "Axes", columns: dict[str, list[float]], xs: Sequence[float], colors: Sequence[str], factor: float = 1
) -> None:
    """Draw each column in its own color; a validation column is dashed, in the color of the training column."""
    bases = list(dict.fromkeys(map(_base, columns)))
    for name, column in columns.items():
        i = bases.index(_base(name))
        ax.plot(
            xs,
            [factor * x for x in column],
            "--" if name.startswith("validation_") else "-",
            color=colors[i % len(colors)],
            marker=MARKERS[i % len(MARKERS)] if len(xs) <= _FEW else "",
            markersize=4,
            label=name.replace("_", " "),
        )


# --- functions and tangents ---


def plot_function(
    f: Callable[[Any], Any],
    at: float | Sequence[float] | None = None,
    ax: "Axes | None" = None,
    *,
    between: tuple[float, float] | None = None,
    second: bool = False,
) -> "Axes":
    """Draw a function of one Value, and its tangents at one or several points.

    The slopes are computed by automatic differentiation; rising tangents are orange, falling ones blue. With `second`
    the second-order approximation, a parabola, is drawn as well. `between` is the range of x.

    >>> from adjoint import plots
    >>> from adjoint.see.plots.canvas import figure
    >>> ax = plots.plot_function(lambda x: x**3 - 2 * x, at=1.0, ax=figure()[1][0])
    >>> [line.get_label() for line in ax.get_lines() if line.get_label()[0] != "_"]
    ['f(x)', 'f(1) = -1, slope 1']
    """
    if not callable(f):
        raise ArgumentError(f"plot_function needs a function of a Value, not {describe(f)}")
    points = [] if at is None else at if isinstance(at, Iterable) else [at]
    places = [number(x, "at") for x in points]
    low, high = _ends(between, places)
    ax = axes_of(ax)
    xs = np.linspace(low, high, _FINE)
    with no_grad():
        ys = np.array([_outcome(f, x) for x in xs.tolist()])
    bottom, top = _reach(ys)
    ax.plot(xs, _without_poles(ys, top - bottom), color=INK, linewidth=1.8, label=f"{_name(f)}(x)", zorder=2)
    for x in places:
        _plot_tangent(ax, f, x, xs, second)
    ax.set(xlim=(low, high), ylim=(bottom, top))
    ax.axhline(0, color=GRID, linewidth=0.8, zorder=0)
    ax.axvline(0, color=GRID, linewidth=0.8, zorder=0)
    ax.set_xlabel("x", color=INK)
    tidy(ax)
    ax.legend(fontsize=9, framealpha=0.85, edgecolor="none")
    return ax


def _plot_tangent(ax: "Axes", f: Callable, x: float, xs: np.ndarray, second: bool) -> None:
    y, slope = _outcome(f, x), float(grad(f)(x))
    color = NEGATIVE if slope < 0 else POSITIVE
    tangent = y + slope * (xs - x)
    label = f"{_name(f)}({x:.4g}) = {y:.4g}, slope {slope:.4g}"
    ax.plot(xs, tangent, color=color, linewidth=1.4, label=label, zorder=3)
    if second:
        curvature = float(grad(grad(f))(x))
        parabola = tangent + curvature / 2 * (xs - x) ** 2
        ax.plot(xs, parabola, "--", color=color, linewidth=1.2, label=f"second derivative {curvature:.4g}", zorder=3)
    ax.plot([x], [y], "o", color=color, markeredgecolor="white", markersize=8, label="_point", zorder=4)


def _outcome(f: Callable, x: float) -> float:
    y = f(Value(x))
    if is_number(y):
        return float(y)  # a constant function
    if not isinstance(y, Value) or getattr(y, "shape", ()) != ():
        raise ArgumentError(f"plot_function needs a function that returns one Value; f({x:g}) returned {describe(y)}")
    return y.item()


def _name(f: Callable) -> str:
    name = getattr(f, "__name__", getattr(f, "name", "f"))
    return name if name.isidentifier() else "f"


def _ends(between: tuple[float, float] | None, places: list[float]) -> tuple[float, float]:
    """Return the given range, or -3 to 3, extended to contain all points."""
    if between is None:
        return min(-3.0, *(x - 1 for x in places), 0.0), max(3.0, *(x + 1 for x in places), 0.0)
    try:
        low, high = (number(x, "between") for x in between)
    except (TypeError, ValueError):
        raise ArgumentError(f"between must be two numbers such as (-3, 3), not {describe(between)}") from None
    if not -np.inf < low < high < np.inf:
        raise ArgumentError(f"between must be two finite numbers, the smaller one first, not ({low:g}, {high:g})")
    return low, high


def _reach(ys: np.ndarray) -> tuple[float, float]:
    """Return the range of the y axis: all numbers, or most of them if the function has a pole."""
    finite = ys[np.isfinite(ys)]
    if not len(finite):
        raise ArgumentError("the function has no finite value in this range; choose another one with `between`")
    low, high = finite.min(), finite.max()
    inner, outer = np.percentile(finite, (5, 95))
    if high - low > 20 * (outer - inner) > 0:
        low, high = inner - (outer - inner), outer + (outer - inner)
    margin = 0.08 * (high - low) or 1.0
    return float(low - margin), float(high + margin)


def _without_poles(ys: np.ndarray, height: float) -> np.ndarray:
    """Return the numbers with a gap at each pole, where a line would cross the whole picture."""
    ys = np.where(np.isfinite(ys), ys, np.nan)
    ys[1:][np.abs(np.diff(ys)) > height] = np.nan
    return ys
