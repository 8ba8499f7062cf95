"""How answers are read and checked."""

import pytest

from adjoint.errors import LabError
from adjoint_lab.rooms.quiz.catalog import question_of
from adjoint_lab.rooms.quiz.questions import NumberQuestion, Wrong, parse_number


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("0.5", 0.5), ("1/2", 0.5), (" 1 / 2 ", 0.5), ("-3", -3.0), ("−3", -3.0), ("–3", -3.0), ("+3", 3.0),
        ("5.", 5.0), ("2e-3", 0.002), ("2E−3", 0.002), (".5", 0.5), ("0,5", 0.5), ("−1/4", -0.25), ("1/−4", -0.25),
        ("3.0/1.5", 2.0), (7, 7.0), (-0.25, -0.25), ("007", 7.0),
    ],
)  # fmt: skip
def test_usual_spellings_of_numbers_are_accepted(typed, expected):
    assert parse_number(typed) == expected


@pytest.mark.parametrize(
    "typed",
    [
        "", "  ", "abc", "1/0", "1//2", "1/2/3", "2**3", "__import__('os')", "nan", "inf", "1e999", "0x10", "1_000",
        "½", "٣",
        "1 000 000 000 000 000 000 000 000 000 000 000 000", None, True, [], {}, ["1"], float("nan"), float("inf"),
        "--3", "3-", "e5", "1,000.5",
    ],
)  # fmt: skip
def test_an_invalid_number_is_an_error_with_examples(typed):
    with pytest.raises(LabError, match="such as"):
        parse_number(typed)


def question(**fields):
    return NumberQuestion(prompt="?", because="", **fields)


def test_an_exact_answer_must_be_exact():
    exact = question(answer=0.25)
    assert exact.is_right(parse_number("1/4"))
    assert not exact.is_right(0.26)
    assert "exact" in exact.accuracy


def test_an_answer_to_two_decimals_may_be_rounded():
    rounded = question(answer=0.7218, decimals=2)
    assert rounded.is_right(0.72)
    assert rounded.is_right(0.7218)
    assert not rounded.is_right(0.73)
    assert rounded.right == 0.72
    assert "Two decimals" in rounded.accuracy


def test_a_wrong_answer_that_happens_to_be_correct_is_dropped():
    asked = question(answer=4.0, wrong=[Wrong(4.0, "chance"), Wrong(-4.0, "sign"), Wrong(-4.0, "again")])
    assert [wrong.confusion for wrong in asked.wrong] == ["sign"]
    assert asked.confusion(-4.0) == "sign"
    assert asked.confusion(123.0) == ""


def test_zero_has_no_sign():
    assert question(answer=-0.0).text_of(question(answer=-0.0).right) == "0"


@pytest.mark.parametrize("answer", [0, 6, -1, "1", 1.0, True, None, [1]])
def test_an_option_must_be_a_number_of_the_list(answer):
    with pytest.raises(LabError, match="number of an option"):
        question_of("sign-of-gradient.1.1").read(answer)


@pytest.mark.parametrize("answer", ["zz", 1, None, ["a"], ""])
def test_a_node_must_be_one_of_the_candidates(answer):
    with pytest.raises(LabError, match="one of the nodes"):
        question_of("matters-most.1.3").read(answer)


@pytest.mark.parametrize(
    "answer", [[], ["L"], ["L", "L", "d"], ["L", "d", "zz"], "L", None, [1, 2, 3], ["L", "d", "e", "e"]]
)
def test_an_order_must_contain_every_node_once(answer):
    with pytest.raises(LabError, match="nodes"):
        question_of("forward-order.1.1").read(answer)


def test_a_wrong_order_names_the_node_that_comes_too_early():
    asked = question_of("backward-order.3.3")
    backwards = asked.right[::-1]
    assert not asked.is_right(backwards)
    assert backwards[0] in asked.confusion(backwards)
    assert asked.confusion(asked.right) == ""


def test_forgetting_to_accumulate_is_recognized():
    asked = question_of("used-twice.5.2")
    parts = [step.contribution for step in asked.graph.edges_into("a")]
    assert sum(parts) == asked.answer
    assert all("add up" in asked.confusion(part) for part in parts if part != asked.answer)
