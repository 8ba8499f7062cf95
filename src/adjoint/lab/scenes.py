"""A graph with all its steps as what a page draws: explain's document, formulas in MathML, and what can be moved."""

from collections.abc import Iterable
from typing import Any

from adjoint.explain import explain
from adjoint.explain.equations import backward_mathml, derivative_mathml, forward_mathml, seed_mathml
from adjoint.explain.grouping import Groups
from adjoint.explain.narration import as_document, brief
from adjoint.explain.steps import BackwardStep, Explanation
from adjoint.value import Value

_SIGNS = {"*": "×", "-": "−", "neg": "−", "**": "xⁿ", "/": "÷"}

Scene = dict[str, Any]


def scene_of(root: Value, inputs: Iterable[str] = (), groups: Groups | None = None) -> Scene:
    """Return the nodes of a graph, and the steps of both passes in the order in which they are shown.

    `inputs` names the leaves that can be moved. A step is of the `phase` forward, seed, backward or hook, has its
    sentence as `text` and its equation as `math`.

    >>> a = Value(2.0, label="a")
    >>> scene = scene_of(a * a, ["a"])
    >>> [step["text"] for step in scene["steps"]][:2]
    ['v1 = a * a = 2 × 2 = 4', 'v1.grad = 1, for v1 changes as fast as itself']
    """
    return _scene(explain(root, groups=groups), [*inputs])


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
        text = f"{root.name}.grad = {brief(root.grad)}, for {root.name} changes as fast as itself"
        steps.append({"phase": "seed", "node": root.index, "text": text, "math": seed_mathml(root)})
    for step, told in zip(explanation.backward, document["backward"]):
        if isinstance(step, BackwardStep):
            formulas = {"math": backward_mathml(step, root), "derivative": derivative_mathml(step)}
            steps.append(told | {"phase": "backward"} | formulas)
        else:
            steps.append(told | {"phase": "hook"})
    return {"nodes": nodes, "root": root.index, "steps": steps, "inputs": inputs}
