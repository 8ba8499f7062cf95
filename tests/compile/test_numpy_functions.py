"""NumPy's functions of the arrays that jit traces: the numbers, shapes and dtypes of the eager function."""

import warnings

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, jit, tree_leaves
from adjoint.errors import TraceError

pytest.importorskip("jax")

A = np.array([[1.0, -2.0, 3.5], [0.25, 4.0, -1.0], [2.0, 0.5, 1.5]])
FUNCTIONS = {
    "exp": np.exp,
    "sqrt": lambda x: np.sqrt(np.abs(x)),
    "add": lambda x: np.add(x, 1),
    "of an array first": lambda x: np.arange(3.0) * x,
    "maximum": lambda x: np.maximum(x, 0.5),
    "divide": lambda x: np.divide(x, 2),
    "divmod": lambda x: np.divmod(x, 2),
    "square": np.square,
    "floor": np.floor,
    "isnan": lambda x: np.isnan(x * 1.0),
    "add.reduce": lambda x: np.add.reduce(x, axis=1),
    "multiply.outer": lambda x: np.multiply.outer(x[0], x[1]),
    "where": lambda x: np.where(x > 0, x, 0),
    "where of two dtypes": lambda x: np.where(x > 0, x, x.astype(np.float32)),
    "concatenate": lambda x: np.concatenate([x, x * 2, np.zeros((1, 3))]),
    "stack": lambda x: np.stack([x, x], axis=1),
    "split": lambda x: np.split(x, 3),
    "ones_like": lambda x: np.ones_like(x) + x,
    "full_like": lambda x: np.full_like(x, 1),
    "shape": lambda x: np.zeros(np.shape(x)) + x,
    "sum": lambda x: np.sum(x, axis=0),
    "sum with a dtype": lambda x: np.sum(x, dtype=np.float32),
    "mean": np.mean,
    "std": lambda x: np.std(x, axis=1, keepdims=True),
    "median": lambda x: np.median(x, axis=0),
    "cumsum": lambda x: np.cumsum(x, axis=1),
    "prod": np.prod,
    "argmax": lambda x: np.argmax(x, axis=1),
    "count_nonzero": lambda x: np.count_nonzero(x > 0),
    "sort": lambda x: np.sort(x, axis=0),
    "clip": lambda x: np.clip(x, 0, 1),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "matmul": lambda x: np.matmul(np.eye(3), x),
    "norm": lambda x: np.linalg.norm(x * 1.0),
    "inv": lambda x: np.linalg.inv(x @ x.T + np.eye(3) * 9.0),
    "fft": lambda x: np.abs(np.fft.fft(x)),
    "interp": lambda x: np.interp(x * 1.0, np.arange(3.0), np.arange(3.0) ** 2),
    "searchsorted": lambda x: np.searchsorted(np.arange(3.0), x[0] * 1.0),
    "take": lambda x: np.take(x, np.array([0, 2]), axis=1),
    "pad": lambda x: np.pad(x, 1),
    "meshgrid": lambda x: np.meshgrid(x[0], x[1]),
    "select": lambda x: np.select([x > 1, x < 0], [x, x * 2], 0.5),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_numpy_give_what_they_give_eagerly(name, dtype):
    f, x = FUNCTIONS[name], np.abs(A).astype(dtype) if dtype in ("uint8", "bool") else A.astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = f(x)
        except (TypeError, OverflowError):  # not for this dtype
            return
        found = jit(f)(x)
    for a, b in zip(tree_leaves(found), tree_leaves(expected), strict=True):
        require_close(np.asarray(a), np.asarray(b), terms=9, condition=10)


def test_a_value_in_a_function_of_numpy_has_its_gradient():
    w = Value([2.0, 3.0])
    jit(lambda x: (np.where(x > 0, w, 0.0) * np.exp(x)).sum())(np.array([1.0, -1.0])).backward()
    require_close(w.grad, [np.e, 0.0])


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: np.add(x, 1, out=np.zeros(3)), r"np.add\(…, out=…\).* cannot change while jit traces"),
        (lambda x: np.copyto(np.zeros(3), x), "np.copyto writes into an array"),
        (lambda x: np.unique(x), "the number itself|shape of the result"),
        (lambda x: np.frompyfunc(abs, 1, 1)(x), "JAX has no such function"),
        (lambda x: np.maximum(x.astype(np.uint8), -1), "out of bounds"),
    ],
)
def test_what_cannot_be_compiled_is_an_error(f, message):
    with pytest.raises((TraceError, OverflowError), match=message):
        jit(f)(np.ones(3))
