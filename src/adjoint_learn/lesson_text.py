"""The text of a lesson as blocks: Markdown, programs, figures and the places of its exercises.

A lesson is a Markdown file with two additions. A line `{exercise slope}` is the place of an exercise. A picture with a
special address is a figure:

    ![Values only.](graph: a = 2; b = -3; c = 10; d = a*b; L = d + c)
    ![Values and gradients.](gradients: a = 2; b = -3; L = a*b)
    ![What the picture shows.](figure: name)

A graph is given by its statements. A `figure` is the SVG that the function `name()` in `figures.py` of the lesson
returns. A link such as `[try it](lab:explore?e=tanh(a))` leads to a state of the lab.
"""

import re
from dataclasses import dataclass
from html import escape
from urllib.parse import unquote_plus

from adjoint.errors import CourseError

_FIGURE = re.compile(r"^!\[(?P<caption>.*?)\]\((?P<kind>graph|gradients|figure): *(?P<content>.*)\)$")
_EXERCISE = re.compile(r"^\{exercise ([a-z0-9_]+)\}$")
_LINK = re.compile(r"\[(?P<text>[^\]]*)\]\(lab:(?P<state>(?:[^()]|\([^()]*\))*)\)")


@dataclass(frozen=True)
class Markdown:
    """Paragraphs, lists, tables and headings."""

    text: str


@dataclass(frozen=True)
class Program:
    """A program in the text. All programs of a lesson run in order, in one namespace."""

    source: str
    line: int  # of the lesson's file


@dataclass(frozen=True)
class Figure:
    """A picture with its caption: a graph, a graph with gradients, or a function of `figures.py`."""

    kind: str
    content: str
    caption: str


@dataclass(frozen=True)
class ExercisePlace:
    """The place of an exercise in the text."""

    name: str


Block = Markdown | Program | Figure | ExercisePlace


def parse(text: str, file: str = "lesson.md") -> list[Block]:
    """Return the blocks of a lesson.

    >>> [type(block).__name__ for block in parse("# Nudge\\n\\n{exercise slope}\\n")]
    ['Markdown', 'ExercisePlace']
    >>> parse("![MLP(3, [4, 1]).](figure: network)")
    [Figure(kind='figure', content='network', caption='MLP(3, [4, 1]).')]
    """
    blocks: list[Block] = []
    kept: list[str] = []
    lines = text.splitlines()

    def end_markdown() -> None:
        paragraph = "\n".join(kept).strip("\n")
        if paragraph:
            blocks.append(Markdown(paragraph))
        kept.clear()

    i = 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            end = next((j for j in range(i + 1, len(lines)) if lines[j].startswith("```")), None)
            if end is None:
                raise CourseError(f"{file}, line {i + 1}: the block that starts here has no end; add a line with ```")
            if line.strip() == "```python":
                end_markdown()
                blocks.append(Program("\n".join(lines[i + 1 : end]) + "\n", i + 2))
            else:
                kept += lines[i : end + 1]
            i = end
        elif found := _EXERCISE.match(line.strip()):
            end_markdown()
            blocks.append(ExercisePlace(found[1]))
        elif line.startswith("![") and (figure := _figure(lines, i, file)):
            end_markdown()
            blocks.append(figure[0])
            i = figure[1]
        else:
            kept.append(line)
        i += 1
    end_markdown()
    return blocks


def _figure(lines: list[str], i: int, file: str) -> tuple[Figure, int] | None:
    """Return the figure that starts in a line, and its last line; None if it is an ordinary picture."""
    joined = ""
    for j in range(i, len(lines)):
        if not lines[j].strip():
            break
        joined = f"{joined} {lines[j].strip()}".strip()
        if found := _FIGURE.match(joined):
            return Figure(found["kind"], found["content"].strip(), found["caption"]), j
    if re.match(r"^!\[.*?\]\((graph|gradients|figure):", joined):
        raise CourseError(f"{file}, line {i + 1}: the figure {joined[:60]!r} has no closing parenthesis")
    return None


def without_lab_links(text: str) -> str:
    """Return Markdown for readers outside of the lab: a link to one of its states becomes words and a readable address.

    >>> without_lab_links("[Try it](lab:explore?e=a%20*%20b)")
    'Try it (lab: `#explore?e=a * b`)'
    """
    return _LINK.sub(lambda found: f"{found['text']} (lab: `#{unquote_plus(found['state'])}`)", text)


def with_lab_links(text: str, lab: str, lesson: int) -> str:
    """Return Markdown whose links to states of the lab lead to the page at the address `lab`.

    The rooms link back to the lesson with this number.

    >>> with_lab_links("[Try it](lab:explore?e=a+b)", "../index.html", 3)
    '<a href="../index.html#explore?e=a%2Bb&amp;learn=3">Try it</a>'
    """

    def link(found: re.Match[str]) -> str:
        state = found["state"].replace("+", "%2B")  # in an address, + is a space
        address = f"{lab}#{state}{'&' if '?' in state else '?'}learn={lesson}"
        return f'<a href="{escape(address)}">{found["text"]}</a>'

    return _LINK.sub(link, text)


def lab_states(text: str) -> list[str]:
    """Return the states of the lab that a text links to, such as `explore?e=tanh(a)`."""
    return [found["state"] for found in _LINK.finditer(text)]
