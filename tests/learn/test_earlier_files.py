"""A mistake in a file of an earlier exercise: the check of a later one names that file, and blames nothing else."""

import itertools

import pytest

from adjoint_learn.answers import check_source
from adjoint_learn.course import load
from adjoint_learn.definitions import with_changes
from adjoint_learn.running import importable, run

COURSE = load()
BROKEN = 10  # versions of each earlier file
# A replacement in the engine, the line that is wrong then, the exercise that checks it, and a later one that fails.
OPERATIONS = {
    "tanh": ("(1 - out.data**2)", "(1 - out.data)", "self.grad += (1 - out.data) * out.grad", "tanh", "mlp"),
    "+": ("self.grad += out.grad", "self.grad = out.grad", "self.grad = out.grad", "plus_times", "loop"),
    "*": ("= Value(self.data * other", "= Value(self.data * ohter", "self.data * ohter.data", "record", "mlp"),
    "-": ("return self + -other", "return self + other", "return self + other", "for_free", "leftover"),
    "relu": ("max(0.0, self.data)", "abs(self.data)", "abs(self.data)", "relu", "fold"),
    "order": (
        "node in reversed(topological_order(self)):",
        "node in topological_order(self):",
        "def backward",
        "",
        "mlp",
    ),
}


def files_of(exercise):
    """Return the files that an exercise imports, as the solutions of the course."""
    used = [COURSE.exercise(name) for name in exercise.uses]
    return {other.module: (other.file, other.solution) for other in used}


def broken_versions(exercise, module):
    """Yield versions of an earlier file in which a part is one of the known wrong answers to it."""
    used = next(other for name in exercise.uses if (other := COURSE.exercise(name)).module == module)
    last = COURSE.exercises.index(used)
    for other in COURSE.exercises[: last + 1]:
        if other.file == used.file:
            for wrong in other.wrong_answers:
                text = (other.folder / "wrong" / f"{wrong.name}.py").read_text(encoding="utf-8")
                yield f"{other.name}/{wrong.name}", with_changes(used.solution, text)


def cases(most=None):
    for exercise in COURSE.exercises:
        for module, (file, source) in files_of(exercise).items():
            found = 0
            for name, version in broken_versions(exercise, module):
                changed = {**files_of(exercise), module: (file, version)}
                if version == source or (most and found == most):
                    continue
                found += 1
                yield exercise, name, file, changed


def require_right_file(exercise, name, file, modules):
    """Claim that the solution of an exercise passes, or that the check names the file that is wrong. Say which."""
    result = check_source(exercise, exercise.solution, modules=modules, course=COURSE)
    if result.passed:
        return False
    lead = f"The mistake is in your `{file}`"
    assert result.message.startswith(lead), (exercise.name, name, result.message)
    assert result.wrong_answer == ""
    assert all(place.file == file for place in result.places), (exercise.name, name, result.places)
    return True


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_line_and_the_exercise_of_a_broken_operation_are_named(operation):
    old, new, code, mends, later = OPERATIONS[operation]
    exercise = COURSE.exercise(later)
    modules = files_of(exercise)
    assert old in modules["engine"][1]
    modules["engine"] = ("engine.py", modules["engine"][1].replace(old, new, 1))
    result = check_source(exercise, exercise.solution, modules=modules, course=COURSE)
    assert result.message.startswith("The mistake is in your `engine.py`, line "), result.message
    assert result.places[-1].file == "engine.py"
    assert code in result.places[-1].code
    assert f"`{mends or 'backward'}` in lesson" in result.message


def test_broken_files_are_named_in_a_sample():
    sample = list(itertools.islice(cases(most=2), 0, None, 3))
    assert sum(require_right_file(*case) for case in sample) > len(sample) / 3


@pytest.mark.full
@pytest.mark.parametrize("exercise", [exercise.name for exercise in COURSE.exercises if exercise.uses])
def test_ten_broken_versions_of_each_earlier_file_are_named(exercise):
    found = [case for case in cases() if case[0].name == exercise]
    named = {}
    for case in found:
        if named.get(case[2], 0) < BROKEN:
            named[case[2]] = named.get(case[2], 0) + require_right_file(*case)
    assert any(named.values())


def test_a_program_that_is_wrong_itself_is_blamed_before_a_file_that_it_does_not_get_to():
    exercise = COURSE.exercise("neuron")
    wrong = next(wrong for wrong in exercise.wrong_answers if wrong.name == "zeros")
    engine = COURSE.exercise("backward").solution.replace("(1 - out.data**2)", "(1 - out.data)")
    result = check_source(exercise, wrong.source, modules={"engine": ("engine.py", engine)}, course=COURSE)
    assert result.wrong_answer == "zeros"


def test_a_broken_part_of_the_same_file_is_named():
    exercise = COURSE.exercise("tanh")
    broken = exercise.solution.replace("self.grad += other.data * out.grad", "self.grad = other.data * out.grad")
    result = check_source(exercise, broken, course=COURSE)
    assert result.message.startswith("The mistake is in your `engine.py`, line 34.")
    assert "`plus_times` in lesson 5" in result.message


def test_the_files_of_the_course_are_never_blamed():
    exercise = COURSE.exercise("neuron")
    with importable(files_of(exercise)):
        assert run(exercise, exercise.solution, exercise.file).result.passed
    result = check_source(exercise, exercise.stub, modules=files_of(exercise), course=COURSE)
    assert "The mistake is in" not in result.message
