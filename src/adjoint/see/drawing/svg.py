"""A graph as SVG: rounded boxes for values, circles for operations, and edges with tooltips for their derivatives.

The file is self-contained, has no script, and follows the light or dark color scheme of the viewer.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from html import escape
from itertools import pairwise

from adjoint.see.drawing.layout import Layout, arrange
from adjoint.see.drawing.palette import MARK, NEGATIVE, POSITIVE
from adjoint.see.drawing.scene import Box, Scene

_FONT, _CHARACTER, _LINE = 12, 7.5, 16.0  # pixels; the widest of the usual monospaced fonts is 0.605 of its size wide
_PAD, _TALL, _MARGIN = 9.0, 28.0, 16.0  # around text in a box; a box of one line, and a circle; around the picture
_LINK = 16.0  # from a circle to its box

_LIGHT = """\
  --ink: #1f2328; --soft: #656d76; --line: #8c959f; --box: #ffffff; --made: #f6f8fa; --op: #fff4dd; --op-line: POSITIVE;
  --root: NEGATIVE; --group: #eef4fb; --mark: MARK; --marked: #fff0ee;"""
_LIGHT = _LIGHT.replace("POSITIVE", POSITIVE).replace("NEGATIVE", NEGATIVE).replace("MARK", MARK)
_SCHEMES = f"""
.adjoint-graph {{ color-scheme: light dark; background: #ffffff;
{_LIGHT} }}
@media (prefers-color-scheme: dark) {{ .adjoint-graph {{ background: #0d1117;
  --ink: #e6edf3; --soft: #9198a1; --line: #6e7681; --box: #0d1117; --made: #161b22; --op: #2d2410; --op-line: #b98500;
  --root: #58a6ff; --group: #111d2c; --mark: #ff9b8a; --marked: #2f1512; }} }}
"""
_FONTS = 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace'
_RULES = """\
.adjoint-graph text { font: FONTpx FAMILIES; fill: var(--ink); }
.adjoint-graph .name { font-weight: 600; }
.adjoint-graph .soft { fill: var(--soft); }
.adjoint-graph .box { fill: var(--made); stroke: var(--line); }
.adjoint-graph .leaf { fill: var(--box); }
.adjoint-graph .root { stroke: var(--root); stroke-width: 2; }
.adjoint-graph .group { fill: var(--group); }
.adjoint-graph .marked { fill: var(--marked); stroke: var(--mark); stroke-width: 2; }
.adjoint-graph .mark { fill: var(--mark); font-weight: 600; }
.adjoint-graph .rule { stroke: var(--line); stroke-width: 0.7; }
.adjoint-graph .op { fill: var(--op); stroke: var(--op-line); }
.adjoint-graph .edge { fill: none; stroke: var(--line); stroke-width: 1.2; }
.adjoint-graph .touch { fill: none; stroke: transparent; stroke-width: 11; pointer-events: stroke; }
.adjoint-graph .arrow { fill: var(--line); }
.adjoint-graph g:hover > .edge { stroke: var(--root); stroke-width: 2; }
""".replace("FONT", str(_FONT)).replace("FAMILIES", _FONTS)


def in_light(picture: str) -> str:
    """Return a picture in the light color scheme alone, for programs that support neither schemes nor CSS variables.

    >>> "var(" in scene_as_svg(Scene()), "var(" in in_light(scene_as_svg(Scene()))
    (True, False)
    """
    style, end, elements = picture.replace(_SCHEMES, "\n", 1).partition("</style>")
    style = style.replace(_FONTS, '"DejaVu Sans Mono", monospace')  # Typst ships this font
    for name, color in re.findall(r"--([\w-]+): (#\w+)", _LIGHT):
        style = style.replace(f"var(--{name})", color)
    return style + end + elements


def scene_as_svg(scene: Scene, direction: str = "LR") -> str:
    """Return a scene as SVG, running from left to right ("LR") or from top to bottom ("TB").

    >>> from adjoint import Value
    >>> from adjoint.see import lookalike_scene, scene_as_svg
    >>> scene_as_svg(lookalike_scene(Value(2.0, label="a")))[:5]
    '<svg '
    """
    frames = [_Frame(box, direction) for box in scene.boxes]
    layout = arrange([frame.extent for frame in frames], [(e.source, e.target) for e in scene.edges])
    parts = [*_edges(scene, layout, direction)]
    for frame, place in zip(frames, layout.places):
        parts += frame.render(*place)
    size = (layout.length, layout.breadth) if direction == "LR" else (layout.breadth, layout.length)
    width, height = max(size[0], text_width(scene.note)), size[1] + (_LINE + 8 if scene.note else 0)
    if scene.note:
        parts.append(label(0, size[1] + _LINE + 8, scene.note, "soft"))
    count = sum(frame.beside for frame in frames)
    about = f"A graph of {count} values" + (f" and {len(frames) - count} groups" if count < len(frames) else "")
    return document(scene.title or about, (0.0, 0.0, width, height), parts)


def document(title: str, area: tuple[float, float, float, float], parts: Iterable[str], rules: str = "") -> str:
    """Return a picture of these elements. `area` is what they cover: left, top, width and height; `rules` are CSS."""
    left, top, width, height = area[0] - _MARGIN, area[1] - _MARGIN, area[2] + 2 * _MARGIN, area[3] + 2 * _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="adjoint-graph" role="img" width="{width:.0f}" '
            f'height="{height:.0f}" viewBox="{left:g} {top:g} {width:.0f} {height:.0f}">',
            f"<title>{escape(title)}</title>",
            f"<style>{_SCHEMES}{_RULES}{rules}</style>",
            *parts,
            "</svg>",
        ]
    )


def text_width(text: str) -> float:
    """Return an upper bound for the width of a text in pixels; wide characters, such as Chinese ones, count twice.

    >>> text_width("ab"), text_width("漢")
    (15.0, 15.0)
    """
    cells = sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)
    return cells * _CHARACTER


class _Frame:
    """A box with the circle of its operation: its size, and its SVG elements."""

    def __init__(self, box: Box, direction: str):
        self.box, self.direction = box, direction
        self.beside = "group" not in box.kind  # the name to the left of the rows; else above them
        self.rows = [*box.rows, box.note] if box.note else box.rows
        name, rows = text_width(box.name), max(map(text_width, self.rows), default=0.0)
        self.cell = name + 2 * _PAD if box.name else 0.0
        if self.beside:
            self.width = self.cell + (rows + 2 * _PAD if self.rows else 0.0)
            self.height = max(_TALL, len(self.rows) * _LINE + 8)
        else:
            self.width = max(name, rows) + 2 * _PAD
            self.height = (1 + len(self.rows)) * _LINE + 14
        self.width = max(self.width, _TALL)
        self.op_width = max(_TALL, text_width(box.op) + 16) if box.op else 0.0
        before = (self.op_width if direction == "LR" else _TALL) + _LINK if box.op else 0.0
        if direction == "LR":
            self.extent = (before + self.width, self.height)
        else:
            self.extent = (before + self.height, max(self.width, self.op_width))

    def render(self, along: float, across: float) -> list[str]:
        """Return the elements, given the start of the frame along the picture and its middle across."""
        if self.direction == "LR":
            x, y = along + self.extent[0] - self.width, across - self.height / 2
            op = (along + self.op_width / 2, across)
            link = f"M{along + self.op_width:.1f} {across:.1f}H{x:.1f}"
        else:
            x, y = across - self.width / 2, along + self.extent[0] - self.height
            op = (across, along + _TALL / 2)
            link = f"M{across:.1f} {along + _TALL:.1f}V{y:.1f}"
        found = ["<g>", f"<title>{escape(self.box.title)}</title>"]
        if self.box.op:
            left, top = op[0] - self.op_width / 2, op[1] - _TALL / 2
            found.append(f'<path class="edge" d="{link}"/>')
            found.append(_rectangle(left, top, self.op_width, _TALL, _TALL / 2, "op"))
            found.append(label(op[0], op[1] + 4, self.box.op, "", "middle"))
        kind = f"box {self.box.kind}" + " marked" * bool(self.box.note)
        found.append(_rectangle(x, y, self.width, self.height, 6, kind))
        return [*found, *(self._beside(x, y) if self.beside else self._above(x, y)), "</g>"]

    def _beside(self, x: float, y: float) -> list[str]:
        found, middle = [], y + self.height / 2
        if self.box.name:
            at = x + (self.cell if self.rows else self.width) / 2
            found.append(label(at, middle + 4, self.box.name, "name", "middle"))
        if self.box.name and self.rows:
            line = x + self.cell
            found.append(f'<path class="rule" d="M{line:.1f} {y:.1f}v{self.height:.1f}"/>')
        first = middle - len(self.rows) * _LINE / 2 + 12
        rows = enumerate(self.rows)
        return found + [label(x + self.cell + _PAD, first + i * _LINE, row, self._row_kind(i)) for i, row in rows]

    def _above(self, x: float, y: float) -> list[str]:
        found = [label(x + _PAD, y + _LINE + 2, self.box.name, "name")]
        rows = enumerate(self.rows)
        return found + [label(x + _PAD, y + (i + 2) * _LINE + 4, row, self._row_kind(i, "soft")) for i, row in rows]

    def _row_kind(self, i: int, kind: str = "") -> str:
        return "mark" if i == len(self.box.rows) else kind


def _edges(picture: Scene, layout: Layout, direction: str) -> list[str]:
    """Return the edges with their tooltips; edges into the same circle end side by side."""
    into: dict[int, list[int]] = defaultdict(list)
    for i in sorted(range(len(picture.edges)), key=lambda i: layout.routes[i][-2][2]):  # from top to bottom
        into[picture.edges[i].target].append(i)
    found = []
    for i, (edge, route) in enumerate(zip(picture.edges, layout.routes)):
        beside = into[edge.target]
        aside = (beside.index(i) - (len(beside) - 1) / 2) * min(7.0, 16.0 / len(beside))
        route = [*route[:-1], (route[-1][0], route[-1][1], route[-1][2] + aside)]
        path = _path(route, direction)
        found += [
            "<g>",
            f"<title>{escape(edge.title)}</title>",
            f'<path class="edge" d="{path}"/>',
            f'<path class="touch" d="{path}"/>',
            _arrow(route[-1], direction),
            "</g>",
        ]
    return found


def _path(route: list[tuple[float, float, float]], direction: str) -> str:
    """Return the path of an edge: straight within the layers, curved between them."""

    def at(along: float, across: float) -> str:
        return f"{along:.1f} {across:.1f}" if direction == "LR" else f"{across:.1f} {along:.1f}"

    path = f"M{at(route[0][1], route[0][2])}"
    for (_, left, a), (right, end, b) in pairwise(route):
        middle = (left + right) / 2
        path += f"C{at(middle, a)} {at(middle, b)} {at(right, b)}"
        path += f"L{at(end, b)}" if abs(end - right) > 0.05 else ""
    return path


def _arrow(end: tuple[float, float, float], direction: str) -> str:
    along, across = end[1], end[2]
    corners = [(along, across), (along - 7, across - 3.5), (along - 7, across + 3.5)]
    points = " ".join(f"{u:.1f},{v:.1f}" if direction == "LR" else f"{v:.1f},{u:.1f}" for u, v in corners)
    return f'<polygon class="arrow" points="{points}"/>'


def _rectangle(x: float, y: float, width: float, height: float, round_by: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{round_by:g}"/>'


def label(x: float, y: float, text: str, kind: str = "", anchor: str = "") -> str:
    """Return a text element at this place; `anchor` is "" (left), "middle" or "end"."""
    about = (f' class="{kind}"' if kind else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x:.1f}" y="{y:.1f}"{about}>{escape(text)}</text>'
