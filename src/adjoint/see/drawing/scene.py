"""The content of a picture, independent of its format: boxes for values, their operations, and edges.

A graph that is too large is drawn in groups, one box for each layer of a network, if `groups` says which module made
which nodes. Otherwise only the nodes nearest to the result are drawn, and a note says how many are left out.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TypeVar

from adjoint.engine.attachments import short
from adjoint.engine.graph import evaluation_order
from adjoint.engine.mathematics.printing import as_mathematics
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.errors.suggest import unknown_name_error
from adjoint.see.drawing.gradients import NO_GRADIENT, gradients_of, without_gradient
from adjoint.see.explanation.groups import OUTSIDE, Groups, lineage
from adjoint.see.explanation.naming import one_line
from adjoint.see.explanation.narration import SIGNS, number as mathematical
from adjoint.see.explanation.nodes import Node, shape_of
from adjoint.see.explanation.steps import describe_nodes
from adjoint.see.explanation.summaries import ArraySummary, Summary, bounds, in_words, summary

MOST_BOXES = 150
FIELDS = ("label", "data", "grad")
NAME_LENGTH = 24  # characters of a name in a box

Key = Value | str  # a node by itself, or a group by its path
_Item = TypeVar("_Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of a drawing: fields, number format, direction, groups, and which of these are open."""

    fields: Sequence[str] = FIELDS
    number: Callable[[float], str] = short
    direction: str = "LR"
    groups: Groups | None = None
    opened: Collection[str] | None = None


@dataclass(slots=True)
class Box:
    """A value, or a group of values: its name, the lines next to it, and the operation that computed it, if any."""

    kind: str  # leaf, result, root, group
    name: str
    rows: list[str]
    op: str = ""
    title: str = ""  # the tooltip
    note: str = ""  # a remark that marks the box


@dataclass(slots=True)
class Edge:
    """An operand of a box: the indices of source and target, and the local derivative as a tooltip.

    `weight` is that of a connection in a network, relative to the largest: from −1 to 1.
    """

    source: int
    target: int
    title: str
    weight: float | None = None


@dataclass(slots=True)
class Scene:
    """The boxes of a picture in the order of evaluation, the edges between them, and a note."""

    boxes: list[Box] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    note: str = ""
    title: str = ""  # of the whole picture, for readers who do not see it


def number_format(spec: str | None) -> Callable[[float], str]:
    """Return a function that formats numbers: with four decimals, or with a format such as ".3g"."""
    if spec is None:
        return short
    try:
        format(1.0, spec)
    except (TypeError, ValueError):
        raise ArgumentError(f"numbers must be a format such as '.3g' or '.2f', not {describe(spec)}") from None
    return lambda x: format(x, spec)


def build_scene(root: Value, choices: Choices) -> Scene:
    """Return the content of a picture of the graph below `root`."""
    order, groups = evaluation_order(root), choices.groups
    keys: dict[Value, Key]
    members: dict[Key, list[Value]]
    if groups is not None and (choices.opened is not None or len(order) > MOST_BOXES):
        keys = _keys(order, groups, _require_groups(choices.opened or (), groups))
        members = defaultdict(list)
        for value in order:
            members[keys[value]].append(value)
        members = _sort_groups(members, keys)
        shown = nearest(keys[root], lambda key: [keys[x] for value in members[key] for x in value.parents])
    else:
        near = nearest(root, lambda value: value.parents)
        keys = {value: value for value in near}
        members = {value: [value] for value in order if value in near}
        shown = set(members)
    return _compose(root, order, {key: group for key, group in members.items() if key in shown}, keys, choices)


def nearest(start: _Item, before: Callable[[_Item], Iterable[_Item]], most: int = MOST_BOXES) -> set[_Item]:
    """Return what is drawn: everything, or as much as fits of what is nearest to the result."""
    found, ring = {start}, [start]
    while ring:
        following = []
        for parent in dict.fromkeys(parent for key in ring for parent in before(key)):
            if len(found) == most:
                return found
            if parent not in found:
                found.add(parent)
                following.append(parent)
        ring = following
    return found


def _compose(
    root: Value, order: list[Value], members: dict[Key, list[Value]], keys: Mapping[Value, Key], choices: Choices
) -> Scene:
    """Return the scene of these members, each a single value or a group."""
    scene, place = Scene(), {key: i for i, key in enumerate(members)}
    nodes = describe_nodes(order, choices.groups, only={key for key in members if isinstance(key, Value)})
    shown = [value for values in members.values() for value in values]
    gradients = gradients_of(order, shown) if "grad" in choices.fields else {}
    counts: Counter[tuple[int, int]] = Counter()
    for key, values in members.items():
        if isinstance(key, Value):
            nodes[key].grad = gradients.get(key)
            scene.boxes.append(_value_box(nodes[key], key is root, choices))
            scene.edges += _edges_into(key, nodes[key], keys, place, counts)
        else:
            scene.boxes.append(_group_box(key, values, gradients, choices))
            sources = (keys[x] for value in values for x in value.parents)
            counts.update((place[source], place[key]) for source in sources if source in place and source != key)
    for (source, target), count in counts.items():
        scene.edges.append(Edge(source, target, f"{count:,} edge{'s' * (count > 1)}"))
    scene.note = hidden_note(len(order) - len(shown), len(order))
    return scene


def hidden_note(hidden: int, count: int) -> str:
    """Return the note below a picture that leaves out nodes."""
    return f"{hidden:,} of {count:,} nodes are not shown: those farthest from the result" if hidden else ""


# --- groups ----------------------------------------------------------------------------------------------------


def _require_groups(opened: Collection[str], groups: Groups) -> Collection[str]:
    for path in opened:
        if path not in groups.titles:
            raise unknown_name_error("group", path, [known for known in groups.titles if known])
    return opened


def _keys(order: list[Value], groups: Groups, opened: Collection[str]) -> dict[Value, Key]:
    """Return for each value the outermost module that is not opened, or the value itself."""
    keys: dict[Value, Key] = {}
    for value in order:
        within = [path for path in lineage(groups.path_of(value), groups.titles) if path != OUTSIDE]
        keys[value] = next((path for path in within if path not in opened), value)
    if len(set(keys.values())) > MOST_BOXES:
        keys |= _gather([value for value in order if keys[value] is value], keys)
    return keys


def _gather(loose: list[Value], keys: Mapping[Value, Key]) -> dict[Value, Key]:
    """Return one key for the values computed before any module and one for those computed after, except the result."""
    after: set[Value] = set()
    for value in loose:
        if any(isinstance(keys[x], str) or x in after for x in value.parents):
            after.add(value)
    return {value: "after the model" if value in after else "before the model" for value in loose[:-1] if value.parents}


def _sort_groups(members: dict[Key, list[Value]], keys: Mapping[Value, Key]) -> dict[Key, list[Value]]:
    """Return the groups in the order of evaluation; groups that use each other, the earliest first."""
    names, place = list(members), {key: i for i, key in enumerate(members)}
    needs = {key: {keys[x] for value in group for x in value.parents} - {key} for key, group in members.items()}
    users: dict[Key, list[Key]] = defaultdict(list)
    for key, needed in needs.items():
        for other in needed:
            users[other].append(key)
    ready, found = [place[key] for key in names if not needs[key]], {}
    while len(found) < len(names):
        if not ready:
            ready = [min(place[key] for key in names if key not in found)]
        key = names[heappop(ready)]
        if key not in found:
            found[key] = members[key]
            for user in users[key]:
                needs[user].discard(key)
                if not needs[user] and user not in found:
                    heappush(ready, place[user])
    return found


# --- boxes and edges -------------------------------------------------------------------------------------------


def _value_box(node: Node, is_root: bool, choices: Choices) -> Box:
    rows = []
    if "data" in choices.fields:
        rows.append(f"data {in_a_box(node.data, choices)}")
    if "grad" in choices.fields:
        rows.append(without_gradient(node) or f"grad {in_a_box(node.grad, choices)}")
    name = one_line(node.name, NAME_LENGTH) if "label" in choices.fields else ""
    made = f" = {node.formula}" if node.formula else ""
    label = one_line(node.label, 400)
    whole = f"  ({label})" if label != one_line(node.label) else ""  # a label that is too long for a name
    kind = "root" if is_root else "leaf" if node.is_leaf else "result"
    return Box(kind, name, rows, _operation(node), f"{node.name}{made}{whole}")


def in_a_box(x: Summary, choices: Choices) -> str:
    """Return a number, or the shape and mean of an array."""
    if isinstance(x, ArraySummary) and x.mean is not None:
        return f"{'×'.join(map(str, x.shape))} mean {choices.number(x.mean)}"
    return in_words(x, choices.number, brief=True)


def _group_box(path: str, values: list[Value], gradients: Mapping[Value, Summary], choices: Choices) -> Box:
    groups = choices.groups
    title = groups.titles.get(path, "") if groups else ""
    made = [value for value in values if value.parents]
    leaves = [value for value in values if not value.parents]
    rows = [one_line(title, 48)] if title else []
    rows.append(f"{len(made):,} operations" + (f", {len(leaves):,} leaves" if leaves else ""))
    if "data" in choices.fields and made:
        rows.append(f"data {bounds(summary(value) for value in made)}")
    if "grad" in choices.fields:
        held = [gradients[value] for value in values if gradients[value] is not None]
        rows.append(f"grad {bounds(held)}" if held else NO_GRADIENT)
    return Box("group", one_line(path, 48), rows, title=f"{path}: {title}" if title else path)


def _operation(node: Node) -> str:
    """Return the text in the circle of an operation, with its constant operands: `+`, `** 2`, `tanh`."""
    if node.is_leaf:
        return ""
    constants = ["·" if isinstance(x, Node) else _constant(x) for x in node.operands]
    sign = SIGNS.get(node.op, node.op)
    if set(constants) == {"·"}:
        return one_line(sign, NAME_LENGTH)
    if len(constants) == 2 and not node.op.isidentifier():
        return " ".join(part for part in (constants[0], sign, constants[1]) if part != "·")
    return one_line(f"{node.op}({', '.join(constants)})", NAME_LENGTH)


def _constant(x: Summary) -> str:
    return f"{x:g}" if isinstance(x, float) else "×".join(map(str, shape_of(x))) or "…"


def _edges_into(
    value: Value, node: Node, keys: Mapping[Value, Key], place: Mapping[Key, int], counts: Counter[tuple[int, int]]
) -> Iterable[Edge]:
    for i, x in enumerate(value._operands):
        if not isinstance(x, Value) or keys.get(x) not in place:
            continue
        if isinstance(keys[x], Value):
            yield Edge(place[keys[x]], place[value], edge_title(node, i))
        else:
            counts[place[keys[x]], place[value]] += 1


def edge_title(node: Node, i: int) -> str:
    """Return the local derivative along an edge, `∂d/∂a = b = −3`; for arrays, what the operand receives."""
    parent = node.operands[i]
    assert isinstance(parent, Node)
    derivative = node.derivative(i)
    if derivative is None or node.is_of_arrays:
        product, shapes = node.product(i)
        return f"{parent.name}.grad += {product}" + (f"   {shapes}" if shapes else "")
    local, formula = node.local(i), as_mathematics(derivative)
    sides = [f"∂{node.name}/∂{parent.name}", formula, *([] if local is None else [mathematical(local)])]
    return " = ".join(dict.fromkeys(sides))
