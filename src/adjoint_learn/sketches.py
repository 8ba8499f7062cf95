"""Small SVG drawings for lessons: axes, curves, dots and words, readable on a light and on a dark page."""

from collections.abc import Callable, Iterable, Sequence
from xml.sax.saxutils import escape

# Mid-tones with a contrast of at least 3 to white and to a dark page.
BLUE, ORANGE, GREEN, RED, PURPLE = "#2f80ed", "#d97706", "#1a9850", "#dc4444", "#8b5cf6"
GRAY = "#808080"
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 32, 16, 44  # margins around the plot


class Sketch:
    """A plot in the making. `x` and `y` are the ranges of the axes; each method adds something, `svg(title)` ends it.

    >>> sketch = Sketch((0, 4), (0, 16), "x", "y")
    >>> sketch.curve(lambda x: x * x)
    >>> sketch.dot(3, 9, "the point (3, 9)")
    >>> sketch.svg("A parabola")[:4]
    '<svg'
    """

    def __init__(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        x_name: str = "",
        y_name: str = "",
        size: tuple[int, int] = (600, 300),
    ):
        self._x, self._y, self._size = x, y, size
        self._parts: list[str] = []
        self._names = x_name, y_name
        self._marks: tuple[list[tuple[float, str]], list[tuple[float, str]]] = ([], [])

    def curve(
        self, function: Callable[[float], float], color: str = BLUE, count: int = 121, dashed: bool = False
    ) -> None:
        """Add the graph of a function over the whole range of x."""
        low, high = self._x
        xs = [low + (high - low) * i / (count - 1) for i in range(count)]
        self.path([(x, function(x)) for x in xs], color, dashed)

    def path(self, points: Iterable[tuple[float, float]], color: str = BLUE, dashed: bool = False) -> None:
        """Add a line through points."""
        text = " ".join(f"{self._across(x):.1f},{self._down(y):.1f}" for x, y in points)
        dashes = ' stroke-dasharray="6 4"' if dashed else ""
        self._parts.append(f'<polyline points="{text}" fill="none" stroke="{color}" stroke-width="2.5"{dashes}/>')

    def dot(self, x: float, y: float, word: str = "", color: str = ORANGE, dx: float = 9, dy: float = -9) -> None:
        """Add a point, with a word next to it."""
        self._parts.append(f'<circle cx="{self._across(x):.1f}" cy="{self._down(y):.1f}" r="5" fill="{color}"/>')
        if word:
            self.word(x, y, word, dx, dy)

    def word(
        self,
        x: float,
        y: float,
        text: str,
        dx: float = 0,
        dy: float = 0,
        color: str = "currentColor",
        anchor: str = "start",
    ) -> None:
        """Add words that start at a place, moved by some pixels."""
        self._parts.append(
            f'<text x="{self._across(x) + dx:.1f}" y="{self._down(y) + dy:.1f}" fill="{color}" '
            f'text-anchor="{anchor}">{escape(text)}</text>'
        )

    def marks(self, x: Sequence[tuple[float, str]] = (), y: Sequence[tuple[float, str]] = ()) -> None:
        """Label places of the axes."""
        self._marks[0].extend(x)
        self._marks[1].extend(y)

    def svg(self, title: str) -> str:
        """Return the drawing. The title describes it for people who do not see it."""
        width, height = self._size
        left, bottom = _LEFT, height - _BOTTOM
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f'font-family="system-ui, sans-serif" font-size="14" color="currentColor">',
            f"<title>{escape(title)}</title>",
            f'<g stroke="{GRAY}" stroke-width="1"><line x1="{left}" y1="{bottom}" x2="{width - _RIGHT}" y2="{bottom}"/>'
            f'<line x1="{left}" y1="{bottom}" x2="{left}" y2="{_TOP}"/></g>',
        ]
        for x, text in self._marks[0]:
            parts.append(
                f'<text x="{self._across(x):.1f}" y="{bottom + 18}" fill="currentColor" '
                f'text-anchor="middle" font-size="13">{escape(text)}</text>'
            )
        for y, text in self._marks[1]:
            parts.append(
                f'<text x="{left - 8}" y="{self._down(y) + 4:.1f}" fill="currentColor" '
                f'text-anchor="end" font-size="13">{escape(text)}</text>'
            )
        x_name, y_name = map(escape, self._names)
        parts.append(
            f'<text x="{(left + width) / 2}" y="{height - 6}" fill="currentColor" text-anchor="middle">{x_name}</text>'
        )
        parts.append(
            f'<text x="14" y="{(bottom + _TOP) / 2}" fill="currentColor" text-anchor="middle" '
            f'transform="rotate(-90 14 {(bottom + _TOP) / 2})">{y_name}</text>'
        )
        return "".join([*parts, *self._parts, "</svg>"])

    def _across(self, x: float) -> float:
        low, high = self._x
        return _LEFT + (x - low) / (high - low) * (self._size[0] - _LEFT - _RIGHT)

    def _down(self, y: float) -> float:
        low, high = self._y
        height = self._size[1] - _TOP - _BOTTOM
        return self._size[1] - _BOTTOM - (y - low) / (high - low) * height
