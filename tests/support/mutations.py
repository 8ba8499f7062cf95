"""Broken messages: valid ones mutated at random, reproducibly for a seed."""

import json
import random
import string
from collections.abc import Iterator, Sequence
from typing import Any

ODD = [0, -1, 1, 2**31, 2**53, 10**30, 10**400, 0.5, -0.0, 1e308, 1e-320, True, False, None, "", "x", "\0", "\ud800",
       "💥", "NaN", "__class__", "../..", [], {}, [[]], [None], {"": ""}, "9" * 400, [0] * 50]  # fmt: skip
JUNK = string.printable + '{}[]",:\\é💥\0\u202e\ufeff'


def mutations(valid: Sequence[dict[str, Any]], count: int, seed: int) -> Iterator[str | bytes]:
    """Yield `count` mutations of valid messages."""
    chance = random.Random(seed)
    for _ in range(count):
        message = dict(chance.choice(valid))
        yield chance.choice([_with_an_odd_field, _with_other_fields, _as_broken_text, _as_junk])(message, chance)


def _with_an_odd_field(message: dict[str, Any], chance: random.Random) -> str:
    message[chance.choice(list(message))] = _odd(chance)
    return json.dumps(message)


def _with_other_fields(message: dict[str, Any], chance: random.Random) -> str:
    for _ in range(chance.randrange(3)):
        message.pop(chance.choice(list(message)))
    for _ in range(chance.randrange(3)):
        message["".join(chance.choices(JUNK, k=chance.randrange(8)))] = _odd(chance)
    return json.dumps(message)


def _odd(chance: random.Random, depth: int = 0) -> Any:
    if depth < 4 and chance.random() < 0.3:
        inner = [_odd(chance, depth + 1) for _ in range(chance.randrange(4))]
        return inner if chance.random() < 0.5 else {str(x)[:20]: x for x in inner}
    return chance.choice(ODD)


def _as_broken_text(message: dict[str, Any], chance: random.Random) -> str:
    text = json.dumps(message)
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(text) + 1)
        text = text[:place] + chance.choice(JUNK) * chance.randrange(3) + text[place + chance.randrange(3) :]
    return text


def _as_junk(message: dict[str, Any], chance: random.Random) -> str | bytes:
    kind = chance.randrange(5)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return chance.choice("[{") * chance.randrange(5000)
    if kind == 2:
        return json.dumps(message).replace("1", chance.choice(["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000]))
    if kind == 3:
        return json.dumps([message] * chance.randrange(3))
    return "".join(chance.choices(JUNK, k=chance.randrange(300)))
