"""The figures of a lesson as SVG: graphs of expressions, and functions of the lesson's `figures.py`."""

import runpy
from functools import lru_cache
from pathlib import Path
from typing import Any

from adjoint import Value
from adjoint.errors import AdjointError, CourseError
from adjoint_learn.course import Lesson
from adjoint_learn.lesson_text import Figure


def figure_svg(lesson: Lesson, figure: Figure) -> str:
    """Return a figure as SVG."""
    if figure.kind != "figure":
        from adjoint import draw

        try:
            return str(draw(graph_value(figure), "svg", fields=_fields(figure)))
        except AdjointError as error:
            raise CourseError(f"{lesson.folder / 'lesson.md'}: the graph {figure.content!r}: {error}") from None
    drawn = lesson.folder / "figures" / f"{figure.content}.svg"
    if drawn.exists():  # the static site has all figures drawn, because some need NumPy and time
        return drawn.read_text("utf-8")
    path = lesson.folder / "figures.py"
    try:
        make = _functions(path).get(figure.content)
        if make is None:
            raise CourseError(f"{path} does not define {figure.content}()")
        svg = make()
    except CourseError:
        raise
    except Exception as error:
        raise CourseError(f"{path} raises {type(error).__name__}: {error}") from error
    if not isinstance(svg, str) or not svg.lstrip().startswith("<svg"):
        raise CourseError(f"{path}: {figure.content}() does not return SVG")
    return svg


def figure_text(figure: Figure) -> str:
    """Return a figure for a terminal: the graph as a tree of text, and the caption."""
    if figure.kind == "figure":
        return f"[picture] {figure.caption}"
    from adjoint import draw

    return f"{draw(graph_value(figure), 'text', fields=_fields(figure))}\n\n{figure.caption}"


def graph_value(figure: Figure) -> Value:
    """Return the result of the statements of a graph, with gradients if the figure shows them."""
    from adjoint.see import Expression

    result = Expression(figure.content).value({})
    if figure.kind == "gradients":
        result.backward()
    return result


def _fields(figure: Figure) -> tuple[str, ...]:
    return ("label", "data", "grad") if figure.kind == "gradients" else ("label", "data")


@lru_cache
def _functions(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise CourseError(f"{path} is missing; it defines the figures of the lesson")
    return runpy.run_path(str(path))
