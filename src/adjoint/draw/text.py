"""A graph as a text tree: one line for each node, what it was computed from below it."""

from collections import Counter
from itertools import count
from typing import Any

from adjoint.rules import written
from adjoint.value import Value, short

_MOST_LINES = 500


def tree(root: Value) -> str:
    """Return the graph below `root`; a node reached again is named and not shown a second time."""
    names, lines, shown = _names(root), [], set()
    waiting = [(root, "", "")]
    while waiting and len(lines) < _MOST_LINES:
        node, branch, margin = waiting.pop()
        if node in shown:
            lines.append(f"{branch}{names[node]}  (above)")
            continue
        shown.add(node)
        lines.append(f"{branch}{_described(node, names)}")
        parents = list(dict.fromkeys(node.parents))
        for i, parent in reversed(list(enumerate(parents))):
            stem, below = ("└── ", "    ") if i == len(parents) - 1 else ("├── ", "│   ")
            waiting.append((parent, margin + stem, margin + below))
    if waiting:
        lines.append(f"… the graph goes on; {_MOST_LINES} lines are shown")
    return "\n".join(lines)


def _names(root: Value) -> dict[Value, str]:
    """Return a name for each node that may be shown: its label, or v1, v2, … in the order of the lines."""
    found: dict[Value, None] = {}
    waiting = [root]
    while waiting and len(found) < 3 * _MOST_LINES:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting += reversed(node.parents)
    taken = {node.label for node in found}
    automatic = (name for name in map("v{}".format, count(1)) if name not in taken)
    names, used = {}, Counter()
    for node in found:
        name = node.label or next(automatic)
        used[name] += 1
        names[node] = name if used[name] == 1 else f"{name}#{used[name]}"  # two nodes with one label
    return names


def _described(node: Value, names: dict[Value, str]) -> str:
    operands = [names.get(x, "…") if isinstance(x, Value) else _constant(x) for x in node._operands]
    made = f" = {written(node.op, operands)}" if operands else ""
    is_kept = not hasattr(node, "_back") or not node.parents or node._grad is not None
    grad = _shown(node.grad) if is_kept else "–"  # not kept: nobody held the array
    return f"{names[node]}{made}  data {_shown(node.data)}  grad {grad}"


def _constant(x) -> str:
    return f"{x:g}" if isinstance(x, float) else _shown(x)


def _shown(x: Any) -> str:
    """Return a number, or the shape and mean of an array."""
    x = x.data if isinstance(x, Value) else x
    if isinstance(x, tuple):
        return f"{len(x)} results"
    shape: tuple[int, ...] = tuple(getattr(x, "shape", ()))
    if not shape:
        return short(float(x))
    size = 1
    for length in shape:
        size *= length
    return f"array {'×'.join(map(str, shape))}" + (f" of mean {short(float(x.mean()))}" if size else "")
