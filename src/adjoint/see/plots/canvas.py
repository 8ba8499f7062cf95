"""Figures and axes of matplotlib (extra `plot`)."""

from typing import TYPE_CHECKING, Any

from adjoint.errors.optional import library
from adjoint.see.drawing.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def figure(columns: int = 1, size: tuple[float, float] = (5.0, 4.0)) -> "tuple[Figure, list[Axes]]":
    """Return a figure and its axes, side by side. No window is opened.

    >>> from adjoint import plots
    >>> made, axes = plots.figure(columns=2)
    >>> len(axes)
    2
    """
    made = bare_figure((columns * size[0], size[1]), layout="constrained")
    return made, list(made.subplots(1, columns, squeeze=False)[0])


def bare_figure(size: tuple[float, float], **options: Any) -> "Figure":
    """Return a figure of this size in inches, without axes and without a window."""
    agg = library("matplotlib.backends.backend_agg", "a picture", "plot")
    made = library("matplotlib.figure", "a picture", "plot").Figure(figsize=size, **options)
    agg.FigureCanvasAgg(made)
    return made


def axes_of(ax: "Axes | None") -> "Axes":
    """Return the given axes, or the current axes of pyplot, which notebooks display."""
    return library("matplotlib.pyplot", "a picture", "plot").gca() if ax is None else ax


def tidy(ax: "Axes") -> None:
    """Remove the frame at the top and on the right, and set the color of the ticks."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(colors=INK, labelsize=9)
