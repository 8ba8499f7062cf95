"""The steps of a computation: each operation of the forward pass, then each edge of the backward pass.

An explanation is data: the nodes in the order of evaluation, the forward steps and the backward steps, computed from
the graph and its rules. Text, LaTeX, JSON and pictures are made from it.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from adjoint.arrays.kinds import array_code
from adjoint.engine.chain_rule import contributions
from adjoint.engine.graph import evaluation_order
from adjoint.engine.hooks import apply_hooks
from adjoint.engine.late import mimebundle, rich_text
from adjoint.engine.rule import Op, evaluate
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, number
from adjoint.errors.suggest import unknown_name_error
from adjoint.see.explanation.equations import Latex, as_latex
from adjoint.see.explanation.groups import OUTSIDE, Groups, is_within
from adjoint.see.explanation.naming import names_of, one_line
from adjoint.see.explanation.narration import as_document, as_text
from adjoint.see.explanation.nodes import BackwardStep, Hooked, Node
from adjoint.see.explanation.summaries import summary

_Result = TypeVar("_Result")


@dataclass(slots=True, eq=False, repr=False)
class Explanation:
    """The nodes of a computation in the order of evaluation, and the steps of both passes.

    `forward` has the computed nodes, `backward` the steps of the chain rule in the order of the pass. `str()` gives the
    text, `to_json()` the data and `latex()` the formulas.

    >>> from adjoint import Value, explain
    >>> explained = explain(Value(2.0, label="a") * 3)
    >>> [node.name for node in explained.nodes], len(explained.backward)
    (['a', 'v1'], 1)
    """

    root: Node
    nodes: list[Node]
    backward: list[BackwardStep | Hooked]
    titles: dict[str, str] = field(default_factory=dict)  # of the groups, by path
    path: str = OUTSIDE  # of the group that this explanation is restricted to

    @property
    def forward(self) -> list[Node]:
        """The computed nodes, in the order of evaluation."""
        return [node for node in self.nodes if not node.is_leaf and is_within(node.group, self.path)]

    @property
    def leaves(self) -> list[Node]:
        """The inputs of the computation."""
        return [node for node in self.nodes if node.is_leaf]

    def steps_of(self, node: Node) -> list[BackwardStep | Hooked]:
        """Return the backward steps from a node to its operands."""
        return [step for step in self.backward if step.node is node]

    def part(self, path: str) -> "Explanation":
        """Return the explanation of one group, such as "layers.0", and of its inputs."""
        if path not in self.titles:
            raise unknown_name_error("group", path, [known for known in self.titles if known])
        inside = {node.index for node in self.nodes if is_within(node.group, path)}
        around = {x.index for i in inside for x in self.nodes[i].operands if isinstance(x, Node)}
        nodes = [self.nodes[i] for i in sorted(inside | around)]
        steps = [step for step in self.backward if step.node.index in inside]
        made = [node for node in nodes if node.index in inside] or nodes
        return Explanation(made[-1] if made else self.root, nodes, steps, self.titles, path)

    def to_json(self, indent: int | None = None) -> str:
        """Return the explanation as JSON; docs/explain.md describes the keys."""
        return json.dumps(as_document(self), indent=indent, ensure_ascii=False, allow_nan=False)

    def latex(self) -> Latex:
        """Return the formulas and numbers of all steps as two `aligned` environments, which notebooks typeset."""
        return as_latex(self)

    def __repr__(self) -> str:
        return f"<explanation of {self.root.name}: {len(self.nodes):,} nodes, {len(self.backward):,} backward steps>"

    def __str__(self) -> str:
        return as_text(self)

    _repr_mimebundle_, __rich__ = mimebundle, rich_text


def explain(root: Value, gradient: object = None, *, groups: Groups | None = None) -> Explanation:
    """Return how `root` was computed and how its gradient propagates to its inputs, step by step.

    The explanation runs its own backward pass, which starts from zero and does not change the gradients of the
    graph. An array of more than one element needs a `gradient` of its shape, as in `backward`. With `groups`, the
    result of `with grouping(model) as groups`, a large graph is explained as a table of layers.

    >>> from adjoint import Value, explain
    >>> a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    >>> c = a * b + a
    >>> c.label = "c"
    >>> print(explain(c))
    Values
      a = 2
      b = −3
    <BLANKLINE>
    Forward pass: each operation in order
      v1 = a * b = 2 × −3 = −6
      c = v1 + a = −6 + 2 = −4
    <BLANKLINE>
    Backward pass: the chain rule from c back to its inputs
      c.grad = 1, because ∂c/∂c = 1
      c = v1 + a
        v1.grad += c.grad · 1 = 1 · 1 → 1 (was 0)
        a.grad += c.grad · 1 = 1 · 1 → 1 (was 0)
      v1 = a * b
        a.grad += v1.grad · b = 1 · −3 = −3 → −2 (was 1; a is used twice, so its gradients add up)
        b.grad += v1.grad · a = 1 · 2 → 2 (was 0)
    <BLANKLINE>
    Gradients
      ∂c/∂a = −2
      ∂c/∂b = 2
    """
    if not isinstance(root, Value):
        raise ArgumentError(f"explain needs a Value, not {describe(root)}")
    if groups is not None and not isinstance(groups, Groups):
        raise ArgumentError(f"groups must be the result of `with grouping(model) as groups`, not {describe(groups)}")
    seed = _seed(root, gradient)
    nodes = describe_nodes(evaluation_order(root), groups)
    backward = _quietly(_backward_steps, root, seed, nodes)
    return Explanation(nodes[root], [*nodes.values()], backward, groups.titles if groups else {})


def describe_nodes(
    order: Sequence[Value], groups: Groups | None = None, only: Collection[Value] | None = None
) -> dict[Value, Node]:
    """Return a Node for each value of a graph, which is given in the order of evaluation; gradients are not set.

    With `only`, just these values are described, and their operands outside of `only` are leaves.
    """
    uses = Counter(parent for node in (order if only is None else only) for parent in node.parents)
    names = names_of(order, groups.parameters if groups else None)
    index = {value: i for i, value in enumerate(order)} if only is not None else {}
    found: dict[Value, Node] = {}
    for value in order if only is None else [value for value in order if value in only]:
        operands = []
        for x in value._operands:
            if isinstance(x, Value) and x not in found:
                operands.append(Node(index[x], names[x], str(x.label or ""), "", (), summary(x)))
            else:
                operands.append(found[x] if isinstance(x, Value) else summary(x))
        node = Node(index.get(value, len(found)), names[value], str(value.label or ""), one_line(value.op))
        node.operands, node.data = tuple(operands), summary(value)
        node.rule, node.by_hand, node.uses = value._rule, value._closure is not None, uses[value]
        node.is_frozen = value._frozen
        node.group = groups.path_of(value) if groups else OUTSIDE
        if not node.by_hand:
            node.changed, node.derivatives = _was_changed(value, node), _derivatives(value, node)
        found[value] = node
    return found


def _was_changed(value: Value, node: Node) -> bool:
    """Return whether a number would differ if it were computed again."""
    if not isinstance(node.rule, Op) or not node.rule.is_row or _is_array(value) or node.is_of_arrays:
        return False
    again = evaluate(node.rule, _inputs(node), ())[0]
    return again != node.data and not (again != again and node.data != node.data)  # NaN differs from itself


# --- the backward pass, recorded step by step -----------------------------------------------------------


def _seed(root: Any, gradient: Any) -> Any:
    if not _is_array(root):
        return 1.0 if gradient is None else number(gradient, "gradient")
    if gradient is None and root.size != 1:
        raise ShapeError(
            f"explain needs a gradient of shape {root.shape} for an array of that shape; give one, or reduce the array "
            "to one number first, for instance with .sum()"
        )
    return root._like(1.0 if gradient is None else gradient, "gradient")


def _quietly(function: Callable[..., _Result], root: Value, seed: object, nodes: dict[Value, Node]) -> _Result:
    """Call a function without warnings about infinities in arrays; NumPy is loaded only if there are arrays."""
    if not any(map(_is_array, nodes)):
        return function(root, seed, nodes)

    return array_code("backends").NUMPY.quietly(function, root, seed, nodes)


def _is_array(value: Value) -> bool:
    return type(value.data) is not float  # to import Tensor would load NumPy


def _backward_steps(root: Value, seed: Any, nodes: dict[Value, Node]) -> list[BackwardStep | Hooked]:
    """Run the chain rule over the graph, and return a step for each edge. No node of the graph is changed."""
    received: dict[Value, Any] = {root: seed}
    counts: Counter[Value] = Counter()
    steps: list[BackwardStep | Hooked] = []
    for value in reversed(nodes):
        node, total = nodes[value], received.get(value, 0.0)
        if value._hooks:
            before, total = total, apply_hooks(value, total)
            steps.append(Hooked(node, summary(before), summary(total)))
        node.grad = summary(total)
        if not value.parents:
            continue
        for i, parent, part in parts_of(value, total):
            counts[parent] += 1
            before = after = received.get(parent, 0.0)
            if part is not None:
                part = part if _is_array(parent) else as_number(part)
                is_first = parent not in received and _is_array(parent)
                received[parent] = after = part if is_first else before + part
            given, was, now = summary(0.0 if part is None else part), summary(before), summary(after)
            local, nth = node.local(i), counts[parent]
            steps.append(BackwardStep(node, i, nodes[parent], local, node.grad, given, was, now, nth))
    return steps


def _derivatives(value: Value, node: Node) -> tuple[float, ...]:
    """Return the local derivatives of a number, or of an array without axes; () for other arrays."""
    if not _is_array(value):
        return value._derivatives or ()
    if node.is_of_arrays or not isinstance(node.rule, Op) or not node.rule.is_row:
        return ()
    return evaluate(node.rule, _inputs(node), [i for i, x in enumerate(node.operands) if isinstance(x, Node)])[1]


def _inputs(node: Node) -> list[float]:
    """Return the operands of an operation on numbers."""
    datas = [x.data if isinstance(x, Node) else x for x in node.operands]
    return [x for x in datas if isinstance(x, float)]


def parts_of(value: Value, total: object) -> list[tuple[int, Value, Any]]:
    """Return the index, the parent and the contribution for each operand that is a Value."""
    found = contributions(value, total)
    places = [i for i, x in enumerate(value._operands) if isinstance(x, Value)]
    if len(found) > len(places):  # an array operation has one for each operand, None for a constant
        found = [found[i] for i in places]
    return list(zip(places, value.parents, found))


def as_number(x: Any) -> Any:
    """Return the contribution of an array operation to a number as a float; a traced one stays as it is."""
    try:
        return float(x)
    except Exception:
        return x
