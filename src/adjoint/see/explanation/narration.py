"""An explanation as text, and as the document behind its JSON."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjoint.engine.rule import format_application
from adjoint.errors.text_table import table
from adjoint.see.explanation.groups import OUTSIDE, is_within, lineage
from adjoint.see.explanation.nodes import BackwardStep, Hooked, Node, shape_of
from adjoint.see.explanation.summaries import ArraySummary, Summary, as_json, bounds, in_words

if TYPE_CHECKING:
    from adjoint.see.explanation.steps import Explanation

VERSION = 1  # of the document

_MOST = 200  # the most lines of a section, and the most nodes that are listed if there are groups
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
SIGNS = {"*": "×", "-": "−", "neg": "−"}  # how operators are displayed in numbers and pictures
_NEEDS_PARENTHESES = {"+": (1,), "-": (1,), "**": (0, 1)}  # operands that need parentheses if they are negative


def number(x: float) -> str:
    """Return a number with six digits in mathematical notation.

    >>> from adjoint.see import number
    >>> number(-6.0), number(0.1 + 0.2), number(-1e-7), number(float("-inf"))
    ('−6', '0.3', '−1·10⁻⁷', '−∞')
    """
    text = f"{x:.6g}".replace("inf", "∞").replace("nan", "NaN")
    mantissa, _, exponent = text.partition("e")
    power = f"·10{str(int(exponent)).translate(_RAISED)}" if exponent else ""
    return mantissa.replace("-", "−") + power


# --- one step ------------------------------------------------------------------------------------------


def forward_text(node: Node) -> str:
    """Return the forward step of a node in a line: `d = a * b = 2 × −3 = −6`.

    >>> from adjoint import Value, explain
    >>> from adjoint.see import forward_text
    >>> forward_text(explain(Value(2.0, label="a") * 3).root)
    'v1 = a * 3 = 2 × 3 = 6'
    """
    result = in_words(node.data, number)
    if node.is_leaf:
        return _value_text(node)
    if node.is_of_arrays:
        return f"{node.name} = {node.formula}   {_shapes(node)}   = {result}"
    numbers = _with_numbers(node)
    shown = [node.name, node.formula, *([numbers] if numbers != result else []), result]
    note = " (its inputs have changed since it was computed)" if node.changed else ""
    return " = ".join(shown) + note


def _with_numbers(node: Node) -> str:
    """Return a formula with numbers instead of names: `2 × −3`."""
    shown = []
    for i, x in enumerate(node.operands):
        text = in_words(x.data if isinstance(x, Node) else x, number)
        needs_parentheses = text.startswith("−") and (i in _NEEDS_PARENTHESES.get(node.op, ()) or node.op == "neg")
        shown.append(f"({text})" if needs_parentheses else text)
    if node.op == "neg":
        return f"−{shown[0]}"
    return format_application(SIGNS.get(node.op, node.op), shown)


def _shapes(node: Node) -> str:
    """Return the shapes of the operands and of the result: `(100, 3) @ (3, 16) → (100, 16)`."""
    shapes = [shape_of(x.data if isinstance(x, Node) else x) for x in node.operands]
    given = [shape for shape in shapes if shape]
    if {*given} == {node.shape}:
        return str(node.shape)
    between = ", " if node.op.isidentifier() else f" {node.op} "
    return f"{between.join(map(str, given))} → {node.shape}"


def backward_text(step: BackwardStep | Hooked) -> str:
    """Return a backward step in a line: `a.grad += d.grad · b = −2 · −3 → 6 (was 0)`.

    >>> from adjoint import Value, explain
    >>> from adjoint.see import backward_text
    >>> backward_text(explain(Value(2.0, label="a") * 3).backward[0])
    'a.grad += v1.grad · 3 = 1 · 3 → 3 (was 0)'
    """
    if isinstance(step, Hooked):
        return f"{step.node.name}.grad: a hook changes {brief(step.before)} to {brief(step.after)}"
    product, shapes = step.node.product(step.operand)
    line = f"{step.parent.name}.grad += {product}"
    if shapes:
        return f"{line}   {shapes}   now {_result(step.after)} {_was(step)}"
    if step.local is not None and isinstance(step.incoming, float):
        line += f" = {number(step.incoming)} · {number(step.local)}"
    if step.nth > 1 and isinstance(step.contribution, float):
        line += f" = {number(step.contribution)}"
    return f"{line} → {_result(step.after)} {_was(step)}"


def seed_text(root: Node) -> str:
    """Return where the backward pass starts: `L.grad = 1, because ∂L/∂L = 1`.

    >>> from adjoint import Value, explain
    >>> from adjoint.see import seed_text
    >>> seed_text(explain(Value(2.0, label="a") * 3).root)
    'v1.grad = 1, because ∂v1/∂v1 = 1'
    """
    reason = f"because ∂{root.name}/∂{root.name} = 1" if root.grad == 1.0 else "the given gradient"
    return f"{root.name}.grad = {_result(root.grad)}, {reason}"


def _result(x: Summary) -> str:
    return in_words(x, number)


def _was(step: BackwardStep) -> str:
    before = brief(step.before)
    if step.nth == 1:
        return f"(was {before})"
    name, uses = step.parent.name, step.parent.uses
    times = "twice" if uses == 2 else f"{uses} times"
    return f"(was {before}; {name} is used {times}, so its gradients add up)"


def brief(x: Summary) -> str:
    """Return a number, or the shape and mean of an array."""
    return in_words(x, number, brief=True)


# --- the whole as text -----------------------------------------------------------------------------------


def as_text(explanation: "Explanation") -> str:
    """Return an explanation as text; a large graph with groups, as a table of the groups."""
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
        sections.append(("Forward pass: each operation in order", shown, len(made)))
        where = f"through {path}" if path else f"from {root} back to its inputs"
        heading = f"Backward pass: the chain rule {where}"
        sections.append((heading, _backward_lines(explanation, made), len(explanation.backward)))
        gradients = [node for node in given if node.uses and not path]
        shown = [f"∂{root}/∂{node.name} = {_result(node.grad)}" for node in gradients[:_MOST]]
        sections.append(("Gradients", shown, len(gradients)))
    return "\n\n".join(_section(*section) for section in sections if section[1])


def _value_text(node: Node) -> str:
    """Return the value of a node, without its formula."""
    result = in_words(node.data, number)
    about = f"{node.data.dtype} {node.shape}, {result}" if isinstance(node.data, ArraySummary) else result
    return f"{node.name} = {about}" + ("" if node.is_leaf else f", from {node.group or 'outside'}")


def _section(heading: str, lines: Sequence[str], count: int) -> str:
    rest = [f"… and {count - _MOST:,} more"] if count > _MOST else []
    return "\n".join([heading, *(f"  {line}" for line in (*lines, *rest))])


def _backward_lines(explanation: "Explanation", made: list[Node]) -> list[str]:
    lines, at = [], None
    used = Counter(step.parent.index for step in explanation.backward if isinstance(step, BackwardStep))
    part = explanation.path or "this part"
    for node in made[::-1]:
        if node.uses > used[node.index]:
            lines.append(f"{node.name}.grad = {_result(node.grad)}, received from outside {part}")
        elif node is explanation.root and not explanation.path:
            lines.append(seed_text(node))
    lines = lines[:_MOST]
    for step in explanation.backward[:_MOST]:
        if isinstance(step, BackwardStep) and step.node is not at:
            at = step.node
            lines.append(f"{at.name} = {at.formula}")
        lines.append(f"{'  ' * isinstance(step, BackwardStep)}{backward_text(step)}")
    return lines


def _groups(explanation: "Explanation") -> dict[str, list[Node]]:
    """Return the nodes by their outermost group within the part that is explained."""
    found: dict[str, list[Node]] = defaultdict(list)
    for node in explanation.nodes:
        if is_within(node.group, explanation.path):
            inner = [p for p in lineage(node.group, explanation.titles) if p != explanation.path]
            inner = [p for p in inner if is_within(p, explanation.path)]
            found[inner[0] if inner else OUTSIDE].append(node)
    return found


def _as_groups(explanation: "Explanation", groups: dict[str, list[Node]]) -> str:
    """Return a table with a row for each group: its number of operations, and the ranges of outputs and gradients."""
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
        title = explanation.titles.get(path, "") if path else "outside the model"
        shown = [bounds(node.data for node in outputs), bounds(node.grad for node in outputs)]
        rows.append([path or "–", title, f"{len(made):,}", *shown, bounds(node.grad for node in parameters)])
    headings = ["group", "module", "operations", "outputs", "output gradients", "leaf gradients"]
    where = f"{explanation.path}: " if explanation.path else ""
    example = next((path for path in groups if path), "")
    return (
        f"{where}{sum(map(len, groups.values())):,} nodes in {len(groups)} groups, in the order of evaluation\n\n"
        f"{table(headings, rows, '  r   ')}\n\n"
        f"explanation.part({example!r}) shows one group; explanation.forward and explanation.backward hold every step"
    )


# --- as a document -------------------------------------------------------------------------------------------


def as_document(explanation: "Explanation") -> dict[str, Any]:
    """Return an explanation as a JSON document; docs/explain.md describes the keys.

    >>> from adjoint import Value, explain
    >>> from adjoint.see import as_document
    >>> as_document(explain(Value(2.0, label="a") * 3))["forward"]
    [{'node': 1, 'text': 'v1 = a * 3 = 2 × 3 = 6'}]
    """
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
