"""Tables as text and as HTML: columns under their headings."""

from collections.abc import Sequence


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> str:
    """Return rows under headings; an "r" at index i of `right` aligns column i to the right.

    >>> print(table(["layer", "size"], [["a", "5"], ["bcd", "100"]], right=" r"))
    layer  size
    ───────────
    a         5
    bcd     100
    """
    lines = [list(map(str, line)) for line in (headings, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    sides = right.ljust(len(widths))
    shown = [
        "  ".join(x.rjust(width) if side == "r" else x.ljust(width) for x, width, side in zip(line, widths, sides))
        for line in lines
    ]
    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join(line.rstrip() for line in (shown[0], rule, *shown[1:]))


def html_table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> str:
    """Return the same table as HTML, which notebooks display.

    >>> print(html_table(["layer", "size"], [["a<b>", "5"]], right=" r"))
    <table>
    <thead><tr><th style="text-align:left">layer</th><th style="text-align:right">size</th></tr></thead>
    <tbody>
    <tr><td style="text-align:left">a&lt;b&gt;</td><td style="text-align:right">5</td></tr>
    </tbody>
    </table>
    """
    from html import escape

    styles = ["text-align:right" if side == "r" else "text-align:left" for side in right.ljust(len(headings))]

    def line(tag: str, cells: Sequence[str]) -> str:
        return "".join(f'<{tag} style="{style}">{escape(str(x))}</{tag}>' for style, x in zip(styles, cells))

    body = "".join(f"<tr>{line('td', row)}</tr>\n" for row in rows)
    return f"<table>\n<thead><tr>{line('th', headings)}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"
