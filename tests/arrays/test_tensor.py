"""Values that hold arrays: construction, mixed graphs, dtypes, attributes, views, assignment and errors.

References are PyTorch's results, or arithmetic written out in the test.
"""

import operator

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Tensor, Value, errors, grad, guards, no_grad

OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}


def assert_like_torch(compute, *inputs):
    """Check the result of `compute` and the gradients of its inputs against PyTorch; floats are scalar Values."""
    torch = pytest.importorskip("torch")
    ours = [Value(x) for x in inputs]
    theirs = [torch.tensor(x, dtype=torch.float64 if isinstance(x, float) else None) for x in inputs]
    for x in theirs:
        x.requires_grad_()
    y, expected = compute(*ours), compute(*theirs)
    require_close(np.asarray(y.data), expected.detach().numpy())
    weights = np.cos(np.arange(expected.numel())).reshape(expected.shape).astype(expected.detach().numpy().dtype)
    y.backward(weights)
    expected.backward(torch.tensor(weights))
    for x, reference in zip(ours, theirs):
        require_close(x.grad, reference.grad.numpy())
        if not isinstance(x.grad, float):
            assert (x.grad.shape, x.grad.dtype) == (x.data.shape, x.data.dtype)


def numbers(*shape, dtype=np.float64):
    """Return positive numbers that differ."""
    return (0.5 + np.arange(np.prod(shape, dtype=int)) / 7).reshape(shape).astype(dtype)


# --- construction --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "shape"),
    [([1.0, 2.0], (2,)), ([[1, 2], [3, 4]], (2, 2)), ((1.0, (2)), (2,)), ([], (0,)), ([[]], (1, 0)), ([True], (1,))],
)
def test_nested_lists_of_numbers_make_an_array_of_float64(given, shape):
    v = Value(given)
    assert type(v) is Tensor
    assert isinstance(v, Value)
    assert (v.shape, v.dtype) == (shape, np.float64)
    assert v.data.tolist() == np.array(given, dtype=float).tolist()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_an_array_of_floats_keeps_its_dtype(dtype):
    assert Value(np.ones(2, dtype)).dtype == dtype


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, np.bool_])
def test_an_array_of_integers_or_booleans_becomes_float64(dtype):
    v = Value(np.array([0, 1], dtype))
    assert v.dtype == np.float64
    assert v.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("dtype", [np.float32, "float32", np.dtype("float32")])
def test_the_dtype_can_be_chosen(dtype):
    assert Value([1, 2], dtype=dtype).dtype == np.float32
    assert Value(np.ones(2), dtype=dtype).dtype == np.float32


@pytest.mark.parametrize("dtype", [int, bool, complex, "int64"])
def test_a_dtype_that_is_not_floating_raises_an_error(dtype):
    with pytest.raises(errors.ArrayError, match="a Value holds floating-point numbers, not"):
        Value([1.0, 2.0], dtype=dtype)


def test_a_label_is_a_keyword_or_the_second_argument():
    assert Value([1.0], label="w").label == Value([1.0], "w").label == "w"
    assert Value([1.0]).label == ""


@pytest.mark.parametrize("number", [np.array(2.0), np.array(2), np.float32(2.0)])
def test_a_numpy_scalar_stays_a_scalar(number):
    assert type(Value(number)) is Value
    assert Value(number).data == 2.0


def test_a_value_holds_a_copy_of_the_callers_array():
    given = np.ones(2)
    v = Value(given)
    v.data -= 3.0
    assert given.tolist() == [1.0, 1.0]
    given += 5.0
    assert v.tolist() == [-2.0, -2.0]


def test_a_value_of_an_array_value_raises_an_error():
    with pytest.raises(errors.NumberError, match=r"not a Value.*v\.detach\(\) gives one without history"):
        Value(Value([1.0]))


@pytest.mark.parametrize("empty", ["", None, ()])
def test_an_empty_operation_of_an_array_is_the_empty_string(empty):
    assert Value([1.0], (), empty)._op == ""
    assert Value([1.0], (Value([2.0]),), empty)._op == ""


@pytest.mark.parametrize("children", [(1.0,), ("x",), (None,)])
def test_children_that_are_not_values_raise_an_error(children):
    with pytest.raises(errors.NumberError, match=r"^a Value's children are a tuple of Values such as \(x,\), not"):
        Value([1.0], children, "op")


# --- numbers and arrays in one graph -------------------------------------------------------------


@pytest.mark.parametrize("compute", OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize(
    ("first", "second"),
    [(1.5, numbers(3)), (numbers(3), 1.5), (1.5, numbers(2, 3)), (numbers(2, 3), numbers(3)), (1.5, numbers(0))],
    ids=["number-vector", "vector-number", "number-matrix", "matrix-vector", "number-nothing"],
)
def test_operators_of_numbers_and_arrays_agree_with_pytorch(compute, first, second):
    assert_like_torch(compute, first, second)


@pytest.mark.parametrize("compute", OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize("constant", [2.0, 3, numbers(2, 1), np.array([1, 2, 3]), np.float64(1.5)])
def test_operators_with_constants_on_either_side_agree_with_pytorch(compute, constant):
    torch = pytest.importorskip("torch")
    theirs = torch.tensor(constant) if isinstance(constant, np.ndarray) else float(constant)
    for swapped in (False, True):
        x = Value(numbers(2, 3))
        reference = torch.tensor(x.data, requires_grad=True)
        y = compute(constant, x) if swapped else compute(x, constant)
        expected = compute(theirs, reference) if swapped else compute(reference, theirs)
        y.sum().backward()
        expected.sum().backward()
        require_close(y.data, expected.detach().numpy())
        require_close(x.grad, reference.grad.numpy())


@pytest.mark.parametrize(
    "shapes",
    [((3,), (2, 3)), ((2, 1), (1, 3)), ((4, 1, 3), (2, 1)), ((), (2,)), ((1, 1), (3,)), ((2, 0), (1, 1)), ((1,), (1,))],
    ids=str,
)
def test_the_gradient_of_a_broadcast_operand_is_summed_over_the_broadcast_axes(shapes):
    inputs = [np.array(1.5) if shape == () else numbers(*shape) for shape in shapes]
    assert_like_torch(lambda x, z: x * z + x / z, *[float(x) if x.ndim == 0 else x for x in inputs])


def test_a_graph_goes_from_numbers_to_arrays_and_back_to_numbers():
    def compute(a, w, b):
        h = (a * 3.0).tanh()  # numbers
        y = (w * h + b).exp()  # arrays
        return (y.sum() * a + b * h).sum()

    assert_like_torch(compute, 0.5, numbers(2, 3), -1.25)


def test_a_number_used_with_many_arrays_receives_gradients_from_all():
    a = Value(2.0)
    total = sum((a * np.full(2, float(i))).sum() for i in range(5))
    total.backward()
    assert a.grad == 2.0 * (0 + 1 + 2 + 3 + 4)
    assert type(a.grad) is float


def test_elements_taken_from_an_array_work_with_numbers():
    assert_like_torch(lambda w, a: w[0] * a + w[1].tanh() * w[0], numbers(3), 2.0)


def test_second_derivatives_of_a_mixed_graph_agree_with_pytorch():
    torch = pytest.importorskip("torch")
    a, w = Value(0.5), Value(numbers(3))
    at, wt = torch.tensor(0.5, dtype=torch.float64, requires_grad=True), torch.tensor(w.data, requires_grad=True)
    (w * a).tanh().sum().backward(create_graph=True)
    first = a.grad
    a.zero_grad()
    w.zero_grad()
    (first * first).backward()
    (slope,) = torch.autograd.grad((wt * at).tanh().sum(), at, create_graph=True)
    (slope * slope).backward()
    require_close(float(first), slope.item())
    require_close(float(a.grad), at.grad.item())
    require_close(np.asarray(w.grad), wt.grad.numpy())


# --- dtypes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("compute", OPERATORS.values(), ids=OPERATORS)
@pytest.mark.parametrize("number", [2, 2.0, True, Value(2.0), np.array([1, 2]), np.array([True, False])], ids=repr)
def test_python_numbers_scalar_values_and_integers_never_promote_float32(compute, number):
    x = Value(np.array([1.0, 2.0], np.float32))
    for y in (compute(x, number), compute(number, x)):
        assert y.dtype == np.float32
        y.sum().backward()
        assert x.grad.dtype == np.float32


@pytest.mark.parametrize("name", [name for name in adjoint.ops.TABLE if len(adjoint.ops.TABLE[name].operands) == 1])
def test_a_function_of_float32_is_float32_with_its_gradients(name):
    x = Value(np.array([0.25, 0.75], np.float32))
    y = getattr(adjoint, name)(x)
    assert y.dtype == np.float32
    y.sum().backward(create_graph=True)
    assert x.grad.dtype == np.float32
    x.grad.sum().backward()
    assert x.grad.dtype == np.float32


@pytest.mark.parametrize("name", ["maximum", "minimum", "atan2", "leaky_relu", "elu"])
def test_a_function_of_float32_and_a_number_is_float32(name):
    x = Value(np.array([0.25, 0.75], np.float32))
    y = getattr(x, name)(0.5)
    y.sum().backward()
    assert (y.dtype, x.grad.dtype) == (np.float32, np.float32)


@pytest.mark.parametrize("compute", OPERATORS.values(), ids=OPERATORS)
def test_float32_with_float64_is_float64_and_each_gradient_has_its_own_dtype(compute):
    torch = pytest.importorskip("torch")
    x, z = Value(numbers(3, dtype=np.float32)), Value(numbers(3))
    xt, zt = torch.tensor(x.data, requires_grad=True), torch.tensor(z.data, requires_grad=True)
    y = compute(x, z)
    y.sum().backward()
    compute(xt, zt).sum().backward()
    assert (y.dtype, x.grad.dtype, z.grad.dtype) == (np.float64, np.float32, np.float64)
    require_close(x.grad, xt.grad)
    require_close(z.grad, zt.grad, dtype="float32")  # the logarithm of x, in the derivative of x**z, is of float32


def test_data_and_gradients_that_are_assigned_take_the_dtype_of_the_value():
    x = Value(np.ones(2, np.float32))
    x.data = np.array([1.0, 2.0])
    x.grad = np.array([3, 4])
    assert (x.dtype, x.grad.dtype) == (np.float32, np.float32)
    x.data -= 0.1 * x.grad
    assert x.dtype == np.float32
    with guards(stale_gradients=False):
        (x * 2).backward([1, 1])
    assert x.grad.tolist() == [5.0, 6.0]


# --- attributes and conversions ------------------------------------------------------------------


def test_shape_ndim_size_and_dtype_are_those_of_the_array():
    v = Value(np.zeros((2, 3, 4), np.float32))
    assert (v.shape, v.ndim, v.size, v.dtype) == ((2, 3, 4), 3, 24, np.float32)
    total = v.sum()
    assert (total.shape, total.ndim, total.size) == ((), 0, 1)


def test_T_reverses_all_axes_and_mT_the_last_two():
    x = numbers(2, 3, 4)
    assert np.array_equal(Value(x).T.data, x.T)
    assert np.array_equal(Value(x).mT.data, np.swapaxes(x, -1, -2))
    assert_like_torch(lambda v: v.mT * 2, x)


def test_len_and_iteration_use_the_first_axis():
    w = Value([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert len(w) == 3
    rows = list(w)
    assert [row.tolist() for row in rows] == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    (rows[0] * rows[2]).sum().backward()
    assert w.grad.tolist() == [[5.0, 6.0], [0.0, 0.0], [1.0, 2.0]]
    a, b = Value([2.0, 3.0])
    assert (float(a), float(b)) == (2.0, 3.0)


def test_len_and_iteration_of_a_zero_dimensional_array_raise_an_error():
    total = Value([1.0]).sum()
    for ask in (len, list):
        with pytest.raises(errors.ShapeError, match="0-d array"):
            ask(total)


def test_numpy_and_tolist_return_the_numbers_without_history():
    torch = pytest.importorskip("torch")
    w = Value([[1.0, 2.0]])
    assert type(w.numpy()) is np.ndarray
    assert np.shares_memory(w.numpy(), w.data)
    assert w.tolist() == [[1.0, 2.0]]
    assert Value(torch.ones(2)).numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize("one", [[2.5], [[2.5]], np.full((1, 1, 1), 2.5, np.float32)])
def test_an_array_of_one_element_converts_to_float_and_bool_and_can_be_formatted(one):
    v = Value(one)
    assert type(v.item()) is float
    assert v.item() == float(v) == 2.5
    assert bool(v) is True
    assert bool(v * 0) is False
    assert f"{v:.2f}" == "2.50"


@pytest.mark.parametrize("ask", [float, lambda v: v.item(), lambda v: f"{v:.2f}"])
def test_float_of_several_elements_raises_an_error(ask):
    with pytest.raises(errors.ShapeError, match=r"one element, not an array of shape \(2,\)"):
        ask(Value([1.0, 2.0]))


@pytest.mark.parametrize("data", [[1.0, 2.0], []])
def test_the_truth_value_of_several_elements_or_none_raises_an_error(data):
    with pytest.raises(
        errors.ArrayError, match=r"truth value of an array of shape .* ambiguous.*\.any\(\) or \.all\(\)"
    ):
        bool(Value(data))


def test_detach_returns_a_leaf_with_the_label_and_without_history():
    w = Value([1.0, 2.0], label="w")
    y = w * w
    y.label = "y"
    leaf = y.detach()
    assert (leaf.parents, leaf.op, leaf.label, leaf.tolist()) == ((), "", "y", [1.0, 4.0])
    (leaf * w).sum().backward()
    assert w.grad.tolist() == [1.0, 4.0]
    assert leaf.grad.tolist() == [1.0, 2.0]


def test_astype_passes_gradients_back_in_the_dtype_of_the_operand():
    w = Value(np.array([1.5, 2.5], np.float32))
    y = w.astype(np.float64)
    (y * y).sum().backward()
    assert (y.dtype, w.grad.dtype, w.grad.tolist()) == (np.float64, np.float32, [3.0, 5.0])
    with pytest.raises(errors.ArrayError, match=r"floating-point numbers, not int64; v\.data\.astype"):
        w.astype(np.int64)


def test_repr_shows_numbers_shape_dtype_and_label():
    assert repr(Value([1.0, 2.0], label="w")) == "Tensor(data=[1. 2.], shape=(2,), dtype=float64, label='w')"
    assert repr(Value(np.ones((1, 1), np.float32))) == "Tensor(data=[[1.]], shape=(1, 1), dtype=float32)"
    assert f"{Value([1.0])}" == "Tensor(data=[1.], shape=(1,), dtype=float64)"
    assert "..." in repr(Value(np.zeros(10_000)))
    assert len(repr(Value(np.zeros((1000, 1000))))) < 500


def test_repr_shows_a_gradient_and_neither_computes_one_nor_counts_as_reading_it():
    w = Value([[1.0, 2.0], [3.0, 4.0]])
    hidden = w * w
    loss = (hidden + 1).sum()
    assert "grad" not in repr(w)
    assert w._grad is None
    loss.backward()
    assert not w._grad_read
    assert repr(w) == (
        "Tensor(data=[[1. 2.]\n"
        "             [3. 4.]],\n"
        "       grad=[[2. 4.]\n"
        "             [6. 8.]],\n"
        "       shape=(2, 2), dtype=float64)"
    )
    assert not w._grad_read
    assert repr(loss) == "Tensor(data=34., grad=1., shape=(), dtype=float64)"
    assert "grad" not in repr(loss.parents[0])  # backward() did not keep it
    w.zero_grad()
    assert "grad" not in repr(w)
    assert len(repr(_with_gradient(np.zeros((1000, 1000))))) < 800


def test_repr_shows_a_gradient_that_is_a_value_and_one_of_another_library():
    torch = pytest.importorskip("torch")
    x = Value([3.0])
    (x**3).sum().backward(create_graph=True)
    assert repr(x) == "Tensor(data=[3.], grad=[27.], shape=(1,), dtype=float64)"
    y = _with_gradient(torch.tensor([3.0]))
    assert repr(y).startswith("Tensor(data=[3.], grad=[1.], shape=(1,)")


def _with_gradient(data):
    value = Value(data)
    value.sum().backward()
    return value


def test_a_node_records_its_operation_and_parents():
    w, a = Value([1.0, 2.0]), Value(3.0)
    y = w * a
    assert (y.op, y.parents) == ("*", (w, a))
    assert y._prev == {w, a}
    assert (y + np.ones(2)).parents == (y,)


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_comparisons_are_elementwise_and_return_booleans(compare):
    x, z = np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])
    for ours in (compare(Value(x), Value(z)), compare(Value(x), z), compare(x, Value(z))):
        assert ours.dtype == np.bool_
        assert np.array_equal(ours, compare(x, z))
    assert np.array_equal(compare(Value(x), 2), compare(x, 2))
    assert np.array_equal(compare(Value(x), Value(2.0)), compare(x, 2))
    assert np.array_equal(compare(Value(2.0), Value(x)), compare(2, x))
    assert np.array_equal(compare(Value(2.0), x), compare(2, x))


def test_equality_is_elementwise_and_hash_by_identity():
    v, w = Value([1.0, 0.0]), Value([1.0, 2.0])
    for other in (w, w.data, w.tolist()[0], Value(1.0), np.float32(1.0)):
        data = other.data if isinstance(other, Value) else other
        np.testing.assert_array_equal(v == other, v.data == data, strict=True)
        np.testing.assert_array_equal(v != other, v.data != data, strict=True)
        np.testing.assert_array_equal(other == v, data == v.data, strict=True)
        np.testing.assert_array_equal(other != v, data != v.data, strict=True)
    assert (v * (v != 0)).tolist() == [1.0, 0.0]
    assert v != None  # noqa: E711
    assert v != "v"
    assert len({v, w, v}) == 2
    assert 1.0 in v
    assert Value(2.0) not in v
    with pytest.raises(errors.ShapeError, match=r"cannot compare arrays of shapes \(2,\) and \(3,\)"):
        _ = v == np.ones(3)


class Number(Value):
    """A subclass of Value."""


class Array(Tensor):
    """A subclass of Tensor whose instances are equal if their data are."""

    def __eq__(self, other):
        return isinstance(other, Value) and np.array_equal(self.data, other.data)

    def __hash__(self):
        return 1


@pytest.mark.parametrize("hooked", [False, True], ids=["native where built", "Python loop"])
def test_numbers_of_a_subclass_receive_gradients_from_arrays(hooked):
    x, w = Number(2.0), Value([1.0, 2.0])
    remove = Value(0.0).register_hook(print) if hooked else None
    y = (x * w + x).sum()
    y.backward(create_graph=True)
    assert (float(x.grad), w.grad.tolist()) == (5.0, [2.0, 2.0])
    assert float(grad(grad(lambda x: (x * w * x).sum()))(Number(3.0))) == 6.0
    del remove


def test_arrays_of_a_subclass_with_its_own_equality_are_told_apart_by_identity():
    a, b = Array([2.0]), Array([2.0])
    (3 * a + 5 * b).sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([3.0], [5.0])


# --- functional updates --------------------------------------------------------------------------


def test_at_returns_a_new_value_and_leaves_the_old_one():
    v, x = Value([1.0, 2.0, 3.0]), Value(10.0)
    y = v.at[1].set(x)
    assert (y.tolist(), v.tolist()) == ([1.0, 10.0, 3.0], [1.0, 2.0, 3.0])
    (y * y).sum().backward()
    assert (v.grad.tolist(), x.grad) == ([2.0, 0.0, 6.0], 20.0)
    assert v.at[[0, 0]].add(1.0).tolist() == [3.0, 2.0, 3.0]
    assert v.at[1:].multiply([2.0, 3.0]).tolist() == [1.0, 4.0, 9.0]


def test_assigning_to_a_part_raises_an_error_that_names_at():
    v = Value([1.0, 2.0])
    with pytest.raises(errors.ArrayIndexError, match=r"v = v\.at\[i\]\.set\(x\)"):
        v[0] = 5.0
    with pytest.raises(errors.ArrayIndexError, match=r"\.at\[i\]"):
        v[0] += 5.0
    assert v.tolist() == [1.0, 2.0]


# --- the training loop ---------------------------------------------------------------------------


def set_to_zero(p):
    p.grad = 0.0


def set_to_none(p):
    p.grad = None


def call_zero_grad(p):
    p.zero_grad()


def call_nothing(p):
    """Leave the gradient as it is, so that it accumulates."""


@pytest.mark.parametrize("clear", [set_to_zero, set_to_none, call_zero_grad, call_nothing])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_training_loop_gives_pytorchs_numbers_while_the_graphs_stay_alive(clear, dtype):
    torch = pytest.importorskip("torch")
    random = np.random.default_rng(3)
    X, y = random.normal(size=(16, 3)).astype(dtype), random.normal(size=(16, 1)).astype(dtype)
    start = [random.normal(size=shape).astype(dtype) for shape in ((3, 4), (4,), (4, 1))]
    ours, theirs = [Value(p) for p in start], [torch.tensor(p, requires_grad=True) for p in start]
    Xt, yt, losses = torch.tensor(X), torch.tensor(y), []
    for _ in range(12):
        W, b, V = ours
        loss = (((X @ W + b).tanh() @ V - y) ** 2).mean()
        for p in ours:
            clear(p)
        with guards(stale_gradients=clear is not call_nothing):
            loss.backward()
        for p in ours:
            p.data -= 0.05 * p.grad
        losses.append(loss)  # all graphs stay alive
        Wt, bt, Vt = theirs
        reference = (((Xt @ Wt + bt).tanh() @ Vt - yt) ** 2).mean()
        if clear is not call_nothing:
            for p in theirs:
                p.grad = None
        reference.backward()
        with torch.no_grad():
            for p in theirs:
                p -= 0.05 * p.grad
        require_close(loss.data, reference)
    for p, reference in zip(ours, theirs):
        require_close(p.data, reference)
        assert p.dtype == dtype
    assert losses[-1].item() < losses[0].item()


def test_a_cleared_gradient_reads_as_zeros():
    for clear in (set_to_zero, set_to_none, call_zero_grad):
        p = Value(np.ones(2, np.float32))
        (p * 3).sum().backward()
        clear(p)
        assert p.grad.tolist() == [0.0, 0.0]
        assert p.grad.dtype == np.float32


@pytest.mark.parametrize("given", [2.0, [2.0, 2.0], np.array([2.0, 2.0])], ids=["number", "list", "array"])
def test_an_assigned_gradient_accumulates_and_can_be_scaled_in_place(given):
    p = Value([1.0, 2.0])
    p.grad = given
    p.grad *= 3
    assert p.grad.tolist() == [6.0, 6.0]
    p.sum().backward()
    assert p.grad.tolist() == [7.0, 7.0]


def test_a_second_backward_doubles_the_leaves_and_assigns_the_inner_ones():
    w, a = Value([1.0, 2.0]), Value(3.0)
    h = w * a
    y = (h * h).sum()
    y.backward()
    once, inner = w.grad.copy(), h.grad.copy()
    y.backward()
    assert w.grad.tolist() == (2 * once).tolist()
    assert a.grad == 2 * (2 * (1 * 3 * 1 + 2 * 3 * 2))
    assert h.grad.tolist() == inner.tolist() == [6.0, 12.0]
    assert y.grad == 1.0


# --- arrays of the caller stay unchanged ---------------------------------------------------------

SHARING = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a + a + b": lambda a, b: a + a + b,
    "reshape": lambda a, b: a.reshape(2, 1) + b.reshape(2, 1),
    "transpose": lambda a, b: a.T + b.T,
    "None": lambda a, b: a[None] + b[None],
    "slice": lambda a, b: a[:] + b[:],
    "concat": lambda a, b: adjoint.concat([a, b]),
    "stack": lambda a, b: adjoint.stack([a, b]),
    "where": lambda a, b: adjoint.where(np.array([True, False]), a, b),
    "broadcast_to": lambda a, b: a.broadcast_to((1, 2)) + b,
    "sum": lambda a, b: (a + b).sum(),
    "mean": lambda a, b: a.mean() + b.mean(),
    "a leaf": lambda a, b: a,
}


@pytest.mark.parametrize("compute", SHARING.values(), ids=SHARING)
def test_gradients_of_leaves_share_memory_with_nothing(compute):
    a, b = Value([1.0, 2.0]), Value([3.0, 4.0])
    y = compute(a, b)
    seed = np.ones(y.shape)
    y.backward(seed)
    first, second = a.grad, b.grad
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, seed)
    assert not np.shares_memory(second, seed)
    expected = 2 * second
    a.grad *= 7.0  # which needs a writable array
    b.grad *= 2.0
    assert seed.tolist() == np.ones(y.shape).tolist()
    assert b.grad.tolist() == expected.tolist()


def test_arrays_of_the_caller_are_never_modified():
    X, target, seed = numbers(3, 2), numbers(3), np.ones(3)
    kept = [x.copy() for x in (X, target, seed)]
    w, start = Value(kept_start := numbers(2)), numbers(2)
    for _ in range(3):
        y = (X @ w - target) * 2
        y.backward(seed)
        w.data -= 0.1 * w.grad
        w.grad *= 2
    assert all(np.array_equal(x, before) for x, before in zip((X, target, seed), kept))
    assert np.array_equal(kept_start, start)


def test_an_assigned_array_is_not_modified():
    w, data, gradient = Value([1.0, 2.0]), np.array([5.0, 6.0]), np.array([1.0, 1.0])
    w.data, w.grad = data, gradient
    (w * 3).sum().backward()
    w.data -= w.grad
    assert w.tolist() == [1.0, 2.0]
    assert (data.tolist(), gradient.tolist()) == ([5.0, 6.0], [1.0, 1.0])


def test_read_only_arrays_are_valid_inputs():
    X = numbers(2, 2)
    X.flags.writeable = False
    w = Value(X)
    (X @ w).backward(X)
    w.data -= 0.1 * w.grad
    require_close(w.data, X - 0.1 * (X.T @ X))


VIEWS = {
    "reshape": lambda v: v.reshape(3, 2),
    "flatten": lambda v: v.flatten(),
    "T": lambda v: v.T,
    "mT": lambda v: v.mT,
    "permute_dims": lambda v: v.permute_dims((1, 0)),
    "moveaxis": lambda v: v.moveaxis(0, 1),
    "swapaxes": lambda v: v.swapaxes(0, 1),
    "expand_dims": lambda v: v.expand_dims(0),
    "squeeze": lambda v: v[None].squeeze(0),
    "broadcast_to": lambda v: v.broadcast_to((4, 2, 3)),
    "flip": lambda v: v.flip(),
    "a slice": lambda v: v[:, 1:],
    "a row": lambda v: v[0],
    "None": lambda v: v[..., None],
    "split": lambda v: v.split(3, axis=1)[1],
    "detach": lambda v: v.detach(),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_are_not_copied(view):
    v = Value(numbers(2, 3))
    assert np.shares_memory(view(v).data, v.data)


# --- assignment between forward and backward -----------------------------------------------------


def subtract(p):
    p.data -= 0.5


def replace(p):
    p.data = np.full(p.shape, 9.0)


assignments = pytest.mark.parametrize("assign", [subtract, replace])

NEEDS_OLD_DATA = {
    "*": lambda p: p * p,
    "/": lambda p: 1.0 / p,
    "log": lambda p: p.log(),
    "relu": lambda p: p.relu(),
    "max": lambda p: p.max(),
    "prod": lambda p: p.prod(),
    "clip": lambda p: p.clip(0.0, 1.5),
    "var": lambda p: p.var(),
    "einsum": lambda p: adjoint.einsum("i,i->", p, p),
}


@assignments
@pytest.mark.parametrize("op", NEEDS_OLD_DATA)
def test_assigning_to_data_that_backward_needs_raises_an_error_that_names_it(op, assign):
    p = Value([1.0, 2.0], label="p")
    y = NEEDS_OLD_DATA[op](p).sum()
    p.grad = 0.25
    assign(p)
    name = r"\*" if op == "*" else op
    expected = rf"the data of 'p' was assigned after {name} of .*\(.*2.*\).* compute the result again, or assign after"
    with pytest.raises(errors.GraphError, match=expected):
        y.backward()
    with pytest.raises(errors.GraphError, match=expected):
        y.backward(create_graph=True)
    assert p.grad.tolist() == [0.25, 0.25]


@assignments
def test_a_value_without_a_label_is_named_by_its_shape(assign):
    p = Value(numbers(2, 3))
    y = (p * p).sum()
    assign(p)
    with pytest.raises(
        errors.GraphError, match=r"a Value of shape \(2, 3\) was assigned after \* of \(2, 3\), \(2, 3\)"
    ):
        y.backward()


@assignments
@pytest.mark.parametrize("function", ["tanh", "exp", "sigmoid", "sqrt"])
def test_assigning_to_a_result_that_backward_needs_raises_an_error(function, assign):
    p = Value([1.0, 2.0])
    h = getattr(p, function)()
    y = (h + 1.0).sum()
    h.label = "h"
    assign(h)
    with pytest.raises(errors.GraphError, match=f"the data of 'h' was assigned after {function}"):
        y.backward()


@assignments
def test_a_matrix_that_was_multiplied_is_named_with_both_shapes(assign):
    W, h = Value(numbers(2, 3), label="W"), Value(numbers(4, 2))
    y = (h @ W).sum()
    assign(W)
    with pytest.raises(errors.GraphError, match=r"the data of 'W' was assigned after @ of \(4, 2\), \(2, 3\)"):
        y.backward()


views = pytest.mark.parametrize(
    "view",
    [lambda p: p.reshape(2, 1), lambda p: p[::-1], lambda p: p[None].T, lambda p: p[:1]],
    ids=["reshape", "a slice back", "a transpose", "a slice"],
)


@views
def test_an_in_place_change_of_the_base_of_a_view_raises_an_error(view):
    p = Value([1.0, 2.0], label="p")
    y = view(p).log().sum()
    p.data -= 0.5
    with pytest.raises(errors.GraphError, match="the data of 'p' was assigned after log of"):
        y.backward()


@views
def test_replacing_the_base_of_a_view_does_not_change_the_view(view):
    p = Value([1.0, 2.0])
    y = view(p).log().sum()
    p.data = [9.0, 9.0]
    y.backward()
    assert p.grad.tolist() == ([1.0, 0.0] if view(p).size == 1 else [1.0, 0.5])


@pytest.mark.parametrize(
    "alias",
    [lambda p: p.detach(), lambda p: p.reshape(2, 1), lambda p: p[:1], no_grad(lambda p: p.reshape(2, 1))],
    ids=["detach", "reshape", "slice", "without recording"],
)
def test_an_in_place_change_of_a_view_of_data_that_backward_needs_raises_an_error(alias):
    p = Value([1.0, 2.0], label="p")
    other = alias(p)
    y = (p * p).sum()
    other.data -= 0.5
    with pytest.raises(errors.GraphError, match=r"was assigned after \* of"):
        y.backward()


NEEDS_NO_DATA = {
    "+": (lambda p: p + p, [2.0, 2.0]),
    "-": (lambda p: 3.0 - p, [-1.0, -1.0]),
    "* number": (lambda p: p * 3.0, [3.0, 3.0]),
    "* array": (lambda p: p * np.array([3.0, 4.0]), [3.0, 4.0]),
    "neg": (lambda p: -p, [-1.0, -1.0]),
    "sum": (lambda p: p.sum(), [1.0, 1.0]),
    "mean": (lambda p: p.mean(), [0.5, 0.5]),
    "reshape": (lambda p: p.reshape(2, 1), [1.0, 1.0]),
    "getitem": (lambda p: p[[0, 0]], [2.0, 0.0]),
    "concat": (lambda p: adjoint.concat([p, p]), [2.0, 2.0]),
    "cumsum": (lambda p: p.cumsum(), [2.0, 1.0]),
    "@ array": (lambda p: np.array([[3.0, 4.0]]) @ p, [3.0, 4.0]),
}


@assignments
@pytest.mark.parametrize("op", NEEDS_NO_DATA)
def test_assigning_to_data_that_backward_does_not_need_is_allowed(op, assign):
    compute, expected = NEEDS_NO_DATA[op]
    p = Value([1.0, 2.0])
    y = compute(p).sum()
    assign(p)
    y.backward()
    assert p.grad.tolist() == expected


def test_an_operand_may_be_assigned_if_the_derivative_reads_only_the_result():
    p = Value([0.5, 1.0])
    y = p.tanh().sum()
    p.data -= 3.0
    y.backward()
    require_close(p.grad, 1 - np.tanh([0.5, 1.0]) ** 2)


@assignments
def test_assigning_to_an_array_used_with_a_number_raises_an_error(assign):
    a, w = Value(2.0), Value([1.0, 2.0], label="w")
    y = (a * w).sum()
    assign(w)
    with pytest.raises(errors.GraphError, match=r"the data of 'w' was assigned after \* of"):
        y.backward()


def test_backward_uses_a_number_combined_with_an_array_as_it_was_in_the_forward_pass():
    """A graph of numbers alone does the same: it computes its slopes in the forward pass."""
    a, w = Value(2.0), Value([1.0, 2.0])
    y = (a * w + a).sum()
    a.data = 5.0
    y.backward()
    assert (w.grad.tolist(), a.grad) == ([2.0, 2.0], 5.0)


def test_a_new_forward_pass_works_after_an_assignment():
    p = Value([1.0, 2.0])
    stale = (p * p).sum()
    p.data -= 0.5
    (p * p).sum().backward()
    assert p.grad.tolist() == [1.0, 3.0]
    with pytest.raises(errors.GraphError):
        stale.backward()


# --- nodes made by hand --------------------------------------------------------------------------


def test_a_backward_written_by_hand_is_called_for_arrays():
    w = Value([1.0, 2.0])
    y = Value([1.0, 4.0], (w,), "square")

    def _backward():
        w.grad += 2 * w.data * y.grad

    y._backward = _backward
    (y * 3.0).sum().backward()
    assert w.grad.tolist() == [6.0, 12.0]
    assert (y.op, y.grad.tolist()) == ("square", [3.0, 3.0])


def test_a_backward_that_replaces_the_rule_of_an_operation_is_called():
    w = Value([1.0, 2.0])
    y = w * 3.0

    def _backward():
        w.grad += 100 * y.grad

    y._backward = _backward
    y.sum().backward()
    assert w.grad.tolist() == [100.0, 100.0]


def test_an_array_made_by_hand_without_derivatives_raises_an_error():
    w = Value([1.0, 2.0])
    y = Value([1.0, 4.0], (w,), "square", label="made")
    with pytest.raises(
        errors.GraphError, match=r"label='made'.* made by hand and has no derivatives: assign its _backward"
    ):
        y.sum().backward()
    assert w.grad.tolist() == [0.0, 0.0]


# --- errors --------------------------------------------------------------------------------------

M = np.ones((2, 3))


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda v: v + np.ones((3, 2)), r"\(2, 3\) \+ \(3, 2\); aligned from the right, sizes must be equal or 1"),
        (lambda v: np.ones((3, 2)) + v, r"\(3, 2\) \+ \(2, 3\); aligned from the right"),
        (lambda v: v * Value(np.ones(2)), r"\(2, 3\) \* \(2,\); aligned from the right"),
        (lambda v: v / np.ones(4), r"\(2, 3\) / \(4,\)"),
        (lambda v: v ** np.ones(4), r"\(2, 3\) \*\* \(4,\)"),
        (lambda v: v - np.ones((2, 2, 2)), r"\(2, 3\) - \(2, 2, 2\)"),
        (lambda v: v.maximum(np.ones(2)), r"maximum\(\(2, 3\), \(2,\)\)"),
        (lambda v: adjoint.atan2(np.ones(2), v), r"atan2\(\(2,\), \(2, 3\)\)"),
        (lambda v: adjoint.where(np.ones(4) > 0, v, 0.0), r"where.*\(2, 3\).*\(4,\)"),
        (lambda v: v < np.ones(2), r"\(2, 3\) and \(2,\)"),
        (lambda v: v @ v, r"cannot multiply the shapes \(2, 3\) @ \(2, 3\); .* 3, must equal .* 2"),
        (lambda v: v @ np.ones(2), r"cannot multiply the shapes \(2, 3\) @ \(2,\); .* 3, must equal .* 2"),
        (lambda v: np.ones(4) @ v, r"cannot multiply the shapes \(4,\) @ \(2, 3\); .* 4, must equal .* 2"),
        (lambda v: v @ 2.0, r"at least one axis: \(2, 3\) @ \(\); use \* to multiply by a number"),
        (lambda v: Value(2.0) @ v, r"at least one axis: \(\) @ \(2, 3\); use \*"),
        (lambda v: adjoint.einsum("ij,j->i", v, np.ones(2)), r"'j' has the sizes 3 and 2"),
        (lambda v: v.reshape(4, 2), r"shape \(2, 3\) has 6 elements, the shape \(4, 2\) has 8"),
        (lambda v: v.broadcast_to((2, 4)), r"\(2, 3\) does not broadcast to \(2, 4\)"),
        (lambda v: v.at[0].set(np.ones(2)), r"\(2, 3\), \(2,\).*index=0"),
        (lambda v: adjoint.concat([v, np.ones((2, 2))]), r"\(2, 3\).*\(2, 2\)"),
        (lambda v: adjoint.stack([v, np.ones((2, 2))]), r"\(2, 3\).*\(2, 2\)"),
        (lambda v: v.sum(axis=2), "sum: axis 2 does not exist; the array has axes 0 to 1"),
        (lambda v: v.mean(axis=-3), "mean: axis -3 does not exist; the array has axes 0 to 1"),
        (lambda v: v.softmax(axis=5), "softmax: axis 5 does not exist"),
        (lambda v: v.sum().max(axis=1), "max: axis 1 does not exist; the array has no axes"),
        (lambda v: v.sum(axis="a"), "sum: axis must be an integer, not str 'a'"),
        (lambda v: v.sum(axis=(0, 0)), r"sum: axis \(0, 0\) contains the same axis twice"),
        (lambda v: v[:0].max(), r"max of an empty array: .* shape \(0, 3\)"),
        (lambda v: v[:0].min(axis=0), r"min of an empty array: .* shape \(0, 3\) .* axis 0"),
        (lambda v: v[:0].argmax(), r"argmax of an empty array: .* shape \(0, 3\)"),
        (lambda v: v[:, :0].argmin(axis=1), r"argmin of an empty array: .* shape \(2, 0\) .* axis 1"),
    ],
)
def test_errors_about_shapes_and_axes_name_the_operation_and_the_shapes(compute, message):
    with pytest.raises(errors.ShapeError, match=message) as raised:
        compute(Value(M))
    assert isinstance(raised.value, ValueError)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (5, r"^index 5 is out of bounds for axis 0 with size 2; the array has shape \(2, 3\)$"),
        (-3, r"^index -3 is out of bounds for axis 0 with size 2"),
        ((0, 7), r"^index 7 is out of bounds for axis 1 with size 3"),
        ([0, 9], r"^index 9 is out of bounds for axis 0 with size 2"),
        ((0, 0, 0), r"too many indices"),
        (np.array([True, False, True]), r"size of axis is 2 but .* boolean axis is 3"),
        (1.0, "integers, slices, None, ..., and arrays of integers or truth values, not by float 1.0"),
        ("a", "integers, slices, None, .* not by str 'a'"),
        (Value([1.0]), "a Value cannot be an index: .* use integers or a comparison"),
    ],
    ids=str,
)
def test_an_invalid_index_raises_an_error(index, message):
    with pytest.raises(errors.ArrayIndexError, match=message) as raised:
        Value(M)[index]
    assert isinstance(raised.value, IndexError)


@pytest.mark.parametrize("update", [lambda at: at.set(1.0), lambda at: at.add(1.0), lambda at: at.multiply(2.0)])
def test_an_update_out_of_range_raises_an_error(update):
    with pytest.raises(errors.ArrayIndexError, match=r"^index 9 is out of bounds for axis 0 with size 2"):
        update(Value(M).at[9])


def test_solve_with_a_singular_matrix_raises_an_error():
    with pytest.raises(errors.MatrixError, match=r"solve: a matrix of shape \(2, 2\) is singular"):
        adjoint.linalg.solve(Value(np.ones((2, 2))), np.ones(2))


def test_backward_on_an_array_needs_a_gradient():
    v = Value(M)
    for root in (v, v * 2):
        with pytest.raises(
            errors.ShapeError, match=r"array of shape \(2, 3\) needs a gradient of that shape.*\.sum\(\)"
        ):
            root.backward()
    assert v.grad.tolist() == np.zeros((2, 3)).tolist()


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(
    ("gradient", "error", "message"),
    [
        (np.ones(3), errors.ShapeError, r"\(2, 3\).* \(3,\)"),
        (np.ones((2, 1)), errors.ShapeError, r"\(2, 3\).* \(2, 1\)"),
        ([1.0, 2.0, 3.0], errors.ShapeError, r"\(2, 3\).* \(3,\)"),
        (Value(np.ones(3)), errors.ShapeError, r"\(2, 3\).* \(3,\)"),
        (Value(1.0), errors.ShapeError, r"\(2, 3\).* \(\)"),
        ([[1.0], [1.0, 2.0]], errors.ArrayError, "ragged"),
        ("x", errors.ArrayError, "not str 'x'"),
        (np.ones((2, 3)) * 1j, errors.ArrayError, "complex numbers are not supported"),
        (lambda: pytest.importorskip("torch").ones(2, 3), errors.LibraryError, "NumPy and PyTorch"),
    ],
    ids=["vector", "column", "list", "Value", "number Value", "ragged", "text", "complex", "torch"],
)
def test_a_gradient_of_another_shape_raises_an_error(gradient, error, message, create_graph):
    v, gradient = Value(M), gradient() if callable(gradient) else gradient
    with pytest.raises(error, match=message):
        (v * 2).backward(gradient, create_graph=create_graph)
    assert v.grad.tolist() == np.zeros((2, 3)).tolist()


@pytest.mark.parametrize("attribute", ["data", "grad"])
@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (np.ones(3), errors.ShapeError, r"\(2, 3\).*\(3,\)"),
        ([[1.0], [2.0, 3.0]], errors.ArrayError, "ragged"),
        ("x", errors.ArrayError, "not str 'x'"),
        (np.ones((2, 3)) * 1j, errors.ArrayError, "complex numbers are not supported"),
        (lambda: pytest.importorskip("torch").ones(2, 3), errors.LibraryError, "NumPy and PyTorch"),
    ],
    ids=["vector", "ragged", "text", "complex", "torch"],
)
def test_assigning_data_or_gradients_of_another_shape_raises_an_error_and_changes_nothing(
    attribute, given, error, message
):
    v, given = Value(M), given() if callable(given) else given
    v.grad = 2 * M
    with pytest.raises(error, match=message):
        setattr(v, attribute, given)
    assert (v.data.tolist(), v.grad.tolist()) == (M.tolist(), (2 * M).tolist())


def test_assigning_a_value_to_data_raises_an_error():
    v = Value(M)
    with pytest.raises(errors.NumberError, match=r"not a Value; take its \.data"):
        v.data = Value(M)


@pytest.mark.parametrize("compute", [*OPERATORS.values(), operator.matmul, lambda x, z: adjoint.concat([x, z])])
@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("numpy", "torch", "NumPy and PyTorch"),
        ("numpy", "jax.numpy", "NumPy and JAX"),
        ("torch", "jax.numpy", "PyTorch and JAX"),
    ],
)
def test_values_of_two_libraries_in_one_operation_raise_an_error(compute, first, second, names):
    first, second = (pytest.importorskip(library).ones(2) for library in (first, second))
    with pytest.raises(errors.LibraryError, match=f"{names} arrays in one operation; convert one of them"):
        compute(Value(first), Value(second))


def test_backward_inside_no_grad_raises_an_error():
    w = Value([1.0, 2.0])
    y = (w * 2).sum()
    with no_grad(), pytest.raises(errors.GraphError, match=r"^backward\(\) inside no_grad\(\).*call it outside"):
        y.backward()
    assert w.grad.tolist() == [0.0, 0.0]
    y.backward()
    assert w.grad.tolist() == [2.0, 2.0]


def test_nothing_is_recorded_inside_no_grad():
    w = Value([1.0, 2.0])
    with no_grad():
        y = (w * 2).tanh().sum()
    assert (y.parents, y.op) == ((), "")


def test_a_freed_graph_raises_an_error_and_keeps_numbers_and_gradients():
    w = Value([1.0, 2.0])
    h = w * 3
    h.retain_grad()
    y = h.sum()
    y.backward(retain_graph=False)
    assert (w.grad.tolist(), h.grad.tolist(), y.grad.item()) == ([3.0, 3.0], [1.0, 1.0], 1.0)
    assert (h.parents, h.op, h.tolist()) == ((), "*", [3.0, 6.0])
    for freed in (y, h, (h * h).sum(), h.sum() * 2):
        with pytest.raises(
            errors.GraphError, match=r"was freed by backward\(retain_graph=False\); compute the result again"
        ):
            freed.backward(np.ones(freed.shape))
    assert w.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_data_of_an_array_without_axes_can_be_assigned_to_itself(dtype):
    x = Value(np.array([1.0, 2.0], dtype))
    for y in (x.sum(), x[0], x.mean(), x.max(), x.sum().reshape(()), Tensor(np.array(2.0, dtype))):
        before = float(y)
        y.data = y.data
        assert float(y) == before
        y.data -= 0.5
        assert float(y) == before - 0.5


def test_unary_plus_is_the_value_itself():
    for x in (Value(2.0), Value([1.0, 2.0]), Value([1.0, 2.0]).sum()):
        assert +x is x
