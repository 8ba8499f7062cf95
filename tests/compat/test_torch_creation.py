"""New arrays under PyTorch's names, against PyTorch."""

import numpy as np
import pytest
from closeness import require_drawn

import adjoint
from adjoint import Value
from adjoint.errors import AdjointError, ArgumentError, ArrayError

X = np.array([[1.0, 2.0]], dtype=np.float32)
CALLS = {
    "zeros": lambda t: [t.zeros(2, 3), t.zeros((2, 3)), t.zeros(4), t.zeros(())],
    "ones": lambda t: [t.ones(2, 3), t.ones([2, 1])],
    "full": lambda t: [t.full((2, 3), 1.5), t.full((2,), 3), t.full((2,), True)],
    "eye": lambda t: [t.eye(3), t.eye(2, 3)],
    "arange": lambda t: [t.arange(4), t.arange(1, 7, 2), t.arange(0.0, 1.0, 0.25), t.arange(3).reshape(3, 1)],
    "tensor": lambda t: [
        t.tensor([1.0, 2.0]), t.tensor([[1, 2], [3, 4]]), t.tensor([True, False]), t.tensor(2.5), t.tensor(3),
        t.tensor([]), t.tensor(X),
    ],
    "as_tensor": lambda t: [t.as_tensor([1.0, 2.0]), t.as_tensor(X)],
    "from_numpy": lambda t: [t.from_numpy(X), t.from_numpy(np.array([1, 2]))],
    "zeros_like": lambda t: [t.zeros_like(t.tensor(X)), t.zeros_like(t.arange(3))],
    "ones_like": lambda t: [t.ones_like(t.tensor(X))],
    "full_like": lambda t: [t.full_like(t.tensor(X), 3.0)],
}  # fmt: skip


@pytest.fixture
def float64():
    torch = pytest.importorskip("torch")
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("name", CALLS)
def test_a_new_array_has_the_numbers_and_the_dtype_of_pytorchs(name):
    torch = pytest.importorskip("torch")
    for found, expected in zip(CALLS[name](adjoint), CALLS[name](torch), strict=True):
        assert isinstance(found, Value) == expected.is_floating_point()
        array = np.asarray(found.data if isinstance(found, Value) else found)
        assert array.dtype == expected.numpy().dtype
        np.testing.assert_array_equal(array, expected.numpy())


def test_a_new_value_is_a_leaf_with_a_gradient():
    for x in (adjoint.tensor([1.0, 2.0], requires_grad=True), adjoint.ones(2), adjoint.randn(2)):
        (x * x).sum().backward()
        np.testing.assert_array_equal(x.grad, 2 * x.data)


def test_a_new_value_can_be_frozen():
    for make in (
        lambda **o: adjoint.tensor([1.0, 2.0], **o), lambda **o: adjoint.tensor(2.0, **o),
        lambda **o: adjoint.tensor([1, 2], dtype="float32", **o), lambda **o: adjoint.tensor(Value([1.0]), **o),
        lambda **o: adjoint.zeros(2, **o), lambda **o: adjoint.ones(2, **o), lambda **o: adjoint.full((2,), 1.0, **o),
        lambda **o: adjoint.randn(2, **o), lambda **o: adjoint.rand(2, **o),
    ):  # fmt: skip
        assert make().requires_grad
        assert not make(requires_grad=False).requires_grad


def test_data_is_copied():
    for make in (adjoint.tensor, adjoint.from_numpy):
        x = np.zeros(2)
        y = make(x)
        x += 1
        assert (y.data == 0).all()


def test_dtypes_are_those_of_numpy_or_pytorch():
    torch = pytest.importorskip("torch")
    assert adjoint.zeros(2, dtype="float32").dtype == np.float32
    assert adjoint.tensor([1, 2], dtype=torch.float32).dtype == np.float32
    assert adjoint.tensor([1.0, 2.0], dtype=torch.long).tolist() == [1, 2]
    assert adjoint.arange(3, dtype=torch.float64).dtype == np.float64
    assert adjoint.tensor(2.0, dtype=np.float32).dtype == np.float32
    assert adjoint.zeros_like(Value(torch.zeros(2))).dtype == torch.float32


def test_random_arrays_follow_their_distributions_and_the_seed():
    def draws():
        adjoint.manual_seed(7)
        return [
            adjoint.randn(1000).data, adjoint.rand(1000).data, adjoint.randint(0, 5, (1000,)),
            adjoint.randint(5, (2, 3)), adjoint.randperm(9), adjoint.rand_like(Value(X)).data,
            adjoint.randn_like(Value(X)).data,
        ]  # fmt: skip

    normal, uniform, integers, small, order, *like = draws()
    for first, second in zip(draws(), draws()):
        np.testing.assert_array_equal(first, second)
    require_drawn(normal.mean(), 0.0, spread=1.0, draws=1000)
    require_drawn((normal**2).mean(), 1.0, spread=2**0.5, draws=1000)
    assert 0 <= uniform.min() < 0.05
    assert 0.95 < uniform.max() < 1
    assert set(integers) == set(range(5))
    assert integers.dtype == np.int64
    assert small.shape == (2, 3)
    assert sorted(order) == list(range(9))
    assert all(x.dtype == np.float32 and x.shape == (1, 2) for x in like)
    assert (adjoint.randn(3, generator=1).data == adjoint.randn(3, generator=1).data).all()


def test_random_numbers_like_a_single_number():
    for x in (2.0, Value(2.0), np.float32(2.0)):
        for found in (adjoint.rand_like(x), adjoint.randn_like(x)):
            assert found.shape == ()
            assert found.dtype == getattr(x, "dtype", np.float64)


LIKE = (adjoint.zeros_like, adjoint.ones_like, adjoint.rand_like, adjoint.randn_like)


def test_arrays_like_lists_have_their_shape_and_are_floats():
    for make in LIKE:
        found = make([[1, 2, 3]])
        assert (found.shape, found.dtype) == ((1, 3), np.float64)
    assert adjoint.full_like([1, 2], 2.5).tolist() == [2.5, 2.5]


@pytest.mark.parametrize("given", ["x", None, {}, [None], [[1.0], [1.0, 2.0]], object(), 1j])
@pytest.mark.parametrize("make", LIKE)
def test_arrays_like_what_is_no_array_are_refused(make, given):
    with pytest.raises(ArrayError):
        make(given)


@pytest.mark.parametrize("make", LIKE[2:])
def test_random_arrays_like_those_of_other_libraries_and_like_integers(make):
    torch, jnp = pytest.importorskip("torch"), pytest.importorskip("jax.numpy")
    for x in (torch.zeros(2, dtype=torch.float16), jnp.zeros(2)):
        found = make(Value(x)).data
        assert (type(found), found.dtype) == (type(x), x.dtype)
    for x in (np.arange(3), np.ones(2, bool), torch.arange(3)):
        with pytest.raises(ArgumentError, match=rf"{make.__name__} draws floating-point numbers, .* give dtype="):
            make(x)
        assert make(x, dtype="float32").shape == tuple(x.shape)


def test_tensors_of_other_libraries_keep_their_dtype_or_take_another():
    torch, jnp = pytest.importorskip("torch"), pytest.importorskip("jax.numpy")
    for x in (torch.arange(3), jnp.arange(3)):
        assert type(adjoint.tensor(x)) is type(x)
        assert adjoint.tensor(x).dtype == x.dtype
        floats = adjoint.tensor(x, dtype="float32")
        assert (type(floats.data), str(floats.dtype).removeprefix("torch.")) == (type(x), "float32")
    labels = adjoint.jit(lambda y: adjoint.tensor(y) + 0)(np.arange(3, dtype="int32"))
    assert labels.dtype == np.int32


def test_to_takes_a_device_and_a_dtype_of_numpy():
    assert Value([1.0]).to("cpu", np.dtype("float32")).dtype == np.float32
    assert Value([1.0]).to("cpu", np.float16).dtype == np.float16


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: adjoint.zeros(2, device="cuda"), "zeros: the device cannot be 'cuda'"),
        (lambda: adjoint.zeros("a"), "zeros: the sizes of a shape must be integers"),
        (lambda: adjoint.tensor([[1.0], [2.0, 3.0]]), "ragged"),
        (lambda: adjoint.tensor([Value(1.0)]), "adjoint.stack"),
        (lambda: adjoint.tensor("x"), "needs a number or an array of numbers, not str 'x'"),
        (lambda: adjoint.randint(5), "needs the shape of the result"),
        (lambda: adjoint.randint(5, 2, (3,)), "must be less than high"),
        (lambda: adjoint.arange(0, 5, 0), "a step that is not 0"),
        (lambda: adjoint.arange(0, np.inf), "arange needs finite numbers"),
        (lambda: adjoint.arange(0, np.nan), "arange needs finite numbers"),
        (lambda: adjoint.randint(0, 10**30, (3,)), "must fit 64 bits"),
        (lambda: adjoint.randint(0, 5, (-1,)), "at least 0"),
        *[(lambda f=f: f(-1), "at least 0") for f in (adjoint.eye, adjoint.zeros, adjoint.rand, adjoint.randperm)],
        (lambda: adjoint.select(Value([1.0]), 1, 0), "a list of conditions"),
        (lambda: adjoint.choose([0], 1), "a list of choices"),
    ],
)
def test_a_wrong_argument_is_explained(call, message):
    with pytest.raises(AdjointError, match=message):
        call()
