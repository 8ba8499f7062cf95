"""What a call can reach: the Values, arrays and numbers in its arguments, its closure and its globals, and in the
objects found there, such as models and optimizers.

`find_reachable` visits all of it once and keeps three things: where each array or number is (a `Place`, to read and
write it), the content of every container (to notice changes), and a key that is equal for two calls if and only if one
compiled program can serve both.
"""

import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar
from functools import partial
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from adjoint.arrays.kinds import is_number_value, is_numpy, is_numpy_array, is_numpy_number, is_resident, is_tensor
from adjoint.compile.places import (
    ABSENT,
    Attributes,
    ClassAttributes,
    ClassNamespace,
    Container,
    DequeContainer,
    DictContainer,
    ListContainer,
    Namespace,
    Place,
    SetContainer,
    TupleCopy,
)
from adjoint.compile.reach import Reach
from adjoint.compile.state import (
    BUILT_IN,
    CACHED,
    FUNCTIONS,
    PLAIN,
    Unseen,
    class_state,
    content_of,
    exact,
    globals_of,
    has_content,
    home_of,
    is_data,
    is_foreign,
    is_installed,
    is_iterator,
    is_state,
    is_traceable_array,
    is_users_class,
    names_in,
    number_in,
    slots_of,
    underlying,
)
from adjoint.engine.value import Value
from adjoint.errors import LibraryError, TraceError
from adjoint.errors.given import describe


class _Seen:
    """An object that was visited: how many were visited before, where it was, and the copy if it is a tuple."""

    __slots__ = ("copy", "number", "place")

    def __init__(self, number: int, place: Place):
        self.number, self.place = number, place
        self.copy: TupleCopy | None = None


class _Walk(Reach):
    """Visits everything that a call can reach."""

    def __init__(self, promoted: Collection[str]):
        super().__init__(promoted)
        self._pending: list[Place] = []
        self._modules: list[ModuleType] = []  # those of the user
        self._seen: dict[int, _Seen] = {}  # what was visited, by identity
        self._namespaces: dict[int, Namespace] = {}

    def explore(self, places: Collection[Place]) -> None:
        """Visit what is at these places, and everything inside."""
        self._pending += reversed(list(places))
        while self._pending:
            self._visit(self._pending.pop())
            if not self._pending:
                self._add_names_of_modules()

    def _visit(self, place: Place) -> None:
        x = place.content
        kind = type(x)
        if kind is CACHED:
            if place.holder is None:
                raise TraceError(
                    f"{place.path} is a function with functools.cache in an object that cannot be changed, such as a "
                    "partial; jit calls the function without the cache, so keep it in a variable or an attribute"
                )
            self.caches.append(place)
        if kind in PLAIN or kind is slice:
            self._key(place, ("plain", exact(x)) if place.is_argument else exact(x))
        elif kind is float or kind is int:
            self._number(place)
        elif id(x) in self._seen:
            self._visit_again(place)
        elif isinstance(x, Value):
            self._value(place)
        elif is_traceable_array(x):
            self._array(place)
        elif isinstance(x, tuple):
            self._tuple(place)
        elif isinstance(x, (list, dict, deque, set, frozenset)):
            self._container(place)
        elif isinstance(x, (MappingProxyType, *_VIEWS)):
            self._key(place, (kind,))
            self._inside(place, underlying(x if isinstance(x, MappingProxyType) else x.mapping))
        elif isinstance(x, weakref.ref):
            self._key(place, (kind,))
            self._inside(place, x())
        elif isinstance(x, ContextVar):
            self._key(place, (kind, id(x)))
            self.constants.append(x)
            self.reads.append((_content_of_variable, x, _content_of_variable(x)))
            self._inside(place, x.get(None))
        elif isinstance(x, type):
            self._class(place)
        elif isinstance(x, FUNCTIONS):
            self._function(place)
        elif isinstance(x, BUILT_IN) and not isinstance(x.__self__, (ModuleType, type(None))):
            self._key(place, (kind, x.__name__))
            self._inside(place, x.__self__)
        elif isinstance(x, Unseen):
            self._key(place, (kind,))
        elif is_state(x):
            self._object(place)
        else:
            self._constant(place)

    def _key(self, place: Place, part: object) -> None:
        """Add a part to the key of the call."""
        self.key_parts.append(part)
        self.key_paths.append(place.path)

    def _inside(self, place: Place, x: object) -> None:
        """Visit what an object leads to, and that cannot be replaced there."""
        self._push([place.child(None, None, place.path, x)])

    def _push(self, places: list[Place]) -> None:
        self._pending += reversed(places)

    def _see(self, place: Place) -> None:
        """Note that an object was visited: which places hold the same object is part of the key."""
        self._seen[id(place.content)] = _Seen(len(self._seen), place)

    def _remember(self, place: Place) -> None:
        """Note that an object was visited, and that the function may return it."""
        self._see(place)
        self.index[id(place.content)] = len(self.known)
        self.known.append(place.content)

    def _visit_again(self, place: Place) -> None:
        """Visit an object that is in another place too."""
        x = place.content
        first = self._seen[id(x)]
        self._key(place, ("again", first.number))
        self.repeated.add(id(x))
        is_array = first.place.kind == "array"
        self.mixes_data |= first.place.is_data != place.is_data or (place.is_data and not is_array)
        if is_number_value(x):
            self._scalar(place)
        elif is_array and place.holder is not None:
            place.same_as = first.place
            self._input(place, "alias")
        elif first.copy is not None:
            first.copy.places.append(place)

    def _constant(self, place: Place) -> None:
        """Note an object that jit does not look into: its content, if it has one that can change."""
        x = place.content
        self.constants.append(x)  # alive, so that its id stays its own
        if isinstance(x, ModuleType):
            if not is_installed(x) and not any(x is module for module in self._modules):
                self._modules.append(x)
        elif is_numpy_array(x) and x.dtype == object and not all(type(item) in _SIMPLE for item in x.flat):
            self._opaque.append((
                place,
                "an array of Python objects that holds Values or other objects, which jit cannot trace; keep them in "
                "a list, a dictionary or attributes, pass them as arguments, or make one Value with adjoint.stack",
            ))  # fmt: skip
        elif is_iterator(x):
            self._opaque.append((
                place,
                f"{describe(x)}, an iterator, which jit cannot advance in each call; take the next item outside of the "
                "function, and pass it as an argument",
            ))  # fmt: skip
        elif has_content(x):
            self._frozen(place)
            if isinstance(x, (bytearray, memoryview)) or hasattr(x, "__array__"):
                return
        self._key(place, ("constant", id(x)))  # code may compare it by `is`

    def _frozen(self, place: Place) -> None:
        """Note an object whose content is part of the program, because it cannot be an input."""
        content = content_of(place.content)
        self._key(place, ("frozen", content))
        self.reads.append((content_of, place.content, content))

    # --- inputs of programs ---

    def _input(self, place: Place, kind: str) -> None:
        place.kind, place.number = kind, len(self.places)
        self.places.append(place)

    def _number(self, place: Place) -> None:
        if place.holder is not None and (place.is_argument or place.path in self.promoted):
            self._input(place, "number")
            self._key(place, ("number", type(place.content)))
        else:
            self.numbers.append(place)
            self._key(place, exact(place.content))

    def _array(self, place: Place) -> None:
        from adjoint.arrays.backends import require_unmasked

        x = place.content
        require_unmasked(x)
        if place.holder is None:  # it cannot be replaced: its numbers are part of the program
            self._frozen(place)
            return
        if is_numpy(x) and getattr(x, "__dict__", None) and not type(x).__module__.startswith("numpy"):
            raise TraceError(
                f"{place.path} is {describe(x)} with attributes of its own, which jit cannot trace; pass "
                "numpy.asarray(x), and the attributes as arguments"
            )
        self._input(place, "array")
        if not is_numpy_number(x):
            self._see(place)
        self._key(place, ("array", home_of(x), tuple(x.shape), x.dtype, bool(getattr(x, "weak_type", False))))

    def _value(self, place: Place) -> None:
        v = place.content
        self._remember(place)
        self.values.append(v)
        self.value_places.append(place)
        if v._frozen:
            self.key_parts.append("frozen")
        if v._hooks:  # a program was recorded with the hooks of its Values
            self.key_parts.append(("hooks", len(v._hooks)))
            self._push([Place(None, None, f"a hook of {place.path}", hook.function) for hook in v._hooks])
        if not is_tensor(v):
            attributes = getattr(v, "__dict__", {})  # of a subclass
            names = [name for name in attributes if not name.startswith("_")]
            self._key(place, ("scalar", type(v), *names))
            if names:  # set by the user, such as a velocity
                self._names(attributes, names, lambda name: f"{place.path}.{name}")
            self._scalar(place)
            return
        data = v._data
        if not is_traceable_array(data) and not is_resident(data):
            from adjoint.arrays.backends import backend_of

            name = getattr(backend_of(data), "name", "no library")
            raise LibraryError(f"jit computes with arrays of NumPy and JAX, but {place.path} holds one of {name}")
        self._key(place, ("value", type(v), home_of(data), tuple(data.shape), data.dtype))

    def _scalar(self, place: Place) -> None:
        """Note where a scalar Value is: it cannot hold a tracer, so another Value replaces it during the trace."""
        if place.holder is None:
            raise TraceError(
                f"{place.path} holds a scalar Value in an object that cannot be changed, such as a partial; pass it as "
                "an argument"
            )
        self._input(place, "scalar")

    # --- containers and objects ---

    def _tuple(self, place: Place) -> None:
        copied = TupleCopy(place)
        self._see(place)
        if hasattr(place.content, "__dict__"):  # of a subclass
            self._attributes(place, vars(place.content))
        self._seen[id(place.content)].copy = copied
        self.tuples.append(copied)
        self._key(place, (copied.kind, len(copied.items)))
        holder = None if place.holder is None else copied.items
        items = [place.child(holder, i, f"{place.path}[{i}]", x) for i, x in enumerate(copied.items)]
        for item in items:
            item.inside = place
        self._push(items)

    def _container(self, place: Place) -> None:
        x = place.content
        if place.is_data:  # it may be a new object in each call
            self._see(place)
        else:
            self._remember(place)
        if hasattr(x, "__dict__"):  # of a subclass
            self._attributes(place, vars(x))
        if isinstance(x, defaultdict):
            self.fixed.append((x, "default_factory", x.default_factory))
            self._inside(place, x.default_factory)
        if isinstance(x, OrderedDict):  # it keeps the order of its keys in another place than a dictionary
            self.reads.append((tuple, x, tuple(x)))
        if isinstance(x, dict):
            self.containers.append(DictContainer(x, place.path, place.is_data))
            self._items(place, x, lambda k: f"{place.path}[{k!r}]")
            return
        self._key(place, (type(x), len(x)))
        if isinstance(x, (list, deque)):
            kind: type[Container] = ListContainer if isinstance(x, list) else DequeContainer
            self._push([place.child(x, i, f"{place.path}[{i}]", item) for i, item in enumerate(x)])
        else:
            kind = SetContainer
            self._push([place.child(None, None, place.path, item) for item in x])
        if not isinstance(x, frozenset):
            self.containers.append(kind(x, place.path, place.is_data))

    def _items(self, place: Place, items: dict, path: Callable) -> None:
        keys = []
        for k in items:
            if is_number_value(k):
                raise TraceError(
                    f"{place.path} is a dictionary with scalar Values as keys, which jit cannot trace; use names"
                )
            keys.append("an array" if is_tensor(k) else exact(k))
        self._key(place, (type(place.content), tuple(keys)))
        found = [place.child(items, k, path(k), x) for k, x in items.items()]
        within = [place.child(None, None, path("key"), k) for k in items if is_tensor(k) or isinstance(k, weakref.ref)]
        self._push(found + within)

    def _attributes(self, place: Place, attributes: dict) -> None:
        if not place.is_data:
            self.fixed.append((place.content, "__dict__", attributes))
        self.containers.append(DictContainer(attributes, place.path))
        self._items(Place(None, None, place.path, place.content), attributes, lambda k: f"{place.path}.{k}")

    def _object(self, place: Place) -> None:
        x = place.content
        self._remember(place)
        self.fixed.append((x, "__class__", type(x)))
        number = number_in(x)
        if number is not None:
            self._key(place, (type(x), number))
        attributes = getattr(x, "__dict__", None)
        if attributes is not None:
            self._attributes(place, attributes)
        slots = slots_of(x)
        if slots:
            self._key(place, (type(x), tuple([name for name in slots if hasattr(x, name)])))
            self._names(Attributes(x), slots, lambda name: f"{place.path}.{name}")
        if id(type(x)) not in self._seen:
            self._class(Place(None, None, type(x).__name__, type(x)))

    def _class(self, place: Place) -> None:
        """Visit a class: the attributes, and the code of the methods, of those in its hierarchy that the user wrote."""
        kind = place.content
        self._key(place, ("class", id(kind)))
        self.constants.append(kind)
        for base in kind.__mro__:
            if id(base) in self._seen or not is_users_class(base):
                continue
            self._see(Place(None, None, place.path, base))
            self.fixed.append((base, "__mro__", base.__mro__))
            self._key(place, tuple(map(id, base.__mro__)))
            if is_users_class(type(base)) and id(type(base)) not in self._seen:
                self._inside(place, type(base))
            container = ClassNamespace(ClassAttributes(base), base.__name__)
            self.containers.append(container)
            for name, x, is_function in class_state(base):
                path = f"{base.__name__}.{name}"
                holder = None if is_function and type(x) is not CACHED else container.of
                self._push([Place(holder, name, path, x)])

    def _names(self, holder, names: Collection[str], path: Callable[[str], str]) -> None:
        """Visit the content of a namespace under some names."""
        identity = id(holder.of if isinstance(holder, Attributes) else holder)
        container = self._namespaces.get(identity)
        if container is None:
            container = self._namespaces[identity] = Namespace(holder, "")
            self.containers.append(container)
        new = [name for name in names if name not in container.before]
        container.watch(new)
        found = [(name, container.before[name]) for name in new]
        self._push([Place(container.of, name, path(name), x) for name, x in found if x is not ABSENT])

    # --- functions: their closure, their defaults, and the globals that their code names ---

    def _function(self, place: Place) -> None:
        f = place.content
        self._remember(place)
        code = getattr(f, "__code__", f)  # a lambda created in each call has the same code
        self.constants.append(code)
        self._key(place, ("function", id(code)))
        if isinstance(f, FunctionType):
            self._function_state(place, f)
            return
        for name in ("fn", "func", "args", "keywords", "__func__", "__self__", "__wrapped__"):
            if hasattr(f, name):
                self._inside(place, getattr(f, name))
                if isinstance(f, partial):  # `__setstate__` replaces them
                    self.fixed.append((f, name, getattr(f, name)))

    def _function_state(self, place: Place, f: FunctionType) -> None:
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
            self._names(Attributes(cell), ["cell_contents"], lambda _, name=name: name)
        is_example = f.__code__.co_filename.startswith("<doctest")
        if is_foreign(f.__globals__.get("__name__", "")) and not is_example:
            defaults = [name for name in ("__defaults__", "__kwdefaults__") if getattr(f, name)]
            self._names(Attributes(f), defaults, lambda name: f"{f.__name__}.{name}")
            self._inside(place, getattr(f, "__wrapped__", None))
            return
        self.fixed.append((f, "__code__", f.__code__))
        self._names(Attributes(f), ["__defaults__", "__kwdefaults__"], lambda name: f"{f.__name__}.{name}")
        self._attributes(place, vars(f))
        names, attributes = globals_of(f), names_in(f.__code__)[1]
        self._names_used.update(names, attributes)
        self._names(f.__globals__, names, str)

    def _add_names_of_modules(self) -> None:
        """Visit the attributes of the user's modules that the code names."""
        for module in self._modules:
            known = self._namespaces.get(id(vars(module)))
            names = [name for name in vars(module) if name in self._names_used]
            if known is None or not known.before.keys() >= set(names):
                self._names(vars(module), names, lambda name, module=module: f"{module.__name__}.{name}")


def _content_of_variable(variable: ContextVar) -> Any:
    return variable.get(ABSENT)


_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
_SIMPLE = (*PLAIN, float, int)


def find_reachable(
    fn: Callable, arguments: list, options: dict, names: Sequence[str], static: Collection[int | str],
    promoted: Collection[str],
) -> Reach:  # fmt: skip
    """Return everything that `fn(*arguments, **options)` can reach; `static` arguments are part of the program."""
    found = _Walk(promoted)
    paths = [names[i] if i < len(names) else f"argument {i + 1}" for i in range(len(arguments))]
    every: list[tuple] = [(arguments, i, path) for i, path in enumerate(paths)]
    places = []
    for holder, key, path in every + [(options, k, k) for k in options]:
        x = holder[key]
        place = Place(holder, key, path, x, is_argument=True, is_data=is_data(x))
        if key in static:
            found.key_parts.append(("static", exact(x)))
            found.key_paths.append(path)
        else:
            places.append(place)
    function = Place(None, None, getattr(fn, "__name__", "function"), fn)
    found.key_parts.append((len(arguments), tuple(options)))
    found.key_paths.append(function.path)
    found.explore(places)
    found.explore([function])
    found.require_open()
    return found
