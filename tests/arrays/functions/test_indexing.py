"""Indexing against PyTorch and central differences: reading, updating and selecting elements."""

import numpy as np
import pytest
from arrays import Draw, F, Problem, as_tensor, case, torch
from claims import claims
from fuzzing import examples
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import adjoint
from adjoint import Tensor, Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError, TraceError

CASES: dict = {}

# NumPy finds the elements that an index selects; PyTorch, which lacks negative steps, then takes these elements.


def places(shape: tuple[int, ...], index) -> np.ndarray:
    """Return the flat position of each element that an index selects."""
    return np.asarray(np.arange(np.prod(shape, dtype=int)).reshape(shape)[index])


def take_at(positions: np.ndarray):
    """Return a PyTorch function that takes the elements at flat positions."""
    return lambda t: t.reshape(-1)[torch.as_tensor(positions.copy())].reshape(positions.shape)


def integers(draw, size: int, shape: tuple[int, ...]) -> np.ndarray:
    """Draw indices from either end of an axis, with duplicates."""
    return draw(hnp.arrays(np.int64, shape, elements=st.integers(-size, size - 1)))


@st.composite
def indices(draw, shape: tuple[int, ...]):
    """Draw an index of any kind: one or several integers, slices, None, ..., arrays of integers, masks."""
    kinds = [hnp.basic_indices(shape, allow_newaxis=True)]
    if 0 not in shape and shape:
        kinds.append(
            hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
        )
        kinds.append(mixed_indices(shape))
    kinds.append(hnp.arrays(bool, shape))
    if shape:
        kinds.append(hnp.arrays(bool, shape[:1]))
    return draw(st.one_of(kinds))


@st.composite
def mixed_indices(draw, shape: tuple[int, ...]):
    """Draw an integer, a slice, or an array of integers from either end for each axis; the arrays broadcast."""
    common = draw(hnp.array_shapes(min_dims=1, max_dims=2, max_side=3))
    found: list = []
    count = draw(st.integers(1, len(shape)))
    for size in shape[:count]:
        array = hnp.arrays(np.int64, st.sampled_from([common, (1,), ()]), elements=st.integers(-size, size - 1))
        found.append(draw(array | array.map(np.ndarray.tolist) | st.integers(-size, size - 1) | st.slices(size)))
    if draw(st.booleans()):
        found.insert(draw(st.integers(0, len(found))), None)
    if draw(st.booleans()):
        found.insert(draw(st.integers(0, len(found))) if count == len(shape) else len(found), ...)
    return tuple(found)


def as_numpy(index):
    """Return the index with its lists as arrays, which NumPy requires within a tuple."""
    return tuple(np.asarray(i) if isinstance(i, list) else i for i in index) if isinstance(index, tuple) else index


@case(CASES, "getitem")
def _(name, draw):
    x = draw.array()
    index = draw(indices(x.shape))
    return Problem(lambda v: v[index], take_at(places(x.shape, as_numpy(index))), [x], f"x[{index!r}]", has_mask(index))


def has_mask(index) -> bool:
    return any(
        getattr(getattr(i, "dtype", None), "kind", "") == "b" for i in (index if isinstance(index, tuple) else (index,))
    )


def update(draw, distinct: bool):
    """Draw an array, an index, the positions that it selects, and numbers to put there."""
    x = draw.array()
    index = draw(indices(x.shape))
    positions = places(x.shape, as_numpy(index))
    if distinct and np.unique(positions).size < positions.size:
        index, positions = ..., places(x.shape, ...)
    shape = draw.one_of(positions.shape, positions.shape[1:], ())
    if 0 in positions.shape[:1]:
        shape = positions.shape
    return x, index, torch.as_tensor(positions.copy()), draw.array(shape)


def as_value(x) -> Tensor:
    """Return an array as a Value, for operations that are only methods."""
    return x if isinstance(x, Value) else Tensor(x)


def put(t, positions, values, accumulate: bool = False):
    values = values.broadcast_to(positions.shape).reshape(-1)
    return t.reshape(-1).index_put((positions.reshape(-1),), values, accumulate).reshape(t.shape)


@case(CASES, "at.set")
def _(name, draw):
    x, index, positions, values = update(draw, distinct=True)
    return Problem(
        lambda v, w: as_value(v).at[index].set(w),
        lambda t, w: put(t, positions, w),
        [x, values],
        f"at[{index!r}].set",
        has_mask(index),
    )


@case(CASES, "at.add")
def _(name, draw):
    x, index, positions, values = update(draw, distinct=False)
    return Problem(
        lambda v, w: as_value(v).at[index].add(w),
        lambda t, w: put(t, positions, w, accumulate=True),
        [x, values],
        f"at[{index!r}].add",
        has_mask(index),
    )


@case(CASES, "at.multiply")
def _(name, draw):
    x, index, positions, values = update(draw, distinct=True)

    def theirs(t, w):
        old = t.reshape(-1)[positions.reshape(-1)].reshape(positions.shape)
        return put(t, positions, old * w)

    return Problem(
        lambda v, w: as_value(v).at[index].multiply(w),
        theirs,
        [x, values],
        f"at[{index!r}].multiply",
        has_mask(index),
    )


@case(CASES, "where")
def _(name, draw):
    first, second, third = draw.broadcast(3)
    condition = draw(hnp.arrays(bool, first))
    given = draw.one_of(
        condition,
        condition.astype(float),
        condition.tolist() if condition.ndim and condition.size else condition,
    )
    return Problem(
        lambda v, w: adjoint.where(given, v, w),
        lambda t, u: torch.where(torch.as_tensor(condition), t, u),
        [draw.array(second), draw.array(third)],
        f"where({given!r})",
    )


@case(CASES, "clip")
def _(name, draw):
    x = draw.array()
    low, high = draw.one_of((-1.0, 1.0), (None, 0.5), (0.0, None), (0, 1), (1.0, -1.0))
    return Problem(draw.call("clip", low, high), lambda t: t.clamp(low, high), [x])


@case(CASES, "clip between arrays")
def _(name, draw):
    first, second, third = draw.broadcast(3)
    return Problem(
        draw.call("clip"),
        lambda *ts: torch.clamp(*torch.broadcast_tensors(*ts)),
        [
            draw.array(first),
            draw.array(second, -2.0, 0.0, special=(-1.0, 0.0)),
            draw.array(third, 0.0, 2.0, special=(1.0, 2.0)),
        ],
    )


@case(CASES, "take")
def _(name, draw):
    x = draw.array(draw.shape(least=1, min_side=1))
    axis = draw.one_of(None, *range(-x.ndim, x.ndim))
    size = x.size if axis is None else x.shape[axis]
    which = integers(draw, size, draw.shape(most=2))
    given = draw.one_of(which, which.tolist() if which.size else which)
    positions = np.asarray(np.take(places(x.shape, ...), which, axis))
    return Problem(draw.call("take", given, axis), take_at(positions), [x])


@case(CASES, "take_along_axis")
def _(name, draw):
    x = draw.array(draw.shape(least=1, min_side=1))
    axis = draw.axis(x.ndim)
    shape = list(x.shape)
    shape[axis] = draw.one_of(4, 2, 3, 1, 0)
    which = integers(draw, x.shape[axis], tuple(shape))
    positions = np.take_along_axis(places(x.shape, ...), which, axis)
    return Problem(draw.call("take_along_axis", which, axis), take_at(positions), [x])


@case(CASES, "embedding")
def _(name, draw):
    weight = draw.array((draw.integer(1, 4), draw.side()))
    which = draw(hnp.arrays(np.int64, draw.shape(most=2), elements=st.integers(0, len(weight) - 1)))
    return Problem(lambda w: adjoint.embedding(w, which), lambda t: F.embedding(torch.as_tensor(which), t), [weight])


@case(CASES, "sort")
def _(name, draw):
    x = draw.array(draw.shape(least=1))
    axis, descending = draw.axis(x.ndim), draw.flag()
    return Problem(
        draw.call("sort", axis, descending),
        lambda t: t.sort(dim=axis, descending=descending, stable=True).values,
        [x],
    )


@case(CASES, "topk")
def _(name, draw):
    x = draw.array(draw.shape(least=1))
    axis = draw.axis(x.ndim)
    k = x.shape[axis] - draw.integer(0, x.shape[axis])
    ours = draw.call("topk", k, axis)
    return Problem(
        lambda v: ours(v)[0],
        # torch.topk does not specify which of several equal elements it takes; a stable sort does
        lambda t: t.sort(dim=axis, descending=True, stable=True).values.narrow(axis, 0, k),
        [x],
        f"topk({k}, {axis})",
    )


@case(CASES, "tril", "triu")
def _(name, draw):
    x = draw.array(draw.shape(least=2))
    k = draw.integer(-3, 3)
    return Problem(draw.call(name, k), lambda t: getattr(t, name)(k), [x])


@case(CASES, "diagonal")
def _(name, draw):
    x = draw.array(draw.shape(least=2))
    k = draw.integer(-x.shape[-2], x.shape[-1])
    return Problem(draw.call("diagonal", k), lambda t: t.diagonal(k, -2, -1), [x])


@case(CASES, "diag")
def _(name, draw):
    x = draw.array(draw.shape(least=1, most=2))
    k = draw.integer(-x.shape[0], x.shape[-1])
    return Problem(draw.call("diag", k), lambda t: t.diag(k), [x])


@case(CASES, "trace")
def _(name, draw):
    x = draw.array(draw.shape(least=2))
    return Problem(draw.call("trace"), lambda t: t.diagonal(0, -2, -1).sum(-1), [x])


# --- claims about every function ------------------------------------------------------------------

globals().update(claims(CASES))


def test_selecting_with_a_mask_in_a_compiled_program_raises_an_error():
    pytest.importorskip("jax")
    v, mask = Value([1.0, 2.0]), np.array([True, False])
    with pytest.raises(TraceError, match="mask"):
        adjoint.jit(lambda v, mask: v[mask])(v, mask)


# --- particular functions -------------------------------------------------------------------------


def test_the_gradients_of_duplicates_add_up():
    v = Value([1.0, 2.0, 3.0])
    v[[0, 2, 0, -1]].backward([1.0, 10.0, 100.0, 1000.0])
    assert v.grad.tolist() == [101.0, 0.0, 1010.0]


def test_the_gradients_of_rows_used_often_add_up_in_an_embedding():
    weight = Value(np.zeros((4, 2)))
    adjoint.embedding(weight, [[1, 1], [3, 1]]).backward(np.ones((2, 2, 2)))
    assert weight.grad.tolist() == [[0.0, 0.0], [3.0, 3.0], [0.0, 0.0], [1.0, 1.0]]


def test_iteration_and_unpacking_give_rows_with_gradients():
    v = Value([[1.0, 2.0], [3.0, 4.0]])
    a, b = v
    (a * 2 + b * 3).sum().backward()
    assert v.grad.tolist() == [[2.0, 2.0], [3.0, 3.0]]


def test_an_update_leaves_the_value_unchanged():
    v = Value([1.0, 2.0, 3.0])
    assert v.at[0].set(10.0).data.tolist() == [10.0, 2.0, 3.0]
    assert v.at[[0, 0]].add(1.0).data.tolist() == [3.0, 2.0, 3.0]
    assert v.at[1:].multiply([10.0, 100.0]).data.tolist() == [1.0, 20.0, 300.0]
    assert v.data.tolist() == [1.0, 2.0, 3.0]


def test_an_update_takes_the_dtype_of_the_value_that_is_updated():
    v = Value(np.zeros(3, np.float32))
    for update in (v.at[0].set(1.0), v.at[0].add(1), v.at[:2].set([1, 2]), v.at[0].multiply(2.0)):
        assert update.dtype == np.float32


def test_an_update_by_a_scalar_value_has_a_gradient_for_it():
    v, x = Value([1.0, 2.0, 3.0]), Value(5.0)
    v.at[1:].set(x).backward([1.0, 10.0, 100.0])
    assert float(x.grad) == 110.0
    assert v.grad.tolist() == [1.0, 0.0, 0.0]


def test_multiplying_an_element_twice_raises_an_error():
    with pytest.raises(ArgumentError, match=r"multiply.*twice"):
        Value([1.0, 2.0]).at[[0, 0]].multiply([2.0, 3.0])


def test_setting_an_element_twice_raises_an_error():
    # which of the two is kept differs between libraries, and so would the gradient
    with pytest.raises(ArgumentError, match=r"set.*twice"):
        Value([1.0, 2.0]).at[[0, 0]].set([2.0, 3.0])


def test_the_error_for_assigning_to_a_part_suggests_at():
    v = Value([1.0, 2.0])
    with pytest.raises(ArrayIndexError, match=r"v\.at\[i\]\.set"):
        v[0] = 5.0


@pytest.mark.parametrize("index", [2, -3, (0, 0), [0, 2], slice(None, None, 0), np.array([True]), (..., ...)])
def test_an_index_that_does_not_fit_is_an_error(index):
    with pytest.raises((ArrayIndexError, ShapeError)):
        Value([1.0, 2.0])[index]


@pytest.mark.parametrize("index", [0.0, "a", np.array([0.0]), (0.5,), b"a"])
def test_the_error_about_an_invalid_index_names_it(index):
    with pytest.raises(ArrayIndexError, match="integers, slices"):
        Value([[1.0, 2.0]])[index]


def test_a_value_as_index_raises_an_error():
    with pytest.raises(ArrayIndexError, match=r"Value cannot be an index.*\.data"):
        Value([1.0, 2.0])[Value([0.0])]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v: adjoint.take(v, [0], axis=2), "take.*axis 2"),
        (lambda v: adjoint.take_along_axis(v, np.array([0])), r"take_along_axis.*\(1,\).*\(2, 3\)"),
        (lambda v: adjoint.embedding(v[0], [0]), r"embedding.*two axes.*\(3,\)"),
        (lambda v: adjoint.sort(v, axis=2), "sort.*axis 2"),
        (lambda v: adjoint.topk(v, 4), "topk: k=4 .*size 3"),
        (lambda v: adjoint.topk(v, -1), "topk.*-1"),
        (lambda v: adjoint.tril(v[0]), r"tril needs matrices.*\(3,\)"),
        (lambda v: adjoint.triu(v[0]), r"triu needs matrices.*\(3,\)"),
        (lambda v: adjoint.diagonal(v[0]), r"diagonal needs matrices.*\(3,\)"),
        (lambda v: adjoint.trace(v[0]), r"needs matrices.*\(3,\)"),
        (lambda v: adjoint.diag(v.reshape(1, 2, 3)), r"diag needs a vector or a matrix.*\(1, 2, 3\)"),
        (lambda v: v.at[0].set([1.0, 2.0]), r"at.set.*\(2,\)"),
        (lambda v: v.at[0].add([1.0, 2.0]), r"at.add.*\(2,\)"),
        (lambda v: adjoint.where(v.data > 0, v, np.ones(2)), r"where.*\(2, 3\).*\(2,\)"),
    ],
)
def test_errors_about_arguments_name_what_was_given(call, message):
    with pytest.raises(ShapeError, match=message):
        call(Value(np.ones((2, 3))))


def test_where_takes_a_condition_of_any_kind():
    v, w = Value([1.0, 2.0]), Value([10.0, 20.0])
    for condition in (
        np.array([True, False]),
        [True, False],
        np.array([1, 0]),
        Value([1.0, 0.0]),
        [1.0, 0.0],
    ):
        v.zero_grad()
        adjoint.where(condition, v, w).backward([3.0, 5.0])
        assert v.grad.tolist() == [3.0, 0.0]
    with pytest.raises(ArgumentError, match="where needs a condition"):
        adjoint.where("x", v, w)


def test_where_broadcasts_numbers_arrays_and_scalar_values():
    x, v = Value(3.0), Value(np.array([[1.0], [2.0]], np.float32))
    y = adjoint.where([True, False, True], x, v)
    y.sum().backward()
    assert y.shape == (2, 3)
    assert float(x.grad) == 4.0
    assert v.grad.tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize("condition", [True, False, np.True_, np.array(False)])
def test_where_broadcasts_a_single_condition_too(condition):
    pytest.importorskip("jax")
    v, A = Value(np.array(2.0)), Value(np.arange(6.0).reshape(2, 3))
    y = adjoint.where(condition, v, A)
    np.testing.assert_array_equal(y.data, np.where(condition, v.data, A.data))
    y.sum().backward()
    assert v.grad == 6.0 * bool(condition)
    np.testing.assert_array_equal(A.grad, np.full((2, 3), not condition, float))
    compiled = adjoint.jit(lambda x, z: adjoint.where(condition, x, z))(v.data, A.data)
    np.testing.assert_array_equal(compiled, y.data)
    assert adjoint.where(condition, [1.0, 2.0], 0.0).tolist() == ([1.0, 2.0] if condition else [0.0, 0.0])


@pytest.mark.parametrize("make", [float, np.array], ids=["numbers", "arrays"])
def test_where_returns_a_new_value_and_never_an_operand(make):
    v, w = Value(make(2.0)), Value(make(3.0))
    for y, chosen in ((adjoint.where(True, v, w), v), (adjoint.where(False, v, w), w), (adjoint.where(True, v, v), v)):
        assert y is not chosen
        assert float(y.data) == float(chosen.data)
        v.zero_grad(), w.zero_grad()
        y.backward()
        assert float(chosen.grad) == 1.0
    y = adjoint.where(False, v, 4.0)
    assert isinstance(y, Value)
    y.backward()
    assert float(y.data) == 4.0


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32"])
@pytest.mark.parametrize("number", [0, 1])
def test_numbers_in_where_take_the_dtype_of_the_array_under_jit_too(dtype, number):
    pytest.importorskip("jax")
    x = np.array([1, 2, 3], dtype)
    for choose in (lambda v: adjoint.where(v > 1, number, v), lambda v: adjoint.where(v > 1, v, number)):
        expected, found = choose(x), adjoint.jit(choose)(x)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype == x.dtype
    fixed = adjoint.jit(lambda v: adjoint.where(v > 1, number, x))(x)  # the condition alone depends on the argument
    assert fixed.dtype == x.dtype


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_where_of_a_number_and_an_array_computes_in_its_dtype_in_functions_that_use_it(dtype):
    pytest.importorskip("jax")
    x = np.array([[1.0, -1.0, 0.0, 2.0]], dtype)
    compiled = adjoint.jit(lambda v: adjoint.lp_pool1d(v, 2, 2))(x)
    assert compiled.dtype == adjoint.lp_pool1d(x, 2, 2).dtype == dtype


def test_the_number_that_where_does_not_choose_receives_no_gradient():
    x = Value(0.0)
    adjoint.where(False, adjoint.log(x), x * 3.0).backward()
    assert x.grad == 3.0  # the slope of the logarithm is infinite, and zero times it would be NaN


@pytest.mark.parametrize(
    ("x", "low", "high"),
    [
        (1.0, np.inf, None), (np.inf, np.inf, None), (1.0, None, -np.inf), (np.inf, None, np.inf), (1.0, 1.0, None),
        (2.0, 3.0, 1.0), (2.0, 5.0, 5.0), (1.0, np.inf, np.inf), (-np.inf, -np.inf, np.inf), (np.nan, 0.0, None),
        (1.0, np.nan, 2.0), (1.0, 3.0, np.inf),
    ],
)  # fmt: skip
def test_the_bounds_of_clip_have_the_gradients_of_pytorch(x, low, high):
    pytest.importorskip("torch")
    theirs = [None if v is None else torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (x, low, high)]
    torch.clamp(*theirs).backward()
    for kind in (float, np.array):
        ours = [None if v is None else Value(kind(v)) for v in (x, low, high)]
        adjoint.clip(*ours).backward()
        for v, w in zip(ours, theirs):
            assert v is None or float(v.grad) == float(w.grad)


def test_clip_passes_the_gradient_at_its_bounds():
    v = Value([-2.0, -1.0, 0.0, 1.0, 2.0])
    v.clip(-1.0, 1.0).backward(np.ones(5))
    assert v.grad.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize(("x", "inside"), [(0.5, True), (2.0, False), (-2.0, False), (1.0, True)])
def test_clip_of_a_scalar_value_has_a_gradient(x, inside):
    v = Value(x)
    y = adjoint.clip(v, -1.0, 1.0) * 3.0
    y.backward()
    assert float(y) == 3.0 * min(max(x, -1.0), 1.0)
    assert float(v.grad) == (3.0 if inside else 0.0)


@examples(10)
@given(data=st.data())
def test_one_hot_agrees_with_pytorch(data):
    pytest.importorskip("torch")
    which = data.draw(
        hnp.arrays(np.int64, hnp.array_shapes(min_dims=0, max_dims=2, min_side=0), elements=st.integers(0, 3))
    )
    found = adjoint.one_hot(which, 4)
    assert type(found) is np.ndarray
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, F.one_hot(torch.as_tensor(which), 4).numpy())


@pytest.mark.parametrize("index", [4, -1])
def test_one_hot_of_an_index_out_of_range_raises_an_error(index):
    with pytest.raises(ArrayIndexError, match=f"{index}"):
        adjoint.one_hot([0, index], 4)


@examples(10)
@given(data=st.data())
def test_topk_returns_the_indices_of_the_largest(data):
    pytest.importorskip("torch")
    draw = Draw(data.draw, "generic", "float64")
    x = draw.array(draw.shape(least=1))
    axis = draw.axis(x.ndim)
    k = draw.integer(0, x.shape[axis])
    values, places = adjoint.topk(Value(x), k, axis)
    expected = torch.topk(as_tensor(x), k, dim=axis)
    np.testing.assert_array_equal(values.data, expected.values.numpy())
    np.testing.assert_array_equal(places, expected.indices.numpy())


def test_sorting_equal_elements_keeps_their_order():
    v = Value([2.0, 1.0, 2.0, 1.0])
    for descending, expected in ((False, [100.0, 1.0, 1000.0, 10.0]), (True, [1.0, 100.0, 10.0, 1000.0])):
        v.zero_grad()
        v.sort(descending=descending).backward([1.0, 10.0, 100.0, 1000.0])
        assert v.grad.tolist() == expected


def test_values_are_repeated_along_an_index_of_more_axes():
    index = np.array([[0, 1], [1, 1]])
    x, v = Value([1.0, -1.0, -1.0]), Value([5.0, -7.0])
    y = x.at[index].add(v)
    assert y.data.tolist() == [1.0 + 5.0, -1.0 - 7.0 + 5.0 - 7.0, -1.0]
    y.backward([1.0, 10.0, 100.0])
    assert v.grad.tolist() == [1.0 + 10.0, 10.0 + 10.0]


# --- integers of every dtype ------------------------------------------------------------------------

INTEGERS = [np.dtype(order + kind + size) for kind in "iu" for size in "1248" for order in ("<", ">")][1:]
READINGS = {
    "getitem": lambda v, i: v[i],
    "getitem of columns": lambda v, i: v.mT[:, i],
    "getitem of elements": lambda v, i: v[i, i[::-1] % v.shape[1]],
    "getitem of one row": lambda v, i: v[i[0]],
    "take": lambda v, i: adjoint.take(v, i, axis=0),
    "take of a flat array": lambda v, i: adjoint.take(v, i),
    "take_along_axis": lambda v, i: adjoint.take_along_axis(v, i[:, None], axis=0),
    "embedding": lambda v, i: adjoint.embedding(v, i),
    "one_hot": lambda v, i: adjoint.one_hot(i, v.shape[0]) @ v,
    "repeat": lambda v, i: adjoint.repeat(v[: len(i)], i % i.dtype.type(5), axis=0),
    "at.add": lambda v, i: v.at[i].add(v[: len(i)]),
    "at.set": lambda v, i: v.at[i[:2]].set(v[:2]),
    "at.multiply": lambda v, i: v.at[i[:2]].multiply(v[:2]),
}


@pytest.mark.parametrize("name", READINGS)
@pytest.mark.parametrize("shape", [(300, 4), (20, 4)])  # 300 does not fit into 8 bits
def test_indices_of_every_integer_dtype_give_the_gradients_of_int64(name, shape):
    numbers = np.random.default_rng(0).normal(size=shape)
    places = [1, 17, 1]

    def read(dtype):
        v = Value(numbers)
        y = READINGS[name](v, np.array(places, dtype))
        y.backward(np.cos(np.arange(y.size)).reshape(y.shape), create_graph=True)
        return y.data, v.grad.data

    y, gradient = read(np.int64)
    assert gradient.any()
    for dtype in INTEGERS:
        found = read(dtype)
        np.testing.assert_array_equal(found[0], y, str(dtype))
        np.testing.assert_array_equal(found[1], gradient, str(dtype))


def test_negative_indices_of_small_integers_count_from_the_end():
    for dtype in [d for d in INTEGERS if d.kind == "i"]:
        v = Value(np.ones((300, 2)))
        v[np.array([-1, -128], dtype)].backward([[1.0, 2.0], [3.0, 4.0]])
        assert v.grad[-1].tolist() == [1.0, 2.0]
        assert v.grad[-128].tolist() == [3.0, 4.0]
        assert v.grad.sum() == 10.0


def test_an_update_by_an_array_with_more_axes_gives_it_the_whole_gradient():
    y = Value([[5.0]])
    Value([0.0, 0.0]).at[:].set(y).backward([1.0, 2.0])
    assert y.grad.tolist() == [[3.0]]
    y = Value([[5.0, 6.0]])
    Value([0.0, 0.0]).at[:].set(y).backward([1.0, 2.0])
    assert y.grad.tolist() == [[1.0, 2.0]]
    z = Value([[[5.0]]])
    Value([0.0, 0.0]).at[:].set(z * z).backward([1.0, 2.0], create_graph=True)
    first = z.grad
    assert first.data.tolist() == [[[30.0]]]
    z.zero_grad()
    first.backward([[[1.0]]])
    assert z.grad.tolist() == [[[6.0]]]
    with pytest.raises(ShapeError):
        Value([0.0, 0.0]).at[:].set(Value([[5.0], [6.0]]))
