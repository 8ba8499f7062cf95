"""Compare the derivatives of a program with central differences, in each of the ways that adjoint computes them.

The result is contracted with a cotangent c, and the derivative taken along directions d and e of the variables:

    first order    d/dh  c · f(x + h d)                 second order    d/dh  c · f'(x + h e) d
"""

import random
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from closeness import is_close, require_close

import adjoint
from adjoint import Tensor, Value
from adjoint.errors import AdjointError, TraceError
from random_programs.build import Failure
from random_programs.program import NAMES, Leaf, Program, numbers, plain

STEP = 1e-5
LOSS = 20.0  # how many times more than one operation the steps of a program may lose


class Question:
    """A program, its points, a cotangent and two directions; and the slopes that central differences give."""

    def __init__(self, program: Program, seed: int):
        self.program, self.random, self.seed = program, random.Random(seed), seed
        draw = np.random.default_rng(seed)
        self.points = [leaf.data.astype(float) for leaf in program.variables]
        self.directions = [_rounded(draw.uniform(-1, 1, x.shape)) for x in self.points]
        self.others = [_rounded(draw.uniform(-1, 1, x.shape)) for x in self.points]
        self.value = program.value(self.points)
        self.cotangent = _rounded(draw.uniform(0.5, 1.5, self.value.shape))
        self.texts: dict[str, list[str]] = {}  # the arguments of a transform as Python, to print them

    # --- references -------------------------------------------------------------------------------------

    def slope(self, directions: list[np.ndarray] | None = None) -> tuple[float, float] | None:
        """Return the first derivative and its uncertainty, or None where there is none."""
        directions = self.directions if directions is None else directions

        def along(h: float) -> float:
            y = self.program.value([x + h * d for x, d in zip(self.points, directions)])
            return float(np.sum(y * self.cotangent)) if y.shape == self.value.shape else np.nan

        return differences(along)

    def curvature(self) -> tuple[float, float] | None:
        """Return the second derivative and its uncertainty, from gradients."""

        def along(h: float) -> float:
            points = [x + h * e for x, e in zip(self.points, self.others)]
            variables = [self.program.as_variable(leaf, x) for leaf, x in zip(self.program.variables, points)]
            y = self.program.run(*variables)
            if not isinstance(y, Value) or np.shape(y.data) != self.value.shape:
                return np.nan
            y.backward(self.as_cotangent(y))
            return self.contract([x.grad for x in variables], self.directions)

        return differences(along)

    def is_differentiable(self) -> bool:
        """Whether the slopes along two directions add up, as they do not for the median of equal numbers."""
        both = [d + e for d, e in zip(self.directions, self.others)]
        slopes = [self.slope(directions) for directions in (self.directions, self.others, both)]
        if any(slope is None for slope in slopes):
            return False
        (first, _), (second, _), (total, _) = slopes
        return abs(first + second - total) < 1e-4 * max(1.0, abs(first), abs(second))

    # --- what the ways share ----------------------------------------------------------------------------

    def as_cotangent(self, y: Value) -> Any:
        return float(self.cotangent) if not isinstance(y.data, np.ndarray) else self.cotangent

    @staticmethod
    def contract(gradients, directions) -> float:
        return sum(float(np.sum(plain(g) * d)) for g, d in zip(gradients, directions))

    def primals(self) -> tuple:
        """Return the variables as users give them to a transform: numbers, arrays or Values."""
        return tuple(self.given(leaf) for leaf in self.program.variables)

    def given(self, leaf: Leaf) -> Any:
        ways = ["{}", "{}", f"{leaf.make}({{}})"]
        if leaf.number:
            ways += ["np.float64({})", "np.array({})"]
        return self.choose("primals", ways, leaf.text)

    def small(self, role: str, x: np.ndarray) -> Any:
        """Return a cotangent or tangent as users give it: without axes it may be a number, a Value or an array."""
        ways = (
            ["{}", "{}", "Value({})"] if x.ndim else ["{}", "np.float64({})", "np.array({})", "Value({})", "Tensor({})"]
        )
        return self.choose(role, ways, numbers(x) if x.ndim else repr(x.item()))

    def choose(self, role: str, ways: list[str], text: str) -> Any:
        """Return an argument, in one of several ways to write it, and keep its text."""
        text = self.random.choice(ways).format(text)
        self.texts.setdefault(role, []).append(text)
        return eval(text, NAMES)

    def function(self) -> Callable:
        """Return the program as a function of one number: the result times the cotangent."""
        if self.value.size == 1 and self.random.random() < 0.6:
            self.cotangent = np.ones(self.value.shape)
            return self.program.run
        return lambda *xs: adjoint.sum(self.program.run(*xs) * self.cotangent)


def _rounded(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.round(x, 2))


def differences(along: Callable[[float], float]) -> tuple[float, float] | None:
    """Return a central difference and its uncertainty, or None near a kink or a singularity."""
    try:
        with np.errstate(all="ignore"):
            at = {h: along(h * STEP) for h in (-2, -1, 0, 1, 2)}
    except AdjointError:  # a point outside the domain
        return None
    if not np.isfinite(list(at.values())).all():
        return None
    near, far = (at[1] - at[-1]) / (2 * STEP), (at[2] - at[-2]) / (4 * STEP)
    left, right = (at[0] - at[-1]) / STEP, (at[1] - at[0]) / STEP
    size = max(1.0, abs(near), abs(at[0]))
    uncertainty = 20 * abs(near - far) + 1e-6 * size
    if uncertainty > 1e-2 * size or abs(left - right) > 1e-2 * size:
        return None
    return near, uncertainty


# --- first order ----------------------------------------------------------------------------------------


def backward(q: Question) -> float:
    leaves = [leaf.variable() for leaf in q.program.variables]
    y = q.program.run(*leaves)
    if not isinstance(y, Value):
        raise NoAnswer
    c = q.as_cotangent(y)
    if isinstance(c, np.ndarray) and q.random.random() < 0.3:
        c = q.small("cotangent", c)
    y.backward(c)
    for leaf, x in zip(leaves, q.points):
        assert np.shape(plain(leaf.grad)) == x.shape, f"the gradient has the shape {np.shape(leaf.grad)}, not {x.shape}"
    return q.contract([leaf.grad for leaf in leaves], q.directions)


def vjp(q: Question) -> float:
    _, pull = adjoint.vjp(q.program.run, *q.primals())
    return q.contract(pull(q.small("cotangent", q.cotangent)), q.directions)


def jvp(q: Question) -> float:
    tangents = tuple(q.small("tangents", d) for d in q.directions)
    value, tangent = adjoint.jvp(q.program.run, q.primals(), tangents)
    require_close(plain(value), q.value, "the value that jvp returns", scale=1.0, condition=LOSS)
    return float(np.sum(plain(tangent) * q.cotangent))


def grad(q: Question) -> float:
    function = q.function()
    found = adjoint.grad(function, tuple(range(len(q.points))))(*q.primals())
    return q.contract(found, q.directions)


def jacobian(q: Question) -> float:
    mode = q.random.choice(["auto", "forward", "reverse"])
    found = adjoint.jacobian(q.program.run, tuple(range(len(q.points))), mode=mode)(*q.primals())
    rows = [np.tensordot(plain(j), d, d.ndim) if d.ndim else plain(j) * d for j, d in zip(found, q.directions)]
    return float(np.sum(sum(rows) * q.cotangent))


# --- second order ---------------------------------------------------------------------------------------


def backward_twice(q: Question) -> float:
    leaves = [leaf.variable() for leaf in q.program.variables]
    y = q.program.run(*leaves)
    if not isinstance(y, Value):
        raise NoAnswer
    y.backward(q.as_cotangent(y), create_graph=True)
    gradients = [leaf.grad for leaf in leaves]
    for leaf in leaves:
        leaf.zero_grad()
    for gradient, d in zip(gradients, q.directions):
        if isinstance(gradient, Value):
            gradient.backward(float(d) if not isinstance(gradient.data, np.ndarray) else d)
    return q.contract([leaf.grad for leaf in leaves], q.others)


def grad_of_grad(q: Question) -> float:
    function, every = q.function(), tuple(range(len(q.points)))

    def along(*xs):
        found = adjoint.grad(function, every)(*xs)
        return sum((adjoint.sum(g * d) for g, d in zip(found, q.directions)), 0.0)

    return q.contract(adjoint.grad(along, every)(*q.primals()), q.others)


def grad_of_grad_of_a_number(q: Question) -> float:
    """The second derivative by one number, as users write it."""
    if len(q.points) != 1 or q.points[0].ndim or q.value.size != 1:
        raise NoAnswer
    q.cotangent = np.ones(q.value.shape)
    found = adjoint.grad(adjoint.grad(q.program.run))(*q.primals())
    return float(plain(found) * q.directions[0] * q.others[0])


def hvp(q: Question) -> float:
    tangents = tuple(q.small("tangents", d) for d in q.directions)
    return q.contract(adjoint.hvp(q.function(), q.primals(), tangents), q.others)


def jvp_of_jvp(q: Question) -> float:
    tangents = tuple(q.directions)

    def inner(*xs):
        return adjoint.jvp(q.program.run, xs, tangents)[1]

    tangent = adjoint.jvp(inner, q.primals(), tuple(q.small("tangents", e) for e in q.others))[1]
    return float(np.sum(plain(tangent) * q.cotangent))


def hessian(q: Question) -> float:
    if sum(x.size for x in q.points) > 12:
        raise NoAnswer
    every = tuple(range(len(q.points)))
    found = adjoint.hessian(q.function(), every)(*q.primals())
    total = 0.0
    for row, d in zip(found, q.directions):
        for h, e in zip(row, q.others):
            total += float(np.sum(plain(h).reshape(d.shape + e.shape) * np.multiply.outer(d, e)))
    return total


FIRST = {"backward": backward, "vjp": vjp, "jvp": jvp, "grad": grad, "jacobian": jacobian}
SECOND = {
    "backward, twice": backward_twice, "grad of grad": grad_of_grad, "grad(grad(f))": grad_of_grad_of_a_number,
    "hvp": hvp, "jvp of jvp": jvp_of_jvp, "hessian": hessian,
}  # fmt: skip


MISMATCH = "the derivative along a direction is"


class NoAnswer(Exception):
    """This way does not apply to the program."""


# --- single precision and compilation -------------------------------------------------------------------


def in_single_precision(q: Question) -> None:
    """Require the same numbers, roughly, and the types of the leaves, with some or all leaves in float32."""
    variables = q.program.variables
    kinds = [None if leaf.number else q.random.choice([np.float32, np.float32, None]) for leaf in variables]
    rounded = q.program.value([x if k is None else x.astype(k).astype(float) for x, k in zip(q.points, kinds)])
    if rounded.shape != q.value.shape or not is_close(rounded, q.value, dtype="float32", scale=1.0, condition=LOSS):
        raise NoAnswer  # a remainder, say, that rounding changes from nothing to all
    leaves = [leaf.variable(kind) for leaf, kind in zip(variables, kinds)]
    y = q.program.run(*leaves)
    if not isinstance(y, Value):
        raise NoAnswer
    size = max(1.0, float(np.abs(q.value).max(initial=0.0)))
    assert np.shape(y.data) == q.value.shape, f"the result has the shape {np.shape(y.data)}, not {q.value.shape}"
    if isinstance(y.data, np.ndarray) and stays_single(q.program, kinds):
        assert y.data.dtype == np.float32, f"the result of arrays of float32 is {y.data.dtype}"
    require_close(plain(y), q.value, "the result in float32", dtype="float32", scale=size, condition=10 * LOSS)
    y.backward(float(q.cotangent) if not isinstance(y.data, np.ndarray) else q.cotangent.astype(y.data.dtype))
    for leaf in leaves:
        if isinstance(leaf.data, np.ndarray) and isinstance(leaf.grad, np.ndarray):
            kind = leaf.grad.dtype
            assert kind == leaf.data.dtype, f"the gradient of a leaf of type {leaf.data.dtype} is {kind}"
    slope = q.slope()
    if slope:
        found = q.contract([leaf.grad for leaf in leaves], q.directions)
        largest = max(float(np.abs(plain(leaf.grad)).max(initial=0.0)) for leaf in leaves)
        close = abs(found - slope[0]) < 1e-2 * max(1.0, abs(slope[0]), largest, size) + 100 * slope[1]
        close = close or (not np.isfinite(found) and q.program.is_composed)
        assert close or not q.is_differentiable(), f"the derivative in float32 is {found}, not {slope[0]}"


def stays_single(program: Program, kinds: list) -> bool:
    """Whether all arrays of a program are in float32, as far as its lines say."""
    if program.functions.keys() & {name for step in program.steps for name in step.text.split("(")[:1]}:
        return False  # functions of test files may have arrays of their own
    others = [leaf for leaf in program.leaves if not leaf.varies or leaf.number]  # numbers become arrays of float64
    other = r"np\.(array|float64|zeros|resize|asarray)\(|\w\(.*\d\.\d"  # an array, or a number that becomes one
    texts = [step.text for step in program.steps if re.search(other, step.text)]
    return all(kind is np.float32 for kind in kinds) and not others and not texts


def compiled(q: Question) -> None:
    """Require the same result and gradients of a program that `jit` compiles."""
    every = tuple(range(len(q.points)))

    @adjoint.jit
    def run(*xs):
        return q.program.run(*xs), adjoint.grad(lambda *xs: adjoint.sum(q.program.run(*xs) * q.cotangent), every)(*xs)

    try:
        value, gradients = run(*[leaf.variable() for leaf in q.program.variables])
    except TraceError:
        raise NoAnswer from None
    require_close(plain(value), q.value, "the compiled result", dtype="float32", scale=1.0, condition=LOSS)
    slope = q.slope()
    if slope:
        found = q.contract(gradients, q.directions)
        close = abs(found - slope[0]) < 1e-3 * max(1.0, abs(slope[0]))
        assert close or not q.is_differentiable(), f"the compiled derivative is {found}, not {slope[0]}"


def mapped(q: Question) -> None:
    """Require that vmap gives what a loop gives."""
    batch = [np.stack([x, x + 0.01, x - 0.02]) for x in q.points]
    try:
        found = adjoint.vmap(q.program.run)(*map(Tensor, batch))
    except TraceError:
        raise NoAnswer from None
    expected = np.stack([q.program.value([x[i] for x in batch]) for i in range(3)])
    require_close(plain(found), expected, "the result of vmap", dtype="float32", scale=1.0, condition=LOSS)


OTHER = {"in float32": in_single_precision, "jit": compiled, "vmap": mapped}


def check(program: Program, seed: int, ways: list[str]) -> None:
    """Require that each of the ways gives the right derivative of a program."""
    for way in ways:
        run_way(program, way, seed)


def run_way(program: Program, way: str, seed: int) -> None:
    """Require that one way gives the right derivative; raise a Failure otherwise."""
    question = Question(program, seed)
    try:
        with np.errstate(all="ignore"):
            if way in OTHER:
                OTHER[way](question)
                return
            found = {**FIRST, **SECOND}[way](question)
    except NoAnswer:
        return
    except Exception as error:
        if isinstance(error, AdjointError) and program.may_refuse:
            return
        message = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
        raise Failure(program, way, message, question.texts) from error
    expected = question.slope() if way in FIRST else question.curvature()
    if expected is None:
        return
    slope, uncertainty = expected
    if not np.isfinite(found) and program.is_composed:
        return  # infinite derivatives of one step that the next multiplies by zero
    size = max(1.0, abs(slope), float(np.abs(question.value).max(initial=0.0)))
    if not abs(found - slope) <= uncertainty + 1e-5 * size and question.is_differentiable():
        message = f"{MISMATCH} {found}, central differences give {slope}"
        raise Failure(program, way, message, question.texts)


def is_singular(failure: Failure, seed: int) -> bool:
    """Whether a derivative is wrong only at special numbers, where it is a convention, as that of abs at 0.

    It is then right nearby, and wrong in every memory layout.
    """
    if not failure.message.startswith(MISMATCH):
        return False
    draw = np.random.default_rng(seed)
    return not _fails_with(failure, lambda x: x + draw.uniform(0.001, 0.002, x.shape), seed) and _fails_with(
        failure, lambda x: x, seed
    )


def _fails_with(failure: Failure, change: Callable[[np.ndarray], np.ndarray], seed: int) -> bool:
    """Whether a program still fails with other numbers in its arrays."""
    leaves = []
    for leaf in failure.program.leaves:
        if not leaf.number:
            data = change(leaf.data)
            leaf = replace(leaf, data=data, text=numbers(data))
        leaves.append(leaf)
    try:
        run_way(replace(failure.program, leaves=tuple(leaves)), failure.check, seed)
    except Exception:
        return True
    return False
