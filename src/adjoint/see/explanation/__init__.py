"""A computation as a list of steps: `print(adjoint.explain(loss))`."""

from typing import TYPE_CHECKING

from adjoint.engine.value import Value

if TYPE_CHECKING:
    from adjoint.see.explanation.groups import Groups
    from adjoint.see.explanation.steps import Explanation


def explain(root: Value, gradient: object = None, *, groups: "Groups | None" = None) -> "Explanation":
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
    from adjoint.see.explanation.steps import explain_graph

    return explain_graph(root, gradient, groups)
