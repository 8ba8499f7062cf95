"""The course as pages of the site: an overview and a page for each lesson, from the texts in `adjoint_learn/course`."""

import re
from collections.abc import Iterator

from live_graphs import live_figure

from adjoint_learn.course import Course, Exercise, Lesson, load
from adjoint_learn.figures import figure_svg
from adjoint_learn.lesson_text import ExercisePlace, Figure, Program, with_lab_links, without_lab_links

_START = """\
Install adjoint, open a folder, and start:

```
adjoint learn                # in the terminal: edit a file, save it, and see the result
adjoint learn --notebooks    # the same lessons as notebooks
adjoint lab                  # the same lessons in the browser, in the room Learn
```

{in_the_browser}You can also read the lessons here. The exercises are in the text, and a click opens their hints and
solutions.
[Teaching](../teaching.md) describes how to use the course in a class, and how to write your own.
"""

_IN_THE_BROWSER = """\
Or open <a href="{lab}#learn">the course in this browser</a>: it runs here, with nothing installed.
"""


def pages(lab: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the Markdown of each page. They link to the lab at the address `lab`, unless it is empty."""
    course = load()
    lab = lab and f"../{lab}"  # the pages are in a folder
    yield "course/index.md", _overview(course, lab)
    for lesson in course.lessons:
        yield f"course/{lesson.name}.md", "\n\n".join(_lesson(course, lesson, lab)) + "\n"


def _overview(course: Course, lab: str) -> str:
    rows = []
    for lesson in course.lessons:
        titles = ", ".join(_plain(exercise.title) for exercise in lesson.exercises)
        rows.append(f"| {lesson.number} | [{lesson.title}]({lesson.name}.md) | {titles} |")
    table = "\n".join(["| | lesson | exercises |", "|---|---|---|", *rows])
    start = _START.format(in_the_browser=_IN_THE_BROWSER.format(lab=lab) if lab else "")
    return f"# {course.title}\n\n{course.introduction}\n\n{start}\n{table}\n"


def _lesson(course: Course, lesson: Lesson, lab: str) -> Iterator[str]:
    for block in lesson.blocks:
        if isinstance(block, Program):
            yield f"```python\n{block.source}```"
        elif isinstance(block, Figure):
            svg = figure_svg(lesson, block)
            is_live = lab and block.kind != "figure"
            yield live_figure(svg, block) if is_live else _figure(svg, block.caption)
        elif isinstance(block, ExercisePlace):
            yield from _exercise(course.exercise(block.name), lab)
        else:
            yield with_lab_links(block.text, lab, lesson.number) if lab else without_lab_links(block.text)


def _exercise(exercise: Exercise, lab: str) -> Iterator[str]:
    yield f"### Exercise: {exercise.title} {{#{exercise.name}}}"
    yield exercise.task
    yield f"```python\n{exercise.stub}```"
    if lab:
        yield f'<a href="{lab}#learn?exercise={exercise.name}">Write it in the browser</a>, where it is checked.'
    for number, hint in enumerate(exercise.hints, 1):
        yield _folded(f"Hint {number}", hint)
    yield _folded("Solution", f"```python\n{exercise.solution}```\n\n{exercise.why}")


def _folded(title: str, text: str) -> str:
    """Return text that a click opens."""
    return f'<details markdown="1"><summary>{title}</summary>\n\n{text}\n\n</details>'


def _figure(svg: str, caption: str) -> str:
    """Return a figure as HTML on one line, which Markdown leaves alone."""
    return f'<figure class="lesson">{" ".join(svg.split())}<figcaption>{caption}</figcaption></figure>'


def _plain(text: str) -> str:
    return re.sub(r"[`|]", "", text)
