"""The picture of a compiled program of numbers: a box for instructions of one kind, lane count and depth, and edges.

The depth of an instruction is the length of the longest chain of instructions before it, so that the neurons of a
layer, and their derivatives, are in one box each. Inputs have boxes by the instructions that read them first.
Constants are not drawn.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field

from adjoint.compile.numbers.description import count, noun
from adjoint.compile.numbers.listing import formula
from adjoint.compile.numbers.program import Program
from adjoint.compile.numbers.value_names import RESULT, Slots, join_names
from adjoint.see.drawing.scene import MOST_BOXES, Box, Edge, Scene
from adjoint.see.explanation.naming import one_line

_LENGTH = 44  # characters of a line in a box


@dataclass(slots=True)
class _Group:
    """Instructions that are drawn as one box: where they are in the program, and what becomes of their results."""

    members: list[int] = field(default_factory=list)
    stored: Counter[str] = field(default_factory=Counter)


def program_scene(program: Program) -> Scene:
    """Return the content of a picture of a program."""
    slots = program.slots()
    depths = _depths(slots)
    groups: dict[tuple, _Group] = defaultdict(_Group)
    keys = [(depth, noun(each), each.lanes) for depth, each in zip(depths, slots.instructions)]
    for i, key in enumerate(keys):
        groups[key].members.append(i)
    _note_stores(slots, groups, keys)
    order = sorted(groups, key=lambda key: (key[0], groups[key].members[0]))
    shown = order[-MOST_BOXES:]
    place = {key: n for n, key in enumerate(shown)}
    counts: Counter[tuple[int, int]] = Counter()
    readers: dict[int, Counter[int]] = defaultdict(Counter)  # how often the groups read an input, by its slot
    for key in shown:
        for span in (span for i in groups[key].members for span in slots.instructions[i].operands):
            for i in slots.producers(span):
                if keys[i] in place and keys[i] != key:
                    counts[place[keys[i]], place[key]] += 1
            for slot in slots.inputs_in(span):
                readers[slot][place[key]] += 1
    scene = Scene(title=f"A program: {program}")
    _add_inputs(scene, slots, readers)
    first = len(scene.boxes)
    scene.edges = [Edge(s, t + first, title) for s, t, title in ((e.source, e.target, e.title) for e in scene.edges)]
    brief = copy(slots)
    brief.inputs = {slot: _last_part(name) for slot, name in slots.inputs.items()}
    scene.boxes += [_box(slots, brief, groups[key], key) for key in shown]
    scene.edges += [Edge(s + first, t + first, _title(n)) for (s, t), n in counts.items()]
    hidden = sum(len(groups[key].members) for key in order[:-MOST_BOXES])
    if hidden:
        scene.note = f"{hidden:,} of {len(keys):,} instructions are not shown: those that run first"
    return scene


def _depths(slots: Slots) -> list[int]:
    depths: list[int] = []
    for instruction in slots.instructions:
        before = (i for span in instruction.operands for i in slots.producers(span))
        depths.append(max((depths[i] + 1 for i in before), default=0))
    return depths


def _note_stores(slots: Slots, groups: dict[tuple, _Group], keys: Sequence[tuple]) -> None:
    for store in slots.stores:
        for name, slot in zip(store.names, store.slots):
            i = slots.producer(slot)
            if i is not None:
                kind = name if name == RESULT else f".{name.rpartition('.')[2]}"
                groups[keys[i]].stored[kind] += 1


def _last_part(path: str) -> str:
    """Return the last part of a path: `w[0]` of `model.layers[0].w[0]`."""
    name, grad = path.removesuffix(".grad"), path.endswith(".grad")
    return name.rpartition(".")[2] + ".grad" * grad


def _box(slots: Slots, brief: Slots, group: _Group, key: tuple) -> Box:
    _, what, lanes = key
    first = group.members[0]
    text, whole = (f"{s.result(first)} = {formula(s, s.instructions[first])}" for s in (brief, slots))
    rows = [f"in lanes of {lanes:,}"] if lanes > 1 else []
    rows.append(one_line(text, _LENGTH))
    if len(group.members) > 1:
        rows.append(f"… to {slots.result(group.members[-1])}")
    for kind, number in group.stored.items():
        rows.append("returned" if kind == RESULT else f"stored: {number:,} × {kind}")
    kind = "group root" if group.stored[RESULT] else "group"
    return Box(kind, count(len(group.members), what), rows, title=whole)


def _add_inputs(scene: Scene, slots: Slots, readers: dict[int, Counter[int]]) -> None:
    """Add a box for the inputs that the same group reads first, and the edges from it."""
    together: dict[tuple[int, str], list[int]] = defaultdict(list)
    for slot in slots.inputs:
        if slot in readers:
            name = slots.inputs[slot]
            together[min(readers[slot]), name.split("[")[0].split(".")[0]].append(slot)
    for (_, root), members in sorted(together.items()):
        names = [slots.inputs[slot] for slot in members]
        joined = join_names(names)
        name = joined[0] if len(joined) == 1 else _common(names) or root
        rows = [f"{len(names):,} numbers"] if len(names) > 1 else []
        n = len(scene.boxes)
        scene.boxes.append(Box("group leaf", one_line(name, _LENGTH), rows or ["input"], title=", ".join(names[:8])))
        for reader, number in sum((readers[slot] for slot in members), Counter()).items():
            scene.edges.append(Edge(n, reader, _title(number)))


def _common(names: Iterable[str]) -> str:
    """Return the part of a path that names share: `model.layers[0]` of `model.layers[0].w` and `model.layers[0].b`."""
    alike = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*names))
    shared = "".join(letters[0] for letters in alike)
    end = max(shared.rfind("."), shared.rfind("]") + 1)
    return shared[:end] if end > 0 else ""


def _title(number: int) -> str:
    return f"{number:,} operand{'s' * (number > 1)}"
