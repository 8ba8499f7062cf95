"""Numerical checks: compare gradients with what small changes of the inputs give.

The derivative is checked along directions: each number and each element of a small array in turn, random directions
for a large array. Arrays are checked in reverse and in forward mode.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import array_code, data_of
from adjoint.arrays.random_generators import generator, number_generator
from adjoint.engine.graph import leaves_of, recomputation
from adjoint.engine.modes import no_grad
from adjoint.engine.rule import Op
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, GradientError, MissingRuleError
from adjoint.errors.given import describe, is_array, is_number, number
from adjoint.errors.text_table import html_table, table
from adjoint.transforms.derivatives import grad, hvp, jvp
from adjoint.transforms.trees import tree_leaves, tree_unflatten

if TYPE_CHECKING:
    import numpy as np

_EPSILON = 6e-6  # the cube root of the precision of a float: rounding and truncation errors balance
_FEW = 32  # an array with up to this many elements is checked element by element
_HEADINGS, _SIDES = ("input", "value", "backward", "numerical", "error", ""), " rrrr"  # of the table
_MOST_NAMES = 5  # wrong inputs in a repr


class InputCheck(NamedTuple):
    """One input: its gradient by adjoint, and by central differences."""

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
        """Whether the two agree. NaN agrees with nothing."""
        return self.error <= self.tolerance


class GradientCheck:
    """The result of `check_gradients`, with one row per input. It is true if all of them agree.

    >>> from adjoint import check_gradients
    >>> check_gradients(lambda x, y: x * y, 0.5, 2.0)
    GradientCheck(2 inputs; all agree)
    """

    def __init__(self, inputs: Sequence[InputCheck]):
        self.inputs = tuple(inputs)

    def failure(self) -> GradientError:
        """Return the error for a check in which some input disagrees."""
        worst = self.worst
        mode = {"forward": "forward mode", "second": "the second derivative"}.get(worst.name.split()[-1], "backward()")
        return GradientError(
            f"the gradient of {worst.name} at {worst.value:.8g} is {worst.analytic:.8g} by {mode} "
            f"and {worst.numerical:.8g} by central differences:\n{self}"
        )

    @property
    def ok(self) -> bool:
        """Whether all inputs agree."""
        return all(row.ok for row in self.inputs)

    @property
    def worst(self) -> InputCheck:
        """The input with the largest error, relative to its tolerance."""
        return max(self.inputs, key=_relative_error)

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        wrong = [row.name for row in self.inputs if not row.ok]
        found = f"wrong: {', '.join(wrong[:_MOST_NAMES])}{', …' * (len(wrong) > _MOST_NAMES)}" if wrong else "all agree"
        return f"GradientCheck({len(self.inputs)} input{'s' * (len(self.inputs) != 1)}; {found})"

    def __str__(self) -> str:
        return table(_HEADINGS, self._cells(), right=_SIDES)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": html_table(_HEADINGS, self._cells(), right=_SIDES)}

    def _cells(self) -> list[tuple[str, ...]]:
        return [
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


def check_gradients(
    checked: Value | Callable,
    *inputs: object,
    order: int = 1,
    directions: int = 8,
    seed: int = 0,
    epsilon: float = _EPSILON,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    raise_on_failure: bool = True,
) -> GradientCheck:
    """Compare gradients with central differences, for a function at `inputs` or for a graph.

    Given the root of a graph, it recomputes the graph from its leaves, or only from those in `inputs`. The gradients
    that the graph holds do not change.

    Inputs and results may be arrays. A small array is checked element by element, a large one along that many random
    `directions`, both in reverse and in forward mode. With `order=2` second derivatives are checked as well. All
    computations are in float64.

    >>> from adjoint import check_gradients
    >>> print(check_gradients(lambda x, y: x * y + x.tanh(), 0.5, 2.0))  # doctest: +ELLIPSIS
    input  value   backward  numerical    error
    ───────────────────────────────────────────...
    x        0.5  2.7864477  2.7864477  ...  ok
    y          2        0.5        0.5  ...  ok
    """
    epsilon = number(epsilon, "epsilon")
    if not epsilon > 0:
        raise ArgumentError(f"epsilon must be greater than 0, not {epsilon}")
    if order not in (1, 2):
        raise ArgumentError(f"check_gradients checks derivatives of order 1 or 2, not {order!r}")
    for name, count, least in (("directions", directions, 1), ("seed", seed, 0)):
        if not hasattr(count, "__index__") or count < least:
            raise ArgumentError(f"{name} must be an integer of at least {least}, not {describe(count)}")
    if isinstance(checked, Value):
        names, point, function = _of_graph(checked, inputs)
    elif callable(checked):
        names, point, function = _of_function(checked, inputs)
    else:
        raise ArgumentError(f"check_gradients needs a function or a Value, not {describe(checked)}")
    if not point:
        raise ArgumentError("check_gradients needs at least one input to check")
    check = _Check(names, point, function, order, directions, seed)
    result = GradientCheck(list(check.rows(epsilon, rtol, atol)))
    if raise_on_failure and not result.ok:
        raise result.failure()
    return result


def _relative_error(row: InputCheck) -> float:
    return math.inf if math.isnan(row.error) else row.error / max(row.tolerance, 1e-300)


# --- what is checked: the names of the inputs, the point, and the function from a point to results -------

Numeric: TypeAlias = "float | np.ndarray"
_Checked = tuple[list[str], list[Any], Callable[[Sequence], object]]  # numbers are floats, and arrays NumPy's


def _of_function(function: Callable, inputs: tuple) -> _Checked:
    given, names = tree_leaves(inputs), []
    for name, part in zip(_parameter_names(function, len(inputs)), inputs):
        leaves = tree_leaves([part])
        for k, x in enumerate(leaves):
            label = x.label if isinstance(x, Value) else ""
            names.append(label or (name if len(leaves) == 1 else f"{name}.{k + 1}"))
    return names, [_as_float64(x) for x in given], lambda xs: function(*tree_unflatten(inputs, xs))


def _parameter_names(function: Callable, count: int) -> list[str]:
    if isinstance(function, Op):
        names = list(function.operands)
    else:
        code = getattr(function, "__code__", None)
        names = list(code.co_varnames[: code.co_argcount]) if code else []
    return names if len(names) == count else [f"x{i + 1}" for i in range(count)]


def _of_graph(root: Value, inputs: tuple) -> _Checked:
    all_leaves = dict.fromkeys(leaves_of(root))
    leaves = list(inputs) or list(all_leaves)
    for leaf in leaves:
        if not isinstance(leaf, Value) or leaf not in all_leaves:
            raise ArgumentError(f"the inputs of a graph must be leaves of it, not {describe(leaf)}")
    names, compute = [leaf.label or f"leaf {i + 1}" for i, leaf in enumerate(leaves)], recomputation(root)
    return names, [_as_float64(leaf) for leaf in leaves], lambda xs: compute(dict(zip(leaves, xs)))


class _Check:
    """Derivatives along directions: how fast a weighted sum of the results changes as the inputs move."""

    def __init__(self, names: list[str], point: list[Any], function: Callable, order: int, directions: int, seed: int):
        self.names, self.point, self.function = names, point, function
        self.order, self.directions, self.seed = order, directions, seed
        found = tree_leaves([function(_variables(point))])
        if not any(isinstance(x, Value) for x in found):
            raise ArgumentError(f"the function must return Values, not {describe(found[0] if found else None)}")
        shapes, numbers = [shape_of(x) for x in found], number_generator(seed)
        is_number = [math.prod(shape) for shape in shapes] == [1]  # checked as it is, with the weight 1
        self.weights: list[Any] = [
            1.0 if is_number else self.rng.uniform(0.5, 1.5, shape) if shape else numbers.uniform(0.5, 1.5)
            for shape in shapes
        ]
        # numbers use the same rules in both modes; arrays may have a rule for each
        self.in_both_modes = order == 2 or any((*map(shape_of, point), *shapes)) or len(shapes) > 1

    @cached_property
    def rng(self) -> "np.random.Generator":
        """The generator of random directions and weights of arrays."""
        return generator(self.seed)

    def rows(self, epsilon: float, rtol: float, atol: float) -> Iterator[InputCheck]:
        """Yield a row for each direction of each input: in reverse mode, in forward mode, and to the second order."""
        gradients = grad(self._total, range(len(self.point)))(*self.point)
        scale = abs(self._number(self.point)) + 1.0
        for i, (name, x) in enumerate(zip(self.names, self.point)):
            step = epsilon * max(1.0, _largest(x))
            rounding = sys.float_info.epsilon * scale / step
            for label, value, direction in self._directions(name, x):
                tangents = tuple(direction if k == i else 0.0 * y for k, y in enumerate(self.point))
                numerical = self._central_difference(self._number, tangents, step)
                analytic = _dot(_plain(gradients[i]), direction)
                tolerance = atol + 16 * rounding + rtol * max(abs(analytic), abs(numerical))
                yield InputCheck(label, value, analytic, numerical, tolerance)
                forward = self._forward(tangents) if self.in_both_modes else None
                if forward is not None:
                    yield InputCheck(f"{label} forward", value, forward, numerical, tolerance)
                if self.order == 2:
                    curvature = self._central_difference(self._slope, tangents, step)
                    tolerance = atol + 64 * rounding + rtol * abs(curvature) + 1e-7 * scale
                    yield InputCheck(f"{label} second", value, self._second(tangents), curvature, tolerance)

    def _total(self, *variables):
        """Return the results at some variables as one number: their weighted sum."""
        found = 0.0
        for result, weight in zip(tree_leaves([self.function(variables)]), self.weights):
            product = result * weight
            found = product.sum() + found if shape_of(product) else product + found
        return found

    def _number(self, point: Sequence[Numeric]) -> float:
        with no_grad():
            return float(self._total(*_variables(point)))

    def _forward(self, tangents: tuple) -> float | None:
        """Return the derivative by forward mode; None if an operation has a rule for reverse mode only."""
        try:
            return float(_plain(jvp(self._total, tuple(self.point), tangents)[1]))
        except MissingRuleError:
            return None

    def _second(self, tangents: tuple) -> float:
        return self._along_probes(hvp(self._total, tuple(self.point), tangents))

    def _slope(self, point: Sequence[Numeric]) -> float:
        return self._along_probes(grad(self._total, range(len(point)))(*point))

    def _along_probes(self, gradients: Sequence) -> float:
        """Return the sum of gradients along one fixed direction per input."""
        return math.fsum(_dot(gradient, _probe(gradient, k + 1.0)) for k, gradient in enumerate(map(_plain, gradients)))

    def _central_difference(self, function: Callable, tangents: Sequence[Numeric], step: float) -> float:
        above = [x + step * t for x, t in zip(self.point, tangents)]
        below = [x - step * t for x, t in zip(self.point, tangents)]
        moved = math.fsum(_dot(a - b, t) for a, b, t in zip(above, below, tangents))
        return (function(above) - function(below)) / moved  # the step after rounding

    def _directions(self, name: str, x: Any) -> Iterator[tuple[str, float, Numeric]]:
        """Yield a name for each direction of an input, the number that moves, and the direction, of length 1."""
        if not shape_of(x):
            yield name, float(x), 1.0
            return
        import numpy as np

        if x.size <= _FEW:
            for index in np.ndindex(x.shape):
                unit = np.zeros(x.shape)
                unit[index] = 1.0
                yield f"{name}[{', '.join(map(str, index))}]" if index else name, float(x[index]), unit
        else:
            for k in range(self.directions):
                direction = self.rng.normal(size=x.shape)
                yield f"{name} along {k + 1}", math.nan, direction / np.sqrt((direction**2).sum())


def _variables(point: Sequence[Numeric]) -> list[Value]:
    return [Value(x) for x in point]


def _as_float64(x: object) -> Numeric:
    if not isinstance(x, Value) and not is_array(x):
        x = number(x, "an input")
    plain: Any = _plain(x)
    if isinstance(plain, float):
        return plain

    backends = array_code("backends")
    backends.require_real(plain, backends.NUMPY)
    return plain.astype("float64")


def _plain(x: object) -> Any:
    """Return a number as a float, and an array of any library as a NumPy array."""
    data = data_of(x)
    if is_number(data):
        return float(data)
    import numpy as np

    return np.asarray(array_code("backends").common_backend([data], "check_gradients").to_numpy(data))


def _dot(x: Any, z: Any) -> float:
    return x * z if isinstance(x, float) and isinstance(z, float) else float((x * z).sum())


def _largest(x: Any) -> float:
    return abs(x) if isinstance(x, float) else float(abs(x).max()) if x.size else 1.0


def _probe(x: Any, start: float) -> Numeric:
    """Return the fixed direction along which gradients of an input are added up."""
    if isinstance(x, float):
        return math.cos(start)
    import numpy as np

    return np.cos(np.arange(x.size).reshape(x.shape) + start)
