"""The order of the questions in a course, and the ids of questions."""

import itertools
import random

import pytest

from adjoint.errors import LabError
from adjoint_lab.rooms.quiz.catalog import CHOICES, LESSON_TOPICS, TEMPLATES, TOPICS, next_question, question_of


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


# --- topics ---

LESSONS = [
    "nudge", "chain_rule", "remember", "local_rules", "backward", "checking", "network", "mistakes", "xor", "classes",
    "speed", "gpt",
]  # fmt: skip


def test_every_lesson_has_questions_and_among_them_two_about_ideas():
    assert list(LESSON_TOPICS) == LESSONS
    for name, topic in LESSON_TOPICS.items():
        assert len(topic.templates) >= 6, name
        assert sum(template.is_concept for template in topic.templates) >= 2, name
        assert len({template.name for template in topic.templates}) == len(topic.templates), name


def test_every_question_belongs_to_a_topic():
    assert {t.name for topic in TOPICS.values() if topic.name != "ideas" for t in topic.templates} == {*TEMPLATES}
    assert len(TOPICS["ideas"].templates) >= 12


@pytest.mark.parametrize("name", CHOICES)
def test_only_questions_of_the_chosen_topic_come_and_none_twice_in_a_row(name):
    names = {template.name for template in CHOICES[name].templates}
    seen = set()
    for level in range(1, 6):
        found = [template_of(next_question(3, number, level, [name])) for number in range(2 * len(names))]
        assert names.issuperset(found)
        assert all(a != b for a, b in itertools.pairwise(found))
        seen.update(found)
    assert seen == names


def test_several_topics_are_asked_together_in_any_order():
    both = {t.name for name in ("arrays", "gpt") for t in CHOICES[name].templates}
    found = [next_question(1, number, 3, ["gpt", "arrays"]).id for number in range(40)]
    assert {name.partition(".")[0] for name in found} <= both
    assert found == [next_question(1, number, 3, ["arrays", "gpt", "arrays"]).id for number in range(40)]


def test_a_level_without_questions_of_the_topic_uses_the_nearest_level():
    assert all(next_question(1, n, 5, ["remember"]).id.rpartition(".")[2] in "123" for n in range(20))
