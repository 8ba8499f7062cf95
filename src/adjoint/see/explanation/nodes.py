"""The parts of an explanation: the nodes of a graph, and the steps of the backward pass along its edges."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjoint.engine.mathematics.printing import as_mathematics
from adjoint.engine.rule import Op, format_application
from adjoint.see.explanation.derivative_formulas import as_factor, local_derivative
from adjoint.see.explanation.groups import OUTSIDE
from adjoint.see.explanation.sentences import of_elements, sentence
from adjoint.see.explanation.summaries import ArraySummary, Summary

if TYPE_CHECKING:  # arrays load NumPy, which graphs of numbers do not need
    from adjoint.arrays.array_rule import ArrayOp
    from adjoint.engine.mathematics.symbols import Symbol


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


def shape_of(x: Summary) -> tuple[int, ...]:
    """Return the shape of an array, () for a number."""
    return x.shape if isinstance(x, ArraySummary) else ()


def _operand_name(x: "Node | Summary") -> str:
    if isinstance(x, Node):
        return x.name
    return f"{x:g}" if isinstance(x, float) else f"array {'×'.join(map(str, shape_of(x)))}"


def _operand_symbol(x: "Node | Summary") -> str | float:
    return x if isinstance(x, float) else _operand_name(x)
