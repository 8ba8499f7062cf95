"""The graphs of the documentation that the static site shows with sliders, and `scenes.json`, which contains them.

A page is built with the picture of each graph. Where the site is served, graphs.js replaces it with a frame of the lab.
A page names a graph in a comment, `<!-- graph: a = 2; b = -3; L = a*b -->`. A picture after the comment is that of the
graph; without one, it is drawn here. Lessons have their own notation for graphs.
"""

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus, urlencode

from adjoint.engine.value import Value
from adjoint.see.drawing import draw
from adjoint.see.expression import Expression
from adjoint_lab.rooms.explore import PRESETS, Explore
from adjoint_learn.course import load
from adjoint_learn.figures import graph_value
from adjoint_learn.lesson_text import Figure

_ROOT = Path(__file__).parents[1]
_COMMENT = re.compile(r"<!-- graph: (?P<content>.*?) -->(?P<picture>\s*<p>(?P<image><img [^>]*>)</p>)?", re.DOTALL)
_FRAME = re.compile(r'src="[^"]*#explore\?(?:e|expression)=(?P<expression>[^"&]+)[^"]*&embed')  # in examples of HTML


def scenes() -> dict[str, Any]:
    """Return the presets of Explore, and the answers of the room to their expressions and to the graphs of the pages.

    With them, the site shows these graphs before its engine is ready.
    """
    room = Explore(lambda event, key: None)
    graphs: list[tuple[str, Mapping[str, float]]] = [(each["expression"], each["numbers"]) for each in PRESETS]
    graphs += [(content, {}) for content in dict.fromkeys([*_graphs_of_lessons(), *_graphs_of_pages()])]
    found = [
        {"expression": text, **room.handle("set", {"expression": text, "numbers": dict(numbers)})}
        for text, numbers in graphs
    ]
    return {"presets": PRESETS, "scenes": found}


def _graphs_of_lessons() -> Iterator[str]:
    for lesson in load().lessons:
        for block in lesson.blocks:
            if isinstance(block, Figure) and block.kind != "figure":
                yield block.content


def _graphs_of_pages() -> Iterator[str]:
    for path in (_ROOT / "README.md", *sorted((_ROOT / "docs").glob("*.md"))):
        for found in _COMMENT.finditer(path.read_text(encoding="utf-8")):
            yield found["content"]
        for found in _FRAME.finditer(path.read_text(encoding="utf-8")):
            yield unquote_plus(found["expression"])


def live_figure(picture: str, figure: Figure) -> str:
    """Return the picture of a graph, and what graphs.js shows instead, as HTML on one line, which Markdown keeps."""
    state = {"e": figure.content} | ({} if figure.kind == "gradients" else {"gradients": "off"})
    expression = Expression(figure.content)
    inputs = len(expression.used.intersection(expression.names))
    levels = _levels(graph_value(figure))
    caption = f"<figcaption>{figure.caption}</figcaption>" if figure.caption else ""
    address = html.escape(f"explore?{urlencode(state)}&embed")
    return (
        f'<figure class="lesson" data-graph="{address}" data-inputs="{inputs}" data-levels="{levels}">'
        f'<div class="picture">{" ".join(picture.split())}</div>{caption}</figure>'
    )


def _levels(node: Value) -> int:
    """Return the number of nodes on the longest path to a node."""
    return 1 + max(map(_levels, node.parents), default=0)


def with_live_graphs(content: str) -> str:
    """Return the HTML of a page with its commented graphs as figures."""

    def figure(found: re.Match[str]) -> str:
        graph = Figure("gradients", found["content"], "")
        return live_figure(found["image"] or str(draw(graph_value(graph), "svg")), graph)

    return _COMMENT.sub(figure, content)
