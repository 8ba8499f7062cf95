"""How notebooks and rich consoles display a History: as a plot, or as a table."""

from base64 import b64encode
from io import BytesIO
from typing import TYPE_CHECKING

from adjoint.see.plots.canvas import figure
from adjoint.see.plots.curves import plot_loss
from adjoint.training.history import History

if TYPE_CHECKING:
    from rich.console import RenderableType

_WIDTH, _DPI = 5.5, 192  # inches; twice the usual 96 dots per inch, so that it is sharp on high-resolution screens


def as_png(history: History) -> tuple[str, int]:
    """Return the plot of a history as PNG in base64, and its display width in pixels."""
    made, (ax,) = figure(size=(_WIDTH, 3.4))
    plot_loss(history, ax)
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
