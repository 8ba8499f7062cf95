"""The steps of an explanation as equations, in LaTeX or in MathML.

A forward step is `d = a · b = 2 · (−3) = −6`, a backward step `∂L/∂a += ∂L/∂d · b = −2 · (−3) = 6`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from adjoint.engine.mathematics.printing import Expression, Notation, write, write_factor
from adjoint.engine.mathematics.symbols import Symbol
from adjoint.see.explanation.latex import LATEX, name_as_latex, number_as_latex, text_as_latex
from adjoint.see.explanation.mathml import (
    MATHML,
    Element,
    as_mathml as formula_as_mathml,
    name_as_mathml,
    number_as_mathml,
    text_as_mathml,
)
from adjoint.see.explanation.narration import brief
from adjoint.see.explanation.nodes import BackwardStep, Node, shape_of
from adjoint.see.explanation.summaries import Summary

if TYPE_CHECKING:
    from adjoint.see.explanation.steps import Explanation

T = TypeVar("T")  # a part of an equation: text, or an element

# --- the sides of an equation, in any notation ---------------------------------------------------------------


def _forward_sides(node: Node, n: Notation[T]) -> list[T]:
    """Return the operation of a node in names and, unless it has arrays, in numbers; nothing for a leaf."""
    if node.is_leaf:
        return []
    sides = [write(Symbol(node.op, *(_operand(x, lambda x: Symbol(x.name)) for x in node.operands)), n)]
    if not node.is_of_arrays:
        sides.append(write(Symbol(node.op, *(_operand(x, _number) for x in node.operands)), n))
    return sides


def _number(node: Node) -> float:
    assert isinstance(node.data, float)
    return node.data


def _operand(x: Node | Summary, of_node: Callable[[Node], Expression]) -> Expression:
    return of_node(x) if isinstance(x, Node) else x if isinstance(x, float) else Symbol(f"array{shape_of(x)}")


def _has_numbers(step: BackwardStep) -> bool:
    return step.local is not None and isinstance(step.incoming, float)


# --- LaTeX ---------------------------------------------------------------------------------------------------


class Latex(str):
    """LaTeX source: blocks of mathematics with blank lines between them. Notebooks typeset it."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        blocks = (f"$$\n{block}\n$$" for block in self.split("\n\n"))
        return {"text/plain": str(self), "text/latex": "\n\n".join(blocks)}


def as_latex(explanation: "Explanation") -> Latex:
    """Return the forward and the backward steps as two `aligned` environments."""
    root = name_as_latex(explanation.root.name)
    forward = [_forward_latex(node) for node in explanation.nodes]
    seed = rf"{_partial(root, root)} &= {_latex_number(explanation.root.grad)}"
    steps = [step for step in explanation.backward if isinstance(step, BackwardStep)]
    backward = [seed] + [_backward_latex(step, root) for step in steps]
    return Latex("\n\n".join(_align(lines) for lines in (forward, backward)))


def _align(lines: list[str]) -> str:
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _partial(of: str, by: str) -> str:
    return rf"\frac{{\partial {of}}}{{\partial {by}}}"


def _forward_latex(node: Node) -> str:
    sides = [*_forward_sides(node, LATEX), _latex_number(node.data)]
    return f"{name_as_latex(node.name)} &= {' = '.join(dict.fromkeys(sides))}"


def _backward_latex(step: BackwardStep, root: str) -> str:
    node, parent = name_as_latex(step.node.name), name_as_latex(step.parent.name)
    derivative = step.node.derivative(step.operand)
    left = rf"{_partial(root, parent)} &\mathrel{{+}}= "
    if derivative is None:
        return left + text_as_latex(step.formula)
    line = rf"{left}{_partial(root, node)} \cdot {write_factor(derivative, LATEX)}"
    if not _has_numbers(step):
        return line
    product = write(Symbol("*", step.incoming, step.local), LATEX)
    return rf"{line} = {product} = {_latex_number(step.contribution)}"


def _latex_number(x: Summary) -> str:
    return number_as_latex(f"{x:.6g}") if isinstance(x, float) else text_as_latex(brief(x))


# --- MathML --------------------------------------------------------------------------------------------------


def forward_mathml(node: Node) -> Element:
    """Return the forward step of a node: `d = a · b = 2 · (−3) = −6`.

    >>> from adjoint import Value, explain
    >>> from adjoint.see import forward_mathml
    >>> forward_mathml(explain(Value(2.0, label="a").exp()).root)[1]
    ['msub', ['mi', 'v'], ['mn', '1']]
    """
    sides: list[Element] = [name_as_mathml(node.name)]
    for side in (*_forward_sides(node, MATHML), _mathml_number(node.data)):
        if side not in sides:
            sides.append(side)
    return _chain(sides)


def derivative_mathml(step: BackwardStep) -> Element:
    """Return the local derivative of an edge as a formula; for arrays, the contribution as text.

    >>> from adjoint import Value, explain
    >>> from adjoint.see import derivative_mathml
    >>> derivative_mathml(explain(Value(2.0, label="a") * Value(3.0, label="b")).backward[0])
    ['mi', 'b']
    """
    derivative = step.node.derivative(step.operand)
    return text_as_mathml(step.formula) if derivative is None else formula_as_mathml(derivative)


def seed_mathml(root: Node) -> Element:
    """Return the start of the backward pass: `∂L/∂L = 1`.

    >>> from adjoint import Value, explain
    >>> from adjoint.see import seed_mathml
    >>> seed_mathml(explain(Value(2.0, label="a")).root)[-1]
    ['mn', '1']
    """
    name = name_as_mathml(root.name)
    return _chain([_partial_mathml(name, name), _mathml_number(root.grad)])


def backward_mathml(step: BackwardStep, root: Node) -> Element:
    """Return the contribution to an operand: `∂L/∂a += ∂L/∂d · b = −2 · (−3) = 6`.

    >>> from adjoint import Value, explain
    >>> from adjoint.see import backward_mathml
    >>> explained = explain(Value(2.0, label="a") * 3)
    >>> backward_mathml(explained.backward[0], explained.root)[2]
    ['mo', '+=']
    """
    of = name_as_mathml(root.name)
    left = _partial_mathml(of, name_as_mathml(step.parent.name))
    derivative = step.node.derivative(step.operand)
    if derivative is None:
        return ["mrow", left, ["mo", "+="], text_as_mathml(step.formula)]
    incoming = _partial_mathml(of, name_as_mathml(step.node.name))
    sides = [["mrow", incoming, ["mo", "·"], write_factor(derivative, MATHML)]]
    if _has_numbers(step):
        sides.append(formula_as_mathml(Symbol("*", step.incoming, step.local)))
        sides.append(_mathml_number(step.contribution))
    return ["mrow", left, ["mo", "+="], _chain(sides)]


def _partial_mathml(of: Element, by: Element) -> Element:
    return ["mfrac", ["mrow", ["mo", "∂"], of], ["mrow", ["mo", "∂"], by]]


def _chain(sides: list[Element]) -> Element:
    chained: Element = ["mrow", sides[0]]
    for side in sides[1:]:
        chained += [["mo", "="], side]
    return chained


def _mathml_number(x: Summary) -> Element:
    return number_as_mathml(x) if isinstance(x, float) else text_as_mathml(brief(x))
