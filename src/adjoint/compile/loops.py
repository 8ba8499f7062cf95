"""Loops that carry a state: `scan`, `fori_loop` and `while_loop`, with gradients.

Eagerly they are loops of Python, and the graph has the nodes of each step. Inside a function that XLA compiles, the
step is recorded once, and the loop is one operation: see `xla/rolled_loops.py`.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions.shaping import concat, split, squeeze, stack
from adjoint.arrays.kinds import data_of
from adjoint.compile.backend import Unsuitable
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_traced, whole
from adjoint.transforms.trees import same_structure, tree_leaves, tree_map, tree_unflatten
from adjoint.transforms.variables import require_function

_PEELED = 2  # steps that may come before a rolled loop: the first ones often give the carry its lasting shape and dtype


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: bool = False,
) -> tuple[Any, Any]:
    """Run `carry, y = f(carry, x)` for each slice `x` of `xs` along its first axis; return the last carry and all y.

    `xs`, the carry and `y` are arrays, Values or pytrees of them; the outputs are stacked along a new first axis.
    Without `xs`, `length` says how often `f` runs, with `x` None. With `reverse`, the loop runs from the last slice to
    the first.

    Inside a function that `jit` compiles with XLA, `f` is recorded once, and the program contains a loop. There, `f`
    may use Values and arrays around it, but may not change them, nor draw random numbers. `unroll=True` records every
    step instead. A step that needs the numbers themselves, as in `if x > 0`, is unrolled in any case.

    >>> from adjoint import Value, scan
    >>> x = Value([1.0, 2.0, 3.0])
    >>> last, partial_sums = scan(lambda total, x: (total + x, total + x), 0.0, x)
    >>> partial_sums.data
    array([1., 3., 6.])
    >>> last.backward()
    >>> x.grad
    array([1., 1., 1.])
    """
    require_function(f, "scan")

    def step(carry: Any, x: Any) -> tuple[Any, Any]:
        found = f(carry, x)
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise ArgumentError(f"scan: the function must return a pair (carry, y), not {describe(found)}")
        return _kept("scan", carry, found[0]), found[1]

    compiled = None if unroll else compiled_loops((init, xs))
    return _run(step, init, xs, _length(xs, length), reverse, compiled)


def fori_loop(lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """Return the last of `carry = body(i, carry)`, computed for each integer `i` from `lower` to `upper - 1`.

    The carry is an array, a Value, a number or a pytree of them. Inside a function that `jit` compiles with XLA, `body`
    is recorded once, under the conditions of `scan`, and `i` is a traced integer. If `lower` or `upper` is an argument
    of that function, reverse mode is not possible; `while_loop` with `max_steps` has it.

    >>> from adjoint import fori_loop, grad
    >>> grad(lambda x: fori_loop(0, 3, lambda i, product: product * x, 1.0))(2.0)
    12.0
    """
    require_function(body, "fori_loop")

    def step(state: tuple, _: object = None) -> tuple[tuple, None]:
        i, carry = state
        return (i + 1, _kept("fori_loop", carry, body(i, carry))), None

    compiled = compiled_loops((init, lower, upper))
    if compiled and any(map(compiled.is_tracer, (lower, upper))):
        return while_loop(lambda state: state[0] < upper, lambda state: step(state)[0], (lower, init))[1]
    _require_no_tape((lower, upper))
    first, after = (whole(x, f"fori_loop: {name}", -(2**63)) for x, name in ((lower, "lower"), (upper, "upper")))
    if after <= first:
        return init
    return _run(step, (first, init), None, after - first, False, compiled)[0][1]


def while_loop(cond: Callable[[Any], Any], body: Callable[[Any], Any], init: Any, max_steps: int | None = None) -> Any:
    """Compute `carry = body(carry)` while `cond(carry)` is true, at most `max_steps` times; return the last carry.

    The carry is an array, a Value, a number or a pytree of them. Inside a function that `jit` compiles with XLA, both
    functions are recorded once, under the conditions of `scan`, and the carry keeps its shapes and dtypes. The number
    of steps is not known there, so reverse mode needs `max_steps`, and memory for as many steps; forward mode does not.

    >>> from adjoint import grad, while_loop
    >>> grad(lambda x: while_loop(lambda v: v < 100.0, lambda v: v * v, x))(3.0)
    17496.0
    """
    require_function(cond, "while_loop")
    require_function(body, "while_loop")
    most = None if max_steps is None else whole(max_steps, "while_loop: max_steps")

    def step(carry: Any) -> Any:
        return _kept("while_loop", carry, body(carry))

    compiled = compiled_loops(init)
    if compiled:
        return compiled.rolled_while(cond, step, init, most)
    _require_no_tape(init)
    carry, done = init, 0
    while (most is None or done < most) and cond(carry):
        carry, done = step(carry), done + 1
    return carry


# --- how a loop runs ---------------------------------------------------------------------------------------


def _run(
    step: Callable[[Any, Any], tuple[Any, Any]],
    carry: Any,
    xs: Any,
    count: int,
    reverse: bool,
    compiled: ModuleType | None,
) -> tuple[Any, Any]:
    """Return the last carry and the stacked outputs of a number of steps, which are a loop of the program if possible.

    The carry of that has the same shapes and dtypes before and after a step. If the first steps change them, these
    come before the loop.
    """
    outputs, rolled, slices = [], None, None
    for done, i in enumerate(range(count)[::-1] if reverse else range(count)):
        if compiled and done <= _PEELED and count - done > 1:
            rest = slice(0, i + 1) if reverse else slice(i, count)
            found = compiled.rolled_scan(
                step, carry, tree_map(lambda x, rest=rest: x[rest], xs) if done else xs, count - done, reverse
            )
            if found is not None:
                carry, rolled = found
                break
        slices = slices or [_slices(x) for x in tree_leaves(xs)]
        carry, y = step(carry, tree_unflatten(xs, [x[i] for x in slices]))
        outputs.append(y)
    if reverse:
        outputs.reverse()
    stacked = tree_map(lambda *leaves: stack(leaves), outputs[0], *outputs[1:]) if outputs else None
    if rolled is None or stacked is None:
        return carry, stacked if rolled is None else rolled[0]
    pair = (rolled[0], stacked) if reverse else (stacked, rolled[0])
    return carry, tree_map(lambda *parts: concat(parts), *pair)


def _slices(x: Any) -> Any:
    """Return the slices along the first axis.

    A Value is halved recursively. The gradient of a slice has the size of the array it is taken from, so slicing the
    whole array for each step would take quadratic time.
    """
    size = shape_of(x)[0]
    if not isinstance(x, Value):
        return x
    if size == 1:
        return [squeeze(x, 0)]
    return [part for half in split(x, [size // 2]) for part in _slices(half)]


def _kept(who: str, carry: Any, new: Any) -> Any:
    if not same_structure(carry, new):
        raise ArgumentError(f"{who}: the carry must keep its structure; {describe(carry)} became {describe(new)}")
    return new


def compiled_loops(tree: Any) -> ModuleType | None:
    """Return the module of rolled loops if XLA is recording the function that runs."""
    if "jax" not in sys.modules:
        return None
    from adjoint.compile.xla import rolled_loops  # after JAX, which only arrays need

    return rolled_loops if rolled_loops.is_recording(tree_leaves(tree)) else None


def _require_no_tape(tree: Any) -> None:
    """Raise the error that makes jit compile with XLA if the tape of numbers is recording: it has no loops."""
    if any(is_traced(data_of(x)) for x in tree_leaves(tree)):
        raise Unsuitable("a loop whose number of steps depends on an argument")


def _length(xs: Any, length: int | None) -> int:
    sizes = set()
    for leaf in tree_leaves(xs):
        if not shape_of(leaf):
            raise ShapeError(f"scan: xs needs arrays with a first axis to run along, not {describe(leaf)}")
        sizes.add(shape_of(leaf)[0])
    if length is not None:
        sizes.add(whole(length, "scan: length"))
    if len(sizes) != 1:
        given = ", ".join(map(str, sorted(sizes))) or "none"
        raise ShapeError(f"scan needs one number of steps, from the first axes of xs or from length; given: {given}")
    (count,) = sizes
    if not count:
        raise ShapeError("scan needs at least one step, not arrays whose first axis is empty")
    return count
