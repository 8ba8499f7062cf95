"""What plots are drawn on: figures and axes of matplotlib, which is the extra `plot`."""

from typing import Any

from adjoint.errors.optional import library
from adjoint.see.drawing.palette import INK


def figure(columns: int = 1, size: tuple[float, float] = (5.0, 4.0)) -> tuple[Any, list]:
    """Return a figure for pictures side by side, and its axes. No window is opened.

    >>> made, axes = figure(columns=2)
    >>> len(axes)
    2
    """
    made = bare_figure((columns * size[0], size[1]), layout="constrained")
    return made, list(made.subplots(1, columns, squeeze=False)[0])


def bare_figure(size: tuple[float, float], **options: Any) -> Any:
    """Return a figure without axes, so many inches wide and high, that belongs to no window."""
    agg = library("matplotlib.backends.backend_agg", "a picture", "plot")
    made = library("matplotlib.figure", "a picture", "plot").Figure(figsize=size, **options)
    agg.FigureCanvasAgg(made)
    return made


def axes_of(ax: Any) -> Any:
    """Return the axes that are given, or those of pyplot's current figure, so that notebooks show them."""
    return library("matplotlib.pyplot", "a picture", "plot").gca() if ax is None else ax


def tidy(ax: Any) -> None:
    """Take away the frame above and to the right, and write the numbers in ink."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(colors=INK, labelsize=9)
