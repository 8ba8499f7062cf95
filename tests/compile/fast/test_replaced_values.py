"""Calls are recognized only if nothing of their state was replaced or deleted since."""

import pytest

from adjoint import Value, jit
from adjoint.compile import compiled

_value = Value(1.0)


@pytest.fixture(params=[True, False], ids=["fast", "slow"], autouse=True)
def fast(request, monkeypatch):
    monkeypatch.setattr(compiled.settings, "fast", request.param)


def test_a_single_number_in_a_closure_can_be_replaced():
    w = Value(1.0)
    f = jit(lambda x: w * x)
    found = [f(2.0).data, f(2.0).data]
    w = Value(5.0)
    assert [*found, f(2.0).data] == [2.0, 2.0, 10.0]


def test_a_single_number_in_a_global_or_slot_can_be_replaced(monkeypatch):
    class Slots:
        __slots__ = ("w",)

    model = Slots()
    model.w = Value(1.0)
    f = jit(lambda x: _value * x + model.w)
    found = [f(2.0).data, f(2.0).data]
    monkeypatch.setitem(globals(), "_value", Value(5.0))
    found.append(f(2.0).data)
    model.w = Value(7.0)
    assert [*found, f(2.0).data] == [3.0, 3.0, 11.0, 17.0]


def test_names_and_items_that_are_inputs_can_be_deleted():
    w, items, names = Value(1.0), [1.0, 2.0], {"Value": Value, "k": 1.0}
    exec("def g(w): return w * k", names)
    f, g = jit(lambda: w * items[0] + items[-1]), jit(names["g"])
    found = []
    for items[1], names["k"] in [(2.0, 1.0), (3.0, 2.0), (4.0, 3.0)]:
        found.append((f().data, g(w).data))
    items.pop()
    del names["k"]
    assert found == [(3.0, 1.0), (4.0, 2.0), (5.0, 3.0)]
    assert f().data == 2.0
    with pytest.raises(NameError, match="'k' is not defined"):
        g(w)


def test_static_arguments_that_compare_equal_are_not_the_same():
    f = jit(lambda x, k: x * k[0], static_argnames="k")
    found = [f(1.0, (k,)) for k in (0.0, -0.0, 1, True, 1.0, 0.0)]
    assert [repr(x) for x in found] == ["0.0", "-0.0", "1.0", "1.0", "1.0", "0.0"]
