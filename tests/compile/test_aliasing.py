"""Which objects are the same object is part of what a program is compiled for."""

from types import SimpleNamespace

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, jit
from adjoint.compile.compiled import settings

jax = pytest.importorskip("jax")


def x():
    return np.array([5.0, 7.0])


def y():
    return np.array([2.0, 3.0])


def twice(make):
    """Return the arguments of calls: two objects, the same object twice, and two objects again."""
    same = make(x())
    return [(make(x()), make(y())), (same, same), (make(x()), make(y())), (make(y()), make(x()))]


def first(a, b):
    return a[0] - b[0]


def fill(a, b):
    a.append(b[0] if b else 1.0)
    return len(b) * 1.0


def inner(a, b):
    return a[0][0] - b[0][0], a[0] is b[0]


def identity(a, b):
    return a - b if a is not b else a * 10.0


def parts(result):
    return result if isinstance(result, tuple) else (result,)


state = SimpleNamespace(kept=[y()], array=y())
shared = x()

PROGRAMS = {
    "lists": (first, [(a, b) for a, b in twice(lambda a: [a])]),
    "lists, the same first": (first, [(a, b) for a, b in twice(lambda a: [a])][1:]),
    "dictionaries": (lambda a, b: a["k"] - b["k"], twice(lambda a: {"k": a})),
    "lists in lists": (inner, twice(lambda a: [[a]])),
    "a list in a list and alone": (lambda a, b: a[0][0] - b[0], [([[x()]], [y()]), (lambda s: ([s], s))([x()])]),
    "tuples": (lambda a, b: a[0] - b[0] if a is not b else a[0] * 10.0, twice(lambda a: (a, 1.0))),
    "arrays": (identity, twice(lambda a: a)),
    "arrays by name": (lambda a, b: identity(a, b), [(x(), y()), (shared, shared), (x(), y())]),
    "Values": (lambda a, b: (a - b).data if a is not b else (a * 10.0).data, twice(Value)),
    "a list of the state": (
        lambda a, b: (a[0] - state.kept[0] + b, a is state.kept),
        [([x()], y()), (state.kept, y()), ([x()], y())],
    ),
    "an array of the state": (
        lambda a, b: a - state.array if a is not state.array else a * 10.0,
        [(x(), 0.0), (state.array, 0.0), (x(), 0.0)],
    ),
}


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_eager_calls_whichever_arguments_are_the_same(name, fast, monkeypatch):
    monkeypatch.setattr(settings, "fast", fast)
    function, calls = PROGRAMS[name]
    compiled = jit(function)
    for a, b in calls * 2:
        for found, expected in zip(parts(compiled(a, b)), parts(function(a, b))):
            require_close(found, expected)


@pytest.mark.parametrize("fast", [True, False])
def test_lists_of_the_state_can_become_the_same_and_different_again(fast, monkeypatch):
    monkeypatch.setattr(settings, "fast", fast)

    def adam(m, v, g):
        for i in range(len(m)):
            m[i] = 0.9 * m[i] + g
            v[i] = 0.5 * v[i] + g * g
        return m[0] / v[0]

    lists = {}
    for step in (jit(adam), adam):
        m = [np.zeros(2)]
        v, found = m, []
        for i in range(6):
            if i == 3:
                v = [np.ones(2)]
            found.append(step(m, v, np.array([1.0, 2.0 + i])))
        lists[step] = found
    for found, expected in zip(*lists.values()):
        require_close(found, expected)


def test_an_empty_list_given_twice_is_one_list():
    compiled = jit(fill)
    a, b = [], []
    assert compiled(a, b) == 0.0
    assert (a, b) == ([1.0], [])
    a = []
    assert compiled(a, a) == 1.0
    assert a == [1.0]


def test_a_result_that_is_two_results_is_one_array():
    def both(a):
        b = a * 2.0
        return b, [b], {"b": b}

    one, (two,), third = jit(both)(x())
    assert one is two is third["b"]
