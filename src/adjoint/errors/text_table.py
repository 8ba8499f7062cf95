"""Tables as text: columns under their headings."""

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
