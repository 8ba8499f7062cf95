"""Numerical checks: are the gradients what small changes of the inputs say they are?

A function or graph of numbers is checked number by number. With arrays, the derivative is checked along directions:
each element in turn where an array is small, random directions where it is large, in reverse and in forward mode.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from adjoint.engine.graph import backward_order, leaves_of
from adjoint.engine.modes import no_grad
from adjoint.engine.rule import Op, evaluate
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, GradientError, GraphError, MissingRuleError
from adjoint.errors.given import described, is_array, is_number, number

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
            "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths)).rstrip() for row in (head, *rows)
        )


def check_gradients(
    checked: Value | Callable[..., Any],
    *inputs,
    order: int = 1,
    directions: int = 8,
    seed: int = 0,
    epsilon: float = _EPSILON,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    raise_on_failure: bool = True,
) -> GradientCheck:
    """Compare gradients with central differences, for a function at `inputs` or for a graph.

    Given the root of a graph, it recomputes the graph from its leaves (from those in `inputs`
    alone, if there are any); no gradient that the graph holds is changed.

    Inputs and results may be arrays. A small array is checked element by element, a large one along as many random
    `directions`; a function in reverse and in forward mode, and with `order=2` also its second derivatives. All is
    computed in float64.

    >>> print(check_gradients(lambda x, y: x * y + x.tanh(), 0.5, 2.0))  # doctest: +ELLIPSIS
    input  value   backward  numerical    error
        x    0.5  2.7864477  2.7864477  ...  ok
        y      2        0.5        0.5  ...  ok
    """
    epsilon = number(epsilon, "epsilon")
    if not epsilon > 0:
        raise ArgumentError(f"epsilon must be greater than 0, not {epsilon}")
    if order not in (1, 2):
        raise ArgumentError(f"check_gradients checks derivatives of order 1 or 2, not {order!r}")
    for name, count, least in (("directions", directions, 1), ("seed", seed, 0)):
        if not hasattr(count, "__index__") or count < least:
            raise ArgumentError(f"{name} is a whole number from {least} up, not {described(count)}")
    if order == 2 or _has_arrays(checked, inputs):
        with_arrays = _WithArrays(checked, inputs, order, directions, seed)
        rows = with_arrays.rows(epsilon, rtol, atol)
        return _judged(GradientCheck(rows), raise_on_failure)
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
    return _judged(GradientCheck(rows), raise_on_failure)


def _judged(result: GradientCheck, raise_on_failure: bool) -> GradientCheck:
    if raise_on_failure and not result.ok:
        worst = result.worst
        mode = {"forward": "forward mode", "second": "the second derivative"}.get(worst.name.split()[-1], "backward()")
        raise GradientError(
            f"the gradient of {worst.name} at {worst.value!r} is {worst.analytic!r} by {mode} "
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


# --- arrays, and second derivatives ---------------------------------------------------------------------------

_FEW = 32  # elements of an array that are checked one by one


def _has_arrays(checked, inputs) -> bool:
    if isinstance(checked, Value):
        return any(hasattr(node, "shape") for node in (checked, *backward_order(checked), *leaves_of(checked)))
    if any(is_array(x) or isinstance(x, (list, tuple, dict)) for x in inputs):
        return True
    if not callable(checked) or not inputs or not all(isinstance(x, Value) or is_number(x) for x in inputs):
        return False
    with no_grad():
        result = checked(*[Value(float(x)) for x in inputs])
    return isinstance(result, (list, tuple, dict)) or is_array(result)


class _WithArrays:
    """A check along directions: how fast a weighted sum of the results changes as the inputs move."""

    def __init__(self, checked, inputs, order: int, directions: int, seed: int):
        import numpy as np

        from adjoint.transforms.trees import leaves, rebuilt

        self.order, self.directions, self.rng = order, directions, np.random.default_rng(seed)
        if isinstance(checked, Value):
            self.names, self.leaves, self.compute = _recomputation(checked, inputs)
            given = [leaf.data for leaf in self.leaves]
            self.compute_from = self.compute
        elif callable(checked):
            given = leaves(list(inputs))
            labels = _parameter_names(checked, len(inputs))
            self.names = [
                getattr(x, "label", "") or f"{label}{'' if len(leaves([part])) == 1 else f'.{k + 1}'}"
                for label, part in zip(labels, inputs)
                for k, x in enumerate(leaves([part]))
            ]
            self.compute_from = lambda xs: checked(*rebuilt(list(inputs), xs))
            self.leaves = []
        else:
            raise ArgumentError(f"check_gradients needs a function or a Value, not {described(checked)}")
        self.point = [np.array(_real(x), dtype=np.float64) for x in given]
        if not self.point:
            raise ArgumentError("check_gradients needs at least one input to check")
        found = leaves([self.compute_from(self._variables(self.point))])
        if not any(isinstance(x, Value) for x in found):
            raise ArgumentError(f"the function must return Values, not {described(found[0] if found else None)}")
        results = [_numpy(x) for x in found]
        sizes = [result.size for result in results]  # a single number is checked as it is
        self.weights = [np.ones(r.shape) if sizes == [1] else self.rng.uniform(0.5, 1.5, r.shape) for r in results]

    def _variables(self, point: Sequence) -> list:
        from adjoint.arrays.tensor import make_leaf

        return [make_leaf(x) if x.ndim else Value(float(x)) for x in point]

    def total(self, *variables) -> Any:
        """Return the results at some variables as one number: their weighted sum."""
        from adjoint.arrays.functions import reductions
        from adjoint.transforms.trees import leaves

        found: Any = 0.0
        for result, weight in zip(leaves([self.compute_from(list(variables))]), self.weights):
            product = result * weight if weight.shape else result * float(weight)
            found = reductions.sum(product) + found if getattr(product, "shape", ()) else product + found
        return found

    def number(self, point: Sequence) -> float:
        with no_grad():
            return float(self.total(*self._variables(point)))

    def rows(self, epsilon: float, rtol: float, atol: float) -> list[InputCheck]:
        from adjoint.transforms.derivatives import grad, hvp, jvp

        everything = tuple(range(len(self.point)))
        gradients = grad(self.total, everything)(*self.point)
        scale = abs(self.number(self.point)) + 1.0
        rows = []
        for i, (name, x) in enumerate(zip(self.names, self.point)):
            for label, value, direction in self._directions(name, x):
                step = epsilon * max(1.0, float(abs(x).max()) if x.size else 1.0)
                moved = [direction if k == i else 0.0 * y for k, y in enumerate(self.point)]
                numerical = self._difference(self.number, moved, step)
                tolerance = atol + 16 * sys.float_info.epsilon * scale / step + rtol * abs(numerical)
                reverse = float((_numpy(gradients[i]) * direction).sum())
                rows.append(InputCheck(label, value, reverse, numerical, tolerance))
                try:
                    forward = float(_numpy(jvp(self.total, tuple(self.point), tuple(moved))[1]))
                    rows.append(InputCheck(f"{label} forward", value, forward, numerical, tolerance))
                except MissingRuleError:
                    pass  # an operation for reverse mode alone
                if self.order == 2:
                    second = [
                        float((_numpy(h) * self._probe(k)).sum())
                        for k, h in enumerate(hvp(self.total, tuple(self.point), tuple(moved)))
                    ]
                    curvature = self._difference(self._slope, moved, step)
                    tolerance = atol + 64 * sys.float_info.epsilon * scale / step + rtol * abs(curvature) + 1e-7 * scale
                    rows.append(InputCheck(f"{label} second", value, math.fsum(second), curvature, tolerance))
        return rows

    def _probe(self, k: int):
        """Return a fixed direction to look at a gradient along."""
        import numpy as np

        return np.cos(np.arange(self.point[k].size).reshape(self.point[k].shape) + k + 1.0)

    def _slope(self, point: Sequence) -> float:
        from adjoint.transforms.derivatives import grad

        gradients = grad(self.total, tuple(range(len(point))))(*point)
        return math.fsum(float((_numpy(g) * self._probe(k)).sum()) for k, g in enumerate(gradients))

    def _difference(self, function: Callable, moved: Sequence, step: float) -> float:
        above = [x + step * d for x, d in zip(self.point, moved)]
        below = [x - step * d for x, d in zip(self.point, moved)]
        return (function(above) - function(below)) / (2 * step)

    def _directions(self, name: str, x) -> Iterator[tuple[str, float, Any]]:
        """Yield, for an input, what to call a direction, the number that moves, and the direction itself."""
        import numpy as np

        if x.size <= _FEW:
            for index in np.ndindex(x.shape):
                unit = np.zeros(x.shape)
                unit[index] = 1.0
                place = f"[{', '.join(map(str, index))}]" if index else ""
                yield f"{name}{place}", float(x[index]), unit
        else:
            for k in range(self.directions):
                direction = self.rng.normal(size=x.shape)
                yield f"{name} along {k + 1}", float("nan"), direction / np.sqrt((direction**2).sum())


def _real(x) -> Any:
    from adjoint.arrays.backends import NUMPY, require_real

    array = _numpy(x)
    require_real(array, NUMPY)
    return array


def _numpy(x) -> Any:
    """Return a number, an array of any library, or the data of a Value as a NumPy array."""
    import numpy as np

    from adjoint.arrays.backends import backend_of

    data = x.data if isinstance(x, Value) else x
    if isinstance(data, (list, tuple)):
        return np.asarray(data)
    m = backend_of(data)
    return np.asarray(m.to_numpy(data) if m else data)


def _recomputation(root: Value, inputs) -> tuple[list[str], list[Value], Callable]:
    """Return the leaves of a graph, their names, and how to compute its root from other leaves."""
    inner, all_leaves = backward_order(root)[::-1], leaves_of(root)
    leaves = list(inputs) or all_leaves
    for node in inner:
        if isinstance(node._rule, str):
            raise GraphError(f"{node!r} was made by hand: without a rule it cannot be recomputed")
        if node._rule.forward is None:
            raise GraphError(f"{node!r} was made by {node.op}: give check_gradients the function, not its graph")
    for leaf in leaves:
        if not isinstance(leaf, Value) or leaf not in all_leaves:
            raise ArgumentError(f"with a graph, inputs are leaves of it, not {described(leaf)}")

    def compute(xs: Sequence) -> Any:
        found: dict[Value, Any] = {leaf: leaf.data for leaf in all_leaves} | dict(zip(leaves, xs))
        for node in inner:
            operands = [found[x] if isinstance(x, Value) else x for x in node._operands]
            found[node] = node._rule(*operands, **(getattr(node, "_static", None) or {}))
        return found[root]

    return [leaf.label or f"leaf {i + 1}" for i, leaf in enumerate(leaves)], leaves, compute
