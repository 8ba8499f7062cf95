"""An explanation put into words: text that reads from top to bottom, and the document behind its JSON."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from adjoint.engine.rule import written
from adjoint.errors.text_table import table
from adjoint.see.explanation.groups import OUTSIDE, lineage
from adjoint.see.explanation.steps import VERSION, BackwardStep, Explanation, Hooked, Node, is_within, shape_of
from adjoint.see.explanation.summaries import ArraySummary, Summary, as_json, bounds, in_words

_MOST = 200  # lines of a section, and nodes that are shown one by one where there are groups
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
SIGNS = {"*": "×", "-": "−", "neg": "−"}  # how operators are displayed in numbers and pictures
_NEEDS_PARENTHESES = {"+": (1,), "-": (1,), "**": (0, 1)}  # where a negative number would be misread


def number(x: float) -> str:
    """Return a number with six digits, as mathematics writes it.

    >>> number(-6.0), number(0.1 + 0.2), number(-1e-7), number(float("-inf"))
    ('−6', '0.3', '−1·10⁻⁷', '−∞')
    """
    text = f"{x:.6g}".replace("inf", "∞").replace("nan", "NaN")
    mantissa, _, exponent = text.partition("e")
    power = f"·10{str(int(exponent)).translate(_RAISED)}" if exponent else ""
    return mantissa.replace("-", "−") + power


# --- one step ------------------------------------------------------------------------------------------


def forward_text(node: Node) -> str:
    """Return what a node is in a line: `d = a * b = 2 × −3 = −6`."""
    result = in_words(node.data, number)
    if node.is_leaf:
        return _value_text(node)
    if node.is_of_arrays:
        return f"{node.name} = {node.formula}   {_shapes(node)}   = {result}"
    numbers = _with_numbers(node)
    shown = [node.name, node.formula, *([numbers] if numbers != result else []), result]
    note = " (the numbers that it was computed from have been changed since)" if node.changed else ""
    return " = ".join(shown) + note


def _with_numbers(node: Node) -> str:
    """Return a formula with numbers in the place of names: `2 × −3`."""
    shown = []
    for i, x in enumerate(node.operands):
        text = in_words(x.data if isinstance(x, Node) else x, number)
        is_misread = text.startswith("−") and (i in _NEEDS_PARENTHESES.get(node.op, ()) or node.op == "neg")
        shown.append(f"({text})" if is_misread else text)
    if node.op == "neg":
        return f"−{shown[0]}"
    return written(SIGNS.get(node.op, node.op), shown)


def _shapes(node: Node) -> str:
    """Return the shapes that an operation on arrays meets and makes: `(100, 3) @ (3, 16) → (100, 16)`."""
    shapes = [shape_of(x.data if isinstance(x, Node) else x) for x in node.operands]
    given = [shape for shape in shapes if shape]
    if {*given} == {node.shape}:
        return str(node.shape)
    between = ", " if node.op.isidentifier() else f" {node.op} "
    return f"{between.join(map(str, given))} → {node.shape}"


def backward_text(step: BackwardStep | Hooked) -> str:
    """Return a backward step in a line: `a.grad += d.grad · b = −2 · −3 → 6 (was 0)`."""
    if isinstance(step, Hooked):
        return f"{step.node.name}.grad: a hook changes {brief(step.before)} to {brief(step.after)}"
    said, shapes = step.node.product(step.operand)
    line = f"{step.parent.name}.grad += {said}"
    if shapes:
        return f"{line}   {shapes}   now {_result(step.after)} {_was(step)}"
    if step.local is not None and isinstance(step.incoming, float):
        line += f" = {number(step.incoming)} · {number(step.local)}"
    if step.nth > 1 and isinstance(step.contribution, float):
        line += f" = {number(step.contribution)}"
    return f"{line} → {_result(step.after)} {_was(step)}"


def _result(x: Summary) -> str:
    return in_words(x, number)


def _was(step: BackwardStep) -> str:
    before = brief(step.before)
    if step.nth == 1:
        return f"(was {before})"
    name, uses = step.parent.name, step.parent.uses
    times = "twice" if uses == 2 else f"{uses} times"
    return f"(was {before}: {name} is used {times}, contributions add up)"


def brief(x: Summary) -> str:
    """Return a number or an array in a few words."""
    return in_words(x, number, brief=True)


# --- the whole as text -----------------------------------------------------------------------------------


def as_text(explanation: Explanation) -> str:
    """Return an explanation as text; a graph with groups that is too large to read, as a table of these."""
    if explanation.titles and len(explanation.nodes) > _MOST:
        inner = _groups(explanation)
        if len(inner) > 1:
            return _as_groups(explanation, inner)
    root, path = explanation.root.name, explanation.path
    given = [node for node in explanation.nodes if node.is_leaf or not is_within(node.group, path)]
    made = explanation.forward
    sections = [("Values", [_value_text(node) for node in given[:_MOST]], len(given))]
    if made:
        shown = [forward_text(node) for node in made[:_MOST]]
        sections.append(("Forward: what each operation computes", shown, len(made)))
        through = f"through {path}" if path else f"from {root} to what it was computed from"
        heading = f"Backward: the chain rule, {through}"
        sections.append((heading, _backward_lines(explanation, made), len(explanation.backward)))
        gradients = [node for node in given if node.uses and not path]
        shown = [f"∂{root}/∂{node.name} = {_result(node.grad)}" for node in gradients[:_MOST]]
        sections.append(("Gradients", shown, len(gradients)))
    return "\n\n".join(_section(*section) for section in sections if section[1])


def _value_text(node: Node) -> str:
    """Return what a node holds, however it was made."""
    result = in_words(node.data, number)
    about = f"{node.data.dtype} {node.shape}, {result}" if isinstance(node.data, ArraySummary) else result
    return f"{node.name} = {about}" + ("" if node.is_leaf else f", from {node.group or 'outside'}")


def _section(heading: str, lines: Sequence[str], count: int) -> str:
    rest = [f"… and {count - _MOST:,} more"] if count > _MOST else []
    return "\n".join([heading, *(f"  {line}" for line in (*lines, *rest))])


def _backward_lines(explanation: Explanation, made: list[Node]) -> list[str]:
    lines, at = [], None
    used = Counter(step.parent.index for step in explanation.backward if isinstance(step, BackwardStep))
    for node in made[::-1]:
        if node.uses > used[node.index]:
            lines.append(f"{node.name}.grad = {_result(node.grad)}, from what uses it outside")
        elif node is explanation.root and not explanation.path:
            why = f"for {node.name} changes as fast as itself" if node.grad == 1.0 else "as was asked"
            lines.append(f"{node.name}.grad = {_result(node.grad)}, {why}")
    lines = lines[:_MOST]
    for step in explanation.backward[:_MOST]:
        if isinstance(step, BackwardStep) and step.node is not at:
            at = step.node
            lines.append(f"{at.name} = {at.formula}")
        lines.append(f"{'  ' * isinstance(step, BackwardStep)}{backward_text(step)}")
    return lines


def _groups(explanation: Explanation) -> dict[str, list[Node]]:
    """Return the nodes by the outermost group that they are in, within the part that is explained."""
    found: dict[str, list[Node]] = defaultdict(list)
    for node in explanation.nodes:
        if is_within(node.group, explanation.path):
            inner = [p for p in lineage(node.group, explanation.titles) if p != explanation.path]
            inner = [p for p in inner if is_within(p, explanation.path)]
            found[inner[0] if inner else OUTSIDE].append(node)
    return found


def _as_groups(explanation: Explanation, groups: dict[str, list[Node]]) -> str:
    """Return a row for each group: how many nodes it has, and between what bounds its numbers and gradients are."""
    home = {node.index: path for path, nodes in groups.items() for node in nodes}
    inner = {x.index for n in explanation.nodes for x in n.operands if isinstance(x, Node)}
    inner -= {
        x.index
        for n in explanation.nodes
        for x in n.operands
        if isinstance(x, Node) and home.get(x.index) != home.get(n.index)
    }
    rows = []
    for path, nodes in groups.items():
        made = [node for node in nodes if not node.is_leaf]
        outputs = [node for node in made if node.index not in inner]
        parameters = [node for node in nodes if node.is_leaf]
        title = explanation.titles.get(path, "") if path else "not in a layer"
        shown = [bounds(node.data for node in outputs), bounds(node.grad for node in outputs)]
        rows.append([path or "–", title, f"{len(made):,}", *shown, bounds(node.grad for node in parameters)])
    headings = ["group", "what it is", "operations", "outputs", "their gradients", "gradients of its leaves"]
    where = f"{explanation.path}: " if explanation.path else ""
    example = next((path for path in groups if path), "")
    return (
        f"{where}{sum(map(len, groups.values())):,} nodes in {len(groups)} groups, in the order of evaluation\n\n"
        f"{table(headings, rows, '  r   ')}\n\n"
        f"explanation.part({example!r}) opens a group; explanation.forward and .backward hold every step"
    )


# --- as a document -------------------------------------------------------------------------------------------


def as_document(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as what JSON is made of; docs/explain.md describes it."""
    return {
        "schema": "adjoint.explanation",
        "version": VERSION,
        "root": explanation.root.index,
        "nodes": [_node_document(node) for node in explanation.nodes],
        "forward": [{"node": node.index, "text": forward_text(node)} for node in explanation.forward],
        "backward": [_step_document(step) for step in explanation.backward],
        "groups": explanation.titles,
    }


def _node_document(node: Node) -> dict[str, Any]:
    operands = [{"node": x.index} if isinstance(x, Node) else {"constant": as_json(x)} for x in node.operands]
    return {
        "index": node.index,
        "name": node.name,
        "label": node.label.encode(errors="replace").decode(),
        "op": node.op,
        "operands": operands,
        "formula": node.formula,
        "data": as_json(node.data),
        "grad": as_json(node.grad),
        "uses": node.uses,
        "group": node.group,
        "changed": node.changed,
    }


def _step_document(step: BackwardStep | Hooked) -> dict[str, Any]:
    if isinstance(step, Hooked):
        about = {"kind": "hook", "node": step.node.index}
    else:
        about = {
            "kind": "edge",
            "node": step.node.index,
            "operand": step.operand,
            "parent": step.parent.index,
            "formula": step.formula,
            "local": as_json(step.local),
            "incoming": as_json(step.incoming),
            "contribution": as_json(step.contribution),
        }
    return about | {"before": as_json(step.before), "after": as_json(step.after), "text": backward_text(step)}
