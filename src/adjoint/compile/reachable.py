"""What a call can reach: the Values, arrays and numbers in its arguments, its closure and its globals, and in the
objects found there, such as models and optimizers.

`find_reachable` visits all of it once and keeps three things: where each array or number is (a `Place`, to read and
write it), the content of every container (to notice changes), and a key that is equal for two calls if and only if one
compiled program can serve both.
"""

import gc
import sys
import weakref
from collections import deque
from collections.abc import Callable, Collection, Sequence
from types import FunctionType, MappingProxyType, ModuleType

from adjoint.arrays.kinds import is_number_value, is_numpy_array, is_numpy_number, is_resident, is_tensor
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
from adjoint.compile.state import (
    BUILT_IN,
    FUNCTIONS,
    PLAIN,
    Unseen,
    class_state,
    exact,
    globals_of,
    held_state,
    home_of,
    is_data,
    is_foreign,
    is_installed,
    is_state,
    is_traceable_array,
    is_users_class,
    names_in,
    number_in,
    slots_of,
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


class Reach:
    """Everything that a call can reach."""

    def __init__(self, promoted: Collection[str]):
        self.promoted = promoted  # the paths of numbers in objects that programs take as inputs
        self.values: list = []  # each Value once
        self.value_places: list[Place] = []  # where each was found first
        self.places: list[Place] = []  # arrays, numbers that are inputs, and scalar Values
        self.numbers: list[Place] = []  # numbers that are part of the program as long as they do not change
        self.containers: list[Container] = []
        self.tuples: list[TupleCopy] = []
        self.known: list[object] = []  # every Value, container and object, in the order of the visit
        self.constants: list[object] = []  # other objects that are in the key by identity
        self.index: dict[int, int] = {}  # positions in `known`, by identity
        self.repeated: set[int] = set()  # the identities of objects in several places
        self.mixes_data = False  # whether an object is in the data twice, or in the data and in the state
        self.has_frozen = False  # whether the key has the content of an array that may change in place
        self.key_parts: list[object] = []
        self.key_paths: list[str] = []  # where each part of the key was found
        self._pending: list[Place] = []
        self._opaque: list[tuple[Place, str]] = []  # objects that jit does not look into, and the state in them
        self._names_used: set[str] = set()  # in the code of the functions
        self._seen: dict[int, _Seen] = {}  # what was visited, by identity
        self._namespaces: dict[int, Namespace] = {}

    @property
    def key(self) -> tuple:
        """Equal for two calls if and only if one program can serve both."""
        return tuple(self.key_parts)

    def explore(self, places: Collection[Place]) -> None:
        """Visit what is at these places, and everything inside."""
        self._pending += reversed(list(places))
        while self._pending:
            self._visit(self._pending.pop())

    def _visit(self, place: Place) -> None:
        x = place.content
        kind = type(x)
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
        elif isinstance(x, MappingProxyType):
            self._key(place, (MappingProxyType,))
            self._push([place.child(None, None, place.path, gc.get_referents(x)[0])])
        elif isinstance(x, weakref.ref):
            self._key(place, (kind,))
            self._push([place.child(None, None, place.path, x())])
        elif isinstance(x, type):
            self._class(place)
        elif isinstance(x, FUNCTIONS):
            self._function(place)
        elif isinstance(x, BUILT_IN) and not isinstance(x.__self__, (ModuleType, type(None))):
            self._key(place, (kind, x.__name__))
            self._push([place.child(None, None, place.path, x.__self__)])
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
        """Note an object that jit does not look into. It is an error if the code uses it and it holds state."""
        x = place.content
        self.constants.append(x)  # alive, so that its id stays its own
        if is_numpy_array(x) and x.dtype == object and all(type(item) in _SIMPLE for item in x.flat):
            self._key(place, ("objects", x.shape, tuple(map(exact, x.flat))))
            self.has_frozen = True
            return
        self._key(place, ("constant", id(x)))
        if not isinstance(x, ModuleType):
            held = "Values or objects" if is_numpy_array(x) and x.dtype == object else held_state(x)
            if held:
                self._opaque.append((place, held))

    def require_open(self) -> None:
        """Raise an error if the code names an object that jit does not look into, and that holds state."""
        for place, held in self._opaque:
            name = place.path.split("[")[0].split(".")[-1]  # of the attribute or variable that it is in
            if place.is_argument or name in self._names_used or name in ("__defaults__", "__kwdefaults__"):
                what = describe(place.content)
                if held == "its next item":
                    raise TraceError(
                        f"{place.path} is {what}, an iterator, which jit cannot advance in each call; take the next "
                        "item outside of the function, and pass it as an argument"
                    )
                if is_numpy_array(place.content):
                    what, held = "an array of Python objects", "Values or other objects"
                raise TraceError(
                    f"{place.path} is {what} that holds {held}, which jit cannot trace; keep them in a list, a "
                    "dictionary or attributes, pass them as arguments, or make one Value of them with adjoint.stack"
                )

    # --- inputs of programs ---

    def state_places(self) -> list[Place]:
        """Return where the arrays and numbers of the state are."""
        places = [place for place in self.places if place.kind in ("array", "number") and not place.is_data]
        return sorted(places, key=lambda place: place.kind)  # arrays first

    def data_places(self) -> list[Place]:
        """Return where the arrays and numbers are in arguments that hold nothing else, such as a batch."""
        return [place for place in self.places if place.kind in ("array", "number") and place.is_data]

    def has_tracers(self) -> bool:
        """Return whether the call is inside a function that JAX traces."""
        jax = sys.modules.get("jax")
        arrays = [v._data for v in self.values]
        arrays += [place.content for place in self.places if place.kind == "array"]
        return jax is not None and any(isinstance(x, jax.core.Tracer) for x in arrays)

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
            import numpy as np

            self._key(place, ("frozen", home_of(x), tuple(x.shape), x.dtype, np.asarray(x).tobytes()))
            self.has_frozen = True
            return
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
        if getattr(x, "__dict__", None):  # of a subclass
            self._attributes(place, vars(x))
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
        self.containers.append(DictContainer(attributes, place.path))
        self._items(Place(None, None, place.path, place.content), attributes, lambda k: f"{place.path}.{k}")

    def _object(self, place: Place) -> None:
        x = place.content
        self._remember(place)
        number = number_in(x)
        if number is not None:
            self._key(place, (type(x), number))
        attributes = getattr(x, "__dict__", None)
        if attributes is not None:
            self._attributes(place, attributes)
        slots = slots_of(x)
        if slots:
            self._key(place, (type(x), tuple(slots)))
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
            container = ClassNamespace(ClassAttributes(base), base.__name__)
            self.containers.append(container)
            for name, x, is_function in class_state(base):
                path = f"{base.__name__}.{name}"
                self._push([Place(None if is_function else container.of, name, path, x)])

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
        inside = [
            getattr(f, name, None) for name in ("fn", "func", "__func__", "__self__", "args", "keywords", "__wrapped__")
        ]
        if isinstance(f, FunctionType):
            inside = [getattr(f, "__wrapped__", None)]
            self._function_state(f)
        self._push([Place(None, None, place.path, x) for x in inside if x is not None])

    def _function_state(self, f: FunctionType) -> None:
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
            self._names(Attributes(cell), ["cell_contents"], lambda _, name=name: name)
        defaults = [name for name in ("__defaults__", "__kwdefaults__") if getattr(f, name)]
        if defaults:
            self._names(Attributes(f), defaults, lambda name: f"{f.__name__}.{name}")
        is_example = f.__code__.co_filename.startswith("<doctest")
        if is_example or not is_foreign(f.__globals__.get("__name__", "")):
            names, attributes = globals_of(f), names_in(f.__code__)[1]
            self._names_used.update(names, attributes)
            self._names(f.__globals__, names, str)
            for module in [f.__globals__.get(name) for name in names]:
                if isinstance(module, ModuleType) and not is_installed(module):
                    inside = [name for name in attributes if name in vars(module)]
                    self._names(vars(module), inside, lambda name, module=module: f"{module.__name__}.{name}")


_SIMPLE = (*PLAIN, float, int)


def find_reachable(
    fn: Callable, arguments: list, options: dict, names: Sequence[str], static: Collection[int | str],
    promoted: Collection[str],
) -> Reach:  # fmt: skip
    """Return everything that `fn(*arguments, **options)` can reach; `static` arguments are part of the program."""
    found = Reach(promoted)
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
