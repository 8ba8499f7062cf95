"""What users pass as arrays: subclasses of NumPy's arrays, masked arrays, and arrays of Python objects."""

import operator

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Tensor, Value, checkpoint, custom_vjp, grad, jacobian, jvp, nn, value_and_grad, vjp
from adjoint.data import DataLoader, train_test_split
from adjoint.errors import AdjointError, ArrayError, DataError

# --- subclasses of NumPy's arrays -------------------------------------------------------------------------


class Strange(np.ndarray):
    """An array whose operators do something else, as those of np.matrix."""

    def __mul__(self, other):
        return np.asarray(self) @ other

    __rmul__ = __pow__ = __add__ = __mul__


X, Z = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.5, -1.0], [2.0, 0.25]])
OPERATIONS = {
    "*": operator.mul,
    "+": operator.add,
    "-": operator.sub,
    "/": operator.truediv,
    "@": operator.matmul,
    "maximum": adjoint.maximum,
    "pow": adjoint.pow,
    "matmul": adjoint.matmul,
    "linear": adjoint.linear,
    "einsum": lambda v, x: adjoint.einsum("ij,ij->i", v, x),
    "where": lambda v, x: adjoint.where(X > 2, v, x),
    "condition": lambda v, x: adjoint.where(x > 0.3, v, 0.0),
    "concat": lambda v, x: adjoint.concat([v, x]),
    "stack": lambda v, x: adjoint.stack([v, x]),
    "clip": lambda v, x: adjoint.clip(v, x, 100.0),
    "set": lambda v, x: v.at[:].set(x) * v,
    "add": lambda v, x: v.at[:1].add(x[:1]) * v,
    "sum": lambda v, x: v * adjoint.sum(x, axis=0),
    "exp": lambda v, x: v * adjoint.exp(x),
    "square": lambda v, x: v * adjoint.square(x),
    "np.add": np.add,
    "np.where": lambda v, x: np.where(X > 2, v, x),
    "index": lambda v, x: v[(x > 0.3).astype(int)],
    "mask": lambda v, x: v[x > 0.3],
    "take": lambda v, x: adjoint.take(v, (x > 0.3).astype(int), axis=0),
    "mse": nn.mse,
    "inputs": lambda v, x: nn.Linear(2, 2, seed=0)(x) * v,
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("kind", [np.matrix, Strange, np.memmap], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_subclass_of_an_array_as_an_operand_is_the_array(name, kind, tmp_path):
    if kind is np.memmap:
        given = np.memmap(tmp_path / "x", float, "w+", shape=Z.shape)
        given[:] = Z
    else:
        given = Z.view(kind)
    operation, found = OPERATIONS[name], []
    for operand in (Z, given):
        v = Value(X)
        y = operation(v, operand)
        y.backward(np.ones(y.shape), create_graph=True)
        found.append((y.data, v.grad.data))
    for expected, ours in zip(*found):
        assert type(ours) in (np.ndarray, np.float64)
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("kind", [np.matrix, Strange], ids=lambda kind: kind.__name__)
def test_a_subclass_of_an_array_is_an_array_at_every_door(kind):
    pytest.importorskip("jax")
    given = Z.view(kind)
    v = Value(given)
    assert type(v.data) is np.ndarray
    v.data = given
    assert type(v.data) is np.ndarray
    v.grad = given
    assert type(v.grad) is np.ndarray
    (v * 1.0).backward(given)
    assert type(v.grad) is np.ndarray
    if kind is np.matrix:  # it leaves the product to the Value
        np.testing.assert_array_equal((given * v).data, Z * Z)
    np.testing.assert_array_equal(grad(lambda x: (x * given * x).sum())(given), 2 * Z * Z)
    np.testing.assert_array_equal(vjp(lambda x: x * x, given)[1](given)[0], 2 * Z * Z)
    np.testing.assert_array_equal(jvp(lambda x: x * x, given, given)[1], 2 * Z * Z)
    gradient = value_and_grad(lambda x: (x * x).sum())(given)[1]
    assert type(gradient) is np.ndarray
    twice = custom_vjp(lambda x: (2 * x).view(kind), lambda g, y, x: (2 * g).view(kind))
    y = twice(v)
    assert type(y.data) is np.ndarray
    v.zero_grad()
    y.backward(np.ones((2, 2)))
    assert type(v.grad) is np.ndarray
    (x, z) = next(iter(DataLoader(given, given, batch_size=1)))
    assert type(x) is type(z) is np.ndarray
    assert all(type(part) is np.ndarray for part in train_test_split(given, test_size=1))
    labels = np.array([0, 1]).view(kind).reshape(-1)
    if kind is Strange:
        assert nn.cross_entropy(v, labels).shape == ()
        assert type(adjoint.one_hot(labels, 2)) is np.ndarray
    np.testing.assert_array_equal(adjoint.jit(lambda a, b: a * b)(v, given).data, Z * Z)
    np.testing.assert_array_equal(adjoint.mul(given, given), Z * Z)


MASKED = np.ma.array([1.0, 2.0], mask=[False, True])


@pytest.mark.parametrize(
    "use",
    [
        lambda v, x: Value(x),
        lambda v, x: v * x,
        lambda v, x: adjoint.sum(x),
        lambda v, x: adjoint.exp(x),
        lambda v, x: np.add(x, v),
        lambda v, x: v * x[1],
        lambda v, x: Value(x[1]),
        lambda v, x: Value(2.0) * x[1],
        lambda v, x: setattr(v, "data", x),
        lambda v, x: setattr(v, "grad", x),
        lambda v, x: setattr(v, "data", x[1]),
        lambda v, x: v.backward(x),
        lambda v, x: vjp(lambda v: v * v, v)[1](x),
        lambda v, x: jvp(lambda v: v * v, v, x),
        lambda v, x: grad(lambda x: adjoint.sum(x))(x),
        lambda v, x: adjoint.where(x > 1.0, v, 0.0),
        lambda v, x: v[(x - 1).astype(int)],
        lambda v, x: v.at[(x - 1).astype(int)].add(1.0),
        lambda v, x: adjoint.take_along_axis(v, (x - 1).astype(int)),
        lambda v, x: adjoint.one_hot(x.astype(int), 3),
        lambda v, x: nn.cross_entropy(Value(np.ones((2, 3))), x.astype(int)),
        lambda v, x: nn.Embedding(3, 2, seed=0)(x.astype(int)),
        lambda v, x: nn.mse(v, x),
        lambda v, x: nn.Linear(2, 1, seed=0)(x),
        lambda v, x: DataLoader(x, x),
        lambda v, x: train_test_split(x),
        lambda v, x: adjoint.jit(lambda a: a * 2)(x),
        lambda v, x: adjoint.stack([v, x]),
    ],
)
def test_a_masked_array_is_an_error_and_does_not_lose_its_mask(use):
    with pytest.raises(AdjointError, match=r"mask.*filled|mask.*compressed"):
        use(Value([1.0, 2.0]), MASKED)


# --- arrays of Python objects -----------------------------------------------------------------------------


def test_a_function_may_return_an_array_of_values_that_numpy_made():
    def function(x):
        return np.array([[x, x**2], [1.0, 2.0 * x]])

    value, pullback = vjp(function, 3.0)
    np.testing.assert_array_equal(value, [[3.0, 9.0], [1.0, 6.0]])
    assert value.dtype == np.float64
    assert pullback(np.ones((2, 2))) == (9.0,)
    value, tangent = jvp(function, 3.0, 1.0)
    np.testing.assert_array_equal(value, [[3.0, 9.0], [1.0, 6.0]])
    np.testing.assert_array_equal(tangent, [[1.0, 6.0], [0.0, 2.0]])
    for mode in ("forward", "reverse"):
        np.testing.assert_array_equal(jacobian(function, mode=mode)(3.0), [[1.0, 6.0], [0.0, 2.0]])
    assert grad(lambda x: np.array(x * x))(3.0) == 6.0
    assert grad(grad(lambda x: np.array(x * x * x)))(3.0) == 18.0
    np.testing.assert_array_equal(jacobian(jacobian(function))(3.0), [[0.0, 2.0], [0.0, 0.0]])
    assert vjp(lambda x: {"a": [np.array([x, x**2])]}, 3.0)[1]({"a": [np.ones(2)]}) == (7.0,)


def test_a_checkpoint_keeps_the_history_of_an_array_of_values():
    x = Value(3.0)
    y = checkpoint(lambda x: np.array([x, x**2]))(x)
    assert isinstance(y, Tensor)
    y.backward([1.0, 1.0])
    assert x.grad == 7.0


OBJECTS = {
    "Values": np.array([Value(1.0), Value(2.0)]),
    "one Value": np.array(Value(1.0)),
    "numbers": np.array([1.0, 2.0], dtype=object),
    "None": np.array([1.0, None]),
    "text": np.array(["1", "2"]),
}


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize(
    "use",
    [
        lambda v, x: Value(x),
        lambda v, x: v * x,
        lambda v, x: x * v,
        lambda v, x: Value(2.0) * x,
        lambda v, x: x * Value(2.0),
        lambda v, x: adjoint.exp(x),
        lambda v, x: adjoint.sum(x),
        lambda v, x: adjoint.where(x, v, 0.0),
        lambda v, x: adjoint.where([True, False], v, x),
        lambda v, x: v[x],
        lambda v, x: v.at[x].add(1.0),
        lambda v, x: adjoint.one_hot(x, 3),
        lambda v, x: setattr(v, "data", x),
        lambda v, x: v.backward(x),
        lambda v, x: vjp(lambda v: v * v, v)[1](x),
        lambda v, x: jvp(lambda v: v * v, v, x),
        lambda v, x: grad(lambda x: adjoint.sum(x))(x),
        lambda v, x: DataLoader(x),
        lambda v, x: nn.mse(v, x),
        lambda v, x: custom_vjp(lambda v: x, lambda g, y, v: g)(v),
        lambda v, x: custom_vjp(lambda v: v, lambda g, y, v: x)(v).sum().backward(),
    ],
)
def test_an_array_of_objects_is_an_error_where_an_array_of_numbers_is_needed(use, name):
    with pytest.raises(AdjointError):
        use(Value([1.0, 2.0]), OBJECTS[name])


@pytest.mark.parametrize("name", ["numbers", "None", "text"])
def test_a_function_that_returns_an_array_of_objects_is_an_error(name):
    for transform in (jacobian, lambda f: lambda x: vjp(f, x), lambda f: lambda x: jvp(f, x, 1.0)):
        with pytest.raises(AdjointError, match="must return numbers"):
            transform(lambda x: OBJECTS[name])(3.0)


def test_jit_refuses_an_array_of_values_in_arguments_and_globals():
    for name in ("Values", "one Value"):
        given = OBJECTS[name]
        with pytest.raises(AdjointError, match=r"adjoint\.stack"):
            adjoint.jit(lambda a: a * 2)(given)
        with pytest.raises(AdjointError, match=r"adjoint\.stack"):
            adjoint.jit(lambda a, given=given: given * a)(2.0)


def test_the_error_for_an_array_of_values_points_to_stack():
    with pytest.raises(ArrayError, match=r"adjoint\.stack.*with gradients") as caught:
        Value([1.0, 2.0]) * OBJECTS["Values"]
    assert "astype" not in str(caught.value)


def test_the_dtype_of_a_number_is_numpys_float64():
    dtype = Value(2.0).dtype
    assert dtype == np.float64 == dtype == np.dtype(float) == "float64" == dtype
    assert dtype != np.float32
    assert (str(dtype), repr(dtype), dtype.kind, dtype.itemsize) == ("float64", "dtype('float64')", "f", 8)
    assert np.zeros(2, dtype).dtype == np.ones(2, np.float32).astype(dtype).dtype == np.float64
    assert hash(dtype) == hash(np.dtype(float))
    assert type(dtype.type(2)) is np.float64


def test_numpy_statistics_of_a_list_of_numbers_have_gradients():
    a, b = Value(1.0), Value(4.0)
    slopes = {np.std: 0.5, np.var: 1.5, np.mean: 0.5, np.nanmean: 0.5, np.average: 0.5, np.median: 0.5, np.sum: 1.0}
    for function, slope in slopes.items():
        b.zero_grad()
        y = function([a, b])
        assert y.data == function([1.0, 4.0])
        y.backward()
        require_close(b.grad, slope)
    with pytest.raises(AdjointError):
        np.std([Value([1.0, 2.0]), Value([3.0, 4.0])])


def test_a_dataframe_becomes_an_array_of_its_numbers():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4], "c": [True, False]})
    x = Value(table)
    np.testing.assert_array_equal(x.data, table.to_numpy(float))
    (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad, 2 * table.to_numpy(float))
    assert Value(table["a"].astype("float32")).dtype == np.float32
    assert Value(pd.Series([1, 2, 3])).data.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_array_equal(
        Value(pd.DataFrame({"a": pd.array([1, None], dtype="Int64")})).data, [[1.0], [np.nan]]
    )


def test_a_dataframe_with_text_names_its_column():
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match=r"Value needs numbers, but column 'city' contains str 'Bonn'.*get_dummies"):
        Value(pd.DataFrame({"a": [1.0, 2.0], "city": ["Bonn", "Rome"]}))
    with pytest.raises(DataError, match="the column contains str 'Bonn'"):
        Value(pd.Series(["Bonn", "Rome"]))
