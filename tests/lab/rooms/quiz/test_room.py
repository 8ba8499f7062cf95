"""The messages of the room Quiz."""

import json
import random

import pytest

from adjoint.errors import AdjointError, LabError
from adjoint_lab.rooms.quiz import Quiz
from adjoint_lab.rooms.quiz.catalog import TEMPLATES, question_of


@pytest.fixture
def quiz():
    room = Quiz(lambda event, key: None)
    yield room
    room.close()


def test_next_returns_a_question_of_the_course_and_its_position(quiz):
    first = quiz.handle("next", {"seed": 7, "number": 3, "level": 2})
    assert (first["seed"], first["number"], first["level"]) == (7, 3, 2)
    assert first["question"]["level"] == 2
    assert quiz.handle("next", {"seed": 7, "number": 3, "level": 2}) == first
    assert quiz.handle("ask", {"question": first["question"]["id"]}) == {"question": first["question"]}


def test_the_topics_and_lessons_are_listed_and_can_be_asked_for(quiz):
    listed = quiz.handle("list", {})
    assert len(listed["lessons"]) == 12
    for entry in listed["topics"] + listed["lessons"]:
        assert entry["title"]
        asked = quiz.handle("next", {"seed": 1, "number": 0, "level": 1, "topics": [entry["name"]]})
        assert asked["question"]["prompt"]
    assert quiz.handle("next", {"seed": 1, "number": 0, "level": 1, "topics": []}) == quiz.handle(
        "next", {"seed": 1, "number": 0, "level": 1}
    )


def test_an_unknown_topic_suggests_the_nearest(quiz):
    with pytest.raises(LabError, match="did you mean 'chain'"):
        quiz.handle("next", {"seed": 1, "number": 0, "level": 1, "topics": ["chian"]})


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_question_is_json_and_does_not_contain_its_answer(quiz, name):
    template = TEMPLATES[name]
    made = template.make(4, template.hardest)
    shown = quiz.handle("ask", {"question": made.id})["question"]
    text = json.dumps(shown, allow_nan=False)
    assert "because" not in shown
    assert "mixes" not in text
    assert made.because not in text
    if shown["scene"]:
        visible = {node["name"] for node in shown["scene"]["nodes"] if node["grad"] is not None}
        assert visible == set(made.shown)
        assert all(step["phase"] in ("forward", "seed") for step in shown["scene"]["steps"])
    verdict = quiz.handle("answer", {"question": made.id, "answer": made.right})
    json.dumps(verdict, allow_nan=False)
    assert verdict["right"]
    assert verdict["confusion"] == ""
    assert verdict["because"]


def test_the_value_that_is_asked_for_is_hidden(quiz):
    shown = quiz.handle("ask", {"question": "forward-value.5.2"})["question"]
    values = {node["name"]: node["data"] for node in shown["scene"]["nodes"]}
    assert values["L"] == "?"
    assert isinstance(values["a"], float)
    assert shown["about"] == {"what": "value", "node": "L", "parent": None}


def test_a_verdict_has_the_confusion_behind_a_wrong_answer_and_the_correct_answer(quiz):
    made = question_of("chain-product.3.2")
    wrong = made.wrong[0]
    verdict = quiz.handle("answer", {"question": made.id, "answer": str(wrong.answer)})
    assert not verdict["right"]
    assert verdict["confusion"] == wrong.confusion
    assert verdict["answer"]["value"] == made.answer
    assert verdict["steps"] == made.steps
    gradients = {node["name"]: node["grad"] for node in verdict["scene"]["nodes"]}
    assert gradients[made.target.node] == made.answer


def test_reveal_shows_the_answer_and_ends_the_streak(quiz):
    verdict = quiz.handle(
        "reveal", {"question": "sgd-step.3.2", "standing": {"streak": 2, "right": 2, "asked": 2, "level": 2}}
    )
    assert verdict["given"] is None
    assert not verdict["right"]
    assert verdict["standing"] == {"right": 2, "asked": 3, "streak": 0, "misses": 1, "level": 2}


def give_answer(quiz, standing, is_correct):
    made = question_of("chain-product.3.1")
    answer = made.right if is_correct else made.wrong[0].answer
    return quiz.handle("answer", {"question": made.id, "answer": answer, "standing": standing})["standing"]


def test_three_correct_answers_in_a_row_raise_the_level_and_two_wrong_ones_lower_it(quiz):
    standing, levels = {}, []
    for is_correct in [True] * 7 + [False, True, False, False, False, False]:
        standing = give_answer(quiz, standing, is_correct)
        levels.append(standing["level"])
    assert levels == [1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 2, 2, 1]
    assert (standing["right"], standing["asked"]) == (8, 13)


def test_the_level_stays_between_one_and_five(quiz):
    standing = {}
    for _ in range(20):
        standing = give_answer(quiz, standing, True)
    assert standing["level"] == 5
    for _ in range(20):
        standing = give_answer(quiz, standing, False)
    assert standing["level"] == 1


@pytest.mark.parametrize(
    ("do", "message"),
    [
        ("next", {}), ("next", {"seed": -1, "number": 0, "level": 1}), ("next", {"seed": 1, "number": 0, "level": 6}),
        ("next", {"seed": 1, "number": 1.5, "level": 1}), ("next", {"seed": True, "number": 1, "level": 1}),
        ("next", {"seed": 1, "number": 1, "level": 1, "topics": "chain"}),
        ("next", {"seed": 1, "number": 1, "level": 1, "topics": [3]}),
        ("next", {"seed": 1, "number": 1, "level": 1, "topics": ["chain"] * 100}),
        ("ask", {}), ("ask", {"question": 3}), ("ask", {"question": "x" * 100}),
        ("answer", {"question": "sgd-step.1.1"}), ("answer", {"question": "sgd-step.1.1", "answer": "many"}),
        ("answer", {"question": "sgd-step.1.1", "answer": None}),
        ("answer", {"question": "sgd-step.1.1", "answer": "1", "standing": []}), ("reveal", {}),
        ("answer", {"question": "sgd-step.1.1", "answer": "1", "standing": {"level": 9}}),
    ],
)  # fmt: skip
def test_an_invalid_message_is_an_error(quiz, do, message):
    with pytest.raises(LabError):
        quiz.handle(do, message)


def test_an_unknown_action_suggests_the_nearest(quiz):
    with pytest.raises(AdjointError, match="did you mean 'answer'"):
        quiz.handle("anser", {})


def test_random_messages_get_an_answer_or_an_error(quiz):
    chance = random.Random(1)
    odd = [
        None,
        True,
        -1,
        0,
        2**70,
        1e308,
        "",
        "a",
        "1/0",
        [],
        [None],
        {},
        {"level": []},
        "chain-product.1.1",
        "\ud800",
        [["a"]],
    ]
    names = [*TEMPLATES]
    for _ in range(2000):
        template = TEMPLATES[chance.choice(names)]
        message = {
            key: chance.choice(odd) for key in ("seed", "number", "level", "answer", "standing", "question", "topics")
        }
        if chance.random() < 0.7:
            message |= {"question": f"{template.name}.{chance.randrange(50)}.{template.easiest}", "standing": {}}
        try:
            quiz.handle(chance.choice(["next", "ask", "answer", "reveal"]), message)
        except AdjointError:
            pass
