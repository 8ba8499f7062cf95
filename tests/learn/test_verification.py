"""`adjoint learn verify` finds what is wrong with a course, and our course is not wrong."""

import pytest
from small_course import FILES, TASK, write_course

from adjoint.errors import CourseError
from adjoint_learn.course import load
from adjoint_learn.definitions import with_changes
from adjoint_learn.figures import figure_svg
from adjoint_learn.lesson_text import Figure
from adjoint_learn.verification import verify


@pytest.fixture
def make_course(tmp_path):
    """A function that writes the small course with some files changed, and returns its problems."""

    def make(**changed):
        write_course(tmp_path, **changed)
        course = load(tmp_path)
        return [f"{problem.name}: {problem.text}" for lesson in course.lessons for problem in verify(course, lesson)]

    return make


def test_a_course_that_works_has_no_problems(make_course):
    assert make_course() == []


def double(returned, docstring=""):
    """A program that defines `double`."""
    return f'"""{docstring}"""\n\n\ndef double(x):\n    return {returned}\n'


PROBLEMS = [
    ("double/stub.py", double("2 * x"), "double: the stub passes the check"),
    ("double/stub.py", double("x * x"), "double: the stub gets the message of the wrong answer square"),
    ("double/solution.py", double("3 * x"), "double: the solution does not pass: failed: `double(3)` is `9`"),
    ("double/wrong/square.py", double("x + x", "It is right."), "double: the wrong answer square passes the check"),
    ("double/wrong/other.py", double("x**2", "The same."), "double: the wrong answer square gets the message of other"),
    ("double/task.md", TASK.replace("- What is twice 2?\n", ""), "double: it has 1 hints; give two or three"),
    ("double/task.md", f"---\nneeds: no_such\n---\n{TASK}", "double: it needs no_such, which is not installed"),
    ("double/solution.py", "x = 1\n" * 16 + double("2 * x"), "double: the solution adds 18 lines"),
    (
        "lesson.md",
        "# First\n\n```python\n1 / 0\n```\n\n{exercise double}\n",
        "first: the program at line 4 raises",
    ),
    (
        "lesson.md",
        "# First\n\n```python\nexit()\n```\n\n{exercise double}\n",
        "first: the program at line 4 raises SystemExit",
    ),
    ("double/stub.py", "def double(\n", "double: the stub is not a Python program"),
    ("double/task.md", "---\nneeds: no.such\n---\n" + TASK, "double: it needs no.such, which is not installed"),
    ("double/check.py", "import no_such\n", "double: "),
    ("double/check.py", "def check(:\n", "double: "),
    ("double/check.py", "x = 1\n", "double: "),
    ("lesson.md", "# First\n\n![A picture.](figure: none)\n\n{exercise double}\n", "first: the figure"),
    (
        "double/check.py",
        "def check(check, _):\n    check.true('It is right', False)\n",
        "double: the solution does not pass",
    ),
]


@pytest.mark.parametrize(("file", "text", "problem"), PROBLEMS)
def test_a_problem_is_named(make_course, file, text, problem):
    found = make_course(**{f"01_first/{file}": text})
    assert any(text.startswith(problem) for text in found), found


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("course.md", "no title", "has no title"),
        ("01_first/lesson.md", "# First\n", "the exercise 'double' has no place in the text"),
        ("01_first/lesson.md", "# First\n\n{exercise other}\n", "there is no exercise 'other'"),
        ("01_first/lesson.md", "# First\n\n```python\n", "has no end"),
        ("01_first/double/task.md", "# Double\n\nTask.\n\n## Hints\n\n- A\n- B\n", "has no section '## Why'"),
        ("01_first/double/task.md", "---\nspeed: 3\n---\n" + TASK, "'speed: 3' is not a setting"),
        ("01_first/double/task.md", "---\nseconds: soon\n---\n" + TASK, "seconds must be a number"),
        ("01_first/double/task.md", "---\nuses: later\n---\n" + TASK, "uses 'later', which is not an earlier exercise"),
        *(
            ("01_first/double/task.md", f"---\nseconds: {x}\n---\n{TASK}", "must be a number")
            for x in ("nan", "inf", "0", "-1")
        ),
        *(
            ("01_first/double/task.md", f"---\nfile: {x}\n---\n{TASK}", "Python file")
            for x in ("/a.py", "../a.py", "a", "")
        ),
        ("01_first/double/wrong/square.py", "x = 1\n", "has no docstring"),
        ("01_first/double/wrong/square.py", "x = \n", "line 1"),
    ],
)
def test_a_course_that_cannot_be_read_names_the_file(make_course, file, text, message):
    with pytest.raises(CourseError, match=message):
        make_course(**{file: text})


def test_files_with_a_byte_order_mark_and_lessons_with_large_numbers(make_course, tmp_path):
    marked = {name: "\ufeff" + text for name, text in FILES.items()}
    marked["01_first/double/task.md"] = "\ufeff---\nseconds: 3\n---\n" + TASK
    assert make_course(**marked, **{f"{name}/lesson.md": "# More\n" for name in ("10_last", "9_before")}) == []
    assert [lesson.name for lesson in load(tmp_path).lessons] == ["first", "before", "last"]


def test_a_course_without_exercises_and_figures_that_fail(tmp_path):
    (tmp_path / "01_first").mkdir()
    (tmp_path / "course.md").write_text("# A course\n")
    (tmp_path / "01_first" / "lesson.md").write_text("# First\n")
    with pytest.raises(CourseError, match="has no exercises"):
        load(tmp_path)
    write_course(tmp_path, **{"01_first/figures.py": "def one():\n    1 / 0\n\n\ndef two():\n    return None\n"})
    lesson = load(tmp_path).lessons[0]
    for figure, message in (
        (Figure("figure", "one", ""), "figures.py raises ZeroDivisionError"),
        (Figure("figure", "two", ""), "two\\(\\) does not return SVG"),
        (Figure("graph", "a = ; b", ""), "lesson.md: the graph 'a = ; b'"),
    ):
        with pytest.raises(CourseError, match=message):
            figure_svg(lesson, figure)


def test_a_wrong_answer_may_change_parts_of_the_solution():
    solution = "class A:\n    x = 1\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    changes = (
        "from solution import *\n\nclass A:\n    def f(self):\n        return 3\n\n    def h(self):\n        return 4\n"
    )
    names: dict = {}
    exec(with_changes(solution, changes), names)
    a = names["A"]()
    assert (a.x, a.f(), a.g(), a.h()) == (1, 3, 2, 4)


def test_the_course_has_the_size_that_it_promises():
    course = load()
    assert len(course.lessons) == 14
    assert len(course.exercises) >= 67
    assert sum(len(exercise.wrong_answers) for exercise in course.exercises) >= 420
