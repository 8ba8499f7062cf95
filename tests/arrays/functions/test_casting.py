"""Products under a precision: what is cast, what the results and gradients are, and how close they are."""

import copy
import threading
import warnings

import numpy as np
import pytest
from closeness import require_close
from hypothesis import given, strategies as st
from tests.support.fuzzing import examples

import adjoint
from adjoint import Value, errors, jit, nn, precision

jax = pytest.importorskip("jax")
jnp = jax.numpy


def draw(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype("float32")


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


def test_products_are_in_the_precision_and_gradients_in_the_dtypes_of_the_operands():
    """All products in one program; the operands of every second one are float64."""
    dtypes = {name: ("float32", "float64")[k % 2] for k, name in enumerate(PRODUCTS)}
    given = {name: [draw(*shape) for shape in shapes] for name, (_, shapes) in PRODUCTS.items()}
    values = {name: [Value(x.astype(dtypes[name])) for x in xs] for name, xs in given.items()}

    @jit(precision="bfloat16")
    def run(values):
        results = {name: function(*values[name]) for name, (function, _) in PRODUCTS.items()}
        for y in results.values():
            y.square().sum().backward()
        return {name: str(y.dtype) for name, y in results.items()}

    assert run(values) == dict.fromkeys(PRODUCTS, "bfloat16")
    for name, (function, _) in PRODUCTS.items():
        exact = [Value(x.astype("float64")) for x in given[name]]
        function(*exact).square().sum().backward()
        for x, reference in zip(values[name], exact):
            assert (name, str(x.grad.dtype)) == (name, dtypes[name])
            # operands, result and gradient are each rounded to 8 bits, and so are the terms of short sums
            error = np.abs(x.grad - reference.grad).max() / np.abs(reference.grad).max()
            assert 0 < error < 0.02, name


SIZES = st.integers(1, 4)
RANDOM = {  # the shapes of the operands, given six sizes
    "matmul": lambda a, b, c, d, e, f: [(a, b, c), (c, d)],
    "linear": lambda a, b, c, d, e, f: [(a, b, c), (d, c), (d,)],
    "einsum": lambda a, b, c, d, e, f: [(a, b, c), (c, d)],
    "conv1d": lambda a, b, c, d, e, f: [(a, b, d + e), (c, b, d), (c,)],
    "conv2d": lambda a, b, c, d, e, f: [(a, b, d + e, d + f), (c, b, d, d), (c,)],
    "attention": lambda a, b, c, d, e, f: [(a, b, c, d), (a, b, e, d), (a, b, e, f)],
}


@pytest.mark.full
@pytest.mark.parametrize("name", RANDOM)
@given(st.tuples(*[SIZES] * 6))
@examples(6, deadline=None)
def test_products_of_any_shape_are_close_to_float64(name, sizes):
    function, given = PRODUCTS[name][0], [draw(*shape) for shape in RANDOM[name](*sizes)]
    given = [np.asarray(jnp.asarray(x, jnp.bfloat16), "float32") for x in given]  # so that only the product rounds
    values = [Value(x) for x in given]

    @jit(precision="bfloat16")
    def run(values):
        y = function(*values)
        y.sum().backward()
        return y

    y, exact = run(values), [Value(x.astype("float64")) for x in given]
    expected = function(*exact)
    expected.sum().backward()
    assert str(y.dtype) == "bfloat16"
    for found, reference in ((y.data, expected.data), *((x.grad, z.grad) for x, z in zip(values, exact))):
        require_close(found, reference, ulps=2, scale=1.0, dtype="bfloat16")  # one operation, rounded once


@pytest.mark.full
def test_higher_orders_and_forward_mode_stay_in_the_precision():
    """The gradient of a gradient, by rules that are read with Values, and tangents."""
    names = ["linear", "conv2d", "attention"]
    given = {name: [draw(*shape) for shape in PRODUCTS[name][1]] for name in names}
    seen = set()

    def derivatives(name, x, direction, rest):
        def loss(x):
            y = PRODUCTS[name][0](x, *rest)
            seen.add(str(y.dtype))
            return (y * y * y).sum()

        gradient = adjoint.grad(loss)(x)
        slope = adjoint.jvp(loss, (x,), (direction,))[1]
        return adjoint.hvp(loss, x, direction), gradient, slope

    @jit(precision="bfloat16")
    def run(given):
        return {name: derivatives(name, x, x + 1.0, rest) for name, (x, *rest) in given.items()}

    for name, found in run(given).items():
        assert seen == {"bfloat16"}
        x, *rest = [x.astype("float64") for x in given[name]]
        exact = derivatives(name, x, x + 1.0, rest)
        seen.discard("float64")
        for y, reference in zip(found, exact):
            require_close(y, reference, name, dtype="bfloat16", condition=2.0)  # several products, one on another
        assert [str(y.dtype) for y in found] == ["float32", "float32", "bfloat16"]  # the last is that of the loss


@pytest.mark.full
def test_rules_of_other_operations_are_not_cast():
    """The derivative of an inverse multiplies matrices, in the dtype of the inverse."""
    x = draw(3, 3) + 3 * np.eye(3, dtype="float32")

    def second(x):
        return adjoint.grad(lambda x: adjoint.grad(lambda x: adjoint.linalg.inv(x).sum())(x).sum())(x)

    np.testing.assert_array_equal(jit(second, precision="bfloat16")(x), jit(second)(x))


def test_the_table_of_an_embedding_adds_up_its_gradient_in_float32():
    """A row that is used 1,000 times: in bfloat16 the sum of ones would stop at 256."""
    table = Value(np.ones((2, 3), "float32"))

    @jit(precision="bfloat16")
    def look_up(indices):
        y = adjoint.embedding(table, indices)
        y.sum().backward()
        return y, nn.functional.embedding(indices, table, padding_idx=1)  # with a row that is a constant

    assert [str(y.dtype) for y in look_up(np.zeros(1000, int))] == ["bfloat16"] * 2
    np.testing.assert_array_equal(table.grad, [[1000.0] * 3, [0.0] * 3])


@pytest.mark.full
def test_the_scores_of_attention_are_not_rounded_to_bfloat16():
    """Scores from 16 to 32, where bfloat16 has steps of 1/8: rounding one changes its weight by up to 6 %."""
    q, k, v = np.full((1, 16), 1.5), 1.0 + 0.1 * draw(40, 16), np.eye(40)
    k = np.asarray(jnp.asarray(k, jnp.bfloat16), "float64")  # as the product sees them
    assert 16 < (q @ k.T).min() < (q @ k.T).max() < 32
    exact = adjoint.scaled_dot_product_attention(q, k, v, scale=1.0)
    with precision("bfloat16"):  # operation by operation: a program of XLA may leave out the rounding
        found = adjoint.scaled_dot_product_attention(*[jnp.asarray(x, "float32") for x in (q, k, v)], scale=1.0)
    require_close(found, exact, ulps=1, each=True, scale=1e-4, dtype="bfloat16")  # only the result is rounded


# --- the mode ----------------------------------------------------------------------------------------


def dtype_of_product(x=None) -> str:
    x = jnp.ones((2, 2)) if x is None else x
    return str((Value(x) @ x).dtype)


def test_precisions_nest_and_float32_casts_nothing():
    found = [dtype_of_product()]
    with precision("bfloat16"):
        with precision("float16"):
            found.append(dtype_of_product())
            with precision("float32"):
                found.append(dtype_of_product())
            found.append(dtype_of_product())
        found.append(dtype_of_product())
    found.append(dtype_of_product())
    assert found == ["float32", "float16", "float32", "float16", "bfloat16", "float32"]


def test_a_precision_belongs_to_a_thread_and_decorates_functions():
    found = []
    with precision("bfloat16"):
        thread = threading.Thread(target=lambda: found.append(dtype_of_product()))
        thread.start()
        thread.join()
    decorated = precision("float16")(dtype_of_product)
    assert [*found, decorated(), dtype_of_product()] == ["float32", "float16", "float32"]


@pytest.mark.parametrize("given", ["bfloat16", jnp.bfloat16, jnp.dtype("bfloat16")])
def test_a_precision_is_given_by_name_or_dtype(given):
    with precision(given):
        assert dtype_of_product() == "bfloat16"


@pytest.mark.parametrize("given", ["float64", "half", None, 16])
def test_an_unknown_precision_is_refused(given):
    for use in (precision, lambda given: jit(lambda x: x, precision=given or 16)):
        with pytest.raises(errors.ArgumentError, match='a precision is "float32", "bfloat16" or "float16", not'):
            use(given)


def test_tensors_of_pytorch_are_cast():
    torch = pytest.importorskip("torch")
    w = Value(torch.ones(3, 3))
    with precision("bfloat16"):
        results = [w @ w, adjoint.linear(w, w, torch.ones(3)), adjoint.scaled_dot_product_attention(w, w, w)]
    sum(y.sum() for y in results).backward()
    assert [y.dtype for y in results] == [torch.bfloat16] * 3
    assert w.grad.dtype == torch.float32


def test_numpy_computes_in_its_own_dtype_and_warns_once():
    w = Value(np.ones((2, 2), np.float32))
    with warnings.catch_warnings(record=True) as found, precision("bfloat16"):
        warnings.simplefilter("default")
        dtypes = [str(y.dtype) for y in [w @ w for _ in range(3)]]
    assert dtypes == ["float32"] * 3
    assert [warning.category for warning in found] == [errors.PrecisionWarning]
    assert "NumPy has no bfloat16 products" in str(found[0].message)
    with warnings.catch_warnings(), adjoint.guards(precision=False), precision("bfloat16"):
        warnings.simplefilter("error")
        adjoint.linear(w, w, [1.0, 2.0])


# --- compiled functions --------------------------------------------------------------------------------


def product(x):
    return Value(x) @ x


def test_each_precision_has_its_own_program(capsys):
    x = np.ones((2, 2), np.float32)

    @jit
    def compiled(x):
        print("traced", end=" ")
        return Value(x) @ x

    for name in ("float32", "bfloat16", "float32", "float16", "bfloat16", "float16", "float32"):
        with precision(name):
            assert [str(compiled(x).dtype) for _ in range(2)] == [name] * 2  # the second time by the fast path
    assert capsys.readouterr().out == "traced " * 3


def test_the_precision_of_jit_is_that_of_the_function_and_not_that_of_the_caller():
    x = np.ones((2, 2), np.float32)
    inner = jit(product, precision="bfloat16")
    found = [inner(x)]
    program = inner.program
    with precision("float16"):
        found.append(inner(x))
    assert inner.program is program
    found += jit(lambda x: (inner(x), product(x)), precision="float16")(x)  # inside of another compiled function
    with adjoint.detect_anomaly():  # which runs the function itself
        found.append(inner(jnp.asarray(x)))
    assert [str(y.dtype) for y in found] == ["bfloat16", "bfloat16", "bfloat16", "float16", "bfloat16"]
    assert str(copy.copy(inner)(x).dtype) == "bfloat16"


def test_a_checkpoint_computes_again_in_the_precision_of_the_first_run():
    x, seen = Value(jnp.ones((2, 2))), []

    @adjoint.checkpoint
    def part(x):
        y = x @ x
        seen.append(str(y.dtype))
        return y

    with precision("bfloat16"):
        y = part(x)
    y.sum().backward()  # outside of the context
    adjoint.grad(lambda x: adjoint.grad(lambda x: part(x).sum())(x).sum())(x.data)
    assert seen[:2] == ["bfloat16"] * 2
    assert set(seen[2:]) == {"float32"}
