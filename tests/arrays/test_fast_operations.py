"""Array operations with a version in the native core: it computes what the rule computes, up to rounding."""

import numpy as np
import pytest
from closeness import require_close

import adjoint.arrays.functions.attention
import adjoint.arrays.functions.normalization  # noqa: F401  (they enter their operations into the table)
from adjoint import Tensor
from adjoint.arrays.array_rule import ARRAY_OPS, ArrayOp
from adjoint.arrays.backends import NUMPY
from adjoint.arrays.broadcasting import unbroadcast
from adjoint.arrays.functions import convolution, pooling
from adjoint.arrays.functions.windows import Geometry
from adjoint.engine import native

if not native.core:
    pytest.skip("the fast versions are part of the native core", allow_module_level=True)

Tensor([0.0])  # the core reads arrays once their class is loaded
EDGES = [0.0, -0.0, 90.0, -120.0, 1e4, -1e4, np.inf, -np.inf, np.nan, 1e-30]
SHAPES = [(5,), (1,), (3, 0), (0, 3), (4, 64), (2, 3, 17), (3, 300), (2, 1, 7, 7)]
LAST = lambda x: {"axis": (x.ndim - 1,)}  # noqa: E731
NORM = lambda x: {"eps": 1e-3}  # noqa: E731
CASES = {
    "softmax": [LAST],
    "log_softmax": [LAST],
    "attention": [lambda x, causal=causal: {"scale": 0.3, "causal": causal} for causal in (False, True)],
    "max_pool": [],  # tested with the geometry of windows below
    "normalize": [NORM],
    "layer_norm": [NORM],
}


def operands_of(name: str, x: np.ndarray, rng) -> list[np.ndarray]:
    """Return the operands of an operation, the first of which is `x`; none if it does not take this shape."""
    if name == "attention" and (x.ndim < 2 or not x.shape[-1]):
        return []
    if name == "layer_norm":
        return [x, *rng.normal(0, 1, (2, x.shape[-1])).astype(x.dtype)]
    return [x]


def numbers(rng, shape, dtype, edges: list[float]) -> np.ndarray:
    x = rng.normal(0, 3, shape)
    return np.where(rng.random(shape) < 0.1, rng.choice(edges, shape), x).astype(dtype) if edges else x.astype(dtype)


def assert_same(op: ArrayOp, operands: list, static: dict, g: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        y = op.forward(NUMPY, *operands, **static)
        expected = op.forward.__wrapped__(NUMPY, *operands, **static)
        assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
        positive = bool((expected >= 0).all())  # differences lose digits near 0
        require_close(y, expected, each=positive, scale=0.0 if positive else 1.0)
        found = op.fast_vjps(g, expected, *operands, **static)
        assert found is not None
        for i, (part, x) in enumerate(zip(found, operands, strict=True)):
            wanted = unbroadcast(op.vjp(i, NUMPY, g, expected, operands, static), x, NUMPY)
            require_close(part, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CASES)
def test_the_native_core_computes_what_the_rule_computes(name, dtype):
    rng = np.random.default_rng(7)
    for shape in SHAPES:
        for edges in ([], [np.inf, -np.inf, np.nan] if "norm" in name else EDGES):
            x, g = numbers(rng, shape, dtype, edges), numbers(rng, shape, dtype, [])
            operands = operands_of(name, x, rng)
            for static in CASES[name] if operands else ():
                assert_same(ARRAY_OPS[name], operands, static(x), g)


# kernel, stride, padding and dilation of windows: side by side, apart, overlapping, and with gaps
WINDOWS = [
    ((2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1)),
    ((2, 2), (1, 2), ((0, 0), (0, 0)), (1, 1)),
    ((3, 2), (2, 1), ((1, 1), (1, 0)), (1, 1)),
    ((2, 3), (3, 1), ((1, 0), (1, 1)), (2, 1)),
    ((1, 1), (1, 2), ((0, 0), (0, 0)), (1, 1)),
]


def geometries(size: tuple[int, ...], groups: int = 1) -> list[Geometry]:
    """Return windows on images, or on sequences, of this size."""
    ndim = len(size)
    return [Geometry(size, *(part[-ndim:] for part in window), groups=groups) for window in WINDOWS]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [(4, 6), (5, 7), (9,)])
def test_the_largest_number_of_each_window_is_that_of_the_rule_also_for_ties_and_nan(size, dtype):
    rng = np.random.default_rng(3)
    for geometry in geometries(size):
        for edges in ([], [2.0, np.inf, -np.inf, np.nan]):
            x = numbers(rng, (2, 3, *size), dtype, edges).round(0 if edges else 9)
            op, static = pooling.pool_maximum, {"geometry": geometry}
            y = op.forward.__wrapped__(NUMPY, x, **static)
            np.testing.assert_array_equal(op.forward(NUMPY, x, **static), y)
            g = numbers(rng, y.shape, dtype, [])
            (found,) = op.fast_vjps(g, y, x, **static)
            require_close(found, op.vjp(0, NUMPY, g, y, [x], static))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("size", "groups"), [((4, 6), 1), ((5, 7), 2), ((9,), 1)])
def test_convolutions_with_columns_of_the_core_are_those_of_numpy(monkeypatch, size, groups, dtype):
    rng = np.random.default_rng(4)
    for geometry in geometries(size, groups):
        x = numbers(rng, (5, 4, *size), dtype, [])
        w = numbers(rng, (6, 4 // groups, *geometry.kernel), dtype, [])
        g = numbers(rng, (5, 6, *geometry.windows), dtype, [])
        for memory in (1, 1 << 18):  # one sample at a time, and all
            results = []
            for is_fast in (True, False):
                columns = convolution._Convolution()
                columns.memory = memory
                with monkeypatch.context() as patch:
                    if not is_fast:
                        patch.setattr(convolution, "fold", lambda *given: False)
                        patch.setattr(convolution, "unfold", lambda *given: False)
                    results.append(
                        [
                            columns.forward(NUMPY, x, w, None, geometry),
                            columns.input(NUMPY, g, w, geometry),
                            columns.weight(NUMPY, x, g, geometry),
                        ]
                    )
            for found, expected in zip(*results):
                require_close(found, expected)


def test_windows_that_do_not_fit_are_left_to_numpy():
    x, columns = np.ones((2, 3, 4, 4)), np.zeros((3, 2, 2, 2, 3, 3))
    sizes = ((2, 2), (1, 1), (1, 1), (0, 0), (0, 0))
    core = native.core
    assert core.unfold(x, columns, 0, *sizes)
    assert not core.unfold(x, columns, 1, *sizes)  # not that many samples
    assert not core.unfold(x, columns.astype("f4"), 0, *sizes)
    assert not core.unfold(x, columns[..., :2], 0, *sizes)
    assert not core.fold(np.broadcast_to(x[:1], x.shape), columns, 0, *sizes)
    assert not core.unfold(x, columns, 0, (5, 5), *sizes[1:])
    assert core.max_pool(x[0], *sizes) is None
    assert core.max_pool(x, (0, 2), *sizes[1:]) is None
    assert core.max_pool_back(x, x, *sizes) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_added_at_an_index_add_up_where_it_names_a_place_twice(dtype):
    rng = np.random.default_rng(5)
    x = numbers(rng, (4, 3, 2), dtype, [])
    index = np.array([[1, -1, 1], [3, 0, 1]])
    for given in (index, (index,), (index, index % 3), (index, index % 3, index % 2), (index.astype("u1") % 4,)):
        values = numbers(rng, index.shape + x.shape[len(given) if isinstance(given, tuple) else 1 :], dtype, [])
        expected = x.astype(float)
        np.add.at(expected, given, values)
        require_close(NUMPY.scatter_add(x, given, values), expected, dtype=dtype)
    for wrong in (np.array([4]), np.array([-5])):
        assert not native.core.add_at(x.copy(), (wrong,), x[:1].copy())
        with pytest.raises(IndexError):
            NUMPY.scatter_add(x, wrong, x[:1])
    assert not native.core.add_at(x, (index,) * 4, x)
    assert not native.core.add_at(x, (index,), x)


def test_every_operation_with_a_fast_version_has_a_case():
    assert set(CASES) == {name for name, op in ARRAY_OPS.items() if op.fast_vjps}


@pytest.mark.parametrize(("dtype", "low"), [(np.float32, -103.0), (np.float64, -745.0)])
def test_weights_of_softmax_are_exact_to_three_units_also_where_they_are_tiny(dtype, low):
    x = np.zeros((200_001, 2), dtype)
    x[:, 0] = np.linspace(low, 0, len(x))
    weights = native.core.softmax(x)
    exact = np.exp(x[:, 0].astype(np.longdouble))
    exact = exact / (1 + exact)
    unit = np.maximum(np.finfo(dtype).eps * exact, np.finfo(dtype).smallest_subnormal)
    assert (np.abs(weights[:, 0] - exact) <= 3 * unit).all()


def test_arrays_that_are_not_ordinary_use_the_rule():
    x = np.arange(12.0).reshape(3, 4)
    for odd in (x.T, x[:, ::2], np.broadcast_to(x[:1], (3, 4)), x.astype(">f8"), x.astype("f2"), [1.0], 2.0):
        assert native.core.softmax(odd) is None
    assert native.core.softmax_back(x, x.astype("f4")) is None
    assert native.core.softmax_back(x, x[:2]) is None
    assert native.core.attention(x[0], 1.0, False) is None
    softmax = ARRAY_OPS["softmax"]
    first = softmax.forward(NUMPY, x, axis=(0,))
    require_close(first, softmax.forward(NUMPY, np.ascontiguousarray(x.T), axis=(1,)).T)
