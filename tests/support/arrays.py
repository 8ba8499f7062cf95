"""Problems with arrays: an operation of adjoint and the same one in PyTorch on random arrays, and claims about them.

A test file keeps a table of cases, one function per family of operations:

    @case(CASES, "sum", "mean")
    def _(name, draw):
        x = draw.array()
        axis = draw.axes(x.ndim)
        return Problem(draw.call(name, axis=axis), lambda t: …, [x])

`problems(CASES, name)` is the strategy that draws such problems; the `require_…` functions below are the claims.
The references are PyTorch's results and central differences. Without PyTorch the tests that draw problems are skipped.
"""

import contextlib
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from closeness import require_close, require_slope
from hypothesis import assume, strategies as st
from hypothesis.extra import numpy as hnp

import adjoint
from adjoint import Tensor, Value

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = F = None

FINITE_EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 40.0, -40.0, 1e-10)
EDGES = (*FINITE_EDGES, math.inf, -math.inf, math.nan)
HUGE = {np.dtype(np.float64): (1e300, -1e300), np.dtype(np.float32): (1e30, -1e30)}
TIES = (-1.0, 0.0, 1.0, 2.0)


@dataclass
class Problem:
    """A function of adjoint and the same function in PyTorch; each takes one Value or tensor per input."""

    ours: Callable
    theirs: Callable
    inputs: list[np.ndarray]
    asked: str = ""
    by_mask: bool = False  # the shape of the result depends on data, so it cannot be compiled
    variables: Sequence[bool] = ()
    condition: float = 1.0  # how many times more than its rounding this function loses, or PyTorch's version of it
    seed: int = field(default=0, repr=False)

    def __post_init__(self):
        self.variables = tuple(self.variables) or (True,) * len(self.inputs)

    @property
    def rule(self) -> dict[str, float]:
        """How to compare numbers of this problem. The inputs have a size of about 1, and their terms may cancel."""
        return {"scale": 1.0, "condition": self.condition}

    def weights(self, like: np.ndarray, which: int) -> np.ndarray:
        """Return random numbers of the shape and dtype of an array: a cotangent or a direction."""
        random = np.random.default_rng([self.seed, which])
        return np.asarray(random.uniform(-1, 1, like.shape), like.dtype, order="F" if self.seed % 2 else "C")


@dataclass
class Call:
    """A function of adjoint and its arguments beyond the operands."""

    name: str
    arguments: tuple = ()
    options: dict = field(default_factory=dict)
    as_method: bool = False

    def __call__(self, x, *others):
        if self.as_method and isinstance(x, Tensor):
            return getattr(x, self.name)(*others, *self.arguments, **self.options)
        return getattr(adjoint, self.name)(x, *others, *self.arguments, **self.options)


class Draw:
    """The random choices of a case.

    One seed determines the elements and the memory layouts of all arrays. Drawing each element would take much longer.
    """

    def __init__(self, draw, kind: str, dtype):
        self.draw, self.kind, self.dtype = draw, kind, np.dtype(dtype)
        self.seed, self.arrays = self.integer(0, 2**16), 0

    def __call__(self, strategy):
        return self.draw(strategy)

    def shape(self, least: int = 0, most: int = 3, min_side: int = 0) -> tuple[int, ...]:
        """Draw a shape, sometimes without axes or elements."""
        ndim = self.one_of(*[n for n in (2, 3, 1, 2, 3, 0, 1, 4) if least <= n <= most])
        return tuple(self.side(min_side) for _ in range(ndim))

    def side(self, least: int = 0) -> int:
        return self.one_of(*[n for n in (3, 2, 1, 2, 3, 2, 0, 3, 1) if n >= least])

    def array(self, shape=None, low: float = -2.0, high: float = 2.0, special=None) -> np.ndarray:
        """Draw distinct numbers between two bounds; or numbers with ties, or edge values of floating-point arithmetic.

        `special` replaces the numbers of the last two kinds where PyTorch gives no reference.
        """
        shape = self.shape() if shape is None else tuple(shape)
        self.arrays += 1
        random = np.random.default_rng([self.seed, 1, self.arrays])  # different for each array, and from the weights
        if self.kind == "generic":
            count = math.prod(shape)
            places = random.permutation(count) + random.uniform(0.2, 0.8, count)
            x = (low + (high - low) * places / max(count, 1)).reshape(shape)
        else:
            x = random.choice(special or (TIES if self.kind == "ties" else EDGES + HUGE[self.dtype]), shape)
        return self._laid_out(np.asarray(x, self.dtype), ("rows", "columns", "apart", "backward")[random.integers(4)])

    @staticmethod
    def _laid_out(x: np.ndarray, layout: str) -> np.ndarray:
        """Return the array in one of several memory layouts."""
        if layout == "apart":
            return np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x
        if layout == "backward":
            return np.flip(x).copy()[(slice(None, None, -1),) * x.ndim]
        return np.asarray(x, order="F" if layout == "columns" else "C")

    def integer(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def flag(self) -> bool:
        return self.draw(st.booleans())

    def one_of(self, *choices):
        return self.draw(st.sampled_from(choices))

    def call(self, name: str, *arguments, **options) -> "Call":
        """Return a call of the function with that name, or of the method if there is one."""
        return Call(name, arguments, options, hasattr(Tensor, name) and self.flag())

    def axis(self, ndim: int) -> int:
        """Draw one axis, counted from either end."""
        return self.integer(-ndim, ndim - 1)

    def axes(self, ndim: int) -> int | tuple[int, ...] | None:
        """Draw None for all axes, one axis, or several, counted from either end."""
        some = st.none() | hnp.valid_tuple_axes(ndim)
        return self.draw(some | st.integers(-ndim, ndim - 1) if ndim else some)

    def broadcast(self, count: int, least: int = 0, most: int = 3) -> list[tuple[int, ...]]:
        """Draw shapes that broadcast against each other, some with missing axes or axes of size 1."""
        whole = self.shape(least, most)
        shapes = []
        for _ in range(count):
            missing = self.one_of(*[n for n in (0, 0, 0, 1, 2) if n <= len(whole) - least])
            shapes.append(tuple(self.one_of(n, n, 1) for n in whole[missing:]))
        return shapes


def case(table: dict[str, Callable], *names: str):
    """Add a function that draws problems to a table, under each of the names."""

    def enter(function):
        for name in names:
            assert name not in table, f"two cases called {name}"
            table[name] = function
        return function

    return enter


@st.composite
def problems(draw, table: dict[str, Callable], name: str, kind: str = "generic", dtypes=("float64", "float32")):
    """Draw a problem of a case: at generic points, at ties, or at edge values."""
    pytest.importorskip("torch")
    drawn = Draw(draw, kind, dtypes[0] if len(dtypes) == 1 else draw(st.sampled_from(dtypes)))
    problem = table[name](name, drawn)
    count = len(problem.inputs)
    alone = draw(st.integers(-1, count - 1)) if count > 1 else -1  # all inputs are variables, or only one
    variables = [alone in (-1, k) for k in range(count)]
    return replace(problem, variables=variables, seed=drawn.seed, asked=problem.asked or name)


# --- the same problem in adjoint and in PyTorch --------------------------------------------------------------


@dataclass
class Solution:
    """The result of a problem and, for each order, the derivatives for the variables, contracted with weights."""

    value: np.ndarray
    derivatives: list[list[np.ndarray]]


def to_numpy(x) -> np.ndarray:
    if isinstance(x, Value):
        x = x.data
    return x.numpy(force=True) if hasattr(x, "detach") else np.asarray(x)  # a tensor of PyTorch


def as_tensor(x: np.ndarray):
    """Return a copy as a tensor, in the memory layout of the array if PyTorch supports it."""
    pytest.importorskip("torch")
    return torch.from_numpy(np.array(x))


def solve(problem: Problem, order: int = 1, library: Callable = np.asarray, differentiable: bool = False) -> Solution:
    """Solve a problem with adjoint on arrays that `library` makes of NumPy's."""
    leaves, operands = _operands(problem, lambda x: Tensor(library(x)), library)
    y = problem.ours(*operands)
    assert isinstance(y, Value), f"{problem.asked} did not return a Value: {y!r}"
    _require_of(library, y)
    cotangents, solution = [problem.weights(to_numpy(y), 0)], Solution(to_numpy(y).copy(), [])
    outputs = [y]
    for k in range(order):
        for leaf in leaves:
            leaf.zero_grad()
        for output, cotangent in zip(outputs, cotangents):
            if isinstance(output, Value):
                output.backward(library(cotangent), create_graph=differentiable or order > 1)
        outputs = [leaf.grad for leaf in leaves]
        for gradient in outputs:
            _require_of(library, gradient)
        solution.derivatives.append([to_numpy(gradient) for gradient in outputs])
        cotangents = [problem.weights(x, k + 1) for x in solution.derivatives[-1]]
    return solution


def _require_of(library: Callable, x) -> None:
    """Require an array of the library of the operands. For NumPy a scalar is accepted too."""
    kind = type(library(np.zeros(1)))
    data = x.data if isinstance(x, Value) else x
    assert isinstance(data, (kind, np.floating) if kind is np.ndarray else kind), f"{data!r} belongs to another library"


def solve_in_torch(problem: Problem, order: int = 1) -> Solution:
    """Solve a problem in PyTorch."""
    pytest.importorskip("torch")
    leaves, operands = _operands(problem, lambda x: as_tensor(x).requires_grad_(), as_tensor)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = problem.theirs(*operands)
        outputs, cotangents = [y], [problem.weights(to_numpy(y), 0)]
        solution = Solution(to_numpy(y), [])
        for k in range(order):
            found = _torch_gradients(outputs, leaves, cotangents)
            outputs = [torch.zeros_like(x) if g is None else g for x, g in zip(leaves, found)]
            solution.derivatives.append([to_numpy(g) for g in outputs])
            cotangents = [problem.weights(x, k + 1) for x in solution.derivatives[-1]]
    return solution


def _torch_gradients(outputs, leaves, cotangents):
    pairs = [(y, as_tensor(w)) for y, w in zip(outputs, cotangents) if y.requires_grad]
    if not pairs:
        return [None] * len(leaves)
    ys, ws = zip(*pairs)
    return torch.autograd.grad(ys, leaves, ws, create_graph=True, allow_unused=True)


def _operands(problem: Problem, variable: Callable, constant: Callable) -> tuple[list, list]:
    operands = [variable(x) if varies else constant(x) for x, varies in zip(problem.inputs, problem.variables)]
    return [x for x, varies in zip(operands, problem.variables) if varies], operands


# --- the claims ----------------------------------------------------------------------


def require_agreement(
    problem: Problem, order: int, library: Callable = np.asarray, differentiable: bool = False
) -> None:
    """Require PyTorch's result and derivatives, up to an order, and unchanged inputs.

    A gradient that can be differentiated again is computed by different code than one that cannot.
    """
    before = [x.copy() for x in problem.inputs]
    expected = solve_in_torch(problem, order)
    found = solve(problem, order, library, differentiable)
    require_close(found.value, expected.value, "the result", **problem.rule)
    for k, (ours, theirs) in enumerate(zip(found.derivatives, expected.derivatives)):
        for i, (mine, reference) in enumerate(zip(ours, theirs)):
            require_close(mine, reference, f"derivative {k + 1} for variable {i}", **problem.rule)
    for x, copy in zip(problem.inputs, before):
        np.testing.assert_array_equal(x, copy, "an input array was changed")


def require_central_differences(problem: Problem, order: int) -> None:
    """Require each derivative to be the slope of the previous one along a random direction."""
    step = 1e-5
    directions = [
        problem.weights(x, 100 + i) if v else 0.0 for i, (x, v) in enumerate(zip(problem.inputs, problem.variables))
    ]
    moved = [
        solve(
            replace(problem, inputs=[x + sign * step * d for x, d in zip(problem.inputs, directions)]),
            order - 1,
        )
        for sign in (1, -1)
    ]
    found = solve(problem, order)
    assume(np.isfinite(found.value).all() and found.value.dtype == np.float64)
    wanted = [d for d, varies in zip(directions, problem.variables) if varies]
    for k in range(order):
        plus, minus = ([s.value] if k == 0 else s.derivatives[k - 1] for s in moved)
        slope = sum(float(np.sum(problem.weights(p, k) * (p - m))) / (2 * step) for p, m in zip(plus, minus))
        along = sum(float(np.sum(g * d)) for g, d in zip(found.derivatives[k], wanted))
        size = max([1.0, abs(slope), *(float(np.abs(g).max(initial=0.0)) for g in found.derivatives[k])])
        require_slope(along, slope, f"derivative {k + 1}", scale=size)


def require_forward_mode(problem: Problem, order: int, library: Callable = np.asarray) -> None:
    """Require that nested forward mode gives PyTorch's derivatives, contracted with weights, up to an order."""
    expected = solve_in_torch(problem, order)
    assume(np.isfinite(expected.value).all())
    wanted = [x for x, varies in zip(problem.inputs, problem.variables) if varies]
    primals = tuple(Tensor(library(x)) for x in wanted)

    def function(*values):
        rest = iter(values)
        return problem.ours(*[next(rest) if v else library(x) for x, v in zip(problem.inputs, problem.variables)])

    last = expected.value
    for k in range(1, order + 1):
        directions = [problem.weights(x, k) for x in wanted]
        tangents = tuple(map(library, directions))
        value, tangent = adjoint.jvp(function, primals, tangents)
        _require_of(library, tangent)
        require_close(to_numpy(value), last, "the value returned with the tangent", **problem.rule)
        last = to_numpy(tangent)
        found = float(np.sum(problem.weights(expected.value, 0) * last))
        slope = sum(float(np.sum(g * d)) for g, d in zip(expected.derivatives[k - 1], directions))
        size = max([1.0, *(float(np.abs(g).max(initial=0.0)) for g in expected.derivatives[k - 1])])
        rule = {**problem.rule, "scale": size, "terms": max(last.size, 1)}
        require_close(found, slope, f"tangent {k}", dtype=last.dtype, **rule)
        function = _along(function, tangents)


def require_numpys_result_and_slope(function, *arrays) -> None:
    """Require NumPy's result for Values, and the gradient given by central differences of NumPy's function."""
    values = [Tensor(x) for x in arrays]
    y, expected = function(*values), function(*arrays)
    assert isinstance(y, Value)
    require_close(y.data, expected)
    random = np.random.default_rng(3)
    cotangent = random.uniform(-1, 1, y.shape)
    y.backward(cotangent)
    for k, x in enumerate(arrays):
        step, direction = 1e-6, random.uniform(-1, 1, x.shape)
        moved = [function(*arrays[:k], x + sign * step * direction, *arrays[k + 1 :]) for sign in (1, -1)]
        slope = np.sum(cotangent * (moved[0] - moved[1])) / (2 * step)
        require_slope(np.sum(values[k].grad * direction), slope, scale=1.0)


def _along(function: Callable, directions: tuple) -> Callable:
    return lambda *values: adjoint.jvp(function, values, directions)[1]


def require_the_same_compiled(problem: Problem) -> None:
    """Require PyTorch's result and two derivatives of a program that `jit` compiles as one."""
    expected = solve_in_torch(problem, order=2)
    leaves, operands = _operands(problem, Tensor, np.asarray)
    cotangent = problem.weights(expected.value, 0)
    directions = [problem.weights(x, 1) for x in expected.derivatives[0]]

    @adjoint.jit
    def run(operands, leaves):
        y = problem.ours(*operands)
        y.backward(cotangent, create_graph=True)
        gradients = [leaf.grad for leaf in leaves]
        for leaf in leaves:
            leaf.zero_grad()
        for gradient, direction in zip(gradients, directions):
            if isinstance(gradient, Value):
                gradient.backward(direction)
        return y, gradients

    y, gradients = run(operands, leaves)
    require_close(to_numpy(y), expected.value, "the result of a compiled program", **problem.rule)
    for leaf, gradient, *references in zip(leaves, gradients, *expected.derivatives):
        require_close(to_numpy(gradient), references[0], "the gradient of a compiled program", **problem.rule)
        require_close(to_numpy(leaf.grad), references[1], "the second derivative of a compiled program", **problem.rule)


def require_own_gradients(problem: Problem) -> None:
    """Require gradients that share no memory, and data and cotangents that backward did not change."""
    leaves, operands = _operands(problem, Tensor, np.asarray)
    held = [x.data if isinstance(x, Value) else x for x in operands]
    before = [np.array(x) for x in held]
    y = problem.ours(*operands)
    cotangent = problem.weights(y.data, 0)
    copy = cotangent.copy()
    y.backward(cotangent)
    for x, old in zip(held, before):
        np.testing.assert_array_equal(x, old, "backward changed the data")
    np.testing.assert_array_equal(cotangent, copy, "backward changed the cotangent")
    others = [cotangent, y.data, *held]
    for leaf in leaves:
        if isinstance(leaf.grad, np.ndarray):
            assert leaf.grad.flags.writeable
            assert not any(np.shares_memory(leaf.grad, x) for x in others), f"{problem.asked}: shared gradient"
            others.append(leaf.grad)


@contextlib.contextmanager
def jax_in_double():
    """Enable 64-bit floats in JAX inside the block."""
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        yield jax.numpy.asarray
    finally:
        jax.config.update("jax_enable_x64", before)
