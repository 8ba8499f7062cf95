"""The order of the questions in a course, and the ids of questions."""

import itertools
import random

import pytest

from adjoint.errors import LabError
from adjoint.lab.rooms.quiz.catalog import TEMPLATES, next_question, question_of


def template_of(question):
    return question.id.partition(".")[0]


def test_an_id_identifies_a_question():
    for number in range(20):
        question = next_question(5, number, 1 + number % 5)
        again = question_of(question.id)
        assert (again.prompt, again.given, again.right) == (question.prompt, question.given, question.right)


@pytest.mark.parametrize(
    "name",
    ["", "chain-product", "chain-product.1", "chain-product.1.2.3", "chain-product.-1.1", "chain-product.1.9", ".1.1",
     "chain-product.1000000.1", "chain-product.01.1", "chain-product.1.0", "chain-product.١.1", "chain-product..1",
     "nothing.1.1", "chain-product.1.1 ", "chain-product.99999999999999999999.1"],
)  # fmt: skip
def test_an_invalid_id_is_an_error(name):
    with pytest.raises(LabError):
        question_of(name)


def test_an_unknown_template_suggests_the_nearest():
    with pytest.raises(LabError, match="did you mean chain-product"):
        question_of("chain-produkt.1.1")


def test_no_template_comes_twice_in_a_row_even_if_the_level_changes():
    chance = random.Random(0)
    for seed in range(30):
        level, before = 1, ""
        for number in range(40):
            found = template_of(next_question(seed, number, level))
            assert found != before, (seed, number)
            before, level = found, min(5, max(1, level + chance.choice([-1, 0, 1])))


def test_every_template_of_a_level_comes_before_one_is_repeated():
    fitting = {name for name, t in TEMPLATES.items() if t.easiest <= 3 <= t.hardest}
    found = [template_of(next_question(11, number, 3)) for number in range(len(fitting))]
    assert len(set(found)) >= len(fitting) - 1


def test_questions_have_the_requested_level():
    for level, number in itertools.product(range(1, 6), range(30)):
        assert next_question(2, number, level).id.endswith(f".{level}")


def test_different_seeds_give_different_courses():
    courses = {tuple(next_question(seed, number, 2).id for number in range(3)) for seed in range(20)}
    assert len(courses) == 20
