"""The small graph of a question, built line by line from Values, with its explanation."""

from adjoint import Value, explain
from adjoint.see import BackwardStep, Expression, Node, backward_text, forward_text, number, seed_text


class QuestionGraph:
    """Named nodes, each computed by a line such as `d = a*b`, and the steps of both passes.

    Numbers that no line uses are ignored.

    >>> graph = QuestionGraph("d = a*b", "L = d + a", a=2.0, b=-3.0)
    >>> graph.value("L"), graph.gradient("a")
    (-4.0, -2.0)
    >>> print(*graph.steps_to("a"), sep="\\n")
    L.grad = 1, because ∂L/∂L = 1
    d.grad += L.grad · 1 = 1 · 1 → 1 (was 0)
    a.grad += L.grad · 1 = 1 · 1 → 1 (was 0)
    a.grad += d.grad · b = 1 · −3 = −3 → −2 (was 1; a is used twice, so its gradients add up)
    """

    def __init__(self, *lines: str, **numbers: float):
        self.lines = list(lines)
        computed = {name: Expression(formula) for name, _, formula in (line.partition(" = ") for line in lines)}
        used = {name for expression in computed.values() for name in expression.names}
        self.numbers = {name: float(x) for name, x in numbers.items() if name in used}
        self.values = {name: Value(x, label=name) for name, x in self.numbers.items()}
        for name, expression in computed.items():
            self.root = expression.value(self.values)
            self.root.label = name
            self.values[name] = self.root
        self.explanation = explain(self.root)
        self.nodes: dict[str, Node] = {node.name: node for node in self.explanation.nodes}
        self.edges = [step for step in self.explanation.backward if isinstance(step, BackwardStep)]

    @property
    def inner(self) -> list[str]:
        """The names of the computed nodes, in the order of evaluation."""
        return [node.name for node in self.explanation.forward]

    @property
    def leaves(self) -> list[str]:
        """The names of the given nodes."""
        return [node.name for node in self.explanation.leaves]

    def value(self, name: str) -> float:
        """Return the value of a node."""
        return _float(self.nodes[name].data)

    def gradient(self, name: str) -> float:
        """Return the gradient of the last node with respect to a node."""
        return _float(self.nodes[name].grad)

    def edge(self, node: str, parent: str) -> BackwardStep:
        """Return the backward step from a node to one of its operands."""
        return next(step for step in self.edges if step.node.name == node and step.parent.name == parent)

    def edges_into(self, name: str) -> list[BackwardStep]:
        """Return the backward steps that contribute to the gradient of a node, in the order of the pass."""
        return [step for step in self.edges if step.parent.name == name]

    def depends(self, name: str) -> set[str]:
        """Return the names of the nodes whose value depends on a node, including itself."""
        found = {name}
        for node in self.explanation.forward:
            if any(isinstance(x, Node) and x.name in found for x in node.operands):
                found.add(node.name)
        return found

    # --- as text ---

    def forward_steps(self, *names: str) -> list[str]:
        """Return a line for the computation of each of these nodes, by default of all."""
        return [forward_text(node) for node in self.explanation.forward if not names or node.name in names]

    def steps_to(self, *names: str) -> list[str]:
        """Return the lines of the backward pass that lead to the gradients of these nodes."""
        matter = set().union(*map(self.depends, names))
        lines = [backward_text(step) for step in self.edges if step.parent.name in matter]
        return [seed_text(self.explanation.root), *lines]


def _float(x: object) -> float:
    assert isinstance(x, float)  # graphs of questions are of single numbers
    return x + 0.0  # no minus zero


def term(x: float) -> str:
    """Return a number for use in a formula: in parentheses if it is negative.

    >>> term(-2.0), term(0.5)
    ('(−2)', '0.5')
    """
    return f"({number(x)})" if x < 0 else number(x)


def join_names(names: list[str], last: str = "and") -> str:
    """Join names for use in a sentence.

    >>> join_names(["a", "b", "c"])
    'a, b and c'
    """
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
