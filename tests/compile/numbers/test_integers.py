"""Integers in compiled functions are those of Python, or an error that leaves everything as it was."""

from types import SimpleNamespace

import pytest

from adjoint import Value, jit
from adjoint.errors import NumberError


@pytest.mark.parametrize(
    ("fn", "arguments"),
    [
        (lambda x: (x * 1103515245 + 12345) % 2**31, (2**31 - 1,)),
        (lambda x, y: x * x - y * y, (2**30 + 1, 2**30)),
        (lambda x: x * x == x * x + 1, (2**30,)),
        (lambda x: x % 5, (2**60 + 1,)),
        (lambda x: x > 2**53, (2**53 + 1,)),
        (lambda x: (2**60 + 1) % x, (7,)),
        (lambda x, y: x // y, (1, 0)),
    ],
)
def test_an_integer_that_would_be_rounded_is_an_error(fn, arguments):
    with pytest.raises(NumberError, match=r"2\*\*53|divided by zero"):
        jit(fn)(*arguments)


def test_integers_that_become_floats_may_be_large():
    w = Value(0.5)
    f = jit(lambda k: w * (k * k * k * k) + (-k * k) / 2)
    assert f(10**6).data == 0.5e24 - 0.5e12
    assert jit(lambda k: 2.0 * k)(2**60) == 2.0**61


def test_integers_that_nothing_uses_are_not_checked():
    def f(k):
        assert (k * k) % 7 is not None
        return k + 1

    assert jit(f)(10**10) == 10**10 + 1


def test_a_negative_power_of_an_integer_is_a_float():
    f = jit(lambda x, n: x**n)
    assert [f(2, 3), f(2, -1), f(4, -2)] == [8, 0.5, 0.0625]


def test_an_integer_that_is_too_large_leaves_the_state_as_it_was():
    w, state, seen = Value(1.0), SimpleNamespace(n=10**15, m=1.0), [0.0, 0.0]

    @jit
    def step():
        w.data = w.data + 1.0
        w.grad = w.grad + 2.0
        seen[0] = seen[0] + 1.0
        state.n = state.n * 10
        state.m = state.m + 1.0

    for _ in range(2):
        with pytest.raises(NumberError, match="10000000000000000, beyond"):
            step()
        assert (w.data, w.grad, state.n, state.m, seen) == (1.0, 0.0, 10**15, 1.0, [0.0, 0.0])
    state.n = 3
    step()
    assert (w.data, w.grad, state.n, state.m, seen) == (2.0, 2.0, 30, 2.0, [1.0, 0.0])
    state.n = 10**15
    with pytest.raises(NumberError, match="10000000000000000, beyond"):
        step()
    assert (w.data, w.grad, state.n, state.m, seen) == (2.0, 2.0, 10**15, 2.0, [1.0, 0.0])
