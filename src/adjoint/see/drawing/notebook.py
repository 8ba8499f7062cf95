"""What a notebook or a console of rich shows when the result of a line is a Value or an explanation.

A small graph is shown as a picture. Of a large one, of a leaf, and of a graph that was freed, the number is shown.
"""

from html import escape
from typing import Any

from adjoint.engine.value import Value
from adjoint.see.drawing.scene import Choices
from adjoint.see.drawing.svg import as_svg
from adjoint.see.drawing.text import coloured
from adjoint.see.explanation.steps import Explanation

_SMALL = 50  # nodes of a graph that is shown without being asked for; `draw` shows larger ones
_LONG = 60  # lines of a section that is folded


def bundle(shown: Value | Explanation) -> dict[str, str]:
    """Return the media that a notebook chooses from.

    >>> sorted(bundle(Value(2.0) * 3)), sorted(bundle(Value(2.0)))
    (['image/svg+xml', 'text/plain'], ['text/plain'])
    """
    if isinstance(shown, Explanation):
        return {"text/plain": str(shown), "text/html": _foldable(str(shown))}
    picture = {"image/svg+xml": as_svg(shown, Choices())} if _is_small_graph(shown) else {}
    return {"text/plain": repr(shown), **picture}


def console_text(shown: Value | Explanation) -> Any:
    """Return the same for a console of rich: a tree of a small graph, headings that stand out in an explanation."""
    from rich.console import Group
    from rich.highlighter import ReprHighlighter
    from rich.text import Text

    if isinstance(shown, Explanation):
        lines = str(shown).splitlines()
        return Group(*(Text(line, style="" if line.startswith(" ") else "bold") for line in lines))
    if _is_small_graph(shown):
        return coloured(shown, Choices())
    return ReprHighlighter()(Text(repr(shown)))


def _is_small_graph(root: Value) -> bool:
    """Return whether there is a picture to show, after a look at no more nodes than one would have."""
    if not root.parents:
        return False
    found, waiting = {root}, [root]
    while waiting and len(found) <= _SMALL:
        node = waiting.pop()
        if node._derivatives is None:  # freed: how it was made is gone
            return False
        for parent in node.parents:
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return len(found) <= _SMALL


def _foldable(text: str) -> str:
    """Return a text of sections as HTML in which each can be folded; a long one is."""
    sections = []
    for section in text.split("\n\n"):
        heading, _, lines = section.partition("\n")
        if not lines:
            sections.append(f"<p>{escape(heading)}</p>")
            continue
        is_open = " open" if lines.count("\n") < _LONG else ""
        sections.append(
            f"<details{is_open}><summary>{escape(heading)}</summary>"
            f'<pre style="margin: 0.3em 0 0.8em">{escape(lines)}</pre></details>'
        )
    return f"<div>{''.join(sections)}</div>"
