"""Python integers under jit: they are exact, as in Python, and never wrap around."""

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, jit
from adjoint.errors import NumberError

pytest.importorskip("jax")
ONES = np.ones(3)

FUNCTIONS = {
    "a product": lambda x, k: (Value(x) * (k * k * k * k)).sum(),
    "a power": lambda x, k: (Value(x) * k**5).sum(),
    "a difference": lambda x, k: (Value(x) * (k * k * k * k - (k * k - 1) * (k * k + 1))).sum(),
    "a quotient": lambda x, k: (Value(x) / (k * k * k * k)).sum() * (k * k * k * k),
    "plain arrays": lambda x, k: (x * (-k * k * k * k) + k * k).sum(),
    "numbers": lambda x, k: k * k * k * k,
    "both": lambda x, k: (Value(x) * abs(k * k * k * k) + k).sum() / (k + 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_integers_are_exact(name):
    function = FUNCTIONS[name]
    compiled = jit(function)
    for k in (2, 10**5, -(10**5), *([] if name == "plain arrays" else [10**20])):  # where NumPy computes with objects
        found, expected = compiled(ONES, k), function(ONES, k)
        assert type(found) is type(expected)
        require_close(float(found), float(expected))
    assert compiled(ONES.astype("float32"), 10**5) is not None


def test_gradients_and_updates_use_exact_integers():
    def train(compile):
        w = Value(np.array([1.0, 2.0]))

        @compile
        def step(k):
            loss = (w * (k * k * k * k) * 1e-20).sum()
            w.zero_grad()
            loss.backward()
            w.data -= 0.1 * w.grad
            return loss

        return [float(step(k)) for k in (1, 10**5, 2 * 10**5)], w.data.tolist()

    require_close(train(jit)[1], train(lambda f: f)[1])


def test_gradients_pass_to_the_values_of_a_function_of_integers():
    w = Value(np.array([1.0, 2.0]))
    jit(lambda k: (w * (k * k * k * k)).sum())(10**5).backward()
    require_close(w.grad, [1e20, 1e20])


def test_an_integer_that_does_not_fit_is_refused_where_the_program_needs_an_integer():
    table = Value(np.arange(5.0))
    compiled = jit(lambda k: table[k * k * k * k])
    assert float(compiled(1)) == 1.0
    with pytest.raises(NumberError, match="does not fit into 64 bits"):
        compiled(10**5)
