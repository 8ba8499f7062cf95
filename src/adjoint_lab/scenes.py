"""Scenes: a graph with the steps of both passes as a page draws it.

A scene is the document of `explain`, with formulas in MathML and the names of the inputs that can be moved.
"""

from collections.abc import Iterable
from typing import Any

from adjoint import Op, Value, explain
from adjoint.see import (
    SIGNS,
    BackwardStep,
    Explanation,
    Groups,
    Node,
    as_document,
    as_json,
    backward_mathml,
    backward_text,
    derivative_mathml,
    forward_mathml,
    forward_text,
    seed_mathml,
    seed_text,
)

_SIGNS = SIGNS | {"**": "xⁿ", "/": "÷"}
_NUMBERS = ("local", "incoming", "contribution", "before", "after")  # of a backward step, in the order of an answer

Scene = dict[str, Any]


def scene_of(root: Value, inputs: Iterable[str] = (), groups: Groups | None = None) -> Scene:
    """Return the nodes of a graph, and the steps of both passes in the order in which they are shown.

    `inputs` names the leaves that can be moved. The `phase` of a step is forward, seed, backward or hook; its `text` is
    a sentence and its `math` the equation.

    >>> a = Value(2.0, label="a")
    >>> scene = scene_of(a * a, ["a"])
    >>> [step["text"] for step in scene["steps"]][:2]
    ['v1 = a * a = 2 × 2 = 4', 'v1.grad = 1, because ∂v1/∂v1 = 1']
    """
    return _scene(explain(root, groups=groups), [*inputs])


def numbers_of(root: Value, at: int | None = None) -> dict[str, Any]:
    """Return the parts of a scene that change while a slider moves: its numbers, and the text of one step.

    `at` is the number of steps taken, by default all; the last of them has the text. The texts and formulas of all
    steps take several times as long to create as the numbers, and are not read while a slider moves.

    >>> a = Value(2.0, label="a")
    >>> numbers_of(a * a, 1)["nodes"], numbers_of(a * a, 1)["explanation"]["text"]
    ([[2.0, 4.0], [4.0, 1.0]], 'v1 = a * a = 2 × 2 = 4')
    """
    explanation = explain(root)
    return {
        "nodes": [[as_json(node.data), as_json(node.grad)] for node in explanation.nodes],
        "steps": [[as_json(getattr(step, name, None)) for name in _NUMBERS] for step in explanation.backward],
        "explanation": _step_texts(explanation, at),
    }


def _scene(explanation: Explanation, inputs: list[str]) -> Scene:
    document, root = as_document(explanation), explanation.root
    nodes = document["nodes"]
    for node, fields in zip(explanation.nodes, nodes):
        fields["sign"] = _SIGNS.get(node.op, node.op)
        fields["math"] = forward_mathml(node)
    steps = [
        {"phase": "forward", "node": node.index, "text": fields["text"], "math": nodes[node.index]["math"]}
        for node, fields in zip(explanation.forward, document["forward"])
    ]
    if steps:
        steps.append({"phase": "seed", "node": root.index, **_seed_texts(root)})
    for step, fields in zip(explanation.backward, document["backward"]):
        if isinstance(step, BackwardStep):
            formulas = {"math": backward_mathml(step, root), "derivative": derivative_mathml(step)}
            steps.append(fields | {"phase": "backward"} | formulas)
        else:
            steps.append(fields | {"phase": "hook"})
    computable = _is_computable(explanation)
    return {"nodes": nodes, "root": root.index, "steps": steps, "inputs": inputs, "computable": computable}


def _is_computable(explanation: Explanation) -> bool:
    """Return whether a page can compute the graph: rows of the table on numbers, without hooks or handwritten code."""
    has_rows = all(
        node.is_leaf or (isinstance(node.rule, Op) and node.rule.is_row and not node.by_hand)
        for node in explanation.nodes
    )
    has_numbers = not any(node.is_of_arrays for node in explanation.nodes)
    return has_rows and has_numbers and all(isinstance(step, BackwardStep) for step in explanation.backward)


def _step_texts(explanation: Explanation, at: int | None) -> dict[str, object]:
    """Return the sentence and the equation of the last step taken; nothing before the first step."""
    forward, root, backward = explanation.forward, explanation.root, explanation.backward
    last = len(forward) + 1 + len(backward) if forward else 0
    i = last - 1 if at is None else min(at, last) - 1
    if i < 0:
        return {}
    if i < len(forward):
        return {"text": forward_text(forward[i]), "math": forward_mathml(forward[i])}
    if i == len(forward):
        return _seed_texts(root)
    step = backward[i - len(forward) - 1]
    equation = {"math": backward_mathml(step, root)} if isinstance(step, BackwardStep) else {}
    return {"text": backward_text(step), **equation}


def _seed_texts(root: Node) -> dict[str, object]:
    return {"text": seed_text(root), "math": seed_mathml(root)}
