"""How notebooks and rich consoles display a History, and the learning rates of `find_lr`: as a plot, or as a table."""

from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any

from adjoint.see.drawing.palette import CLASSES, GRID, INK
from adjoint.see.plots.canvas import axes_of, figure, tidy
from adjoint.see.plots.curves import plot_loss
from adjoint.training.history import History
from adjoint.training.rate_finder import LearningRates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

_WIDTH, _DPI = 5.5, 192  # inches; twice the usual 96 dots per inch, so that it is sharp on high-resolution screens


def as_png(history: History) -> tuple[str, int]:
    """Return the plot of a history as PNG in base64, and its display width in pixels."""
    return _png(lambda ax: plot_loss(history, ax))


def rates_as_png(found: LearningRates) -> tuple[str, int]:
    """Return the plot of learning rates as PNG in base64, and its display width in pixels."""
    return _png(lambda ax: plot_rates(found, ax))


def plot_rates(found: LearningRates, ax: "Axes | None" = None) -> "Axes":
    """Draw the losses over the learning rates, and mark the suggestion."""
    ax = axes_of(ax)
    ax.plot(found.rates, found.losses, color=GRID, label="loss")
    ax.plot(found.rates, found.smoothed, color=CLASSES[0], label="smoothed")
    if found.suggestion is not None:
        ax.axvline(found.suggestion, color=CLASSES[1], linestyle="--", label=f"suggestion {found.suggestion:.2g}")
    ax.set_xscale("log")
    ax.set_xlabel("learning rate", color=INK)
    ax.set_ylabel("loss", color=INK)
    ax.legend(frameon=False, fontsize=9)
    tidy(ax)
    return ax


def _png(draw: "Callable[[Axes], Any]") -> tuple[str, int]:
    made, (ax,) = figure(size=(_WIDTH, 3.4))
    draw(ax)
    content = BytesIO()
    made.savefig(content, format="png", dpi=_DPI)
    return b64encode(content.getvalue()).decode(), round(_WIDTH * 96)


def as_table(history: History) -> "RenderableType":
    """Return a history as a rich table; an empty history as a line."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    if not history.rows:
        return Text(history.summary())
    table = Table(box=None, header_style="bold")
    for name in history.columns:
        table.add_column(Text(name.replace("_", " ")), justify="right")
    rows = history.cells()
    if len(rows) < len(history.rows):
        rows.insert(len(rows) // 2, ["…"] * len(history.columns))
    for cells in rows:
        table.add_row(*map(Text, cells))
    return Group(table, Text(history.summary()))
