"""Every question of every template can be created, read and answered, and no wrong answer is accepted."""

import itertools
import re
from functools import cache

import pytest
from closeness import require_close

from adjoint.see.explanation.narration import number
from adjoint_lab.rooms.quiz.catalog import TEMPLATES
from adjoint_lab.rooms.quiz.room import given_text, question_message

MANY = range(40)
LEFTOVERS = re.compile(r"[{}]|\bnan\b|\binf\b|−0(?![.\d])|-0(?![.\d])|--|−−|\+ [-−]|  ", re.IGNORECASE)


@cache
def make(name, seed, level):
    return TEMPLATES[name].make(seed, level)


def each(name, seeds=MANY):
    for level in range(TEMPLATES[name].easiest, TEMPLATES[name].hardest + 1):
        for seed in seeds:
            yield make(name, seed, level)


def test_every_level_and_every_kind_has_enough_templates():
    assert len(TEMPLATES) >= 34
    for level in range(1, 6):
        assert sum(t.easiest <= level <= t.hardest for t in TEMPLATES.values()) >= 12
    assert {next(each(name)).kind for name in TEMPLATES} == {"number", "choice", "node", "order"}


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_correct_answer_is_accepted_and_every_known_mistake_is_not(name):
    for question in each(name):
        assert question.is_right(question.read(question.right)), question.id
        for wrong in question.wrong:
            assert not question.is_right(question.read(wrong.answer)), (question.id, wrong)
            assert question.confusion(wrong.answer) == wrong.confusion, (question.id, wrong)
            assert wrong.confusion.endswith((".", "?")), (question.id, wrong)
        answers = [wrong.answer for wrong in question.wrong]
        assert len({*answers}) == len(answers), question.id


@pytest.mark.parametrize("name", TEMPLATES)
def test_options_are_two_to_five_different_ones_and_each_wrong_one_is_explained(name):
    for question in each(name, range(20)):
        if question.kind == "choice":
            assert 2 <= len(question.options) <= 5
            assert len({*question.options}) == len(question.options), question.id
            explained = {wrong.answer for wrong in question.wrong}
            assert explained == {*range(1, len(question.options) + 1)} - {question.answer}, question.id
        if question.kind == "number":
            assert len(question.wrong) >= 1, question.id
        if question.kind == "node":
            assert {wrong.answer for wrong in question.wrong} == {*question.nodes} - {*question.answers}


@pytest.mark.parametrize("name", TEMPLATES)
def test_texts_are_short_and_have_no_leftovers(name):
    for question in each(name):
        texts = [question.prompt, question.because, *(wrong.confusion for wrong in question.wrong)]
        texts += question.options if question.kind == "choice" else []
        for text in texts:
            assert text, question.id
            assert not LEFTOVERS.search(text), (question.id, text)
            assert text == text.strip()
            assert len(text) <= 300, (question.id, text)
        for step in question.steps:
            assert not re.search(r"[{}]|nan|None", step), (question.id, step)
        assert question.prompt.endswith("?") or question.kind == "order", question.prompt


@pytest.mark.parametrize("name", TEMPLATES)
def test_numbers_can_be_worked_out_by_hand(name):
    for question in each(name, range(20)):
        if question.kind == "number":
            assert abs(question.answer) <= 50_000, question.id
            if question.decimals is None:  # then a user can type all of its digits
                require_close(float(number(question.answer).replace("−", "-")), question.answer)
                assert len(f"{abs(question.answer):.10f}".rstrip("0").partition(".")[2]) <= 8, question.id


@pytest.mark.parametrize("name", TEMPLATES)
def test_different_seeds_make_different_questions(name):
    template = TEMPLATES[name]
    for level in range(template.easiest, template.hardest + 1):
        seen = set()
        for seed in MANY:
            q = make(name, seed, level)
            given = [(x, given_text(y)) for x, y in q.given.items()]
            seen.add(f"{q.prompt} {q.formulas} {given} {getattr(q, 'options', '')}")
        assert len(seen) >= 20, level


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_same_seed_makes_the_same_question(name):
    template = TEMPLATES[name]
    assert question_message(template.make(17, template.hardest)) == question_message(
        template.make(17, template.hardest)
    )


CONCEPTS = [name for name, template in TEMPLATES.items() if template.is_concept]


@pytest.mark.parametrize("name", CONCEPTS)
def test_the_correct_idea_cannot_be_recognized_by_its_length_or_position(name):
    questions = [*each(name)]
    right = questions[0].text_of(questions[0].answer)
    wrong = {option for q in questions for option in q.options} - {right}
    assert len(wrong) >= 4
    lengths = [len(option) for option in (right, *wrong)]
    assert max(lengths) <= 1.3 * min(lengths), sorted(lengths)
    assert len({option.endswith(".") for option in (right, *wrong)}) == 1
    assert {q.answer for q in questions} == {1, 2, 3, 4}


def test_the_correct_idea_is_neither_usually_the_longest_nor_usually_the_shortest():
    ranks = []
    for q in itertools.chain.from_iterable(map(each, CONCEPTS)):
        right, *wrong = sorted(map(len, q.options), key=lambda size: size != len(q.text_of(q.answer)))
        ranks.append((right > max(wrong)) - (right < min(wrong)))
    assert 0.1 < ranks.count(1) / len(ranks) < 0.4  # the longest one
    assert 0.1 < ranks.count(-1) / len(ranks) < 0.4  # the shortest one


def test_the_correct_option_can_be_at_every_position():
    places = {q.answer for name in TEMPLATES for q in each(name, range(8)) if q.kind == "choice"}
    assert places == {1, 2, 3, 4, 5}
