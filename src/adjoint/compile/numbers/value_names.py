"""Names for the numbers of a program: inputs are named after Values and arguments, results by their position."""

import re
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from adjoint.compile.numbers.instructions import Code, Instruction, Span
from adjoint.compile.numbers.replay import DATA, EXACT, NUMBER
from adjoint.compile.reachable import Reach
from adjoint.compile.results import NewNumber, NewScalar

RESULT = "return"
_FEW = 4  # names or numbers that are written out

Connection = tuple[int, int]  # where an input comes from, or an output goes: see `compile/numbers/replay.py`


class ValueNames:
    """The names of the Values, of the numbers that a call gives, and of those that it returns."""

    def __init__(self, reach: Reach, trace: Any, results: Sequence[int]):
        labels = Counter(value.label for value in reach.values)
        self.values = [  # a label that two Values have names neither
            value.label if value.label and labels[value.label] == 1 else sys.intern(place.path)
            for value, place in zip(reach.values, reach.value_places)
        ]
        places = [*reach.state_places(), *reach.data_places()]
        self._numbers = [(place.path, place.content.shape if place.kind == "array" else ()) for place in places]
        stored, found = {}, [*reach.places, *reach.numbers] if trace.effects else []
        paths = {(id(place.holder), place.key): place.path for place in found}
        for c, key, template in trace.effects:
            if isinstance(template, (NewNumber, NewScalar)):
                container = reach.containers[c]
                stored[template.k] = paths.get((id(container.of), key)) or f"{container.path}[{key!r}]"
        self._results = [stored.get(k, RESULT) for k in results]

    def numbers(self) -> list[str]:
        """Return the names of the numbers of a call, in the order in which the program gets them."""
        return [name for path, shape in self._numbers for name in _element_names(path, shape)]

    def result(self, n: int) -> str:
        """Return what number `n` that the program returns is."""
        return self._results[n] if n < len(self._results) else "a derivative for backward()"

    def of(self, connection: Connection, numbers: Sequence[str]) -> str:
        """Return the name of an input."""
        kind, index = connection
        if kind == NUMBER:
            return numbers[index]
        return self.values[index] if kind == DATA else f"{self.values[index]}.grad"


def _element_names(path: str, shape: tuple[int, ...]) -> list[str]:
    if not shape:
        return [path]
    indices = [""]
    for size in shape:
        indices = [f"{index}, {i}" if index else str(i) for index in indices for i in range(size)]
    return [f"{path}[{index}]" for index in indices]


class Store(NamedTuple):
    """Numbers that a call stores or returns: what they become, such as `w[0].data`, and their slots."""

    names: list[str]
    slots: list[int]


class Slots:
    """What is in the slots of a program: inputs, constants, and the results of instructions."""

    def __init__(
        self, program: Code, found: Sequence[Instruction], names: ValueNames, inputs: Sequence[Connection],
        outputs: Sequence[Connection],
    ):  # fmt: skip
        input_slots, output_slots, numbers = program.layout()
        self.instructions = found
        self._numbers = memoryview(numbers).cast("d")
        given = names.numbers()
        self.inputs = {
            slot: names.of(connection, given)
            for slot, connection in zip(memoryview(input_slots).cast("i").tolist(), inputs)
            if slot >= 0
        }
        self._order = sorted(range(len(found)), key=lambda i: found[i].out.slot)
        self._starts = [found[i].out.slot for i in self._order]
        self.stores = self._stores(names, outputs, memoryview(output_slots).cast("i").tolist())

    def _stores(self, names: ValueNames, outputs: Sequence[Connection], slots: list[int]) -> list[Store]:
        """Return what the call stores, names that only a number distinguishes together, such as `w[0]` and `w[1]`."""
        found: list[Store] = []
        expected = None  # the name that goes on with the last store
        for (kind, index), slot in sorted(zip(outputs, slots)):
            if kind == EXACT:
                continue
            suffix = "data" if kind == DATA else "grad"
            name = names.result(index) if kind == NUMBER else f"{names.values[index]}.{suffix}"
            if name == expected or (found and kind == NUMBER and name == found[-1].names[0]):
                found[-1].names.append(name)
                found[-1].slots.append(slot)
            else:
                found.append(Store([name], [slot]))
            expected = _next_name(name)
        return found

    def producer(self, slot: int) -> int | None:
        """Return which instruction computes the number in a slot; None for an input or a constant."""
        at = bisect_right(self._starts, slot) - 1
        if at < 0:
            return None
        i = self._order[at]
        return i if slot < self._starts[at] + self.instructions[i].lanes else None

    def producers(self, span: Span) -> set[int]:
        """Return which instructions compute the numbers of an operand."""
        end = span.slot + span.length
        at = max(bisect_right(self._starts, span.slot) - 1, 0)
        found = self._order[at : max(bisect_left(self._starts, end), at)]
        return {i for i in found if self.instructions[i].out.slot + self.instructions[i].lanes > span.slot}

    def inputs_in(self, span: Span) -> list[int]:
        """Return the slots of an operand that are inputs."""
        return [slot for slot in range(span.slot, span.slot + span.length) if slot in self.inputs]

    def constant(self, span: Span) -> float | None:
        """Return the number of an operand that is a constant."""
        is_known = span.length == 1 and span.slot not in self.inputs and self.producer(span.slot) is None
        return self._numbers[span.slot] if is_known else None

    def text(self, span: Span) -> str:
        """Return an operand in words: `w[1]`, `v3[0:100]`, `[0.5, 1, …]`."""
        parts, slot, end = [], span.slot, span.slot + span.length
        while slot < end:
            part, slot = self._part(slot, end)
            parts += part
        if span.length == 1 or len(parts) == 1:
            return parts[0]
        return f"[{', '.join(abbreviate(parts))}]"

    def _part(self, slot: int, end: int) -> tuple[list[str], int]:
        """Return the text from a slot on, as far as the numbers are of one kind, and where they end."""
        i = self.producer(slot)
        if i is not None:
            out = self.instructions[i].out
            stop = min(end, out.slot + out.length)
            return [self.result(i, slot - out.slot, stop - out.slot)], stop
        stop = slot + 1
        if slot in self.inputs:
            while stop < end and stop in self.inputs:
                stop += 1
            return join_names([self.inputs[k] for k in range(slot, stop)]), stop
        while stop < end and stop not in self.inputs and self.producer(stop) is None:
            stop += 1
        return [f"{self._numbers[k]:g}" for k in range(slot, stop)], stop

    def result(self, i: int, first: int = 0, stop: int | None = None) -> str:
        """Return the name of a result, or of some of its lanes."""
        lanes = self.instructions[i].lanes
        stop = lanes if stop is None else stop
        if lanes == 1:
            return f"v{i + 1}"
        return f"v{i + 1}[{first}]" if stop == first + 1 else f"v{i + 1}[{first}:{stop}]"


def _next_name(name: str) -> str | None:
    """Return the name with its last number increased by one: after `w[0].b` comes `w[1].b`."""
    found = re.fullmatch(r"(.*?)(\d+)(\D*)", name, re.DOTALL)
    return found and f"{found[1]}{int(found[2]) + 1}{found[3]}"


def abbreviate(texts: Sequence[str], sign: str = "…") -> list[str]:
    """Return the texts, or the first ones and the last if there are many."""
    return list(texts) if len(texts) <= _FEW else [*texts[: _FEW - 2], sign, texts[-1]]


def join_names(names: Sequence[str]) -> list[str]:
    """Return names as one that has a range in it, if only a number in them differs; else the names.

    >>> join_names(["x[0][1]", "x[1][1]", "x[2][1]"]), join_names(["a", "b"])
    (['x[0:3][1]'], ['a', 'b'])
    """
    if len(names) == 1:
        return list(names)
    parts = [re.split(r"(\d+)", name) for name in names]
    first, last = parts[0], parts[-1]
    differing = [k for k, text in enumerate(first) if any(len(p) != len(first) or p[k] != text for p in parts)]
    if len(differing) != 1 or not first[differing[0]].isdigit():
        return list(names)
    k = differing[0]
    if any(int(b[k]) != int(a[k]) + 1 for a, b in pairwise(parts)):
        return list(names)
    return ["".join([*first[:k], f"{first[k]}:{int(last[k]) + 1}", *first[k + 1 :]])]
