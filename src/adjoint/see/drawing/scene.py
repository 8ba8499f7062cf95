"""What a picture of a graph shows, whatever it is drawn with: boxes for values, operations before them, and edges.

A graph that is too large is drawn in groups, one box for each layer of a network, where it is known which module made
which nodes; else only what is nearest to the result is drawn, and a note says how much is not.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from adjoint.engine.graph import evaluation_order
from adjoint.engine.mathematics.symbols import as_mathematics
from adjoint.engine.value import Value, short
from adjoint.errors import ArgumentError
from adjoint.errors.given import described
from adjoint.errors.suggest import unknown
from adjoint.see.explanation.groups import OUTSIDE, Groups, lineage
from adjoint.see.explanation.naming import one_line
from adjoint.see.explanation.narration import number as mathematical
from adjoint.see.explanation.steps import Node, describe, shape_of
from adjoint.see.explanation.summaries import ArraySummary, Summary, bounds, in_words, summary

LAYOUTS = {"layered": 150, "graphviz": 500}  # and the most boxes that each draws
FIELDS = ("label", "data", "grad")
_TITLE = 24  # characters of a name in a box
_SIGNS = {"*": "×", "-": "−", "neg": "−"}  # in a circle


@dataclass(frozen=True, slots=True)
class Choices:
    """What was asked for: the fields, how numbers are written, which way it runs, groups that are open, the layout."""

    fields: Sequence[str] = FIELDS
    number: Callable[[float], str] = short
    direction: str = "LR"
    groups: Groups | None = None
    opened: Collection[str] | None = None
    layout: str = "layered"

    @property
    def most_boxes(self) -> int:
        """How many boxes a picture has at most."""
        return LAYOUTS[self.layout]


@dataclass(slots=True)
class Box:
    """A value, or a group of them: its name, the lines beside it, and the operation that made it, if any."""

    kind: str  # leaf, result, root, group
    name: str
    rows: list[str]
    op: str = ""
    title: str = ""  # what is shown when somebody points at it


@dataclass(slots=True)
class Edge:
    """What a box was computed from: source and target by their places, and the local derivative in words."""

    source: int
    target: int
    title: str


@dataclass(slots=True)
class Scene:
    """The boxes of a picture, each after those that it was computed from, the edges between them, and a note."""

    boxes: list[Box] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    note: str = ""


def number_format(spec: str | None) -> Callable[[float], str]:
    """Return what writes numbers: with four decimals, or as a format such as ".3g" says."""
    if spec is None:
        return short
    try:
        format(1.0, spec)
    except (TypeError, ValueError):
        raise ArgumentError(f"numbers are written in a format such as '.3g' or '.2f', not {described(spec)}") from None
    return lambda x: format(x, spec)


def gradients_of(values: Collection[Value]) -> dict[Value, Any]:
    """Return the gradient that each value received in its last backward pass, as far as that is known.

    An array that did not keep its gradient is given the one that the pass computed.
    """
    gradients = {value: value.grad for value in values if not value.parents or type(value.data) is float}
    if len(gradients) < len(values):
        from adjoint.arrays.backward_pass import known_gradients  # loads NumPy

        gradients |= known_gradients(values)
    return gradients


def scene(root: Value, choices: Choices) -> Scene:
    """Return what to draw of the graph below `root`."""
    order, groups = evaluation_order(root), choices.groups
    if groups is not None and (choices.opened is not None or len(order) > choices.most_boxes):
        keys = _keys(order, groups, _known(choices.opened or (), groups), choices.most_boxes)
        members: dict[Any, list[Value]] = defaultdict(list)
        for value in order:
            members[keys[value]].append(value)
        members = _sorted(members, keys)
        shown = _nearest(
            keys[root], lambda key: [keys[x] for value in members[key] for x in value.parents], choices.most_boxes
        )
    else:
        shown = _nearest(root, lambda value: value.parents, choices.most_boxes)
        keys = {value: value for value in shown}
        members = {value: [value] for value in order if value in shown}
    return _drawn(root, order, {key: group for key, group in members.items() if key in shown}, keys, choices)


def _nearest(start: Any, before: Callable[[Any], Iterable[Any]], most: int) -> set[Any]:
    """Return what is drawn: all, or as much as fits of what is nearest to the result."""
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


def _drawn(
    root: Value, order: list[Value], members: dict[Any, list[Value]], keys: dict[Value, Any], choices: Choices
) -> Scene:
    """Return the scene of these members, each a value by itself or a group by its path."""
    drawn, place = Scene(), {key: i for i, key in enumerate(members)}
    nodes = describe(order, choices.groups, only={key for key in members if isinstance(key, Value)})
    counts: Counter[tuple[int, int]] = Counter()
    gradients = gradients_of([value for values in members.values() for value in values])
    for key, values in members.items():
        if isinstance(key, Value):
            nodes[key].grad = summary(gradients.get(key))
            drawn.boxes.append(_value_box(nodes[key], key is root, choices))
            drawn.edges += _edges_into(key, nodes[key], keys, place, counts)
        else:
            drawn.boxes.append(_group_box(key, values, gradients, choices))
            sources = (keys[x] for value in values for x in value.parents)
            counts.update((place[source], place[key]) for source in sources if source in place and source != key)
    for (source, target), count in counts.items():
        drawn.edges.append(Edge(source, target, f"{count:,} edge{'s' * (count > 1)}"))
    hidden = len(order) - sum(map(len, members.values()))
    if hidden:
        drawn.note = f"{hidden:,} of {len(order):,} nodes are not shown: those farthest from the result"
    return drawn


# --- groups ----------------------------------------------------------------------------------------------------


def _known(opened: Collection[str], groups: Groups) -> Collection[str]:
    for path in opened:
        if path not in groups.titles:
            raise unknown("group", path, [known for known in groups.titles if known])
    return opened


def _keys(order: list[Value], groups: Groups, opened: Collection[str], most: int) -> dict[Value, Any]:
    """Return for each value the outermost module that is not opened, or the value itself."""
    keys: dict[Value, Any] = {}
    for value in order:
        within = [path for path in lineage(groups.path_of(value), groups.titles) if path != OUTSIDE]
        keys[value] = next((path for path in within if path not in opened), value)
    if len(set(keys.values())) > most:
        keys |= _gathered([value for value in order if keys[value] is value], keys)
    return keys


def _gathered(loose: list[Value], keys: dict[Value, Any]) -> dict[Value, Any]:
    """Return one key for what was computed before any module, and one for what was computed after, save the result."""
    after: set[Value] = set()
    for value in loose:
        if any(isinstance(keys[x], str) or x in after for x in value.parents):
            after.add(value)
    return {value: "what follows" if value in after else "what goes in" for value in loose[:-1] if value.parents}


def _sorted(members: dict[Any, list[Value]], keys: dict[Value, Any]) -> dict[Any, list[Value]]:
    """Return the groups, each after those that it was computed from; where some use each other, the earliest first."""
    names, place = list(members), {key: i for i, key in enumerate(members)}
    needs = {key: {keys[x] for value in group for x in value.parents} - {key} for key, group in members.items()}
    users: dict[Any, list[Any]] = defaultdict(list)
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
    held = {"data": node.data, "grad": node.grad}
    rows = [f"{name} {_in_a_box(x, choices)}" for name, x in held.items() if name in choices.fields]
    name = one_line(node.name, _TITLE) if "label" in choices.fields else ""
    made = f" = {node.formula}" if node.formula else ""
    label = one_line(node.label, 400)
    whole = f"  ({label})" if label != one_line(node.label) else ""  # as far as it is too long for a name
    kind = "root" if is_root else "leaf" if node.is_leaf else "result"
    return Box(kind, name, rows, _operation(node), f"{node.name}{made}{whole}")


def _in_a_box(x: Summary, choices: Choices) -> str:
    """Return a number, or the shape and mean of an array."""
    if isinstance(x, ArraySummary) and x.mean is not None:
        return f"{'×'.join(map(str, x.shape))} mean {choices.number(x.mean)}"
    return in_words(x, choices.number, brief=True)


def _group_box(path: str, values: list[Value], gradients: dict[Value, Any], choices: Choices) -> Box:
    groups = choices.groups
    title = groups.titles.get(path, "") if groups else ""
    made = [value for value in values if value.parents]
    leaves = [value for value in values if not value.parents]
    rows = [one_line(title, 48)] if title else []
    rows.append(f"{len(made):,} operations" + (f", {len(leaves):,} leaves" if leaves else ""))
    if "data" in choices.fields and made:
        rows.append(f"data {bounds(summary(value) for value in made)}")
    if "grad" in choices.fields:
        rows.append(f"grad {bounds(summary(gradients.get(value)) for value in values)}")
    return Box("group", one_line(path, 48), rows, title=f"{path}: {title}" if title else path)


def _operation(node: Node) -> str:
    """Return an operation as its circle shows it, with the constants among its operands: `+`, `** 2`, `tanh`."""
    if node.is_leaf:
        return ""
    constants = ["·" if isinstance(x, Node) else _constant(x) for x in node.operands]
    sign = _SIGNS.get(node.op, node.op)
    if set(constants) == {"·"}:
        return one_line(sign, _TITLE)
    if len(constants) == 2 and not node.op.isidentifier():
        return " ".join(part for part in (constants[0], sign, constants[1]) if part != "·")
    return one_line(f"{node.op}({', '.join(constants)})", _TITLE)


def _constant(x: Any) -> str:
    return f"{x:g}" if isinstance(x, float) else "×".join(map(str, shape_of(x))) or "…"


def _edges_into(
    value: Value, node: Node, keys: dict[Value, Any], place: dict[Any, int], counts: Counter
) -> Iterable[Edge]:
    for i, x in enumerate(value._operands):
        if not isinstance(x, Value) or keys.get(x) not in place:
            continue
        if isinstance(keys[x], Value):
            yield Edge(place[keys[x]], place[value], derivative_in_words(node, i))
        else:
            counts[place[keys[x]], place[value]] += 1


def derivative_in_words(node: Node, i: int) -> str:
    """Return the local derivative along an edge: `∂d/∂a = b = −3`; for arrays, what the operand receives."""
    parent: Any = node.operands[i]
    derivative = node.derivative(i)
    if derivative is None or node.is_of_arrays:
        said, shapes = node.product(i)
        return f"{parent.name}.grad += {said}" + (f"   {shapes}" if shapes else "")
    local, formula = node.local(i), as_mathematics(derivative)
    sides = [f"∂{node.name}/∂{parent.name}", formula, *([] if local is None else [mathematical(local)])]
    return " = ".join(dict.fromkeys(sides))
