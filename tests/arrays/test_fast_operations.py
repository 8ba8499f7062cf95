"""Array operations with a version in the native core: it computes what the rule computes, up to rounding."""

import numpy as np
import pytest

import adjoint.arrays.functions.normalization  # noqa: F401  (enters its operations into the table)
from adjoint import Tensor
from adjoint.arrays.array_rule import ARRAY_OPS, ArrayOp
from adjoint.arrays.backends import NUMPY
from adjoint.arrays.broadcasting import unbroadcast
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


def assert_same(op: ArrayOp, operands: list, static: dict, g: np.ndarray, dtype) -> None:
    with np.errstate(all="ignore"):
        y = op.forward(NUMPY, *operands, **static)
        expected = op.forward.__wrapped__(NUMPY, *operands, **static)
        assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
        info = np.finfo(dtype)
        least = info.smallest_normal if (expected >= 0).all() else info.eps  # differences lose digits near 0
        np.testing.assert_allclose(y, expected, rtol=32 * info.eps, atol=32 * least)
        found = op.fast_vjps(g, expected, *operands, **static)
        assert found is not None
        for i, (part, x) in enumerate(zip(found, operands, strict=True)):
            wanted = unbroadcast(op.vjp(i, NUMPY, g, expected, operands, static), x, NUMPY)
            assert (part.shape, part.dtype) == (wanted.shape, wanted.dtype)
            scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=1e-30)
            np.testing.assert_allclose(part / scale, wanted / scale, rtol=64 * info.eps, atol=64 * info.eps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CASES)
def test_the_native_core_computes_what_the_rule_computes(name, dtype):
    rng = np.random.default_rng(7)
    for shape in SHAPES:
        for edges in ([], [np.inf, -np.inf, np.nan] if "norm" in name else EDGES):
            x, g = numbers(rng, shape, dtype, edges), numbers(rng, shape, dtype, [])
            operands = operands_of(name, x, rng)
            for static in CASES[name] if operands else ():
                assert_same(ARRAY_OPS[name], operands, static(x), g, dtype)


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
    np.testing.assert_allclose(first, softmax.forward(NUMPY, np.ascontiguousarray(x.T), axis=(1,)).T, rtol=1e-15)
