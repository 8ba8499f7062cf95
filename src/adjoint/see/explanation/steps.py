"""The steps of a computation: each operation of the forward pass, then each edge of the backward pass.

An explanation is data: the nodes in the order of evaluation, the forward steps and the backward steps, computed from
the graph and its rules. Text, LaTeX, JSON and pictures are made from it.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from adjoint.engine.chain_rule import contributions
from adjoint.engine.graph import evaluation_order
from adjoint.engine.hooks import apply_hooks
from adjoint.engine.late import mimebundle, rich_text
from adjoint.engine.mathematics.printing import as_mathematics
from adjoint.engine.rule import Op, evaluate, format_application
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, number
from adjoint.errors.suggest import unknown_name_error
from adjoint.see.explanation.formulas import as_factor, local_derivative
from adjoint.see.explanation.groups import OUTSIDE, Groups, is_within
from adjoint.see.explanation.naming import names_of, one_line
from adjoint.see.explanation.sentences import of_elements, sentence
from adjoint.see.explanation.summaries import ArraySummary, Summary, summary

if TYPE_CHECKING:  # arrays load NumPy, which graphs of numbers do not need
    from adjoint.arrays.array_rule import ArrayOp
    from adjoint.engine.mathematics.symbols import Symbol
    from adjoint.see.explanation.equations import Latex

VERSION = 1

_Result = TypeVar("_Result")


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A value of the graph: its name, its operation, its data, and its gradient in this pass.

    `operands` has a Node, a number or the summary of an array for each operand. `changed` is true if the inputs have
    changed since the value was computed.

    >>> from adjoint import Value, explain
    >>> node = explain(Value(2.0, label="a") * 3).root
    >>> node.name, node.op, node.data, node.operands[0].name
    ('v1', '*', 6.0, 'a')
    """

    index: int
    name: str
    label: str
    op: str
    operands: tuple["Node | Summary", ...] = ()
    data: Summary = None
    grad: Summary = None
    uses: int = 0
    group: str = OUTSIDE
    changed: bool = False
    by_hand: bool = False  # its _backward was assigned by hand
    is_frozen: bool = False  # a leaf that receives no gradient
    rule: "Op | ArrayOp | str" = ""
    derivatives: tuple[float, ...] = ()  # the local derivatives, for each operand that is a Node

    def __repr__(self) -> str:  # one line, without the operands of the operands
        return f"<node {self.name}{' = ' * (not self.is_leaf)}{self.formula}>"

    @property
    def is_leaf(self) -> bool:
        """Whether it is an input and not a result."""
        return not self.operands

    @property
    def formula(self) -> str:
        """Its operation in the names of the graph, `a * b`; empty for a leaf."""
        return format_application(self.op, [_operand_name(x) for x in self.operands]) if self.operands else ""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its data; () for a number."""
        return shape_of(self.data)

    def derivative(self, i: int) -> "Symbol | float | None":
        """Return the local derivative with respect to operand `i`; None for array operations and handwritten code."""
        if not isinstance(self.rule, Op | str) or self.by_hand:
            return None
        return local_derivative(self.rule, i, self.name, [_operand_symbol(x) for x in self.operands])

    def local(self, i: int) -> float | None:
        """Return the local derivative with respect to operand `i` as a number; None for arrays and handwritten code."""
        place = sum(isinstance(x, Node) for x in self.operands[:i])
        return self.derivatives[place] if self.derivatives else None

    def product(self, i: int) -> tuple[str, str]:
        """Return the contribution to operand `i` as a formula, `out.grad · (1 − out²)`, and for arrays the shapes."""
        if self.by_hand:
            return f"what {self.name}._backward adds", ""
        derivative, shapes = self.derivative(i), [shape_of(x.data if isinstance(x, Node) else x) for x in self.operands]
        if derivative is None:
            names = [_operand_name(x) for x in self.operands]
            return sentence(self.op, i, self.name, names, self.shape, shapes)
        if self.is_of_arrays:
            return of_elements(as_factor(derivative), self.name, self.shape, shapes[i])
        return f"{self.name}.grad · {as_factor(derivative)}", ""

    @property
    def is_of_arrays(self) -> bool:
        """Whether it or one of its operands is an array."""
        datas = (self.data, *(x.data if isinstance(x, Node) else x for x in self.operands))
        return any(not isinstance(x, float) for x in datas)


@dataclass(slots=True, eq=False, repr=False)
class BackwardStep:
    """One edge of the graph in the backward pass: the contribution to `parent`, which is operand `operand` of `node`.

    `local` is the local derivative as a number; None for arrays and handwritten code. `incoming` is the gradient of the
    node. The gradient of the parent changes from `before` to `after` by its `nth` contribution.

    >>> from adjoint import Value, explain
    >>> (step,) = explain(Value(2.0, label="a") * 3).backward
    >>> step.parent.name, step.local, step.contribution
    ('a', 3.0, 3.0)
    """

    node: Node
    operand: int
    parent: Node
    local: float | None
    incoming: Summary
    contribution: Summary
    before: Summary
    after: Summary
    nth: int

    @property
    def formula(self) -> str:
        """The local derivative as a formula, `1 − out²`; for arrays, the whole contribution."""
        derivative = self.node.derivative(self.operand)
        return self.node.product(self.operand)[0] if derivative is None else as_mathematics(derivative)

    def __repr__(self) -> str:
        return f"<step from {self.node.name} to {self.parent.name}>"


@dataclass(slots=True, eq=False, repr=False)
class Hooked:
    """A gradient that a hook of the node changed before it was propagated."""

    node: Node
    before: Summary
    after: Summary


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
        import json

        from adjoint.see.explanation.narration import as_document

        return json.dumps(as_document(self), indent=indent, ensure_ascii=False, allow_nan=False)

    def latex(self) -> "Latex":
        """Return the formulas and numbers of all steps as two `aligned` environments, which notebooks typeset."""
        from adjoint.see.explanation.equations import as_latex

        return as_latex(self)

    def __repr__(self) -> str:
        return f"<explanation of {self.root.name}: {len(self.nodes):,} nodes, {len(self.backward):,} backward steps>"

    def __str__(self) -> str:
        from adjoint.see.explanation.narration import as_text

        return as_text(self)

    _repr_mimebundle_, __rich__ = mimebundle, rich_text


def explain_graph(root: Value, gradient: object, groups: Groups | None) -> Explanation:
    """Check the arguments of `adjoint.explain` and return the explanation."""
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


def shape_of(x: Summary) -> tuple[int, ...]:
    """Return the shape of an array, () for a number."""
    return x.shape if isinstance(x, ArraySummary) else ()


def _operand_name(x: "Node | Summary") -> str:
    if isinstance(x, Node):
        return x.name
    return f"{x:g}" if isinstance(x, float) else f"array {'×'.join(map(str, shape_of(x)))}"


def _operand_symbol(x: "Node | Summary") -> str | float:
    return x if isinstance(x, float) else _operand_name(x)


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
    from adjoint.arrays.backends import NUMPY

    return NUMPY.quietly(function, root, seed, nodes)


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
        for i, parent, part in _parts(value, total):
            counts[parent] += 1
            before = after = received.get(parent, 0.0)
            if part is not None:
                part = part if _is_array(parent) else _as_number(part)
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


def _parts(value: Value, total: object) -> list[tuple[int, Value, Any]]:
    """Return the index, the parent and the contribution for each operand that is a Value."""
    found = contributions(value, total)
    places = [i for i, x in enumerate(value._operands) if isinstance(x, Value)]
    if len(found) > len(places):  # an array operation has one for each operand, None for a constant
        found = [found[i] for i in places]
    return list(zip(places, value.parents, found))


def _as_number(x: Any) -> Any:
    """Return the contribution of an array operation to a number as a float; a traced one stays as it is."""
    try:
        return float(x)
    except Exception:
        return x
