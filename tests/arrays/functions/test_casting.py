"""Products under a precision: what is cast, what the results and gradients are, and how close they are."""

import numpy as np
import pytest

import adjoint
from adjoint import Value, jit

RNG = np.random.default_rng(0)


def draw(*shape):
    return RNG.normal(size=shape).astype("float32")


PRODUCTS = {
    "matmul": (lambda x, w: x @ w, [(3, 4), (4, 5)]),
    "vectors": (lambda x, w: x @ w, [(4,), (4,)]),
    "stacked matmul": (lambda x, w: x @ w, [(2, 3, 4), (4, 5)]),
    "linear": (adjoint.linear, [(3, 4), (5, 4), (5,)]),
    "linear of a vector": (adjoint.linear, [(4,), (5, 4), (5,)]),
    "linear without bias": (adjoint.linear, [(2, 3, 4), (5, 4)]),
    "einsum": (lambda x, w: adjoint.einsum("bij,jk->bik", x, w), [(2, 3, 4), (4, 5)]),
    "tensordot": (adjoint.tensordot, [(2, 3, 4), (3, 4, 5)]),
    "conv1d": (adjoint.conv1d, [(2, 3, 8), (4, 3, 3), (4,)]),
    "conv2d": (adjoint.conv2d, [(2, 3, 6, 6), (4, 3, 3, 3), (4,)]),
    "conv_transpose2d": (adjoint.conv_transpose2d, [(2, 3, 4, 4), (3, 4, 3, 3), (4,)]),
    "attention": (
        lambda q, k, v: adjoint.scaled_dot_product_attention(q, k, v, causal=True),
        [(2, 2, 5, 4), (2, 2, 5, 4), (2, 2, 5, 4)],
    ),
    "embedding": (lambda w: adjoint.embedding(w, [[0, 2], [1, 2]]), [(3, 4)]),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product_is_in_the_precision_and_its_gradients_in_the_dtypes_of_the_operands(name, dtype):
    function, shapes = PRODUCTS[name]
    given = [draw(*shape).astype(dtype) for shape in shapes]
    exact = [Value(x.astype("float64")) for x in given]
    function(*exact).square().sum().backward()
    seen = []

    @jit(precision="bfloat16")
    def run(*xs):
        y = function(*xs)
        seen.append(str(y.dtype))
        y.square().sum().backward()

    xs = [Value(x) for x in given]
    run(*xs)
    assert seen == ["bfloat16"]
    for x, reference in zip(xs, exact):
        assert str(x.grad.dtype) == dtype
        # operands, result and gradient are each rounded to 8 bits; sums of a few dozen terms keep that relative error
        assert np.abs(x.grad - reference.grad).max() < 0.03 * np.abs(reference.grad).max()
        assert not np.array_equal(x.grad, reference.grad.astype(dtype))
