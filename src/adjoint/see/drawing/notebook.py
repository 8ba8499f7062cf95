"""How notebooks and rich consoles display a Value, an explanation, an answer of `why` or a program of numbers.

A small graph is displayed as a picture. Leaves, large graphs and graphs that were freed are displayed as their repr.
"""

from html import escape
from typing import TYPE_CHECKING

from adjoint.engine.value import Value
from adjoint.see.drawing.scene import Choices
from adjoint.see.drawing.subjects import find_subject
from adjoint.see.drawing.text_trees import colored_tree
from adjoint.see.explanation.steps import Explanation
from adjoint.see.reasons.answers import Why

if TYPE_CHECKING:
    from rich.console import RenderableType

    from adjoint.compile.numbers.program import Program

_SMALL = 50  # the most nodes of a graph that is displayed as a picture; `draw` shows larger ones
_MOST_INSTRUCTIONS = 2_000  # of a program that is displayed as a picture
_LONG = 60  # the lines of a section from which on it is folded


def bundle(shown: "Value | Explanation | Why | Program") -> dict[str, str]:
    """Return the display of a Value, an explanation or a program by media type.

    >>> sorted(bundle(Value(2.0) * 3)), sorted(bundle(Value(2.0)))
    (['image/svg+xml', 'text/plain'], ['text/plain'])
    """
    if isinstance(shown, (Explanation, Why)):
        return {"text/plain": str(shown), "text/html": _foldable(str(shown))}
    is_small = _is_small_graph(shown) if isinstance(shown, Value) else len(shown) <= _MOST_INSTRUCTIONS
    choices = Choices() if isinstance(shown, Value) else Choices(direction="TB")
    picture = {"image/svg+xml": find_subject(shown).svg(choices)} if is_small else {}
    return {"text/plain": repr(shown), **picture}


def console_text(shown: "Value | Explanation | Why | Program") -> "RenderableType":
    """Return the display in a rich console: a tree for a small graph, an explanation with bold headings."""
    from rich.console import Group
    from rich.highlighter import ReprHighlighter
    from rich.text import Text

    if isinstance(shown, (Explanation, Why)):
        lines = str(shown).splitlines()
        return Group(*(Text(line, style="" if line.startswith(" ") else "bold") for line in lines))
    if isinstance(shown, Value) and _is_small_graph(shown):
        return colored_tree(shown, Choices())
    return ReprHighlighter()(Text(repr(shown)))


def _is_small_graph(root: Value) -> bool:
    """Return whether the graph has operations and at most _SMALL nodes; the count stops there."""
    if not root.parents:
        return False
    found, waiting = {root}, [root]
    while waiting and len(found) <= _SMALL:
        node = waiting.pop()
        if node._derivatives is None:  # the history was freed
            return False
        for parent in node.parents:
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return len(found) <= _SMALL


def _foldable(text: str) -> str:
    """Return a text as HTML with foldable sections; long ones start folded."""
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
