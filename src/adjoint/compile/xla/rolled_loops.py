"""Loops of a compiled program, as operations with derivatives: what `compile/loops.py` becomes while XLA records.

The step runs once, with tracers for the carry, for the inputs of the step, and for the data of the Values around it
that gradients may reach. What it computes is a jaxpr, and the loop is JAX's `lax.scan` or `lax.while_loop` of that. So
the loop is a `JAXOp`: JAX differentiates and vectorizes it, by adjoint's rules for its operations (`own_slopes.py`).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.assignments import assigned, tick
from adjoint.arrays.backends.jax import differentiated
from adjoint.arrays.functions.shaping import stack_objects
from adjoint.arrays.tensor import Tensor
from adjoint.compile.xla.device_arrays import on_device
from adjoint.compile.xla.jax_op import JAXOp, unbounded_loop_error
from adjoint.compile.xla.numpy_tracers import follow_numpy, follows_numpy
from adjoint.engine.checkpoint_draws import recorded_draws
from adjoint.engine.modes import modes
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError, TraceError
from adjoint.errors.given import describe
from adjoint.errors.optional_jax import load_jax
from adjoint.transforms.recompute import find_captured
from adjoint.transforms.trees import tree_leaves, tree_unflatten

Run = Callable[[list, list], tuple[list, list]]  # a step: from the leaves of carry and x to those of carry and y


def is_tracer(x: object) -> bool:
    """Return whether `x` is a tracer of JAX, or a Value that holds one."""
    return isinstance(x._data if isinstance(x, Value) else x, load_jax().core.Tracer)


def is_recording(leaves: Sequence) -> bool:
    """Return whether JAX records what is computed."""
    return any(map(is_tracer, leaves)) or is_tracer(load_jax().numpy.zeros(()))


def rolled_scan(
    step: Callable[[Any, Any], tuple[Any, Any]], carry: Any, xs: Any, count: int, reverse: bool
) -> tuple[Any, tuple] | None:
    """Return the last carry, and the stacked outputs in a tuple; None if the steps cannot be one loop."""
    jax = load_jax()
    trees: list = []

    def run(carry_leaves: list, x_leaves: list) -> tuple[list, list]:
        trees[:] = step(tree_unflatten(carry, carry_leaves), tree_unflatten(xs, x_leaves))
        return tree_leaves(trees[0]), tree_leaves(trees[1])

    given, slices = tree_leaves(carry), tree_leaves(xs)
    n, m = len(given), len(given) + len(slices)
    try:
        recorded = _record_lasting(run, given, [_Kind.of(x).without_first_axis() for x in slices])
    except (jax.errors.JAXTypeError, _NotNumeric):  # a step that needs the numbers themselves
        return None
    if recorded is None:
        return None

    def loop(*arrays: Any) -> list:
        body = recorded.function(arrays[m:])
        last, ys = jax.lax.scan(body, recorded.as_carry(arrays[:n]), list(arrays[n:m]), count, reverse)
        return [*last, *map(_as_stacked, ys)]

    results = _Loop("scan", loop, recorded.results).apply((*given, *slices, *recorded.captured))
    return tree_unflatten(trees[0], results[:n]), (tree_unflatten(trees[1], results[n:]),)


def rolled_while(cond: Callable[[Any], Any], step: Callable[[Any], Any], init: Any, most: int | None) -> Any:
    """Return the last carry of a loop with a condition, and at most so many steps."""
    jax = load_jax()
    given = tree_leaves(init)
    n = len(given)
    try:
        recorded = _record_lasting(lambda leaves, _: (tree_leaves(step(tree_unflatten(init, leaves))), []), given, [])
    except _NotNumeric as error:
        raise ArgumentError(f"while_loop: the carry must consist of numbers, arrays and Values, not {error}") from None
    if recorded is None:
        raise ShapeError("while_loop: inside jit, the carry must keep its shapes and dtypes in each step")
    test = _record(lambda leaves, _: ([cond(tree_unflatten(init, leaves))], []), recorded.carry, [], [])

    def goes_on(carry: list) -> Any:
        (found,), _ = test.function(())(carry, [])
        return found.reshape(()).astype(bool)

    def loop(*arrays: Any) -> list:
        body = recorded.function(arrays[n:])

        def next_carry(carry: list) -> list:
            return body(carry, [])[0]

        def unless_ended(carry: list, _: None) -> tuple[list, None]:
            return jax.lax.cond(goes_on(carry), next_carry, lambda carry: carry, carry), None

        carry = recorded.as_carry(arrays[:n])
        if most is None:
            return jax.lax.while_loop(goes_on, next_carry, carry)
        return jax.lax.scan(unless_ended, carry, None, most)[0]

    made = (_Loop if most is not None else _EndlessLoop)("while_loop", loop, recorded.results)
    return tree_unflatten(init, made.apply((*given, *recorded.captured)))


def _as_stacked(y: Any) -> Any:
    """Return stacked outputs in the dtype that `stack` gives them: integers become floats."""
    return y if np.issubdtype(y.dtype, np.inexact) or y.dtype.name == "bfloat16" else y.astype(float)


# --- the operation -----------------------------------------------------------------------------------------


class _Loop(JAXOp):
    """A loop as an operation. What the backward pass needs of each step is kept when the loop is computed."""

    __slots__ = ("_computed", "_kinds", "_loop", "_moving", "_pull", "_values")

    def __init__(self, name: str, loop: Callable[..., list], kinds: Sequence["_Kind"]):
        self._loop, self._kinds = loop, kinds
        self._values = [k for k, kind in enumerate(kinds) if kind.is_value]
        self._moving: list[int] = []
        self._pull: Callable | None = None
        self._computed: list = []  # the results that Values hold

        def values_alone(*arrays: Any) -> list:
            found = loop(*arrays)
            return [found[k] for k in self._values]

        super().__init__(name, values_alone, load_jax().numpy.result_type(float) == np.float64)

    def apply(self, operands: tuple) -> list:
        """Return the results: Values with their history, and arrays."""
        arrays = [load_jax().numpy.asarray(on_device(x)) for x in operands]
        self._moving = [i for i, x in enumerate(operands) if isinstance(x, Value)] if modes.recording else []
        results = self._compute(arrays)
        values = [results[k] for k in self._values]
        made = self.record(operands, values) if self._moving and values else [make_leaf(x) for x in values]
        replaced = dict(zip(self._values, made))
        plain = [follow_numpy(x) if kind.follows else x for kind, x in zip(self._kinds, results)]
        return [replaced.get(k, x) for k, x in enumerate(plain)]

    def _compute(self, arrays: list) -> list:
        if not self._moving or not self._values:
            return self._loop(*arrays)

        def of_moving(*moving: Any) -> tuple[list, list]:
            inputs = list(arrays)
            for i, x in zip(self._moving, moving):
                inputs[i] = x
            found = self._loop(*inputs)
            return [found[k] for k in self._values], found

        self._computed, self._pull, found = load_jax().vjp(of_moving, *[arrays[i] for i in self._moving], has_aux=True)
        return found

    def contributions(self, m, g, y, operands, static, wanted) -> list:
        parts = g if isinstance(g, tuple) else (g,)
        if self._pull is None or any(isinstance(x, Value) for x in (*operands, *parts)):
            return super().contributions(m, g, y, operands, static, wanted)
        jnp = load_jax().numpy
        cotangents = [
            jnp.zeros_like(x) if part is None else jnp.asarray(part, dtype=x.dtype).reshape(x.shape)
            for part, x in zip(parts, self._computed)
        ]
        received = dict(zip(self._moving, self._pull(cotangents)))
        return [received[i] for i in wanted]


class _EndlessLoop(_Loop):
    """A loop with an unknown number of steps: there is no place to keep what a backward pass needs."""

    __slots__ = ()

    def _compute(self, arrays: list) -> list:
        return self._loop(*arrays)

    def contributions(self, m, g, y, operands, static, wanted) -> list:
        raise unbounded_loop_error()


# --- a recorded step ---------------------------------------------------------------------------------------


class _NotNumeric(Exception):
    """A leaf of a carry is no number, array or Value."""


class _Kind(NamedTuple):
    """What a leaf is: its shape and dtype, and whether a step gets it as a Value, an array or a Python number."""

    shape: tuple[int, ...]
    dtype: Any
    is_weak: bool  # the dtype of a Python number: the arrays that it meets decide
    is_value: bool
    follows: bool  # NumPy's rules for dtypes

    @classmethod
    def of(cls, x: Any, array: Any = None) -> "_Kind":
        """Return the kind of a leaf, whose data is `array`."""
        array = _as_array(x) if array is None else array
        is_numpy = isinstance(x, (np.ndarray, np.generic)) or follows_numpy(x)
        return cls(tuple(array.shape), array.dtype, bool(array.weak_type), isinstance(x, Value), is_numpy)

    def without_first_axis(self) -> "_Kind":
        return self._replace(shape=self.shape[1:])

    def abstract(self) -> Any:
        return load_jax().ShapeDtypeStruct(self.shape, self.dtype, weak_type=self.is_weak)

    def stand_in(self, tracer: Any) -> Any:
        """Return what the step gets."""
        if self.is_value:
            return make_leaf(tracer)
        return follow_numpy(tracer) if self.follows else tracer

    def fits(self, other: "_Kind") -> bool:
        """Return whether what a step returns can be what the next step gets."""
        is_same = self.shape == other.shape and self.dtype == other.dtype
        return is_same and self.is_value <= other.is_value and other.is_weak <= self.is_weak

    def cast(self, array: Any) -> Any:
        return array if self.is_weak else load_jax().lax.convert_element_type(array, self.dtype)


class _Step(NamedTuple):
    """A step as a jaxpr: from the carry, the inputs and the data of captured Values to the carry and the outputs."""

    jaxpr: Any
    carry: list[_Kind]
    outputs: list[_Kind]  # of the step, the new carry first
    captured: list[Tensor]

    @property
    def results(self) -> list[_Kind]:
        """The kinds of the results of a loop."""
        return [*self.carry, *self.outputs[len(self.carry) :]]

    def as_carry(self, arrays: Sequence) -> list:
        return [kind.cast(x) for kind, x in zip(self.carry, arrays)]

    def function(self, held: Sequence) -> Callable[[list, list], tuple[list, list]]:
        """Return the step of JAX, given the data of the captured Values."""
        from jax.extend.core import jaxpr_as_fun

        n, run = len(self.carry), jaxpr_as_fun(self.jaxpr)

        def body(carry: list, x: list | None) -> tuple[list, list]:
            found = run(*carry, *(x or []), *held)
            return self.as_carry(found[:n]), found[n:]

        return body


def _record_lasting(run: Run, carry: list, x_kinds: list[_Kind]) -> _Step | None:
    """Record a step whose carry stays what it is; None if there is none.

    A Python number becomes an array, and an array a Value, if the step returns that.
    """
    kinds = [_Kind.of(x) for x in carry]
    for _ in range(2):
        recorded = _record(run, kinds, x_kinds, [])
        if recorded.captured:
            recorded = _record(run, kinds, x_kinds, recorded.captured)
        new = recorded.outputs[: len(kinds)]
        if all(a.fits(b) for a, b in zip(new, kinds)):
            return recorded
        if any(a.shape != b.shape or not (b.is_weak or a.dtype == b.dtype) for a, b in zip(new, kinds)):
            return None
        kinds = [
            a._replace(is_value=a.is_value or b.is_value, is_weak=a.is_weak and b.is_weak) for a, b in zip(new, kinds)
        ]
    return None


def _record(run: Run, carry: list[_Kind], x_kinds: list[_Kind], captured: list[Tensor]) -> _Step:
    """Record a step once; the captured Values hold tracers meanwhile."""
    jax, kinds, found = load_jax(), [*carry, *x_kinds], []

    def function(*arrays: Any) -> list:
        leaves, start = [kind.stand_in(x) for kind, x in zip(kinds, arrays)], tick()
        with differentiated(), recorded_draws() as draws, _holding(captured, arrays[len(kinds) :]):
            new, y = run(leaves[: len(carry)], leaves[len(carry) :])
        outputs = [stack_objects(x) for x in (*new, *y)]
        if draws or assigned.last > start:
            what = "draws random numbers" if draws else "assigns to the data of a Value"
            raise TraceError(
                f"the step of a loop {what}, and inside jit it is recorded once for all steps; let it take the arrays "
                "as inputs and return them, or use scan(..., unroll=True)"
            )
        results = [_as_array(x) for x in outputs]
        values = [x for x in outputs if isinstance(x, Value)]
        found[:] = [_Kind.of(x, array) for x, array in zip(outputs, results)], values, leaves, start
        return results

    inputs = [kind.abstract() for kind in kinds] + [_Kind.of(x).abstract() for x in captured]
    jaxpr = jax.make_jaxpr(function)(*inputs)
    outputs, values, leaves, start = found
    if not captured:
        for x in find_captured(values, {x for x in leaves if isinstance(x, Value)}, start):
            if not isinstance(x, Tensor):  # a number cannot hold a tracer
                raise _NotNumeric(f"{x!r} around the step, which is a single number; make it an array: [number]")
            captured = [*captured, x]
    return _Step(jaxpr, carry, outputs, captured)


@contextmanager
def _holding(values: Sequence[Tensor], arrays: Sequence) -> Iterator[None]:
    """Let Values hold other arrays for a while."""
    before = [x._data for x in values]
    try:
        for x, array in zip(values, arrays):
            x._data = array
        yield
    finally:
        for x, array in zip(values, before):
            x._data = array


def _as_array(x: Any) -> Any:
    """Return the data of a leaf as an array of JAX; Python numbers keep their weak dtype."""
    data = on_device(x)
    if not isinstance(data, (bool, int, float)) and not hasattr(data, "dtype"):
        raise _NotNumeric(describe(x))
    return load_jax().numpy.asarray(data)
