"""The rule of what is state: changes between calls are noticed wherever the state is, or refused."""

import functools
import itertools
import weakref
from collections import deque
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, jit
from adjoint.compile.compiled import settings
from adjoint.errors import TraceError

jax = pytest.importorskip("jax")

SCALE = 2.0
SCALES = np.array([2.0, 3.0])


class Config:
    scale = 2.0
    scales = np.array([2.0, 3.0])
    weight = Value([2.0, 3.0])

    def apply(self, x):
        return x * 2.0


class Derived(Config):
    pass


class Rate(float):
    pass


@dataclass
class Equal:
    """Compares equal to each other object of its kind."""

    scale: np.ndarray

    def __eq__(self, other):
        return True

    __hash__ = None


def twice(x):
    return x * 2.0


def thrice(x):
    return x * 3.0


HELPER = twice


def class_number():
    def change():
        Config.scale = Config.scale + 1.0

    return lambda x: x * Config.scale, change


def class_number_of_an_instance():
    config = Derived()

    def change():
        Config.scale = Config.scale + 1.0

    return lambda x: x * config.scale, change


def class_array():
    def change():
        Config.scales = Config.scales + 1.0

    return lambda x: x * Config.scales, change


def class_array_in_place():
    def change():
        Config.scales[0] += 1.0

    return lambda x: x * Config.scales, change


def class_value():
    def change():
        Config.weight = Value(Config.weight.data + 1.0)

    return lambda x: (x * Config.weight).data, change


def method_rebound():
    config, functions = Config(), itertools.cycle([lambda self, x: x * 5.0, lambda self, x: x * 7.0])
    return lambda x: config.apply(x), lambda: setattr(Config, "apply", next(functions))


def function_rebound():
    functions = itertools.cycle([thrice, twice])
    return lambda x: HELPER(x), lambda: globals().update(HELPER=next(functions))


def by_globals():
    return lambda x: x * globals()["SCALES"], lambda: globals().update(SCALES=SCALES + 1.0)


def number_by_globals():
    return lambda x: x * globals()["SCALE"], lambda: globals().update(SCALE=SCALE + 1.0)


def in_deque():
    items = deque([1.0, np.array([2.0, 3.0])], maxlen=2)
    return lambda x: x * items[1] + items[0], lambda: items.append(items[1] + 1.0) or items.rotate(0)


def number_in_deque():
    items = deque([1.0, 2.0])
    return lambda x: x * items[0], lambda: items.rotate()


def in_mapping_proxy():
    below = {"scale": np.array([2.0, 3.0]), "shift": 1.0}
    view = MappingProxyType(below)
    return lambda x: x * view["scale"] + view["shift"], lambda: below.update(scale=below["scale"] + 1.0, shift=4.0)


def number_in_object_array():
    items = np.array([2.0, "a"], dtype=object)
    return lambda x: x * items[0], lambda: items.__setitem__(0, items[0] + 1.0)


def in_set():
    items = {2.0, 3.0}
    return lambda x: x * sum(items), lambda: items.add(max(items) + 1.0)


def in_frozen_set():
    state = SimpleNamespace(items=frozenset([2.0, 3.0]))
    return lambda x: x * sum(state.items), lambda: setattr(state, "items", state.items | {max(state.items) + 1.0})


def behind_a_weak_reference():
    config = Config()
    config.scale, config.weight = np.array([2.0, 3.0]), Value([1.0, 1.0])
    reference = weakref.ref(config)

    def change():
        config.scale, config.weight.data = config.scale + 1.0, config.weight.data * 2.0

    return lambda x: x * reference().scale * reference().weight.data, change


def in_a_weak_dictionary():
    config = Config()
    table = weakref.WeakKeyDictionary({config: np.array([2.0, 3.0])})
    return lambda x: x * table[config], lambda: table.update({config: table[config] + 1.0})


def array_in_a_partial():
    scale = np.array([2.0, 3.0])
    part = functools.partial(lambda scale, x: x * scale, scale)
    return lambda x: part(x), lambda: scale.__iadd__(1.0)


def order_of_a_dictionary():
    table = {"a": 2.0, "b": 3.0}

    def change():
        first = next(iter(table))
        table[first] = table.pop(first)

    return lambda x: x * next(iter(table.values())), change


def equal_objects():
    state = SimpleNamespace(config=Equal(np.array([2.0, 3.0])))
    return lambda x: x * state.config.scale, lambda: setattr(state, "config", Equal(state.config.scale + 1.0))


def equal_numbers():
    state, numbers = SimpleNamespace(zero=0.0), itertools.cycle([-0.0, 0.0])
    return lambda x: np.copysign(1.0, state.zero) * x, lambda: setattr(state, "zero", next(numbers))


def keys_that_compare_equal():
    table, keys = {1: "a"}, itertools.cycle([True, 1])

    def change():
        table.clear()
        table[next(keys)] = "a"

    return lambda x: x * (2.0 if type(next(iter(table))) is bool else 3.0), change


def number_of_a_subclass():
    state = SimpleNamespace(rate=Rate(2.0))
    return lambda x: x * float(state.rate), lambda: setattr(state, "rate", Rate(state.rate + 1.0))


def attribute_of_a_list():
    class Items(list):
        scale = 1.0

    items = Items([np.ones(2)])
    items.scale = 2.0
    return lambda x: x * items[0] * items.scale, lambda: setattr(items, "scale", items.scale + 1.0)


def behind_a_builtin_method():
    table = {"w": np.array([2.0, 3.0])}
    get = table.__getitem__
    return lambda x: x * get("w"), lambda: table.update(w=table["w"] + 1.0)


PROGRAMS = [
    class_number, class_number_of_an_instance, class_array, class_array_in_place, class_value, method_rebound,
    function_rebound, by_globals, number_by_globals, in_deque, number_in_deque, in_mapping_proxy,
    number_in_object_array, in_set, in_frozen_set, behind_a_weak_reference, in_a_weak_dictionary, array_in_a_partial,
    order_of_a_dictionary, equal_objects, equal_numbers, keys_that_compare_equal, number_of_a_subclass,
    attribute_of_a_list, behind_a_builtin_method,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::adjoint.errors.AdjointWarning")
@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_a_change_between_calls_is_noticed(make, fast, monkeypatch):
    monkeypatch.setattr(settings, "fast", fast)
    function, change = make()
    compiled, x = jit(function), np.array([1.0, -1.0])
    for _ in range(3):
        for _ in range(2):
            require_close(compiled(x), function(x))
        change()
    require_close(compiled(x), function(x))


def test_changes_by_the_function_reach_deques_sets_and_classes():
    class Count:
        steps, total = 0, np.zeros(2)

    recent, seen, below = deque([0.0, 0.0], maxlen=2), {0}, {"last": np.zeros(2)}
    view = MappingProxyType(below)

    @jit
    def step(x):
        Count.steps += 1
        Count.total = Count.total + x
        recent.append(recent[1] + 1.0)
        below["last"] = view["last"] + x
        return x * 2.0

    for _ in range(4):
        step(np.ones(2))
    assert Count.steps == 4
    assert (Count.total.tolist(), below["last"].tolist()) == ([4.0, 4.0], [4.0, 4.0])
    assert list(recent) == [3.0, 4.0]
    assert seen == {0}


@pytest.mark.parametrize(
    "hide",
    [
        lambda w: (w for _ in range(3)),
        lambda w: itertools.cycle([w]),
        lambda w: zip([w]),
        lambda w: np.fromiter([w, "a"], dtype=object),
    ],
    ids=["generator", "cycle", "zip", "array of objects"],
)
@pytest.mark.parametrize("make", [lambda: Value([1.0, 2.0]), lambda: np.array([1.0, 2.0])], ids=["Value", "array"])
def test_an_object_that_jit_does_not_look_into_is_refused_if_it_holds_state(hide, make):
    state = SimpleNamespace(hidden=hide(make()))
    with pytest.raises(TraceError, match=r"state\.hidden is .*jit cannot"):
        jit(lambda x: x * next(iter(state.hidden)))(np.ones(2))
    assert jit(lambda x: x * 2.0)(np.ones(2)).tolist() == [2.0, 2.0]  # a function that does not use it


def test_data_that_contains_itself_is_visited_once():
    items = [np.ones(2)]
    items.append(items)
    assert jit(lambda items: items[1][1][0] * 2.0)(items).tolist() == [2.0, 2.0]


def test_gradients_set_to_zero_outside_are_zero_in_a_function_that_changes_other_state():
    w, count = Value(np.ones(3)), Value(np.zeros(3))

    @jit
    def add(x):
        (w * x).sum().backward()
        count.data = count.data + 1.0

    for _ in range(3):
        w.zero_grad()
        for _ in range(2):
            add(np.ones((2, 3)))
        np.testing.assert_array_equal(w.grad, [4.0, 4.0, 4.0])
    np.testing.assert_array_equal(count.numpy(), [6.0, 6.0, 6.0])
