"""Arguments of wrong kinds are refused with an error of adjoint; infinities and NaN follow NumPy."""

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, fft, nn, special, stats
from adjoint.errors import AdjointError, ArrayError

V = Value([1.0, 2.0, 4.0])
MATRIX = Value(np.eye(2))
REFUSED = {
    "delete": lambda: adjoint.delete(V, Value([0.0])),
    "insert": lambda: adjoint.insert(V, Value(1.0), 2.0),
    "concat of a number": lambda: adjoint.concat(5),
    "stack of a Value": lambda: adjoint.stack(Value(5.0)),
    "array_split": lambda: adjoint.array_split(V, 2.5),
    "split": lambda: adjoint.split(V, ["a"]),
    "topk": lambda: adjoint.topk(V, 1.5),
    "partition": lambda: adjoint.partition(V, 1.5),
    "partition at a Value": lambda: adjoint.partition(V, V),
    "diff": lambda: adjoint.diff(V, 1.5),
    "quantile": lambda: adjoint.quantile(V, "a"),
    "nanpercentile": lambda: adjoint.nanpercentile(V, {}),
    "rot90": lambda: adjoint.rot90(MATRIX, 1.5),
    "rollaxis": lambda: adjoint.rollaxis(MATRIX, 0, 1.5),
    "fftn": lambda: fft.fftn(V, axes=0),
    "one_hot": lambda: adjoint.one_hot([1], 2.5),
    "sum of a number along an array": lambda: adjoint.sum(Value(1.0), axis=np.array([0, 1])),
    "nanvar": lambda: adjoint.nanvar(V, ddof="a"),
    "logit": lambda: adjoint.logit(V, eps=()),
    "multi_dot of a number": lambda: adjoint.linalg.multi_dot(5),
    "multi_dot of a Value": lambda: adjoint.linalg.multi_dot(Value(5.0)),
    "tensordot": lambda: adjoint.tensordot(V, V, axes=object()),
    "tensordot over a list of one": lambda: adjoint.tensordot(V, V, axes=(0,)),
    "vander": lambda: adjoint.vander(V, 2.5),
    "add of plain arrays": lambda: adjoint.add(np.ones(2), np.ones(3)),
    "gammainc of plain arrays": lambda: special.gammainc(np.ones(2), np.ones(3)),
    "poisson of plain arrays": lambda: stats.poisson.cdf(np.ones(2), np.ones(3)),
    "betainc of plain arrays": lambda: special.betainc(np.ones(2), 1.0, np.ones(3)),
}
# these would run until the memory is used up
TOO_LARGE = {
    "adaptive_avg_pool1d": lambda: adjoint.adaptive_avg_pool1d(Value(np.ones((1, 1, 4))), 10**12),
    "adaptive_max_pool1d": lambda: adjoint.adaptive_max_pool1d(Value(np.ones((1, 1, 4))), 10**10),
    "vander": lambda: adjoint.vander(Value(np.ones(10**5)), 10**7),
    "multigammaln": lambda: special.multigammaln(Value([1e12]), 10**9),
    "interpolate": lambda: adjoint.interpolate(Value(np.ones((1, 1, 2, 2))), size=(10**8, 10**8)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_argument_of_a_wrong_kind_is_refused(name):
    with pytest.raises(AdjointError) as caught:
        REFUSED[name]()
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_size_that_no_memory_holds_is_refused_at_once(name):
    with pytest.raises(AdjointError, match=r"too large|at most"):
        TOO_LARGE[name]()


@pytest.mark.parametrize("value", [Value([1.0, 2.0]), Value(2.0), Value(np.array(2.0))])
def test_a_masked_array_on_the_left_does_not_lose_the_graph(value):
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    for combine in (lambda: masked * value, lambda: masked - value, lambda: np.ma.multiply(masked, value)):
        with pytest.raises(ArrayError, match="mask"):
            combine()


def test_infinities_and_nan_stay_where_numpy_has_them():
    x = np.array([1.0, np.nan, 3.0, np.nan, -2.0, np.inf, 0.0])
    with np.errstate(invalid="ignore"):
        for ours, theirs in ((adjoint.nanvar, np.nanvar), (adjoint.nanstd, np.nanstd), (adjoint.gradient, np.gradient)):
            np.testing.assert_array_equal(ours(Value(x)).data, theirs(x))


def test_differences_of_an_order_beyond_the_size_end():
    assert adjoint.diff(V, 10**9).shape == (0,)


def test_integer_targets_keep_float32():
    x, zeros = Value(np.ones(3, "float32")), np.zeros(3, "float32")
    assert nn.kl_div(x, np.array([0, 1, 1])).dtype == np.float32
    assert nn.poisson_nll(x, np.array([0, 1, 4]), full=True).dtype == np.float32
    assert nn.margin_ranking(x, zeros, np.array([-1, 1, 1])).dtype == np.float32


def test_constants_take_the_dtype_of_an_array_of_float32():
    x = Value(np.float32([1, 2]))
    assert adjoint.ediff1d(x, to_end=[1.0], to_begin=np.float64(3.0)).dtype == np.float32
    for found in (adjoint.geomspace(x, 4.0, 3), adjoint.geomspace(4.0, x, 3), adjoint.geomspace(x, Value(4.0), 3)):
        assert found.dtype == np.float32
    start, stop = np.array([-1.0, 2.0]), np.array([[-8.0, 16.0], [-4.0, 2.0]])
    require_close(adjoint.geomspace(start, stop, 4, axis=1), np.geomspace(start, stop, 4, axis=1))
    with pytest.raises(AdjointError, match=r"geomspace.*do not broadcast"):
        adjoint.geomspace(np.ones(2), np.ones(3))


def test_plain_arrays_of_float32_give_numbers_of_float32():
    x, matrix = np.float32([1, 2, 4]), np.eye(2, dtype="float32")
    for found in (adjoint.nanmean(x), adjoint.nanvar(x), adjoint.average(x, weights=x), adjoint.ptp(x),
                  adjoint.linalg.cond(matrix), adjoint.linalg.vector_norm(x, 3), adjoint.exp(x[0])):  # fmt: skip
        assert found.dtype == np.float32
    assert type(adjoint.add(x[0], np.float64(1.0))) is float  # the wider dtype
    assert adjoint.exp(np.float32(1e3)) == np.inf


def test_points_of_interp_may_be_constants_of_a_compiled_function():
    pytest.importorskip("jax")
    compiled = adjoint.jit(lambda v: adjoint.interp(v, [0.0, 5.0], np.array([1.0, 2.0])))
    require_close(compiled(V).data, [1.2, 1.4, 1.8])


def test_a_number_may_give_its_sign_to_a_tensor_of_pytorch():
    torch = pytest.importorskip("torch")
    x = Value(torch.tensor([1.0, -2.0]))
    adjoint.sum(adjoint.copysign(x, -1.0)).backward()
    assert x.grad.tolist() == [-1.0, 1.0]
