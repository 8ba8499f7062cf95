"""Every transform of numbers, arrays without axes and number Values: as inputs, cotangents and tangents."""

import itertools
import math

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Tensor, Value, checkpoint, grad, hessian, hvp, jacobian, jvp, no_grad, value_and_grad, vjp
from adjoint.engine import ops
from adjoint.errors import AdjointError, MissingRuleError

KINDS = {
    "number": float,
    "integer": int,
    "NumPy scalar": np.float64,
    "array": np.array,
    "float32": np.float32,
    "Value": Value,
    "Tensor": lambda x: Tensor(np.array(float(x))),
}
each_kind = pytest.mark.parametrize("kind", KINDS)

# Functions of one number that equal it, where it is positive.
IDENTITIES = {
    "sum": adjoint.sum,
    "mean": adjoint.mean,
    "prod": adjoint.prod,
    "max": adjoint.max,
    "min": adjoint.min,
    "norm": adjoint.norm,
    "norm of order 1": lambda x: adjoint.norm(x, 1),
    "norm of order 3": lambda x: adjoint.norm(x, 3),
    "norm of order inf": lambda x: adjoint.norm(x, np.inf),
    "logsumexp": adjoint.logsumexp,
    "keepdims": lambda x: adjoint.max(adjoint.sum(x, keepdims=True), keepdims=True),
    "cumsum": lambda x: adjoint.cumsum(x)[0],
    "cumprod": lambda x: adjoint.cumprod(x)[0],
    "sort": lambda x: adjoint.sort(adjoint.flatten(x))[0],
    "var": lambda x: x + adjoint.var(x),
    "std": lambda x: x + adjoint.std(x),
    "softmax": lambda x: x * adjoint.softmax(x),
    "log_softmax": lambda x: x + adjoint.log_softmax(x),
    "np.sum": np.sum,
    "np.mean": np.mean,
    "np.prod": np.prod,
    "np.max": np.max,
    "np.min": np.min,
    "np.linalg.norm": np.linalg.norm,
    "np.var": lambda x: x + np.var(x),
    "np.std": lambda x: x + np.std(x),
    "reshape": lambda x: adjoint.reshape(x, (1, 1)).sum(),
    "flatten": lambda x: adjoint.flatten(x).sum(),
    "expand_dims": lambda x: adjoint.expand_dims(x, 0).sum(),
    "squeeze": adjoint.squeeze,
    "transpose": adjoint.transpose,
    "permute_dims": lambda x: adjoint.permute_dims(x, ()),
    "broadcast_to": lambda x: adjoint.broadcast_to(x, (2, 3)).mean(),
    "tile": lambda x: adjoint.tile(x, 3).mean(),
    "flip": adjoint.flip,
    "roll": lambda x: adjoint.roll(x, 1),
    "pad": lambda x: adjoint.pad(x, ()),
    "stack": lambda x: adjoint.stack([x, x, x]).mean(),
    "concat": lambda x: adjoint.concat([x, x], axis=None).mean(),
    "repeat": lambda x: adjoint.repeat(x, 3).mean(),
    "take": lambda x: adjoint.take(x, [0, 0]).mean(),
    "where": lambda x: adjoint.where(np.array(True), x, 2.0),
    "clip": lambda x: adjoint.clip(x, 0.0, 100.0),
    "dot": lambda x: adjoint.dot(x, 1.0),
    "einsum": lambda x: adjoint.einsum(",->", x, np.array(1.0)),
    "outer": lambda x: adjoint.outer(x, 1.0).sum(),
    "maximum": lambda x: adjoint.maximum(x, 0.0),
}
DERIVATIVES = [3.5**3, 3 * 3.5**2, 6 * 3.5, 6.0]  # of the cube


def plain(x) -> float:
    """Return a result without axes, or with axes of size 1, as a number."""
    x = x.data if isinstance(x, Value) else x
    assert np.size(x) == 1, f"{x!r} is not one number"
    return float(np.reshape(x, ()))


@pytest.mark.parametrize("name", IDENTITIES)
def test_a_function_of_one_number_has_its_three_derivatives(name):
    function = IDENTITIES[name]

    def cube(x):
        return function(x) * x * x

    def along(f):
        return lambda x: jvp(f, (x,), (1.0,))[1]

    for make in [KINDS[kind] for kind in ("number", "array", "Value", "Tensor")]:
        x = make(3.5)
        found = {
            "reverse": [cube(x), grad(cube)(x), grad(grad(cube))(x), grad(grad(grad(cube)))(x)],
            "forward": [
                jvp(cube, (x,), (1.0,))[0],
                along(cube)(x),
                along(along(cube))(x),
                along(along(along(cube)))(x),
            ],
            "forward over reverse": [value_and_grad(cube)(x)[0], value_and_grad(cube)(x)[1], hvp(cube, x, 1.0)],
            "reverse over forward": [vjp(cube, x)[0], vjp(cube, x)[1](1.0)[0], grad(along(cube))(x)],
            "matrices": [jvp(cube, x, 1.0)[0], jacobian(cube)(x), hessian(cube)(x), jacobian(hessian(cube))(x)],
            "by backward": by_backward(cube, x),
        }
        for way, values in found.items():
            require_close([plain(v) for v in values], DERIVATIVES[: len(values)], way)


def by_backward(function, x) -> list:
    v = x if isinstance(x, Value) else Value(x)
    y, found = function(v), []
    for _ in range(4):
        found.append(y)
        v.zero_grad()
        y.backward(create_graph=True)
        y = v.grad
    return found


@pytest.mark.parametrize("last", ["erf", "gelu", "tanh", "relu", "leaky_relu", "sigmoid"])
def test_rows_after_one_another_on_an_array_without_axes_give_what_numbers_give(last):
    """Reference: the same on a number, where every derivative is a float."""
    rows = {name: row for name, row in ops.TABLE.items() if len(row.operands) == 1 or row.defaults}
    for first in rows:

        def function(x, first=first):
            return rows[last](rows[first](x * 0.5 + 0.25)) * x

        for order in range(4):
            of_number, of_array = function, lambda x: function(x.sum())
            for _ in range(order):
                of_number, of_array = grad(of_number), grad(of_array)
            expected, found = of_number(0.3), of_array(np.array([0.3]))
            found = found[0] if order else found
            what = f"derivative {order} of {last}({first}(x))"
            require_close(plain(found), expected, what, scale=1.0)


def test_an_array_without_axes_keeps_its_library_through_every_row():
    for dtype, (name, row) in itertools.product((np.float64, np.float32), ops.TABLE.items()):
        operands = [Value(np.array([0.3], dtype)).sum() for _ in range(len(row.operands) - len(row.defaults))]
        y = row(*operands)
        assert isinstance(y.data, (np.generic, np.ndarray)), name
        assert y.dtype == dtype, name


# --- directions ------------------------------------------------------------------------------------------

RESULTS = {
    "a number": lambda x: x * 3.0,
    "a sum": lambda x: adjoint.sum(x * 3.0),
    "a mean of an array": lambda x: (x * np.full(4, 3.0)).mean(),
    "a float32": lambda x: (x * np.full(4, 3.0, np.float32)).mean(),
}


@each_kind
@pytest.mark.parametrize("result", RESULTS)
def test_a_cotangent_of_one_number_may_be_given_in_any_form(result, kind):
    for make in KINDS.values():
        if make is np.float32 and "float32" not in result:
            continue
        x = make(2)
        value, pullback = vjp(RESULTS[result], x)
        assert plain(value) == 6.0
        assert plain(pullback(KINDS[kind](2))[0]) == 6.0
    again = grad(lambda c: pullback(c * c)[0])
    assert plain(again(KINDS[kind](2))) == 12.0
    value, pullback = vjp(lambda x: adjoint.sum(x), np.ones(3))
    np.testing.assert_array_equal(to_array(pullback(KINDS[kind](2))[0]), [2.0, 2.0, 2.0])


def to_array(x) -> np.ndarray:
    return np.asarray(x.data if isinstance(x, Value) else x)


@each_kind
def test_a_tangent_of_one_number_may_be_given_in_any_form(kind):
    for make in KINDS.values():
        x, t = make(2), KINDS[kind](2)
        assert plain(jvp(lambda x: x**3, (x,), (t,))[1]) == 24.0
        assert plain(jvp(adjoint.sum, (x,), (t,))[1]) == 2.0
        np.testing.assert_array_equal(to_array(jvp(lambda x: x + np.ones(2), (x,), (t,))[1]), [2.0, 2.0])
        np.testing.assert_array_equal(to_array(jvp(lambda x: x * np.array([3.0, 4.0]), (x,), (t,))[1]), [6.0, 8.0])
        np.testing.assert_array_equal(to_array(jvp(lambda x: adjoint.stack([x, 2 * x]), (x,), (t,))[1]), [2.0, 4.0])
        assert plain(hvp(lambda x: x**3, x, t)) == 24.0
    slope = grad(lambda t: jvp(lambda x: (x * np.array([3.0, 4.0])).sum(), (2.0,), (t * t,))[1])
    assert plain(slope(KINDS[kind](2))) == 28.0


@each_kind
@pytest.mark.parametrize("create_graph", [False, True])
def test_backward_takes_the_gradient_of_one_number_in_any_form(kind, create_graph):
    for x in (Value(2.0), Value([2.0]), Tensor(np.array(2.0))):
        for y in (x * 3.0, adjoint.sum(x * 3.0), adjoint.mean(x * np.full(4, 3.0))):
            if y.__class__ is Tensor and y.shape:
                continue
            x.zero_grad()
            y.backward(KINDS[kind](2), create_graph=create_graph)
            assert plain(x.grad) == 6.0


@pytest.mark.parametrize("wrong", [np.ones(3), [1.0], [[1.0]], None, "1"], ids=repr)
@pytest.mark.parametrize("wrap", [False, True])
def test_a_direction_of_more_than_one_number_is_refused(wrong, wrap):
    if wrap and isinstance(wrong, (list, np.ndarray)):
        wrong = Value(wrong)
    for result in RESULTS.values():
        pullback = vjp(result, 2.0)[1]
        with pytest.raises(AdjointError):
            pullback(wrong)
        with pytest.raises(AdjointError):
            jvp(result, (2.0,), (wrong,))
        with pytest.raises(AdjointError):
            hvp(result, 2.0, wrong)
    for y in (Value(2.0) * 3.0, Value([1.0, 2.0]).sum()):
        for create_graph in (False, True):
            if wrong is not None:
                with pytest.raises(AdjointError):
                    y.backward(wrong, create_graph=create_graph)


# --- plain numbers lose derivatives ---------------------------------------------------------------


def assign_an_element(x):
    array = np.zeros(2)
    array[0] = x * x
    return array.sum()


LOSSES = {
    "math": lambda x: x + math.exp(x),
    "float": lambda x: float(x) ** 2 * x,
    "item": lambda x: (x * x).item() * x,
    "int": lambda x: int(x) * x,
    "tolist": lambda x: (x * x).tolist() * x,
    "checkpoint": lambda x: x + checkpoint(lambda z: 2 * z + math.exp(z))(x),
    "element": assign_an_element,
    "astype": lambda x: np.array([x, x * x]).astype(float).sum(),
    "NumPy inside": lambda x: np.gradient(np.array([x, x**2, x**3]))[1],
}


@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("transform", [grad, hessian, lambda f: lambda x: jvp(f, (x,), (1.0,))])
def test_a_plain_number_that_would_lose_a_derivative_is_an_error(lose, transform):
    with pytest.raises((MissingRuleError, ValueError)) as caught:
        transform(lose)(2.0)
    error = caught.value if isinstance(caught.value, MissingRuleError) else caught.value.__cause__  # NumPy adds its own
    assert isinstance(error, MissingRuleError)
    assert "such as adjoint.sin(x) for math.sin(x)" in str(error)
    assert "x.detach() is a constant" in str(error)
    with pytest.raises((MissingRuleError, ValueError)):  # NumPy raises its own error for an array without axes
        transform(lose)(np.array(2.0))


def test_numbers_that_have_no_derivative_may_be_plain_in_a_transform():
    constant = Value(5.0)

    def function(x):
        assert f"{x:.1f}" == "2.0"
        with no_grad():
            assert float(x * x) == 4.0
        return x * x * float(constant) * x.data

    assert grad(function)(2.0) == 40.0


def test_constants_comparisons_and_text_are_allowed_inside_transforms():
    def f(x):
        text = f"{x:.2f} {x}"
        return x * float(x.detach()) if x > 0 and text else x * x.data

    assert grad(f)(3.0) == 3.0
    assert grad(f)(-3.0) == -3.0


def test_int_of_a_value_is_that_of_its_number():
    assert (int(Value(2.7)), int(Value([2.7])), int(Value(-2.7))) == (2, 2, -2)
