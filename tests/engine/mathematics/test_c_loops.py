"""The rows as C loops over arrays: the same bits as the corresponding sequence of NumPy operations."""

import copy
import inspect
import pickle
import sys
import threading

import numpy as np
import pytest
from closeness import require_close
from fuzzing import examples
from hypothesis import given, strategies as st

import adjoint
from adjoint import Value, no_grad, ops
from adjoint.arrays import kernels
from adjoint.arrays.apply import make_leaf
from adjoint.arrays.backends import NUMPY
from adjoint.arrays.functions import reductions
from adjoint.arrays.tensor import Tensor
from adjoint.engine import native
from adjoint.engine.mathematics.c_loops import loops_header

if not native.core:
    pytest.skip("the loops are part of the native core", allow_module_level=True)

OPERATORS = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "div": "__truediv__", "neg": "__neg__"}
SHAPES = [(), (1,), (5,), (0,), (2, 3), (3, 0, 2), (9, 17), (4, 1, 130)]
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, np.inf, -np.inf, np.nan, 1e-300, 3e38, -7.25]


def is_fast(method) -> bool:
    return type(method).__name__ == "Fast"


def method_of(row: str):
    return inspect.getattr_static(Tensor, OPERATORS.get(row, row), None)


ROWS_BOTH_WAYS = [row for row in ops.TABLE if is_fast(method_of(row))]
ROWS_BACK = [row for row in ops.TABLE if f"NAME({row}_back" in loops_header()]


def numbers(data, shape, dtype) -> np.ndarray:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    x = rng.normal(0, 2, shape)
    edges = rng.random(shape) < data.draw(st.sampled_from([0.0, 0.3]))
    with np.errstate(over="ignore"):
        return np.where(edges, rng.choice(EDGES, shape), x).astype(dtype)


def same(found, expected) -> bool:
    """Return whether two results agree to the last bit; all NaNs are equal, and the sign of zero is ignored."""
    if expected is None or found is None:
        return found is expected
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    return bool(np.array_equal(found, expected, equal_nan=True))


def operands_of(data, row: str, shape, dtype) -> list:
    """Draw arrays of one shape; the second operand may be a constant or a number."""
    x = make_leaf(numbers(data, shape, dtype)[()])
    if len(ops.TABLE[row].operands) == 1:
        return [x]
    kind = data.draw(st.sampled_from(["value", "array", "float", "int", "number", "itself"]))
    z = numbers(data, shape, dtype)
    other = {
        "value": lambda: make_leaf(z[()]),
        "array": lambda: z,
        "float": lambda: float(numbers(data, (), np.float64)),
        "int": lambda: data.draw(st.integers(-3, 2**60)),
        "number": lambda: make_leaf(numbers(data, (), dtype)[()]),
        "itself": lambda: x,
    }[kind]()
    return [x, other]


def gradient_for(data, shape, dtype) -> np.ndarray:
    if data.draw(st.booleans()):
        return np.broadcast_to(numbers(data, (), dtype), shape)
    return numbers(data, shape, dtype)


def test_rows_of_plain_arithmetic_have_loops():
    assert {"add", "sub", "mul", "div", "neg", "relu", "square", "sqrt", "leaky_relu"} <= set(ROWS_BOTH_WAYS)
    assert {"tanh", "exp", "log", "sigmoid", "maximum"} <= set(ROWS_BACK)
    assert "atan2" not in ROWS_BACK  # with float32 arrays and a Python float z, z * z is a double only in Python
    assert "exp_forward" not in loops_header()  # NumPy's is faster than the C library's and rounds differently


@pytest.mark.parametrize("row", ROWS_BOTH_WAYS)
@examples(15)
@given(data=st.data())
def test_a_row_gives_the_numbers_that_numpy_gives(row, data):
    dtype, shape = data.draw(st.sampled_from([np.float64, np.float32])), data.draw(st.sampled_from(SHAPES))
    operands, method = operands_of(data, row, shape, dtype), method_of(row)
    fast, usual = method(*operands), method.__wrapped__(*operands)
    assert same(fast.data, usual.data)
    assert type(fast.data) is type(usual.data)
    assert fast.op == usual.op
    assert [x if isinstance(x, Value) else 0 for x in fast._operands] == [
        x if isinstance(x, Value) else 0 for x in usual._operands
    ]


@pytest.mark.parametrize("row", ROWS_BACK)
@examples(15)
@given(data=st.data())
def test_a_row_passes_back_the_numbers_that_numpy_passes_back(row, data):
    dtype, shape = data.draw(st.sampled_from([np.float64, np.float32])), data.draw(st.sampled_from(SHAPES))
    operands = operands_of(data, row, shape, dtype)
    node = ops.TABLE[row](*operands)
    g = gradient_for(data, shape, dtype)[()]
    variables = tuple(isinstance(x, Value) for x in node._operands)
    datas = [x._data if isinstance(x, Value) else x for x in node._operands]
    back = kernels.reader(node._rule, variables, datas, NUMPY)[1]
    before = np.array(g)
    with np.errstate(all="ignore"):
        fast, usual = back(g, node), back.__wrapped__(g, node)
    assert len(fast) == len(usual)
    assert all(map(same, fast, usual))
    assert same(g, before[()])


@examples(40)
@given(data=st.data())
def test_sums_and_means_agree_with_numpy(data):
    dtype = data.draw(st.sampled_from([np.float64, np.float32]))
    x = make_leaf(numbers(data, data.draw(st.sampled_from([*SHAPES, (1031,), (40, 300)])), dtype)[()])
    for method in (Tensor.sum, Tensor.mean):
        assert is_fast(method)
        fast, usual = method(x), method.__wrapped__(x)
        assert same(fast.data, usual.data)
        if x.size:
            g = numbers(data, (), dtype)[()]
            with np.errstate(all="ignore"):
                assert same(fast._back(g, fast)[0], usual._back(g, usual)[0])


PAIRS = [((9, 17), (17,)), ((9, 17), (9, 1)), ((4, 1, 130), (3, 1)), ((2, 3), (1, 1)), ((5,), (3, 5)), ((1, 4), (3, 1))]
PAIRS += [((3, 0, 2), (2,)), ((2, 3, 4), (3, 1)), ((2, 3, 4), (2, 1, 4)), ((1,), (1, 1)), ((7, 1), (1, 1, 6))]


@pytest.mark.parametrize("row", ["add", "sub", "mul", "div", "leaky_relu"])
@examples(15)
@given(data=st.data())
def test_operands_that_broadcast_give_what_numpy_gives(row, data):
    dtype, shapes = data.draw(st.sampled_from([np.float64, np.float32])), data.draw(st.sampled_from(PAIRS))
    x, z = (Value(numbers(data, shape, dtype)) for shape in data.draw(st.permutations(shapes)))
    z = z if data.draw(st.booleans()) else z.data
    fast, usual = method_of(row)(x, z), method_of(row).__wrapped__(x, z)
    assert same(fast.data, usual.data)
    g = gradient_for(data, fast.shape, dtype)
    if data.draw(st.booleans()):
        g = np.broadcast_to(g[..., :1], g.shape)  # as of a sum along the last axis
    before = np.array(g)
    with np.errstate(all="ignore"):
        assert all(map(same, fast._back(g, fast), usual._back(g, usual)))
    assert same(g, before)


def test_memory_with_gaps_is_read_row_by_row():
    x = np.arange(24.0).reshape(4, 6)
    parts = [np.s_[:, :3], np.s_[::2], np.s_[1:3, 2:5], np.s_[:, ::2], np.s_[:, ::-1], np.s_[::-1], np.s_[:, 1:2]]
    for part in parts:
        given = x[part]
        v = make_leaf(given)
        y = v * v + v.relu()
        y.backward(given)
        assert np.array_equal(y.data, given * given + given)
        assert np.array_equal(v.grad, given * (2 * given + (given > 0)))


@examples(40)
@given(data=st.data())
def test_reductions_along_an_axis_agree_with_their_rules(data):
    dtype, name = data.draw(st.sampled_from([np.float64, np.float32])), data.draw(st.sampled_from(REDUCTIONS))
    shape = data.draw(st.sampled_from([(5,), (2, 3), (9, 17), (4, 1, 130), (1, 1), (3, 4, 5)]))
    given = numbers(data, shape, dtype)
    if data.draw(st.booleans()):
        given = np.round(given)  # with ties
    x, method = Value(given), getattr(Tensor, name)
    axis, keepdims = data.draw(st.integers(-len(shape), len(shape) - 1)), data.draw(st.booleans())
    options = {"axis": axis, "keepdims": keepdims}
    fast, usual = method(x, **options), method.__wrapped__(x, **options)
    assert is_fast(method)
    assert type(fast._back).__name__ == "Back"
    assert fast._static == usual._static
    assert same(fast.data, usual.data)
    g = gradient_for(data, fast.shape, dtype)[()]
    with np.errstate(all="ignore"):
        assert same(fast._back(g, fast)[0], usual._back(g, usual)[0])


REDUCTIONS = ["sum", "mean", "max", "min"]


@pytest.mark.parametrize("function", [adjoint.softmax, adjoint.log_softmax])
def test_softmax_makes_the_node_of_its_rule(function):
    x = Value(np.random.default_rng(0).normal(size=(3, 5)))
    assert is_fast(function)
    for options in ({}, {"axis": -1}, {"axis": 1}, {"axis": 0}, {"axis": (0, 1)}):
        fast, usual = function(x, **options), function.__wrapped__(x, **options)
        assert (fast.op, fast._operands, fast._static) == (usual.op, usual._operands, usual._static)
        require_close(fast.data, usual.data)
        for g in (np.arange(15.0).reshape(3, 5), np.broadcast_to(2.0, (3, 5)), np.ones((5, 3)).T):
            require_close(fast._back(g, fast)[0], usual._back(g, usual)[0], scale=1.0)  # equal cotangents cancel


@examples(30)
@given(data=st.data())
def test_sums_over_adjoining_axes_are_those_of_numpy(data):
    shape = data.draw(st.sampled_from([(5,), (9, 17), (200, 3), (4, 1, 130), (3, 4, 5), (2, 3, 4, 5), (0, 3), (3, 0)]))
    x = numbers(data, shape, np.float64)
    first = data.draw(st.integers(0, len(shape) - 1))
    axes, keepdims = tuple(range(first, data.draw(st.integers(first, len(shape))))), data.draw(st.booleans())
    with np.errstate(all="ignore"):
        assert same(native.core.sum_along(x, axes, keepdims), np.add.reduce(x, axes, keepdims=keepdims))
    x = np.nan_to_num(x, posinf=1.0, neginf=2.0).clip(-9, 9)
    found = native.core.sum_along(x.astype(np.float32), axes, keepdims)
    expected = np.add.reduce(x, axes, keepdims=keepdims)
    require_close(found, expected, dtype="float32", terms=max(x.size, 1), scale=9.0)


@examples(15)
@given(data=st.data())
def test_a_layer_equals_its_products_written_out(data):
    dtype = data.draw(st.sampled_from([np.float64, np.float32]))
    rows, inputs, outputs = (data.draw(st.integers(0, 7)) for _ in range(3))
    given = [numbers(data, shape, dtype) for shape in ((rows, inputs), (outputs, inputs), (outputs,))]
    given = [np.nan_to_num(x, nan=1.0, posinf=2.0, neginf=-2.0).clip(-9, 9) for x in given]
    operands = [Value(x) if data.draw(st.booleans()) else x for x in given]
    linear = adjoint.linear
    assert is_fast(linear)
    fast, usual = linear(*operands), linear.__wrapped__(*operands)
    if isinstance(usual, np.ndarray):  # no operand is a Value
        assert same(fast, usual)
        return
    assert same(fast.data, usual.data)
    g = np.random.default_rng(0).normal(size=(rows, outputs)).astype(dtype)
    for found, expected in zip(fast._back(g, fast), usual._back(g, usual)):
        assert (found is None) == (expected is None)
        if found is not None:
            require_close(found, expected, terms=7, scale=9.0)  # sums over up to seven rows or outputs


PARTS = [
    0,
    -1,
    np.s_[1:],
    np.s_[:, 0],
    np.s_[..., None],
    np.s_[::-2, 1:3],
    np.s_[1, 2],
    np.s_[None, :, -1],
    (),
    np.s_[:0],
]
VIEWS = {
    **{f"x[{part}]": lambda x, part=part: (Tensor.__getitem__, (x, part), {}) for part in PARTS},
    "reshape": lambda x: (Tensor.reshape, (x, 3, -1), {}),
    "reshape to a tuple": lambda x: (Tensor.reshape, (x, (x.size // 2, 2)), {}),
    "transpose": lambda x: (Tensor.transpose, (x,), {}),
    "concat": lambda x: (adjoint.concat, ([x, x, x.data],), {"axis": -1}),
    "concat of rows": lambda x: (adjoint.concat, ((x.data[:2], x),), {}),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("shape", [(4, 6), (2, 4, 3)])
def test_views_equal_their_rules(name, shape):
    random = np.random.default_rng(0)
    for x in (Value(random.normal(size=shape)), make_leaf(random.normal(size=shape[::-1]).astype(np.float32).T)):
        function, arguments, options = VIEWS[name](x)
        assert is_fast(function)
        fast, usual = function(*arguments, **options), function.__wrapped__(*arguments, **options)
        assert (fast.op, fast._operands, str(fast._static)) == (usual.op, usual._operands, str(usual._static))
        assert same(fast.data, usual.data)
        assert np.shares_memory(fast.data, x.data) == np.shares_memory(usual.data, x.data)
        g = random.normal(size=fast.shape).astype(x.dtype)[()]
        found, expected = fast._back(g, fast), usual._back(g, usual)
        assert all(map(same, found, expected))


def test_views_leave_unusual_arguments_and_errors_to_python():
    x = Value(np.arange(6.0).reshape(2, 3))
    assert np.array_equal(x[np.array([1, 1])].data, x.data[[1, 1]])
    assert np.array_equal(x[True].data, x.data[True])
    assert x[np.int64(1)].shape == (3,)
    assert x.reshape([3, 2]).shape == (3, 2)
    assert x.reshape(np.int64(6)).shape == (6,)
    assert adjoint.concat([x, np.arange(3).reshape(1, 3)]).shape == (3, 3)
    assert adjoint.concat([x, x], None).shape == (12,)
    wrong = {
        "out of bounds": lambda: x[5],
        "too many indices": lambda: x[0, 0, 0],
        "has 6 elements": lambda: x.reshape(4, 2),
        "cannot take the shape": lambda: x.reshape(-1, -1),
        "must be equal except along axis": lambda: adjoint.concat([x, np.ones((2, 2))]),
        "axis 2 does not exist": lambda: adjoint.concat([x, x], axis=2),
    }
    for message, call in wrong.items():
        with pytest.raises(adjoint.errors.AdjointError, match=message):
            call()


@examples(15)
@given(data=st.data())
def test_a_product_of_matrices_equals_its_rule(data):
    dtype = data.draw(st.sampled_from([np.float64, np.float32]))
    rows, inner, columns = (data.draw(st.integers(0, 7)) for _ in range(3))
    x, z = (np.random.default_rng(0).normal(size=shape).astype(dtype) for shape in ((rows, inner), (inner, columns)))
    x = x if data.draw(st.booleans()) else np.asfortranarray(x)
    kind = data.draw(st.sampled_from(["both", "first", "second"]))
    x, z = (x if kind == "second" else make_leaf(x)), (z if kind == "first" else make_leaf(z))
    fast, usual = x @ z, adjoint.matmul.__wrapped__(x, z)
    assert type(fast._back).__name__ == "Back"
    assert same(fast.data, usual.data)
    assert fast._operands == usual._operands or kind != "both"
    g = np.random.default_rng(1).normal(size=(rows, columns)).astype(dtype)
    assert all(map(same, fast._back(g, fast), usual._back(g, usual)))


def test_operands_that_the_loops_cannot_read_use_the_general_path():
    x = Value(np.arange(6.0).reshape(2, 3))
    odd = {
        "transposed": (x.T, Value(np.ones((3, 2)))),
        "broadcast": (x, Value(np.ones(3))),
        "of another dtype": (x, np.ones((2, 3), np.float32)),
        "a column": (x, np.ones((2, 1))),
        "every other": (x[:, ::2], 2.0),
        "in another byte order": (x, np.ones((2, 3), ">f8")),
        "integers": (x, np.arange(3)),
        "a large integer": (x, 2**70),
    }
    for a, b in odd.values():
        y = a * b
        y.backward(np.ones(y.shape))
        expected = a.numpy() * (b.numpy() if isinstance(b, Value) else b)
        assert np.array_equal(y.numpy(), expected)


def test_a_gradient_with_another_reference_is_not_overwritten():
    x = Value(np.array([1.0, -2.0, 3.0]))
    y = x * 3.0
    z = y.relu()
    seed = np.array([1.0, 1.0, 1.0])
    z.backward(seed)
    assert np.array_equal(seed, [1.0, 1.0, 1.0])
    assert np.array_equal(y.grad, [1.0, 0.0, 1.0])
    assert np.array_equal(x.grad, [3.0, 0.0, 3.0])
    kept = []
    y.register_hook(lambda g: kept.append(g))
    z.backward(seed)
    (z * 2.0).backward(seed)
    assert np.array_equal(kept[0], [1.0, 0.0, 1.0])


def test_the_fast_path_is_not_used_for_no_grad_and_numbers():
    x = Value([1.0, 2.0])
    with no_grad():
        assert (x * x).parents == ()
    assert isinstance(x * Value(2.0), Tensor)
    assert np.array_equal((Value(2.0) * x).data, [2.0, 4.0])


def test_long_arrays_let_other_threads_run():
    x = Value(np.ones(2_000_000))
    results = []
    threads = [threading.Thread(target=lambda: results.append(float(((x * x) + 1.0).sum()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [4_000_000.0] * 4


def test_a_fast_function_has_the_name_and_signature_of_the_python_function():
    assert Tensor.sum.__name__ == "sum"
    assert "sum of the elements" in Tensor.sum.__doc__
    assert list(inspect.signature(reductions.sum).parameters)[:3] == ["x", "axis", "keepdims"]
    assert pickle.loads(pickle.dumps(adjoint.linear)) is adjoint.linear
    assert copy.deepcopy(reductions.mean) is reductions.mean
    assert Value([1.0, 2.0]).sum().item() == Value([1.0, 2.0]).sum(axis=0).item() == 3.0


def test_the_core_raises_errors_for_unknown_rows_and_wrong_arguments():
    core = native.core
    for make in (lambda: core.row_back(len(ops.TABLE), len), lambda: core.row_method(-1, False, len, len)):
        with pytest.raises(IndexError, match="there is no row"):
            make()
    with pytest.raises(TypeError, match="class of Values that hold arrays"):
        core.start_arrays(int)
    back = core.row_back(list(ops.TABLE).index("relu"), len)
    with pytest.raises(TypeError, match="a gradient and a node"):
        back(1.0)


def test_nodes_made_in_c_are_freed():
    x = Value(np.ones(4))
    (x * 2.0).sum().backward()
    before = sys.getrefcount(x)
    for _ in range(100):
        ((x * 2.0 + 1.0).relu() - x).mean().backward()
    assert sys.getrefcount(x) == before
