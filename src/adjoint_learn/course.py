"""A course in a folder: `load(folder)` reads its lessons and exercises, and names the file if something is missing.

    course.md                   "# Title", then an introduction
    01_nudge/                   a lesson; its name is "nudge"
        lesson.md               the text (see lesson_text.py)
        figures.py              functions that return SVG, for figures in the text; optional
        slope/                  an exercise
            task.md             settings, "# Title", the task, "## Hints", "## Why"
            stub.py             what the learner starts with; it runs, and fails the check
            check.py            `def check(check, learner)` (see checking.py)
            solution.py
            wrong/one_sided.py  a wrong answer; its docstring is what a teacher says about it

A wrong answer is a whole program, or, after a line `from solution import *`, only the functions and methods in which it
differs from the solution.

`task.md` starts with optional settings, one per line, between two lines `---`:

    file: engine.py             the learner's file; exercises with the same file continue in it
    uses: backward, mlp         earlier exercises whose files this one imports
    needs: torch                a library that the exercise cannot do without
    seconds: 20                 the time limit of the check

Hints are a list, from a gentle nudge to almost the answer. "Why" explains the solution.
"""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from adjoint.errors import CourseError, unknown_name_error
from adjoint_learn.definitions import changes_solution, new_definitions, with_changes
from adjoint_learn.lesson_text import Block, ExercisePlace, parse

BUILT_IN = Path(__file__).parent / "course"
SECONDS = 10.0  # the time limit of a check
_SETTINGS = ("file", "uses", "needs", "seconds")


@dataclass(frozen=True)
class WrongAnswer:
    """A common mistake: its name, its program, and what a teacher says about it."""

    name: str
    source: str
    advice: str

    @property
    def program(self) -> str:
        """Return the source without its docstring, which is the advice."""
        tree = ast.parse(self.source)
        first = tree.body[0]
        return "\n".join(self.source.splitlines()[first.end_lineno :]) if ast.get_docstring(tree) else self.source


@dataclass(frozen=True)
class Exercise:
    """An exercise: the task, the learner's file, and everything that checks and explains it."""

    name: str
    title: str
    task: str
    hints: tuple[str, ...]
    why: str
    stub: str
    solution: str
    check: str
    wrong_answers: tuple[WrongAnswer, ...]
    folder: Path
    lesson: str
    file: str
    uses: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    seconds: float = SECONDS

    @property
    def module(self) -> str:
        """Return the name under which other programs import the learner's file: `engine` for `engine.py`."""
        return Path(self.file).stem


@dataclass(frozen=True)
class Lesson:
    """A lesson: its text as blocks, and its exercises in the order of the text."""

    name: str
    number: int
    title: str
    blocks: tuple[Block, ...]
    exercises: tuple[Exercise, ...]
    folder: Path


@dataclass(frozen=True)
class Course:
    """A course: its title, its introduction and its lessons."""

    title: str
    introduction: str
    lessons: tuple[Lesson, ...]
    folder: Path
    _exercises: dict[str, Exercise] = field(default_factory=dict)

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """Return all exercises in the order of the course."""
        return tuple(self._exercises.values())

    def exercise(self, name: str) -> Exercise:
        """Return the exercise of this name."""
        if name not in self._exercises:
            raise unknown_name_error("exercise", name, self._exercises)
        return self._exercises[name]

    def lesson(self, name: str) -> Lesson:
        """Return the lesson of this name, or of this number."""
        for lesson in self.lessons:
            if name in (lesson.name, str(lesson.number)):
                return lesson
        raise unknown_name_error("lesson", name, [lesson.name for lesson in self.lessons])

    def lesson_of(self, exercise: Exercise) -> Lesson:
        """Return the lesson that an exercise belongs to."""
        return next(lesson for lesson in self.lessons if exercise in lesson.exercises)

    def earlier_with_file(self, exercise: Exercise) -> Exercise | None:
        """Return the exercise before this one that has the same file, if any."""
        names = list(self._exercises)
        before = [self._exercises[name] for name in names[: names.index(exercise.name)]]
        return next((other for other in reversed(before) if other.file == exercise.file), None)


def load(folder: str | Path = BUILT_IN) -> Course:
    """Read the course in a folder.

    >>> load().lessons[0].name
    'nudge'
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CourseError(f"there is no folder {str(folder)!r}; give the folder of a course, which contains course.md")
    title, introduction = _title(_read(folder / "course.md"), folder / "course.md")
    folders = [path for path in folder.iterdir() if re.fullmatch(r"\d+_[a-z0-9_]+", path.name)]
    folders.sort(key=lambda path: (int(path.name.split("_")[0]), path.name))
    if not folders:
        raise CourseError(f"{folder} has no lessons; a lesson is a folder such as 01_nudge with a file lesson.md")
    lessons = tuple(_lesson(path, number) for number, path in enumerate(folders, 1))
    exercises: dict[str, Exercise] = {}
    for exercise in (exercise for lesson in lessons for exercise in lesson.exercises):
        if exercise.name in exercises:
            raise CourseError(f"{exercise.folder}: there is another exercise named {exercise.name}; rename one of them")
        for name in exercise.uses:
            if name not in exercises:
                raise CourseError(f"{exercise.folder / 'task.md'}: uses {name!r}, which is not an earlier exercise")
        exercises[exercise.name] = exercise
    if not exercises:
        raise CourseError(f"{folder} has no exercises; see the documentation on writing a course")
    return Course(title, introduction, lessons, folder, exercises)


def _lesson(folder: Path, number: int) -> Lesson:
    path = folder / "lesson.md"
    text = _read(path)
    blocks = tuple(parse(text, str(path)))
    names = [block.name for block in blocks if isinstance(block, ExercisePlace)]
    found = {child.name for child in folder.iterdir() if (child / "task.md").exists()}
    for name in names:
        if name not in found:
            raise CourseError(
                f"{path}: there is no exercise {name!r}; create the folder {folder / name} with a task.md"
            )
    for name in sorted(found - set(names)):
        raise CourseError(f"{path}: the exercise {name!r} has no place in the text; add a line {{exercise {name}}}")
    if len(names) != len(set(names)):
        raise CourseError(f"{path}: an exercise has two places in the text; keep one")
    name = folder.name.split("_", 1)[1]
    exercises = tuple(_exercise(folder / exercise, folder.name) for exercise in names)
    return Lesson(name, number, _title(text, path)[0], blocks, exercises, folder)


def _exercise(folder: Path, lesson: str) -> Exercise:
    path = folder / "task.md"
    settings, text = _settings(_read(path), path)
    title, body = _title(text, path)
    task, *sections = re.split(r"^## +(.+)$", body, flags=re.MULTILINE)
    parts = {name.strip(): content.strip() for name, content in zip(sections[::2], sections[1::2])}
    for name in ("Hints", "Why"):
        if not parts.get(name):
            raise CourseError(f"{path} has no section '## {name}'; add it")
    hints = tuple(
        " ".join(hint.split()) for hint in re.split(r"^[-*] ", parts["Hints"], flags=re.MULTILINE) if hint.strip()
    )
    wrong_folder = folder / "wrong"
    files = sorted(wrong_folder.glob("*.py")) if wrong_folder.is_dir() else []
    solution = _read(folder / "solution.py")
    return Exercise(
        name=folder.name,
        title=title,
        task=task.strip(),
        hints=hints,
        why=parts["Why"],
        stub=_read(folder / "stub.py"),
        solution=solution,
        check=_read(folder / "check.py"),
        wrong_answers=tuple(_wrong_answer(file, solution) for file in files),
        folder=folder,
        lesson=lesson,
        file=settings.get("file", f"{lesson}/{folder.name}.py"),
        uses=_words(settings.get("uses", "")),
        needs=_words(settings.get("needs", "")),
        seconds=float(settings.get("seconds", SECONDS)),
    )


def _wrong_answer(path: Path, solution: str) -> WrongAnswer:
    source = _read(path)
    try:
        tree = ast.parse(source)
        advice = ast.get_docstring(tree)
    except SyntaxError as error:
        raise CourseError(f"{path}, line {error.lineno}: {error.msg}") from None
    if changes_solution(tree):
        try:
            source = with_changes(solution, source)
        except SyntaxError as error:
            raise CourseError(f"{path.parents[1] / 'solution.py'}, line {error.lineno}: {error.msg}") from None
    if not advice:
        raise CourseError(f"{path} has no docstring; start it with what a teacher says about this wrong answer")
    return WrongAnswer(path.stem, source, " ".join(advice.split()))


def _settings(text: str, path: Path) -> tuple[dict[str, str], str]:
    """Return the settings at the top of a file, and the rest."""
    if not text.startswith("---\n"):
        return {}, text
    head, end, rest = text[4:].partition("\n---\n")
    if not end:
        raise CourseError(f"{path}: the settings have no end; add a line ---")
    settings = {}
    for line in filter(str.strip, head.splitlines()):
        name, colon, value = line.partition(":")
        if not colon or name.strip() not in _SETTINGS:
            raise CourseError(f"{path}: {line.strip()!r} is not a setting; settings are {', '.join(_SETTINGS)}")
        settings[name.strip()] = value.strip()
    if "seconds" in settings and not _is_duration(settings["seconds"]):
        raise CourseError(f"{path}: seconds must be a number from 0.1 to 3600, not {settings['seconds']!r}")
    file = PurePosixPath(settings.get("file", "file.py"))
    if file.suffix != ".py" or file.is_absolute() or ".." in file.parts:
        raise CourseError(f"{path}: file must be the name of a Python file such as engine.py, not {str(file)!r}")
    return settings, rest


def _is_duration(text: str) -> bool:
    try:
        return 0.1 <= float(text) <= 3600
    except ValueError:
        return False


def _title(text: str, path: Path) -> tuple[str, str]:
    """Return the title in the first line, and the rest."""
    first, _, rest = text.lstrip().partition("\n")
    if not first.startswith("# "):
        raise CourseError(f"{path} has no title; start it with a line such as '# Nudge'")
    return first[2:].strip(), rest.strip()


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise CourseError(f"{path} is missing") from None
    except UnicodeDecodeError:
        raise CourseError(f"{path} is not UTF-8 text") from None
    except OSError as error:
        raise CourseError(f"cannot read {path}: {error.strerror or error}") from None


def parts_to_write(course: Course, exercise: Exercise) -> str:
    """Return the parts of the stub that the solution before it in the same file does not have; empty for a new file.

    Functions and methods are shown whole, with the class that they belong to.

    >>> course = load()
    >>> print(parts_to_write(course, course.exercise("relu")).splitlines()[0])
    class Value:
    """
    earlier = course.earlier_with_file(exercise)
    return "" if earlier is None else new_definitions(earlier.solution, exercise.stub)
