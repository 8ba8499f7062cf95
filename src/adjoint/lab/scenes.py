"""A graph with all its steps as what a page draws: explain's document, formulas in MathML, and what can be moved."""

from collections.abc import Iterable
from typing import Any

from adjoint.engine.value import Value
from adjoint.see.explanation import explain
from adjoint.see.explanation.equations import backward_mathml, derivative_mathml, forward_mathml, seed_mathml
from adjoint.see.explanation.groups import Groups
from adjoint.see.explanation.narration import SIGNS, as_document, backward_text, forward_text, seed_text
from adjoint.see.explanation.steps import BackwardStep, Explanation, Node
from adjoint.see.explanation.summaries import as_json

_SIGNS = SIGNS | {"**": "xⁿ", "/": "÷"}
_NUMBERS = ("local", "incoming", "contribution", "before", "after")  # of a backward step, in the order of an answer

Scene = dict[str, Any]


def scene_of(root: Value, inputs: Iterable[str] = (), groups: Groups | None = None) -> Scene:
    """Return the nodes of a graph, and the steps of both passes in the order in which they are shown.

    `inputs` names the leaves that can be moved. A step is of the `phase` forward, seed, backward or hook, has its
    sentence as `text` and its equation as `math`.

    >>> a = Value(2.0, label="a")
    >>> scene = scene_of(a * a, ["a"])
    >>> [step["text"] for step in scene["steps"]][:2]
    ['v1 = a * a = 2 × 2 = 4', 'v1.grad = 1, because ∂v1/∂v1 = 1']
    """
    return _scene(explain(root, groups=groups), [*inputs])


def numbers_of(root: Value, at: int | None = None) -> Scene:
    """Return of a scene what changes while somebody moves a slider: its numbers, and the words of one step.

    `at` is the number of steps that have been taken, the last of which is told; all of them, if nothing is said. The
    words and formulas of all steps take several times as long as the numbers, and nobody reads them meanwhile.

    >>> a = Value(2.0, label="a")
    >>> numbers_of(a * a, 1)["nodes"], numbers_of(a * a, 1)["told"]["text"]
    ([[2.0, 4.0], [4.0, 1.0]], 'v1 = a * a = 2 × 2 = 4')
    """
    explanation = explain(root)
    return {
        "nodes": [[as_json(node.data), as_json(node.grad)] for node in explanation.nodes],
        "steps": [[as_json(getattr(step, name, None)) for name in _NUMBERS] for step in explanation.backward],
        "told": _told(explanation, at),
    }


def _scene(explanation: Explanation, inputs: list[str]) -> Scene:
    document, root = as_document(explanation), explanation.root
    nodes = document["nodes"]
    for node, told in zip(explanation.nodes, nodes):
        told["sign"] = _SIGNS.get(node.op, node.op)
        told["math"] = forward_mathml(node)
    steps = [
        {"phase": "forward", "node": node.index, "text": told["text"], "math": nodes[node.index]["math"]}
        for node, told in zip(explanation.forward, document["forward"])
    ]
    if steps:
        steps.append({"phase": "seed", "node": root.index, **_told_seed(root)})
    for step, told in zip(explanation.backward, document["backward"]):
        if isinstance(step, BackwardStep):
            formulas = {"math": backward_mathml(step, root), "derivative": derivative_mathml(step)}
            steps.append(told | {"phase": "backward"} | formulas)
        else:
            steps.append(told | {"phase": "hook"})
    return {"nodes": nodes, "root": root.index, "steps": steps, "inputs": inputs}


def _told(explanation: Explanation, at: int | None) -> dict[str, Any]:
    """Return the sentence and the equation of the step that was taken last; nothing where none was."""
    forward, root, backward = explanation.forward, explanation.root, explanation.backward
    last = len(forward) + 1 + len(backward) if forward else 0
    i = last - 1 if at is None else min(at, last) - 1
    if i < 0:
        return {}
    if i < len(forward):
        return {"text": forward_text(forward[i]), "math": forward_mathml(forward[i])}
    if i == len(forward):
        return _told_seed(root)
    step = backward[i - len(forward) - 1]
    equation = {"math": backward_mathml(step, root)} if isinstance(step, BackwardStep) else {}
    return {"text": backward_text(step), **equation}


def _told_seed(root: Node) -> dict[str, Any]:
    return {"text": seed_text(root), "math": seed_mathml(root)}
