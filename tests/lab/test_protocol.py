"""The types of the messages: the generated TypeScript is current, and the rooms send what the types say."""

import dataclasses
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from rooms import Page

from adjoint_lab.protocol import mistakes, quiz, train
from adjoint_lab.protocol.common import TypeScript, Wire
from adjoint_lab.protocol.typescript import ROOMS, WEB, generate
from adjoint_lab.rooms.mistakes import Mistakes
from adjoint_lab.rooms.quiz.catalog import TEMPLATES
from adjoint_lab.rooms.quiz.room import Quiz
from adjoint_lab.rooms.train import Train


@pytest.mark.parametrize("name", ROOMS)
def test_the_generated_types_are_current(name):
    current = (WEB / name / "messages.ts").read_text()
    assert current == generate(ROOMS[name]), f"web/src/rooms/{name}/messages.ts is stale; run `make web`"


def problems(x: Any, hint: Any, path: str = "$") -> list[str]:
    """Return the places where a JSON message differs from its type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        if hint == Wire:
            return problems(x, float | None | Literal["NaN", "Infinity", "-Infinity"], path)
        return problems(x, arguments[0] if isinstance(arguments[1], TypeScript) else arguments[1], path)
    if is_typeddict(hint) or dataclasses.is_dataclass(hint):
        fields = get_type_hints(hint, include_extras=True)
        required = getattr(hint, "__required_keys__", set(fields))
        if not isinstance(x, dict) or not required <= x.keys() <= fields.keys():
            return [f"{path}: not a {hint.__name__}: {sorted(x) if isinstance(x, dict) else x}"]
        return [found for name in x for found in problems(x[name], fields[name], f"{path}.{name}")]
    if origin is NotRequired:
        return problems(x, arguments[0], path)
    if origin in (Union, UnionType):
        found = [problems(x, part, path) for part in arguments]
        return [] if not all(found) else min(found, key=len)
    if origin is Literal:
        return [] if x in arguments else [f"{path}: {x!r} is not one of {arguments}"]
    if origin is dict:
        if not isinstance(x, dict):
            return [f"{path}: not an object: {x!r}"]
        return [found for name in x for found in problems(x[name], arguments[1], f"{path}.{name}")]
    if origin is list or (origin is tuple and arguments[-1] is ...):
        if not isinstance(x, list):
            return [f"{path}: not a list: {x!r}"]
        return [found for i, part in enumerate(x) for found in problems(part, arguments[0], f"{path}[{i}]")]
    if origin is tuple:
        if not isinstance(x, list) or len(x) != len(arguments):
            return [f"{path}: not a list of {len(arguments)}: {x!r}"]
        return [found for part, inner in zip(x, arguments) for found in problems(part, inner, path)]
    if hint in (object, Any):
        return []
    expected = {float: (int, float), None: NoneType}.get(hint, hint)
    return [] if isinstance(x, expected) else [f"{path}: {x!r} is not {hint}"]


def event(page: Page, name: str) -> dict[str, Any]:
    found = page.wait(name)
    return {key: x for key, x in found.items() if key not in ("room", "event")}


def test_train_sends_what_its_types_say():
    with Page(Train) as page:
        assert problems(page.ask("choices"), train.Choices) == []
        page.ask("set", configuration={"dataset": "moons", "samples": 12, "hidden": [3]})
        page.ask("step")
        page.ask("tune", lr=0.5)
        assert problems(page.ask("add", x1=0.5, x2=0.5, **{"class": 1}), train.State) == []
        assert problems(event(page, "snapshot"), train.Snapshot) == []
        page.ask("set", configuration={"dataset": "four_points"})
        assert problems(event(page, "snapshot"), train.Snapshot) == []
        page.ask("set", configuration={"dataset": "moons", "samples": 12})
        assert problems(event(page, "curves"), train.CurvesEvent) == []


def test_mistakes_sends_what_its_types_say():
    with Page(Mistakes) as page:
        assert problems(page.ask("list")["mistakes"], list[mistakes.Mistake]) == []
        assert problems(page.ask("choose", mistake="assigned", playing=False), mistakes.State) == []
        page.ask("step")
        assert problems(event(page, "snapshot"), mistakes.Snapshot) == []


def test_quiz_sends_what_its_types_say():
    with Page(Quiz) as page:
        for template in TEMPLATES.values():
            name = f"{template.name}.1.{template.easiest}"
            assert problems(page.ask("ask", question=name)["question"], quiz.Question) == []
            assert problems(page.ask("reveal", question=name), quiz.Verdict) == []


def test_a_message_of_the_wrong_type_is_a_problem():
    assert problems({"train": "high", "test": None}, train.Parts)
    assert problems({"train": 1.0}, train.Parts)
    assert problems({"train": "NaN", "test": None}, train.Parts) == []
