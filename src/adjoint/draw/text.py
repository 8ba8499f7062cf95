"""A graph as a text tree: one line for each node, its operands below it."""

from adjoint.value import Value, short

_MOST_LINES = 500


def tree(root: Value) -> str:
    """Return the graph below `root`; a node reached again is named and not shown a second time."""
    lines: list[str] = []
    names: dict[Value, str] = {}
    waiting: list[tuple[Value | float, str, str]] = [(root, "", "")]
    while waiting:
        if len(lines) == _MOST_LINES:
            lines.append(f"… the graph goes on; only {_MOST_LINES} lines are shown")
            break
        node, branch, margin = waiting.pop()
        if not isinstance(node, Value):
            lines.append(f"{branch}{node:g}")
        elif node in names:
            lines.append(f"{branch}{names[node]}  (above)")
        else:
            unnamed = sum(not value.label for value in names) + 1
            names[node] = node.label or f"v{unnamed}"
            lines.append(f"{branch}{_described(node, names[node])}")
            operands = node._operands
            for i, operand in reversed(list(enumerate(operands))):
                last = i == len(operands) - 1
                stem, below = ("└── ", "    ") if last else ("├── ", "│   ")
                waiting.append((operand, margin + stem, margin + below))
    return "\n".join(lines)


def _described(node: Value, name: str) -> str:
    made = f" = {node.op}" if node.op else ""
    return f"{name}{made}  data {short(node.data)}  grad {short(float(node.grad))}"
