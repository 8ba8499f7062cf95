"""The course as pages of the site: an overview and a page for each lesson, from the texts in `adjoint/learn/course`."""

import re
from collections.abc import Iterator

from adjoint.learn.course import Course, Exercise, Lesson, load
from adjoint.learn.figures import figure_svg
from adjoint.learn.lesson_text import ExercisePlace, Figure, Program, without_lab_links

_START = """\
Install adjoint, open a folder, and start:

```
adjoint learn                # in the terminal: edit a file, save it, and see the result
adjoint learn --notebooks    # the same lessons as notebooks
adjoint lab                  # the same lessons in the browser, in the room Learn
```

You can also read the lessons here. The exercises are in the text, and a click opens their hints and solutions.
[Teaching](../teaching.md) describes how to use the course in a class, and how to write your own.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the Markdown of each page."""
    course = load()
    yield "course/index.md", _overview(course)
    for lesson in course.lessons:
        yield f"course/{lesson.name}.md", "\n\n".join(_lesson(course, lesson)) + "\n"


def _overview(course: Course) -> str:
    rows = []
    for lesson in course.lessons:
        titles = ", ".join(_plain(exercise.title) for exercise in lesson.exercises)
        rows.append(f"| {lesson.number} | [{lesson.title}]({lesson.name}.md) | {titles} |")
    table = "\n".join(["| | lesson | exercises |", "|---|---|---|", *rows])
    return f"# {course.title}\n\n{course.introduction}\n\n{_START}\n{table}\n"


def _lesson(course: Course, lesson: Lesson) -> Iterator[str]:
    for block in lesson.blocks:
        if isinstance(block, Program):
            yield f"```python\n{block.source}```"
        elif isinstance(block, Figure):
            yield _figure(figure_svg(lesson, block), block.caption)
        elif isinstance(block, ExercisePlace):
            yield from _exercise(course.exercise(block.name))
        else:
            yield without_lab_links(block.text)


def _exercise(exercise: Exercise) -> Iterator[str]:
    yield f"### Exercise: {exercise.title} {{#{exercise.name}}}"
    yield exercise.task
    yield f"```python\n{exercise.stub}```"
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
