"""Compiled functions of NumPy arrays give the dtypes, and the numbers, that NumPy gives."""

import operator
import warnings

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, jit, nn, optim

pytest.importorskip("jax")

BINARY = [
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift",
    "lt", "le", "gt", "ge", "eq", "ne",
]  # fmt: skip
UNARY = {
    "neg": operator.neg,
    "abs": abs,
    "not": operator.invert,
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "std": lambda x: x.std(),
    "var": lambda x: x.var(),
    "cumsum": lambda x: x.cumsum(),
    "cumprod": lambda x: x.cumprod(),
    "product": lambda x: x @ x,
    "one after the other": lambda x: (x[:2].reshape((2, 1)).T + x[0]) / 2,
    "of a Value": lambda x: (Value(x) / 2).data,
    "with a Value": lambda x: (Value(np.ones(3, "float32")) * (x / 2)).data,
}
OTHERS = [2, 0.5, True, 300, -1, np.float32(0.5), np.float64(0.5), np.int64(2), np.array([1, 2, 3], "float32"),
          np.array([1, 2, 3], "uint8"), np.array([1, 2, 3])]  # fmt: skip


def results(x: np.ndarray) -> dict:
    """Return the result of every operator and method, or the kind of its error."""
    cases = {name: lambda f=f: f(x) for name, f in UNARY.items()}
    for name in BINARY:
        f = getattr(operator, name)
        for k, z in enumerate(OTHERS):
            cases[f"{name} {k}"] = lambda f=f, z=z: f(x, z)
            cases[f"reflected {name} {k}"] = lambda f=f, z=z: f(z, x)
    found: dict = {}
    for name, compute in cases.items():
        try:
            found[name] = compute()
        except (TypeError, ValueError, OverflowError):
            found[name] = "error"
    return found


@pytest.mark.parametrize("dtype", ["uint8", "int32", "bool", "float32"])
def test_operators_of_compiled_functions_follow_numpy(dtype):
    x = np.array([1, 2, 3]).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        expected, found = results(x), jit(results)(x)
    if dtype == "bool":
        del expected["pow 0"]  # NumPy squares truth values in int8
    for name, result in expected.items():
        given = found[name]
        assert isinstance(given, str) == isinstance(result, str), name
        if not isinstance(result, str):
            assert given.dtype == result.dtype, name
            require_close(given, result, name)


def test_a_program_that_divides_small_integers_computes_in_float64():
    images = np.arange(6, dtype="uint8").reshape(2, 3)
    found = jit(lambda x: (x - 1) / 255)(images[:, 1:])
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, (images[:, 1:] - 1) / 255)


def test_a_model_whose_dtype_was_changed_is_compiled_again():
    model = nn.Linear(3, 2, seed=0, dtype="float32")
    compiled, x = jit(model), np.ones((4, 3), "float32")
    for dtype in ("float32", "float64", "bfloat16", "float16", "float32"):
        model.astype(dtype)
        for _ in range(2):  # the second call takes the short way
            found = compiled(x)
            require_close(found, model(x))


def test_a_compiled_step_follows_the_dtype_of_its_model():
    x = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")
    losses = []
    for transform in (jit, lambda step: step):
        model = nn.Linear(3, 1, seed=0, dtype="float32")
        optimizer = optim.Adam(model.parameters(), lr=0.1)

        def step(x, model=model, optimizer=optimizer):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        run, found = transform(step), []
        for dtype in ("float32", "float64", "float32"):
            model.astype(dtype)
            found += [run(x), run(x)]
        losses.append(found)
    assert [str(x.dtype) for x in losses[0]] == [str(x.dtype) for x in losses[1]]
    require_close(*losses, dtype="float32")  # the parameters come from steps of float32, also those of float64
