"""A change of what a function reads is noticed or refused, wherever it is: every kind of state by every way to it."""

import array
import collections
import configparser
import contextvars
import decimal
import functools
import io
import os
import queue
import random
import secrets
import string
import threading
import types
import uuid
import weakref
from typing import Any

import numpy as np
import pytest

from adjoint import Value, jit
from adjoint.errors import RandomNumbersWarning, TraceError

# --- kinds of state: how to make it, how to change it, and a number that depends on it ---


class Record:
    def __init__(self, k=2.0):
        self.k = k


class Slotted:
    __slots__ = ("empty", "k")

    def __init__(self):
        self.k = 2.0


class WithProperty:
    def __init__(self):
        self.hidden = 2.0

    @property
    def k(self):
        return self.hidden


class WithGetattr:
    def __init__(self):
        self.items = {"k": 2.0}

    def __getattr__(self, name):
        return self.items[name]


class Other:
    k = 3.0


class Dict(dict):
    pass


class List(list):
    pass


class Set(set):
    pass


class Deque(collections.deque):
    pass


class Tuple(tuple):
    pass


def with_k(x: Any) -> Any:
    x.k = 2.0
    return x


def function():
    return 2.0


def make_function():
    return types.FunctionType(function.__code__, {})


def set_item(x):
    x["k"] = 3.0


def set_first(x):
    x[0] = 3.0


def set_k(x):
    x.k = 3.0


def get_k(x):
    return getattr(x, "k", 2.0)


def first_value(x):
    return next(iter(x.values()))


def item_k(x):
    return x["k"]


def first(x):
    return float(x[0])


def make_queue():
    made = queue.Queue()
    made.put(2.0)
    return made


def make_cached():
    kept = [2.0]

    @functools.cache
    def cached():
        return kept[0]

    cached.kept = kept
    return cached


def change_cached(cached):
    cached.kept[0] = 3.0
    cached.cache_clear()


def make_parser():
    made = configparser.ConfigParser()
    made["s"] = {"k": "2"}
    return made


def make_class():
    return type("Made", (), {"k": 2.0})


def make_derived():
    return type("Derived", (make_class(),), {})


def change_bases(kind):
    kind.__bases__ = (type("Base", (), {"k": 3.0}),)


def make_of_metaclass():
    return type("Meta", (type,), {"k": 2.0})("Made", (), {})


class Descriptor:
    def __init__(self):
        self.k = 2.0

    def __get__(self, instance, owner=None):
        return self.k


def make_with_descriptor():
    return type("Made", (), {"k": Descriptor()})()


KINDS: dict[str, tuple[Any, Any, Any]] = {
    "list": (lambda: [2.0], set_first, first),
    "dict": (lambda: {"k": 2.0}, set_item, item_k),
    "order of a dict": (lambda: {"a": 2.0, "b": 3.0}, lambda x: x.update(a=x.pop("a")), first_value),
    "set": (lambda: {2.0}, lambda x: x.add(3.0), sum),
    "bytearray": (lambda: bytearray(b"\2"), lambda x: x.__setitem__(0, 3), first),
    "memoryview": (lambda: memoryview(bytearray(b"\2")), lambda x: x.__setitem__(0, 3), first),
    "array.array": (lambda: array.array("d", [2.0]), set_first, first),
    "deque": (lambda: collections.deque([2.0, 5.0]), lambda x: x.rotate(), first),
    "OrderedDict": (
        lambda: collections.OrderedDict(a=2.0, b=3.0), lambda x: x.move_to_end("a"), first_value,
    ),
    "defaultdict": (lambda: collections.defaultdict(float, k=2.0), set_item, item_k),
    "its factory": (
        lambda: collections.defaultdict(function), lambda x: setattr(x, "default_factory", float),
        lambda x: x.default_factory(),
    ),
    "Counter": (lambda: collections.Counter(k=2), lambda x: x.update(k=1), item_k),
    "ChainMap": (lambda: collections.ChainMap({"k": 2.0}), set_item, item_k),
    "outer map": (lambda: collections.ChainMap({}, {"k": 2.0}), lambda x: set_item(x.maps[1]), item_k),
    "UserDict": (lambda: collections.UserDict(k=2.0), set_item, item_k),
    "UserList": (lambda: collections.UserList([2.0]), set_first, first),
    "UserString": (lambda: collections.UserString("2"), lambda x: setattr(x, "data", "3"), lambda x: float(str(x))),
    "values of a dict": (lambda: {"k": 2.0}.values(), lambda x: None, sum),
    "Queue": (make_queue, lambda x: set_first(x.queue), lambda x: x.queue[0]),
    "SimpleNamespace": (lambda: types.SimpleNamespace(k=2.0), set_k, get_k),
    "thread-local": (lambda: with_k(threading.local()), set_k, get_k),
    "Template": (lambda: string.Template("2"), lambda x: setattr(x, "template", "3"), lambda x: float(x.template)),
    "StringIO": (lambda: io.StringIO("2"), lambda x: x.write("3"), lambda x: float(x.getvalue())),
    "decimal context": (lambda: decimal.Context(2), lambda x: setattr(x, "prec", 3), lambda x: float(x.prec)),
    "ConfigParser": (make_parser, lambda x: x["s"].update(k="3"), lambda x: float(x["s"]["k"])),
    "attribute": (Record, set_k, get_k),
    "new attribute": (lambda: Record.__new__(Record), set_k, get_k),
    "slot": (Slotted, set_k, get_k),
    "new slot": (Slotted, lambda x: setattr(x, "empty", 3.0), lambda x: getattr(x, "empty", 2.0)),
    "property": (WithProperty, lambda x: setattr(x, "hidden", 3.0), get_k),
    "__getattr__": (WithGetattr, lambda x: set_item(x.items), get_k),
    "descriptor": (make_with_descriptor, lambda x: set_k(vars(type(x))["k"]), get_k),
    "__class__": (lambda: Record.__new__(Record), lambda x: setattr(x, "__class__", Other), get_k),
    "__dict__": (Record, lambda x: setattr(x, "__dict__", {"k": 3.0}), get_k),
    "attribute of a dict": (lambda: with_k(Dict()), set_k, get_k),
    "new attribute of a dict": (Dict, set_k, get_k),
    "new attribute of a list": (List, set_k, get_k),
    "new attribute of a set": (Set, set_k, get_k),
    "new attribute of a deque": (Deque, set_k, get_k),
    "new attribute of a tuple": (Tuple, set_k, get_k),
    "attribute of a function": (lambda: with_k(make_function()), set_k, get_k),
    "new attribute of a function": (make_function, set_k, get_k),
    "__code__": (make_function, lambda x: setattr(x, "__code__", (lambda: 3.0).__code__), lambda x: x()),
    "__defaults__": (
        lambda: types.FunctionType((lambda k: k).__code__, {}, argdefs=(2.0,)),
        lambda x: setattr(x, "__defaults__", (3.0,)), lambda x: x(),
    ),
    "partial": (
        lambda: functools.partial(float, 2.0), lambda x: x.__setstate__((float, (3.0,), {}, {})), lambda x: x(),
    ),
    "functools.cache": (make_cached, change_cached, lambda x: x()),
    "class": (make_class, set_k, get_k),
    "__bases__": (make_derived, change_bases, get_k),
    "metaclass": (make_of_metaclass, lambda x: set_k(type(x)), get_k),
    "complex array": (lambda: np.array([2 + 0j]), set_first, lambda x: float(x[0].real)),
    "structured array": (lambda: np.array([(2.0,)], [("k", float)]), lambda x: set_first(x["k"]), lambda x: x["k"][0]),
    "array of text": (lambda: np.array(["2"]), lambda x: x.__setitem__(0, "3"), first),
    "array of objects": (lambda: np.array([2.0], object), set_first, first),
    "timedelta64": (
        lambda: np.array([2], "timedelta64[s]"), lambda x: x.__setitem__(0, np.timedelta64(3, "s")),
        lambda x: float(x.astype(int)[0]),
    ),
}  # fmt: skip

# --- ways by which a function reaches it ---


def by_closure(state, read):
    return lambda x: x * read(state)


def by_default(state, read):
    return lambda x, *, given=state: x * read(given)


def by_attribute_of_itself(state, read):
    def f(x):
        return x * read(f.state)

    f.state = state
    return f


def by_attribute(state, read):
    record = Record(state)
    return lambda x: x * read(record.k)


def by_slot(state, read):
    record = Slotted()
    record.k = state
    return lambda x: x * read(record.k)


def by_class(state, read):
    kind = type("Made", (), {"state": staticmethod(state) if isinstance(state, types.FunctionType) else state})
    return lambda x: x * read(kind.state)


def by_item(state, read):
    items = [{"k": (state,)}]
    return lambda x: x * read(items[0]["k"][0])


def by_partial(state, read):
    return functools.partial(lambda given, x: x * read(given), state)


def by_method(state, read):
    class Layer:
        def __init__(self):
            self.state = state

        def __call__(self, x):
            return x * read(self.state)

    return Layer().__call__


def by_helper(state, read):
    def helper():
        return read(state)

    return lambda x: x * helper()


def by_context_variable(state, read):
    variable = contextvars.ContextVar("state")
    variable.set(state)
    return lambda x: x * read(variable.get())


def by_weak_reference(state, read):
    owner = Record(state)
    reference = weakref.ref(owner)
    return lambda x, *, owner=owner: x * read(reference().k)


def by_view(state, read):
    view = types.MappingProxyType({"k": state})
    return lambda x: x * read(view["k"])


def by_module(state, read):
    module: Any = types.ModuleType("a_module_of_the_user")
    module.state = state
    return lambda x: x * read(module.state)


WAYS = [
    by_closure, by_default, by_attribute_of_itself, by_attribute, by_slot, by_class, by_item, by_partial, by_method,
    by_helper, by_context_variable, by_weak_reference, by_view, by_module,
]  # fmt: skip


def require_never_stale(f, change, x):
    """Compare compiled and eager calls, before and after a change."""
    compiled = jit(f)
    for step in range(4):
        try:
            found = compiled(x)
        except TraceError:
            return
        assert np.array_equal(found, f(x)), f"call {step + 1}"
        if step == 1:
            change()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_change_of_any_state_is_noticed_by_any_way(kind, way):
    make, change, read = KINDS[kind]
    state = make()
    require_never_stale(way(state, read), lambda: change(state), 1.5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_of_any_argument_is_noticed(kind):
    make, change, read = KINDS[kind]
    state = make()

    def f(x, given):
        return x * read(given)

    compiled = jit(f)
    for step in range(4):
        try:
            found = compiled(1.5, state)
        except TraceError:
            return
        assert found == f(1.5, state), f"call {step + 1}"
        if step == 1:
            change(state)


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_of_any_state_is_noticed_by_a_function_of_arrays(kind):
    pytest.importorskip("jax")
    make, change, read = KINDS[kind]
    state = make()
    require_never_stale(by_closure(state, read), lambda: change(state), np.ones(2))


def test_another_content_of_a_context_variable_is_noticed():
    variable = contextvars.ContextVar("scale")
    variable.set(2.0)
    require_never_stale(lambda x: x * variable.get(), lambda: variable.set(3.0), 1.5)


def test_another_code_of_the_function_itself_is_noticed():
    def f(x):
        return x * 2.0

    require_never_stale(f, lambda: setattr(f, "__code__", (lambda x: x * 3.0).__code__), 1.5)


def test_the_order_of_keyword_arguments_is_part_of_a_call():
    @jit
    def f(**numbers):
        return next(iter(numbers.values())) * 1.0

    assert [f(a=2.0, b=3.0), f(b=3.0, a=2.0), f(a=2.0, b=3.0)] == [2.0, 3.0, 2.0]


def test_two_marks_that_pickle_alike_are_two_objects():
    missing, other = object(), object()
    given = [missing]
    compiled = jit(lambda x: x * (2.0 if given[0] is missing else 3.0))
    assert compiled(1.5) == 3.0
    given[0] = other
    assert compiled(1.5) == 4.5


def test_equal_complex_arguments_have_one_program(capsys):
    pytest.importorskip("jax")

    @jit
    def f(x, z):
        print("recorded")
        return x * float(z[0].real)

    for number in (2.0, 2.0, 3.0, 2.0):
        assert f(np.ones(2), np.array([number + 1j]))[0] == number
    assert capsys.readouterr().out.split() == ["recorded"] * 2


def test_a_thread_reads_its_own_thread_local_number():
    local = with_k(threading.local())
    compiled, found = jit(lambda x: x * local.k), []

    def run():
        local.k = 5.0
        found.append(compiled(1.5))

    assert [compiled(1.5), compiled(1.5)] == [3.0, 3.0]
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [7.5]


def test_a_tensor_of_pytorch_is_compared_by_its_content():
    torch = pytest.importorskip("torch")
    tensor = torch.tensor([2.0])
    require_never_stale(lambda x: x * float(tensor), lambda: tensor.fill_(3.0), 1.5)


@pytest.mark.parametrize("made", [lambda: Value([1.0]), lambda: np.ones(1)], ids=["Value", "array"])
def test_a_value_or_an_array_that_functools_keeps_is_refused(made):
    pytest.importorskip("jax")
    cached = functools.cache(made)
    with pytest.raises(TraceError, match=r"functools\.cache.*call it outside"):
        jit(lambda x: cached() * x)(np.ones(1))


def test_an_array_with_attributes_of_its_own_is_refused():
    pytest.importorskip("jax")

    class Labeled(np.ndarray):
        pass

    x = with_k(np.ones(2).view(Labeled))
    with pytest.raises(TraceError, match=r"attributes of its own.*numpy\.asarray"):
        jit(lambda: x * x.k)()


@pytest.mark.parametrize(
    "draw",
    [
        lambda: np.random.default_rng().random(),
        lambda: np.random.RandomState().rand(),
        lambda: random.Random().random(),
        random.SystemRandom().random,
        lambda: float(secrets.randbelow(9)),
        lambda: float(uuid.uuid4().int),
        lambda: float(os.urandom(1)[0]),
    ],
    ids=["default_rng", "RandomState", "Random", "SystemRandom", "secrets", "uuid4", "urandom"],
)
def test_numbers_of_the_system_are_random_numbers(draw):
    with pytest.warns(RandomNumbersWarning, match="random numbers of the system"):
        jit(lambda x: x * draw())(1.5)


def test_a_random_state_of_the_closure_is_a_generator():
    generator = np.random.RandomState(0)
    with pytest.warns(RandomNumbersWarning, match="RandomState"):
        jit(lambda x: x * generator.rand())(1.5)


def test_generators_with_a_seed_that_the_function_makes_are_constants(recwarn):
    compiled = jit(lambda x: x * random.Random(0).random())
    assert compiled(1.5) == compiled(1.5) == 1.5 * random.Random(0).random()
    assert not [w for w in recwarn if w.category is RandomNumbersWarning]
