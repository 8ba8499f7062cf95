"""Numerical checks: are the gradients what small changes of the inputs say they are?"""

import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

from adjoint.errors import ArgumentError, GradientError, GraphError
from adjoint.floats import described, number
from adjoint.graph import backward_order, leaves_of
from adjoint.modes import no_grad
from adjoint.rules import Op, evaluate
from adjoint.value import Value

_EPSILON = 6e-6  # the cube root of the float's precision: where rounding and truncation balance


class InputCheck(NamedTuple):
    """One input: its gradient by `backward()`, and by central differences."""

    name: str
    value: float
    analytic: float
    numerical: float
    tolerance: float

    @property
    def error(self) -> float:
        """The distance between the two gradients."""
        return 0.0 if self.analytic == self.numerical else abs(self.analytic - self.numerical)

    @property
    def ok(self) -> bool:
        """Whether they agree; NaN agrees with nothing."""
        return self.error <= self.tolerance


class GradientCheck:
    """The result of `check_gradients`: one row per input. True if all of them agree."""

    def __init__(self, inputs: Sequence[InputCheck]):
        self.inputs = tuple(inputs)

    @property
    def ok(self) -> bool:
        """Whether all inputs agree."""
        return all(row.ok for row in self.inputs)

    @property
    def worst(self) -> InputCheck:
        """The input with the largest error, measured in its own tolerance."""
        return max(self.inputs, key=_badness)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        head = ("input", "value", "backward", "numerical", "error", "")
        rows = [
            (
                row.name,
                f"{row.value:.6g}",
                f"{row.analytic:.8g}",
                f"{row.numerical:.8g}",
                f"{row.error:.1e}",
                "ok" if row.ok else "WRONG",
            )
            for row in self.inputs
        ]
        widths = [max(map(len, column)) for column in zip(head, *rows)]
        return "\n".join(
            "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths)).rstrip()
            for row in (head, *rows)
        )


def check_gradients(
    checked: Value | Callable[..., Value],
    *inputs,
    epsilon: float = _EPSILON,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    raise_on_failure: bool = True,
) -> GradientCheck:
    """Compare gradients with central differences, for a function at `inputs` or for a graph.

    Given the root of a graph, it recomputes the graph from its leaves (from those in `inputs`
    alone, if there are any); no gradient that the graph holds is changed.

    >>> print(check_gradients(lambda x, y: x * y + x.tanh(), 0.5, 2.0))  # doctest: +ELLIPSIS
    input  value   backward  numerical    error
        x    0.5  2.7864477  2.7864477  ...  ok
        y      2        0.5        0.5  ...  ok
    """
    epsilon = number(epsilon, "epsilon")
    if not epsilon > 0:
        raise ArgumentError(f"epsilon must be greater than 0, not {epsilon}")
    if isinstance(checked, Value):
        names, point, analytic, function = _of_graph(checked, inputs)
    elif callable(checked):
        names, point, analytic, function = _of_function(checked, inputs)
    else:
        raise ArgumentError(f"check_gradients needs a function or a Value, not {described(checked)}")
    if not point:
        raise ArgumentError("check_gradients needs at least one input to check")
    rounding = 16 * sys.float_info.epsilon * abs(function(point))
    rows = []
    for i, (name, x, slope) in enumerate(zip(names, point, analytic)):
        step = epsilon * max(1.0, abs(x))
        numerical = _central_difference(function, point, i, step)
        tolerance = atol + rounding / step + rtol * max(abs(slope), abs(numerical))
        rows.append(InputCheck(name, x, slope, numerical, tolerance))
    result = GradientCheck(rows)
    if raise_on_failure and not result.ok:
        worst = result.worst
        raise GradientError(
            f"the gradient of {worst.name} at {worst.value!r} is {worst.analytic!r} by backward() "
            f"and {worst.numerical!r} by central differences:\n{result}"
        )
    return result


def _badness(row: InputCheck) -> float:
    return float("inf") if row.error != row.error else row.error / max(row.tolerance, 1e-300)


def _central_difference(function, point: Sequence[float], i: int, step: float) -> float:
    above, below = point[i] + step, point[i] - step
    rise = function([*point[:i], above, *point[i + 1 :]]) - function([*point[:i], below, *point[i + 1 :]])
    return rise / (above - below)  # the step as the floats have it


def _of_function(f: Callable[..., Value], inputs):
    point = [float(x) if isinstance(x, Value) else number(x, "an input") for x in inputs]
    leaves = [Value(x) for x in point]
    result = f(*leaves)
    if not isinstance(result, Value):
        raise ArgumentError(f"the function must return a Value, not {described(result)}")
    labels = [x.label if isinstance(x, Value) else "" for x in inputs]
    names = [label or name for label, name in zip(labels, _parameter_names(f, len(point)))]

    def function(xs: Sequence[float]) -> float:
        with no_grad():
            return float(f(*map(Value, xs)))

    return names, point, _gradients(result, leaves), function


def _parameter_names(f: Callable, count: int) -> list[str]:
    code = getattr(f, "__code__", None)
    names = list(code.co_varnames[: code.co_argcount]) if code else []
    if isinstance(f, Op):
        names = list(f.operands)
    return names if len(names) == count else [f"x{i + 1}" for i in range(count)]


def _of_graph(root: Value, inputs):
    inner, all_leaves = backward_order(root)[::-1], leaves_of(root)
    leaves = list(inputs) or all_leaves
    for node in inner:
        if not isinstance(node._rule, Op):
            raise GraphError(f"{node!r} was made by hand: without a rule it cannot be recomputed")
    for leaf in leaves:
        if not isinstance(leaf, Value) or leaf not in all_leaves:
            raise ArgumentError(f"with a graph, inputs are leaves of it, not {described(leaf)}")

    def function(xs: Sequence[float]) -> float:
        data = {leaf: leaf.data for leaf in all_leaves} | dict(zip(leaves, xs))
        for node in inner:
            operands = [x if isinstance(x, float) else data[x] for x in node._operands]
            data[node] = evaluate(node._rule, operands, ())[0]
        return data[root]

    names = [leaf.label or f"leaf {i + 1}" for i, leaf in enumerate(leaves)]
    return names, [leaf.data for leaf in leaves], _gradients(root, leaves), function


def _gradients(root: Value, leaves: list[Value]) -> list[float]:
    """Return the gradients of `leaves` by backward(), leaving all that the graph holds as it was."""
    before = [(node, node.grad) for node in (*backward_order(root), *leaves_of(root), *leaves)]
    try:
        for leaf in leaves:
            leaf.zero_grad()
        root.backward()
        return [float(leaf.grad) for leaf in leaves]
    finally:
        for node, grad in before:
            node.grad = grad
