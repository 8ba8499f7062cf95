"""What a call can reach: the Values, arrays and numbers in its arguments, its closure and its globals, and in the
objects found there, such as models and optimizers.

`find_reachable` visits all of it once and keeps three things: where each array or number is (a `Place`, to read and
write it), the content of every container (to notice changes), and a key that is equal for two calls if and only if one
compiled program can serve both.
"""

import builtins
import dis
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, lru_cache, partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType

import numpy as np

from adjoint.arrays.array_rule import ArrayOp
from adjoint.arrays.backends import Resident, backend_of, require_unmasked
from adjoint.arrays.tensor import Tensor
from adjoint.compile.places import ABSENT, Attributes, Container, Place, TupleCopy
from adjoint.engine.rule import Op
from adjoint.engine.value import Value
from adjoint.errors import LibraryError, TraceError


class Wrapped:
    """A function that jit or vmap runs."""

    fn: Callable


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
        self.mixes_data = False  # whether an object is in the data twice, or in the data and in the state
        self.key_parts: list[object] = []
        self._pending: list[Place] = []
        self._seen: dict[int, _Seen] = {}  # what was visited, by identity
        self._namespaces: dict[int, Container] = {}

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
        if kind in _PLAIN:
            self.key_parts.append((kind, x))
        elif kind is slice:
            self.key_parts.append((slice, x.start, x.stop, x.step))
        elif kind is float or kind is int:
            self._number(place)
        elif id(x) in self._seen:
            self._visit_again(place)
        elif isinstance(x, Value):
            self._value(place)
        elif is_traceable_array(x) and place.holder is not None:
            self._array(place)
        elif isinstance(x, tuple):
            self._tuple(place)
        elif isinstance(x, (list, dict)):
            self._container(place)
        elif isinstance(x, (set, frozenset)):
            self._remember(place)
            self.key_parts.append((kind, len(x)))
            self._push([place.child(None, None, place.path, item) for item in x if isinstance(item, Tensor)])
        elif isinstance(x, _FUNCTIONS):
            self._function(place)
        elif is_state(x):
            self._object(place)
        elif isinstance(x, np.ndarray) and x.dtype == object and any(isinstance(item, Value) for item in x.flat):
            raise TraceError(
                f"{place.path} is an array of Python objects that holds Values, which jit cannot trace; make one Value "
                "of them with adjoint.stack, or pass a list"
            )
        else:
            self._constant(x)

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
        self.key_parts.append(("again", first.number))
        is_array = first.place.kind == "array"
        self.mixes_data |= first.place.is_data != place.is_data or (place.is_data and not is_array)
        if isinstance(x, Value) and not isinstance(x, Tensor):
            self._scalar(place)
        elif is_array and place.holder is not None:
            place.same_as = first.place
            self._input(place, "alias")
        elif first.copy is not None:
            first.copy.places.append(place)

    def _constant(self, x) -> None:
        self.constants.append(x)  # alive, so that its id stays its own
        self.key_parts.append(("constant", id(x)))

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
            self.key_parts.append(("number", type(place.content)))
        else:
            self.numbers.append(place)
            self.key_parts.append((type(place.content), place.content))

    def _array(self, place: Place) -> None:
        x = place.content
        require_unmasked(x)
        self._input(place, "array")
        if not isinstance(x, np.generic):
            self._see(place)
        self.key_parts.append(("array", home_of(x), tuple(x.shape), x.dtype, bool(getattr(x, "weak_type", False))))

    def _value(self, place: Place) -> None:
        v = place.content
        self._remember(place)
        self.values.append(v)
        self.value_places.append(place)
        if v._hooks:  # a program was recorded with the hooks of its Values
            self.key_parts.append(("hooks", len(v._hooks)))
            self._push([Place(None, None, f"a hook of {place.path}", hook.function) for hook in v._hooks])
        if not isinstance(v, Tensor):
            self.key_parts.append(("scalar", type(v)))
            self._scalar(place)
            return
        data = v._data
        if not is_traceable_array(data) and type(data) is not Resident:
            name = getattr(backend_of(data), "name", "no library")
            raise LibraryError(f"jit computes with arrays of NumPy and JAX, but {place.path} holds one of {name}")
        self.key_parts.append(("value", type(v), home_of(data), tuple(data.shape), data.dtype))

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
        self.key_parts.append((copied.kind, len(copied.items)))
        holder = None if place.holder is None else copied.items
        self._push([place.child(holder, i, f"{place.path}[{i}]", x) for i, x in enumerate(copied.items)])

    def _container(self, place: Place) -> None:
        x = place.content
        if place.is_data:  # it may be a new object in each call
            self._see(place)
        else:
            self._remember(place)
        self.containers.append(Container(x, place.path, is_data=place.is_data))
        if isinstance(x, list):
            self.key_parts.append((type(x), len(x)))
            self._push([place.child(x, i, f"{place.path}[{i}]", item) for i, item in enumerate(x)])
        else:
            self._items(place, x, lambda k: f"{place.path}[{k!r}]")

    def _items(self, place: Place, items: dict, path: Callable) -> None:
        keys = []
        for k in items:
            if isinstance(k, Value) and not isinstance(k, Tensor):
                raise TraceError(
                    f"{place.path} is a dictionary with scalar Values as keys, which jit cannot trace; use names"
                )
            keys.append(Tensor if isinstance(k, Tensor) else k)
        self.key_parts.append((type(place.content), tuple(keys)))
        found = [place.child(items, k, path(k), x) for k, x in items.items()]
        self._push(found + [place.child(None, None, path("key"), k) for k in items if isinstance(k, Tensor)])

    def _object(self, place: Place) -> None:
        x = place.content
        self._remember(place)
        below = Place(None, None, place.path, x)
        attributes = getattr(x, "__dict__", None)
        if attributes is not None:
            self.containers.append(Container(attributes, place.path))
            self._items(below, attributes, lambda k: f"{place.path}.{k}")
        slots = _slots_of(x)
        if slots:
            self.key_parts.append((type(x), tuple(slots)))
            self._names(Attributes(x), slots, lambda name: f"{place.path}.{name}")
        if id(type(x)) not in self._seen:
            self._see(Place(None, None, place.path, type(x)))
            self._push([Place(None, None, place.path, f) for f in _methods(type(x))])

    def _names(self, holder, names: Collection[str], path: Callable[[str], str]) -> None:
        """Visit the content of a namespace under some names."""
        identity = id(holder.of if isinstance(holder, Attributes) else holder)
        container = self._namespaces.get(identity)
        if container is None:
            container = self._namespaces[identity] = Container(holder, "", ())
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
        self.key_parts.append(("function", id(code)))
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
        if is_example or not _is_foreign(f.__globals__.get("__name__", "")):
            names, attributes = _names_in(f.__code__)
            self._names(f.__globals__, [name for name in names if not hasattr(builtins, name)], str)
            for module in [f.__globals__.get(name) for name in names]:
                if isinstance(module, ModuleType) and not _is_installed(module):
                    inside = [name for name in attributes if name in vars(module)]
                    self._names(vars(module), inside, lambda name, module=module: f"{module.__name__}.{name}")


_PLAIN = (str, bytes, bool, type(None), complex, type(...), range, type, ModuleType, BuiltinFunctionType)
_FUNCTIONS = (FunctionType, MethodType, partial, Wrapped)
_LIBRARIES = {"numpy", "jax", "jaxlib", "torch", "cupy", "scipy", "array_api_compat"}
_RECORDS = {"types.SimpleNamespace", "argparse.Namespace", "collections.UserDict", "collections.UserList"}


@cache
def _is_foreign(module: str) -> bool:
    """Return whether a module belongs to adjoint, Python or an array library, and so holds no state of the user."""
    root = module.split(".")[0]
    if root not in sys.stdlib_module_names:
        return root == "adjoint" or root in _LIBRARIES
    # a user's module may have the name of one in the standard library
    file = getattr(sys.modules.get(root), "__file__", None)
    return file is None or file.startswith(sysconfig.get_path("stdlib"))


def _is_installed(module: ModuleType) -> bool:
    return _is_foreign(module.__name__) or "site-packages" in (getattr(module, "__file__", None) or "")


def is_state(x: object) -> bool:
    """Return whether jit looks into an object: a model, an optimizer, a record, but not an object of a library."""
    kind = type(x)
    if isinstance(x, (Op, ArrayOp, Resident)) or not (hasattr(x, "__dict__") or any(map(_slots, kind.__mro__))):
        return False
    if f"{kind.__module__}.{kind.__qualname__}" in _RECORDS or kind.__module__.split(".")[0] == "adjoint":
        return True
    return not _is_foreign(kind.__module__) or (kind.__module__ == "builtins" and bool(kind.__flags__ & _HEAP_TYPE))


_HEAP_TYPE = 1 << 9  # a class statement made it, in a namespace without a `__name__` if its module is "builtins"


def attributes_of(x: object) -> dict[str, object]:
    """Return the attributes of an object, without those of its class."""
    return getattr(x, "__dict__", {}) | {name: getattr(x, name) for name in _slots_of(x)}


def _slots_of(x) -> list[str]:
    return [name for kind in type(x).__mro__ for name in _slots(kind) if hasattr(x, name)]


def _slots(kind: type) -> list[str]:
    slots = vars(kind).get("__slots__", ())
    return [name for name in ([slots] if isinstance(slots, str) else slots) if name not in ("__dict__", "__weakref__")]


def _methods(kind: type) -> Iterator[object]:
    """Yield the functions of a user's class: their code may refer to globals."""
    for base in kind.__mro__:
        if not _is_foreign(base.__module__):
            for x in list(vars(base).values()):
                x = getattr(x, "fget", None) or getattr(x, "__func__", x)
                if isinstance(x, _FUNCTIONS):
                    yield x


@lru_cache(maxsize=4096)
def _names_in(code: CodeType) -> tuple[list[str], list[str]]:
    """Return the names that code, and functions inside it, use: those of globals, and all, attributes among them."""
    names = dict.fromkeys(
        step.argval for step in dis.get_instructions(code) if step.opname.endswith(("_GLOBAL", "_NAME"))
    )
    attributes = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):  # a function, or a comprehension, inside
            inner, inside = _names_in(constant)
            names |= dict.fromkeys(inner)
            attributes |= dict.fromkeys(inside)
    return list(names), list(attributes)


# --- arrays ---


def is_traceable_array(x) -> bool:
    """Return whether `x` is an array that a program can take as input: a NumPy array of numbers, or a JAX array."""
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype.kind in "fiub"
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(x, jax.Array)


def home_of(x: object) -> str:
    """Return the library of an array. An array that a program keeps on its device belongs to NumPy."""
    return "NumPy" if isinstance(x, (np.ndarray, np.generic, Resident)) else "JAX"


def is_data(x: object) -> bool:
    """Return whether an argument consists of arrays and numbers only, like a batch."""
    if isinstance(x, (list, tuple)):
        return all(map(is_data, x))
    if isinstance(x, dict):
        return all(map(is_data, x.values()))
    return type(x) in (float, int) or type(x) in _PLAIN or is_traceable_array(x)


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
        if key in static:
            found.key_parts.append((type(x), x))
        else:
            places.append(Place(holder, key, path, x, is_argument=True, is_data=is_data(x)))
    found.key_parts += [len(arguments), tuple(options)]
    found.explore(places)
    found.explore([Place(None, None, getattr(fn, "__name__", "function"), fn)])
    return found
