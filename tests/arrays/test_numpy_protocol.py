"""NumPy's functions on Values return a Value with NumPy's result and a gradient, or raise an error."""

import math
import operator
from inspect import signature

import numpy as np
import pytest
from arrays import require_numpys_result_and_slope
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.arrays import numpy_names, numpy_protocol
from adjoint.errors import AdjointError, MissingRuleError, ShapeError

X = np.random.default_rng(0).uniform(0.2, 0.9, (2, 3))
Z = np.random.default_rng(1).uniform(1.2, 1.9, (2, 3))
CUBE = np.random.default_rng(2).uniform(0.2, 0.9, (2, 3, 4))
SQUARE = X @ X.T + np.eye(2)


# --- ufuncs ---------------------------------------------------------------------------------------

UNARY = [
    "negative", "absolute", "fabs", "exp", "expm1", "log", "log1p", "log2",
    "log10", "sqrt", "square", "sin", "cos", "tan", "arcsin", "arccos",
    "arctan", "sinh", "cosh", "tanh", "arcsinh", "arctanh", "sign", "floor",
    "ceil", "trunc", "rint", "abs", "asin", "acos", "atan", "asinh",
    "atanh",
]  # fmt: skip
BINARY = [
    "add", "subtract", "multiply", "divide", "true_divide", "power", "float_power", "maximum",
    "minimum", "arctan2", "pow", "atan2",
]  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_a_ufunc_of_one_operand_returns_a_value_with_its_gradient(name):
    require_numpys_result_and_slope(getattr(np, name), X)


@pytest.mark.parametrize("name", ["arccosh", "acosh"])
def test_arccosh_returns_a_value_with_its_gradient(name):
    require_numpys_result_and_slope(getattr(np, name), Z)


@pytest.mark.parametrize("name", BINARY)
def test_a_ufunc_of_two_operands_returns_a_value_with_both_gradients(name):
    ufunc = getattr(np, name)
    require_numpys_result_and_slope(ufunc, X, Z)
    require_numpys_result_and_slope(ufunc, X, Z[0])
    require_numpys_result_and_slope(lambda x: ufunc(x, 1.5), X)
    require_numpys_result_and_slope(lambda x: ufunc(Z, x), X)


def test_matmul_is_a_ufunc():
    require_numpys_result_and_slope(np.matmul, X, Z.T)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum"])
@pytest.mark.parametrize("options", [{}, {"axis": 1}, {"axis": None}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}])
def test_a_ufunc_reduces(name, options):
    require_numpys_result_and_slope(lambda x: getattr(np, name).reduce(x, **options), X)


@pytest.mark.parametrize("name", ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
def test_comparisons_return_plain_booleans(name):
    found = getattr(np, name)(Value(X), 0.5)
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, getattr(np, name)(X, 0.5))


@pytest.mark.parametrize("name", ["isfinite", "isinf", "isnan", "signbit"])
def test_elementwise_tests_return_plain_booleans(name):
    x = np.array([1.0, -0.0, math.inf, math.nan])
    np.testing.assert_array_equal(getattr(np, name)(Value(x)), getattr(np, name)(x))


# --- functions ------------------------------------------------------------------------------------

FUNCTIONS = {
    "sum": lambda x: np.sum(x, axis=0),
    "sum of all": np.sum,
    "sum, keepdims": lambda x: np.sum(x, axis=(0, 1), keepdims=True),
    "mean": lambda x: np.mean(x, axis=-1),
    "prod": lambda x: np.prod(x, axis=1),
    "var": lambda x: np.var(x, axis=0),
    "var, ddof": lambda x: np.var(x, ddof=1),
    "std, ddof": lambda x: np.std(x, axis=1, ddof=1, keepdims=True),
    "max": lambda x: np.max(x, axis=1),
    "amax": np.amax,
    "min": lambda x: np.min(x, axis=0, keepdims=True),
    "amin": np.amin,
    "cumsum": np.cumsum,
    "cumsum along an axis": lambda x: np.cumsum(x, axis=1),
    "cumprod": lambda x: np.cumprod(x, axis=0),
    "reshape": lambda x: np.reshape(x, (3, -1)),
    "ravel": np.ravel,
    "transpose": np.transpose,
    "transpose, axes": lambda x: np.transpose(x, (1, 0)),
    "transpose, axes by keyword": lambda x: np.transpose(x, axes=(1, 0)),
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "squeeze": lambda x: np.squeeze(x[:1]),
    "squeeze, axis": lambda x: np.squeeze(x[:1], axis=0),
    "expand_dims": lambda x: np.expand_dims(x, 1),
    "expand_dims, several": lambda x: np.expand_dims(x, axis=(0, -1)),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 2, 3)),
    "flip": np.flip,
    "flip, axis": lambda x: np.flip(x, axis=1),
    "roll": lambda x: np.roll(x, 2),
    "roll, axis": lambda x: np.roll(x, 1, axis=0),
    "repeat": lambda x: np.repeat(x, 2),
    "repeat, axis": lambda x: np.repeat(x, [1, 2], axis=0),
    "tile": lambda x: np.tile(x, (2, 1)),
    "tile, by keyword": lambda x: np.tile(x, reps=2),
    "pad": lambda x: np.pad(x, ((1, 0), (0, 2))),
    "pad, mode": lambda x: np.pad(x, 1, mode="constant"),
    "pad, value": lambda x: np.pad(x, 1, constant_values=2.0),
    "concatenate": lambda x: np.concatenate([x, Z, x]),
    "concatenate, axis": lambda x: np.concatenate((Z, x), axis=1),
    "concatenate, flat": lambda x: np.concatenate([x, Z], axis=None),
    "stack": lambda x: np.stack([x, Z], axis=1),
    "split": lambda x: np.split(x, 3, axis=1)[1],
    "split, places": lambda x: np.split(x, [1], axis=1)[1],
    "where": lambda x: np.where(Z > 1.5, x, 2 * x),
    "where, a number": lambda x: np.where(X > 0.5, x, 0.0),
    "clip": lambda x: np.clip(x, 0.4, 0.6),
    "clip, by keyword": lambda x: np.clip(x, a_min=0.4, a_max=None),
    "take": lambda x: np.take(x, [0, 0, 4]),
    "take, axis": lambda x: np.take(x, [2, 0], axis=1),
    "take_along_axis": lambda x: np.take_along_axis(x, np.array([[0], [2]]), axis=1),
    "sort": np.sort,
    "sort, axis": lambda x: np.sort(x, axis=0),
    "sort, flat": lambda x: np.sort(x, axis=None),
    "tril": np.tril,
    "triu": lambda x: np.triu(x, 1),
    "tril, k": lambda x: np.tril(x, k=-1),
    "diagonal": np.diagonal,
    "diagonal, offset": lambda x: np.diagonal(x, offset=1),
    "diag": np.diag,
    "diag of a vector": lambda x: np.diag(x[0], 1),
    "trace": np.trace,
    "dot": lambda x: np.dot(x, Z.T),
    "dot, on the right": lambda x: np.dot(Z.T, x),
    "tensordot": lambda x: np.tensordot(x, Z, axes=([0, 1], [0, 1])),
    "outer": lambda x: np.outer(x, Z),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, Z),
    "round": np.round,
    "around": np.around,
    "linalg.norm": np.linalg.norm,
    "linalg.norm, axis": lambda x: np.linalg.norm(x, axis=1),
    "linalg.diagonal": lambda x: np.linalg.diagonal(x.T @ x, offset=1),
    "linalg.trace": lambda x: np.linalg.trace(x[None], offset=-1),
    "linalg.matmul": lambda x: np.linalg.matmul(x.T, x),
    "linalg.matrix_transpose": lambda x: np.linalg.matrix_transpose(x),
    "linalg.outer": lambda x: np.linalg.outer(x[0], x[1]),
    "linalg.tensordot": lambda x: np.linalg.tensordot(x, x.T, axes=1),
    "linalg.inv": lambda x: np.linalg.inv(SQUARE + x[:, :2]),
    "linalg.det": lambda x: np.linalg.det(SQUARE + x[:, :2]),
    "linalg.solve": lambda x: np.linalg.solve(SQUARE, x),
}
NUMPY_2 = {
    "permute_dims": lambda x: np.permute_dims(x, (1, 0)),
    "matrix_transpose": lambda x: np.matrix_transpose(x),
    "concat": lambda x: np.concat([x, Z]),
    "cumulative_sum": lambda x: np.cumulative_sum(x, axis=1),
    "cumulative_prod": lambda x: np.cumulative_prod(x, axis=1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_returns_a_value_with_its_gradient(name):
    require_numpys_result_and_slope(FUNCTIONS[name], X)


@pytest.mark.parametrize("name", [name for name in NUMPY_2 if hasattr(np, name)])
def test_the_array_api_names_of_numpy_2_return_values_with_gradients(name):
    require_numpys_result_and_slope(NUMPY_2[name], X)


@pytest.mark.skipif("shape" not in signature(np.reshape).parameters, reason="NumPy has this keyword from 2.1 on")
def test_the_shape_of_reshape_can_be_given_by_its_keyword():
    require_numpys_result_and_slope(lambda x: np.reshape(x, shape=(3, 2)), X)


@pytest.mark.parametrize("name", ["diagonal", "trace", "transpose", "sort", "tril", "sum", "cumsum", "ravel"])
def test_default_axes_agree_with_numpy_for_three_axes(name):
    require_numpys_result_and_slope(getattr(np, name), CUBE)


@pytest.mark.parametrize(
    "ask",
    [
        np.shape,
        np.ndim,
        np.size,
        np.argmax,
        lambda x: np.argmin(x, axis=1),
        np.argsort,
        lambda x: np.allclose(x, X),
        lambda x: np.array_equal(x, X),
        lambda x: np.any(x > 0.5),
        lambda x: np.isclose(x, 0.5),
        lambda x: np.nonzero(x > 0.5),
        np.zeros_like,
        np.ones_like,
        np.count_nonzero,
    ],
)
def test_functions_without_a_gradient_return_plain_arrays(ask):
    found, expected = ask(Value(X)), ask(X)
    assert not isinstance(found, Value)
    np.testing.assert_array_equal(found, expected)


def test_numpys_functions_also_accept_scalar_values():
    x = Value(0.5)
    y = np.exp(x) * np.sin(x) + np.sum(x)
    y.backward()
    require_close(float(x.grad), math.exp(0.5) * (math.sin(0.5) + math.cos(0.5)) + 1)


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("nextafter", lambda v: np.nextafter(v, 1.0)),
        ("spacing", np.spacing),
        ("histogram", np.histogram),
        ("apply_over_axes", lambda v: np.apply_over_axes(np.sum, v, 0)),
        ("eigvals", lambda v: np.linalg.eigvals(v[:, :2])),
        ("add.at", lambda v: np.add.at(v, [0], 1.0)),
        ("arctan2.reduce", np.arctan2.reduce),
        ("maximum.reduceat", lambda v: np.maximum.reduceat(v, [0, 1])),
    ],
)
def test_a_function_without_a_rule_raises_and_names_the_alternatives(name, call):
    with pytest.raises(MissingRuleError, match=name) as caught:
        call(Value(X))
    for alternative in ("adjoint.op", "custom_vjp", "v.data"):
        assert alternative in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda v: np.add.reduceat(v, [0, 1]),
        lambda v: np.add(v, 1.0, signature="dd->d"),
        lambda v: np.matmul(v, v.T, axes=[(0, 1), (0, 1), (0, 1)]),
        lambda v: np.cumsum(v, out=np.zeros(6)),
    ],
)
def test_an_argument_without_a_rule_raises_rather_than_being_ignored(call):
    with pytest.raises(MissingRuleError):
        call(Value(X))


@pytest.mark.parametrize(
    "call",
    [
        lambda v, out: np.add(v, 1.0, out=out),
        lambda v, out: np.exp(v, out=out),
        lambda v, out: np.sum(v, axis=None, keepdims=True, out=out[:1, :1]),
        lambda v, out: out.__iadd__(v),
        lambda v, out: out.__imul__(v),
    ],
)
def test_a_plain_array_is_never_written_to(call):
    out = X.copy()
    with pytest.raises(MissingRuleError):
        call(Value(X), out)
    np.testing.assert_array_equal(out, X)


def test_a_value_is_not_silently_converted_to_a_plain_array():
    with pytest.raises(AdjointError, match=r"\.data|numpy\(\)"):
        np.asarray(Value(X), dtype=float)


def test_errors_of_the_operation_itself_are_raised():
    with pytest.raises(ShapeError, match=r"\(2, 3\).*\(4,\)"):
        np.add(Value(X), np.ones(4))
    with pytest.raises(ShapeError, match="axis 5"):
        np.sum(Value(X), axis=5)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow", "matmul"])
def test_an_array_on_the_left_of_an_operator_defers_to_the_value(name):
    apply, second = getattr(operator, name), Z.T if name == "matmul" else Z
    require_numpys_result_and_slope(lambda z: apply(X, z), second)


@pytest.mark.parametrize("number", [np.float64(2.0), np.float32(2.0), np.int64(2), np.array(2.0)])
def test_a_number_of_numpy_on_the_left_takes_the_dtype_of_the_value(number):
    v = Value(np.array([1.0, 2.0], np.float32))
    for y, expected in (
        (number * v, [2, 4]),
        (number - v, [1, 0]),
        (number / v, [2, 1]),
        (number**v, [2, 4]),
    ):
        assert isinstance(y, adjoint.Tensor)
        assert y.dtype == np.float32
        assert y.data.tolist() == expected


@pytest.mark.parametrize("table", ["FUNCTIONS", "LINALG"])
def test_the_tables_name_functions_of_numpy_and_of_adjoint_in_alphabetical_order(table):
    places = getattr(numpy_names, table)
    assert list(places) == sorted(places)
    for name, place in places.items():
        assert callable(numpy_protocol._find(name, place))
        homes = [np.linalg] if table == "LINALG" else [np, np.lib.stride_tricks]
        assert any(hasattr(home, name) for home in homes) or np.__version__ < "2.4"
