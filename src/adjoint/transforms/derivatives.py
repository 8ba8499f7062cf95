"""Derivatives of functions: grad, value_and_grad, vjp, jvp, hvp, jacobian, hessian.

Each takes a function of numbers, arrays and pytrees of them. The function sees Values; numbers and arrays go in and
come out. Given Values, or called inside another transform, the transforms return Values that can be differentiated
again, so they nest to any order:

    grad(grad(grad(f)))(2.0)
"""

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Concatenate, Literal, ParamSpec, overload

from adjoint.arrays.kinds import array_code, data_of, is_tensor
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, NumberError, ShapeError
from adjoint.errors.given import describe, is_array, is_number, is_traced, number, shortened
from adjoint.transforms.linearization import Linearization
from adjoint.transforms.trees import same_structure, tree_leaves_like, tree_unflatten
from adjoint.transforms.variables import as_value, require_function, zeros_like

P = ParamSpec("P")  # the arguments after the first, which is differentiated: a number, an array, a Value or a pytree

# --- reverse mode ----------------------------------------------------------------------------------------


@overload
def value_and_grad(
    function: Callable[Concatenate[Any, P], Any], *, has_aux: bool = False
) -> Callable[Concatenate[Any, P], tuple[Any, Any]]: ...
@overload
def value_and_grad(
    function: Callable[..., Any], argnums: int | Iterable[int] = 0, *, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]: ...
def value_and_grad(
    function: Callable, argnums: int | Iterable[int] = 0, *, has_aux: bool = False
) -> Callable[..., tuple[Any, Any]]:
    """Return a function that computes the value of `function` and its gradient, a pytree like the arguments.

    With `has_aux` the function returns (value, aux), and the result is ((value, aux), gradient).

    >>> from adjoint import value_and_grad
    >>> value_and_grad(lambda x: x ** 3)(2.0)
    (8.0, 12.0)
    """
    require_function(function, "value_and_grad")

    @functools.wraps(function)
    def with_gradient(*arguments, **options):
        chosen = _positions(argnums, len(arguments), "grad")
        call = Linearization(function, arguments, options, chosen, has_aux)
        if isinstance(call.result, (list, tuple, dict)) or _size(call.result) != 1:
            shape = getattr(call.result, "shape", None)
            what = describe(call.result) if shape is None else f"an array of shape {shape}"
            raise ShapeError(f"grad needs a function that returns one number, not {what}; use jacobian or vjp")
        if _is_truth_value(call.result):
            raise NumberError(
                f"grad needs a function that returns a real number, not {describe(call.result)}: a truth value has no "
                "gradient"
            )
        gradients = tree_unflatten(call.primals, call.pull([_ones_like(call.results[0])]))
        value = (call.value, call.aux) if has_aux else call.value
        return value, gradients if isinstance(argnums, Iterable) else gradients[0]

    return with_gradient


@overload
def grad(
    function: Callable[Concatenate[Any, P], Any], *, has_aux: bool = False
) -> Callable[Concatenate[Any, P], Any]: ...
@overload
def grad(
    function: Callable[..., Any], argnums: int | Iterable[int] = 0, *, has_aux: bool = False
) -> Callable[..., Any]: ...
def grad(function: Callable, argnums: int | Iterable[int] = 0, *, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the gradient of `function` with respect to the arguments in `argnums`.

    The gradient has the structure of the argument: a number, an array, or a pytree. It can be differentiated again,
    to any order. With `has_aux` the function returns (value, aux), and the result is (gradient, aux).

    >>> from adjoint import grad
    >>> grad(grad(grad(lambda x: x ** 4)))(2.0)
    48.0
    """
    require_function(function, "grad")
    both = value_and_grad(function, argnums, has_aux=has_aux)

    @functools.wraps(function)
    def gradient(*arguments, **options):
        value, found = both(*arguments, **options)
        return (found, value[1]) if has_aux else found

    return gradient


@overload
def vjp(
    function: Callable[..., Any], *primals: object, has_aux: Literal[False] = False
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]: ...
@overload
def vjp(
    function: Callable[..., Any], *primals: object, has_aux: bool
) -> tuple[Any, Callable[[Any], tuple[Any, ...]], Any]: ...
def vjp(function: Callable, *primals: object, has_aux: bool = False) -> tuple:
    """Return the value at `primals`, and a function from a cotangent of the value to those of the primals.

    >>> from adjoint import vjp
    >>> value, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> value, pullback(10.0)
    (6.0, (30.0, 20.0))
    """
    require_function(function, "vjp")
    call = Linearization(function, primals, {}, range(len(primals)), has_aux)

    def pullback(cotangent: object) -> tuple:
        if not same_structure(call.result, cotangent):
            raise ShapeError(f"the cotangent must have the structure of the result, {describe(call.result)}")
        pairs = zip(tree_leaves_like(call.result, cotangent), call.results)
        cotangents = [_as_direction(c, x, "the cotangent") for c, x in pairs]
        return tuple(tree_unflatten(call.primals, call.pull(cotangents)))

    return (call.value, pullback, call.aux) if has_aux else (call.value, pullback)


# --- forward mode ----------------------------------------------------------------------------------------


@overload
def jvp(
    function: Callable[..., Any], primals: object, tangents: object, *, has_aux: Literal[False] = False
) -> tuple[Any, Any]: ...
@overload
def jvp(function: Callable[..., Any], primals: object, tangents: object, *, has_aux: bool) -> tuple[Any, Any, Any]: ...
def jvp(function: Callable, primals: object, tangents: object, *, has_aux: bool = False) -> tuple:
    """Return the value at `primals`, and its tangent as they move along `tangents`.

    This is forward mode: one sweep alongside the computation. Both arguments are tuples with one entry per argument of
    the function; the entry of a single argument can be given without the tuple.

    >>> from adjoint import jvp
    >>> jvp(lambda x: x ** 3, (2.0,), (1.0,))
    (8.0, 12.0)
    """
    require_function(function, "jvp")
    points, directions = _as_tuples(primals, tangents, "jvp")
    call = Linearization(function, points, {}, range(len(points)), has_aux)
    pairs = zip(tree_leaves_like(points, directions), call.variables)
    tangent = tree_unflatten(call.result, call.push([_as_direction(t, x, "a tangent") for t, x in pairs]))
    return (call.value, tangent, call.aux) if has_aux else (call.value, tangent)


def hvp(function: Callable, primals: object, tangents: object) -> Any:
    """Return the product of the Hessian with a vector: forward mode over reverse mode, without the matrix.

    >>> import numpy as np
    >>> from adjoint import hvp
    >>> hvp(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    require_function(function, "hvp")
    points, directions = _as_tuples(primals, tangents, "hvp")
    found = jvp(grad(function, range(len(points))), points, directions)[1]
    return found if isinstance(primals, (tuple, list)) else found[0]


# --- Jacobians and Hessians ------------------------------------------------------------------------------


@overload
def jacobian(
    function: Callable[Concatenate[Any, P], Any], *, mode: str = "auto"
) -> Callable[Concatenate[Any, P], Any]: ...
@overload
def jacobian(
    function: Callable[..., Any], argnums: int | Iterable[int] = 0, *, mode: str = "auto"
) -> Callable[..., Any]: ...
def jacobian(function: Callable, argnums: int | Iterable[int] = 0, *, mode: str = "auto") -> Callable[..., Any]:
    """Return a function that computes the derivative of each result with respect to each element of the arguments.

    For a result of shape S and an argument of shape A it is an array of shape S + A. Pytrees of results and arguments
    give nested pytrees. `mode` is "reverse" (one pass per element of the results), "forward" (one per element of the
    arguments) or "auto", which chooses the one with fewer passes.

    >>> import numpy as np
    >>> from adjoint import jacobian
    >>> jacobian(lambda x: x ** 2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    require_function(function, "jacobian")
    if mode not in ("auto", "reverse", "forward"):
        raise ArgumentError(f"jacobian: mode must be 'auto', 'reverse' or 'forward', not {mode!r}")

    @functools.wraps(function)
    def jacobian_of(*arguments, **options):
        call = Linearization(function, arguments, options, _positions(argnums, len(arguments), "jacobian"))
        results, inputs = sum(map(_size, call.results)), sum(map(_size, call.variables))
        is_forward = mode == "forward" or (mode == "auto" and inputs < results)
        blocks = (_blocks_forward if is_forward else _blocks_reverse)(call)
        rows = [tree_unflatten(call.primals, row) for row in blocks]
        if not isinstance(argnums, Iterable):
            rows = [row[0] for row in rows]
        return tree_unflatten(call.result, rows)

    return jacobian_of


@overload
def hessian(function: Callable[Concatenate[Any, P], Any]) -> Callable[Concatenate[Any, P], Any]: ...
@overload
def hessian(function: Callable[..., Any], argnums: int | Iterable[int] = 0) -> Callable[..., Any]: ...
def hessian(function: Callable, argnums: int | Iterable[int] = 0) -> Callable[..., Any]:
    """Return a function that computes all second derivatives, by forward mode over reverse mode.

    >>> import numpy as np
    >>> from adjoint import hessian
    >>> hessian(lambda x: (x[0] * x[1]) ** 2)(np.array([1.0, 2.0]))
    array([[8., 8.],
           [8., 2.]])
    """
    require_function(function, "hessian")
    return jacobian(grad(function, argnums), argnums, mode="forward")


def _blocks_reverse(call: Linearization) -> list[list]:
    """Return the derivatives of each result for each variable, by one backward pass per element of a result."""
    blocks = []
    for k, result in enumerate(call.results):

        def gradients(seed: object, k: int = k) -> list:
            return call.pull([seed if i == k else None for i in range(len(call.results))])

        rows = _for_each_element(call, result, gradients, len(call.variables))
        blocks.append([_stack(row, result, x, 0) for x, row in zip(call.variables, rows)])
    return blocks


def _blocks_forward(call: Linearization) -> list[list]:
    """Return the same by one forward sweep per element of a variable."""
    blocks: list[list] = [[] for _ in call.results]
    for i, variable in enumerate(call.variables):

        def tangents(seed: object, i: int = i) -> list:
            return call.push([seed if k == i else zeros_like(x) for k, x in enumerate(call.variables)])

        columns = _for_each_element(call, variable, tangents, len(call.results))
        for block, result, column in zip(blocks, call.results, columns):
            block.append(_stack(column, result, variable, -1))
    return blocks


def _for_each_element(call: Linearization, x: object, derivatives: Callable[[Any], list], count: int) -> list:
    """Return `count` derivatives, each for arrays like `x` that are zero except for a one at each element in turn.

    A library that vectorizes functions computes them for all elements at once.
    """
    data = data_of(x)
    if not hasattr(data, "dtype"):
        return [[part] for part in derivatives(1.0)]
    m = array_code("backends").common_backend([data], "jacobian")
    seeds = m.reshape(m.eye(_size(x), data), (_size(x), *data.shape))
    if m.vectorizes and _size(x) and not call.differentiable:
        found = m.vectorized(lambda seed: list(map(data_of, derivatives(seed))), seeds)
        return [as_value(part) for part in found] if call.gets_values else found
    rows = [derivatives(seeds[i]) for i in range(_size(x))]
    return [[row[k] for row in rows] for k in range(count)]


def _stack(parts: Sequence, result: object, variable: object, axis: int):
    """Return the derivatives of all elements as one array: the axes of the result, then those of the variable."""
    shape = (*_shape(result), *_shape(variable))
    if not shape:
        return parts[0]
    if not math.prod(shape):
        like = data_of(result if hasattr(data_of(result), "dtype") else variable)
        return array_code("backends").common_backend([like], "jacobian").zeros(shape, like)
    shaping = array_code("functions.shaping")
    stacked = parts if hasattr(parts, "dtype") else shaping.stack(parts)
    return shaping.reshape(stacked if axis == 0 else shaping.moveaxis(stacked, 0, -1), shape)


# --- arguments -------------------------------------------------------------------------------------------


def _positions(argnums: int | Iterable[int], count: int, who: str) -> tuple[int, ...]:
    """Return the positions of the arguments that `argnums` names, none of them negative."""
    numbers = tuple(argnums) if isinstance(argnums, Iterable) else (argnums,)
    for i in numbers:
        if not hasattr(i, "__index__") or not -count <= i < count:
            given = shortened(argnums)
            raise ArgumentError(f"{who}: argnums={given}, but the function was called with {count} arguments")
    found = tuple(i % count for i in numbers)
    if len(set(found)) < len(found):
        raise ArgumentError(f"{who}: argnums={shortened(argnums)} names an argument twice")
    return found


def _as_tuples(primals: object, tangents: object, who: str) -> tuple[tuple, tuple]:
    if not isinstance(primals, (tuple, list)):
        primals, tangents = (primals,), (tangents,)
    if not same_structure(primals, tangents) or not isinstance(tangents, (tuple, list)):
        raise ArgumentError(f"{who}: the tangents must have the structure of the primals, one tangent for each")
    return tuple(primals), tuple(tangents)


def _as_direction(given, like: object, who: str):
    """Return a cotangent or tangent as a number or an array like the value that it belongs to."""
    shape, is_numeric = _shape(like), isinstance(given, Value) or is_number(given) or is_array(given)
    if not shape and (not is_numeric or _shape(given)):
        raise ShapeError(f"{who} of a number must be a number, not {describe(given)}")
    if not is_numeric:
        raise ShapeError(f"{who} must be a number or an array of shape {shape}, not {describe(given)}")
    if _shape(given) != shape:
        raise ShapeError(f"{who} has the shape {_shape(given)}; it must have the shape {shape}")
    if not is_tensor(like) and not is_array(like):
        return given if isinstance(given, Value) or is_traced(given) else number(given, who)
    if is_tensor(given):
        return given
    data = data_of(like)
    if isinstance(given, Value):
        shaping = array_code("functions.shaping")
        return shaping.astype(shaping.reshape(given, ()), data.dtype)
    backends = array_code("backends")
    m = backends.common_backend([data], who)
    return m.astype(m.xp.asarray(backends.as_constant(given, m, data.dtype)), data.dtype)


def _shape(x: object) -> tuple[int, ...]:
    return tuple(getattr(data_of(x), "shape", ()))


def _is_truth_value(x: object) -> bool:
    return isinstance(x, bool) or str(getattr(x, "dtype", "")).endswith("bool")


def _size(x: object) -> int:
    return math.prod(_shape(x))


def _ones_like(x: object):
    data = data_of(x)
    if not hasattr(data, "dtype"):
        return 1.0
    return array_code("backends").common_backend([data], "grad").ones_like(data)
