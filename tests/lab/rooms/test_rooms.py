"""Broken messages to the rooms of the lab: each is answered, and none reveals a bug."""

import asyncio
import json

import pytest
from mutations import mutations
from serving import TIMEOUT, serving
from websockets.asyncio.client import connect

from adjoint_lab.serve.dispatcher import ROOMS

NUMBERS = {"a": 2, "b": -3, "c": 10}
# Valid messages for each room: at least one for each action.
VALID = {
    "explore": [
        {"do": "presets"},
        {"do": "set", "expression": "tanh(a*b + c)", "numbers": NUMBERS},
        {"do": "move", "expression": "tanh(a*b + c)", "numbers": NUMBERS, "at": 3},
        {"do": "set", "expression": "exp(a)/(b - 3.0) + log(c)**2", "numbers": NUMBERS},
        {"do": "nudge", "expression": "(a*b + c)**2", "numbers": NUMBERS, "name": "a", "h": 0.5},
        {"do": "program", "expression": "a*b + c", "numbers": NUMBERS},
        {"do": "export", "expression": "a*b + c", "numbers": NUMBERS, "at": 1},
    ],
    "learn": [
        {"do": "course"},
        {"do": "lesson", "lesson": "nudge"},
        {"do": "graph", "expression": "d = a*b; L = d + c", "numbers": NUMBERS},
        {"do": "solution", "exercise": "slope"},
        {"do": "stop"},
    ],
    "quiz": [
        {"do": "next", "seed": 5, "number": 3, "level": 2},
        {"do": "ask", "question": "chain-product.17.2"},
        {
            "do": "answer",
            "question": "sgd-step.17.2",
            "answer": "1/2",
            "standing": {"right": 2, "asked": 3, "level": 2},
        },
        {"do": "answer", "question": "forward-order.1.1", "answer": ["d", "e", "L"]},
        {"do": "reveal", "question": "xor-one-neuron.4.3", "standing": {"streak": 2}},
    ],
}


@pytest.mark.parametrize("room", VALID)
def test_broken_messages_are_answered_and_reveal_no_bug(room, caplog):
    valid = [{"id": 7, "room": room, **message} for message in VALID[room]]

    async def answers() -> list[dict]:
        found = []
        async with connect(**lab.where(), max_queue=None, max_size=None) as page:
            for message in (*map(json.dumps, valid), *mutations(valid, 600, seed=0)):
                await page.send(message)
                while "event" in (answer := json.loads(await asyncio.wait_for(page.recv(), TIMEOUT))):
                    pass  # events of the room
                found.append(answer)
        return found

    with serving(ROOMS) as lab:
        found = asyncio.run(answers())
    assert all("ok" in answer for answer in found[: len(valid)]), found[: len(valid)]
    assert not [answer["error"] for answer in found if "this is a bug" in answer.get("error", "")]
    assert sum("error" in answer for answer in found) > 200
    assert not caplog.records
