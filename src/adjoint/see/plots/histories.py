"""A history as notebooks and rich consoles show it: a plot, or a table."""

from base64 import b64encode
from io import BytesIO
from typing import Any

from adjoint.see.plots.canvas import figure
from adjoint.see.plots.curves import plot_loss
from adjoint.training.history import History

_WIDTH, _DPI = 5.5, 192  # inches, and twice the points of a screen that has 96: sharp on fine ones


def as_png(history: History) -> tuple[str, int]:
    """Return the plot of a history as a PNG file in base64, and how many points of a screen it is wide."""
    made, (ax,) = figure(size=(_WIDTH, 3.4))
    plot_loss(history, ax)
    content = BytesIO()
    made.savefig(content, format="png", dpi=_DPI)
    return b64encode(content.getvalue()).decode(), round(_WIDTH * 96)


def as_table(history: History) -> Any:
    """Return a history as a table of rich; one without rows as a line."""
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
