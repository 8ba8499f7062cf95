"""The rule of what is state: which objects jit looks into, and which of them are constants.

State is everything that a function can reach by names:

- its arguments, the variables of its closure, its defaults and attributes, and the globals that its code names; of
  modules, the attributes that the code names; all globals if the code calls `globals()`, `eval` or `exec`;
- the same for each function and method that it reaches;
- everything inside these: the items of containers and of views of them, the attributes of objects, of their classes
  and metaclasses, the targets of weak references, the content of a `ContextVar`, what a method is bound to.

Other objects of Python's library are compared as pickle would save them, and arrays that a program cannot take, such as
complex ones or those of PyTorch, by their content. What cannot be pickled and all other objects of libraries, such as
functions, modules and random generators, are constants: another object in their place means another program.
An iterator is an error if the code names it, because a program cannot advance it.
"""

import builtins
import dis
import pickle
import random
import sys
import sysconfig
from collections.abc import Callable, Hashable, Iterator
from decimal import Decimal
from functools import cache, cached_property, lru_cache, partial, partialmethod
from io import IOBase
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import Any

from adjoint.arrays.kinds import is_array_op, is_numpy, is_resident
from adjoint.engine.rule import Op
from adjoint.errors.interruptions import raise_interruption


class Wrapped:
    """A function that jit or vmap runs."""

    fn: Callable


class Unseen:
    """An object that jit does not look into, and that makes no difference to a program: it holds compiled functions."""


PLAIN = (str, bytes, bool, type(None), complex, type(...), range)
CACHED = type(lru_cache(int))
FUNCTIONS = (FunctionType, MethodType, partial, Wrapped, CACHED)
BUILT_IN = (BuiltinFunctionType, MethodWrapperType)
_LIBRARIES = {"numpy", "jax", "jaxlib", "torch", "cupy", "scipy", "array_api_compat"}
_RECORDS = {"types.SimpleNamespace", "_weakrefset.WeakSet", "_thread._local"}  # they define how they are pickled


def exact(x: object) -> Hashable:
    """Return a key that two plain objects share only if they are the same: 1, True and 1.0 compare equal."""
    kind = type(x)
    if kind is float and isinstance(x, float):
        return kind, x.hex()
    if kind is complex:
        return kind, repr(x)
    if isinstance(x, (tuple, frozenset)):
        return kind, tuple(map(exact, x))
    if isinstance(x, slice):
        return kind, exact(x.start), exact(x.stop), exact(x.step)
    return kind, x


def number_in(x: object) -> Hashable:
    """Return the number or the text that an object of a subclass of float, int or str is; None for other objects."""
    if isinstance(x, float):
        return float.hex(x)
    if isinstance(x, int):
        return int.__index__(x)
    return str.__str__(x) if isinstance(x, str) else None


# --- modules and classes ---


@cache
def is_foreign(module: str) -> bool:
    """Return whether a module belongs to adjoint, Python or an array library, and so holds no state of the user."""
    root = module.split(".")[0]
    if root not in sys.stdlib_module_names:
        return root == "adjoint" or root in _LIBRARIES
    # a user's module may have the name of one in the standard library
    file = getattr(sys.modules.get(root), "__file__", None)
    return file is None or file.startswith(sysconfig.get_path("stdlib"))


def is_installed(module: ModuleType) -> bool:
    """Return whether a module is of a package that was installed, and not the user's."""
    return is_foreign(module.__name__) or "site-packages" in (getattr(module, "__file__", None) or "")


def is_users_class(kind: type) -> bool:
    """Return whether the user wrote a class."""
    return not is_foreign(kind.__module__) or (kind.__module__ == "builtins" and bool(kind.__flags__ & _HEAP_TYPE))


_HEAP_TYPE = 1 << 9  # a class statement made it, in a namespace without a `__name__` if its module is "builtins"


def is_state(x: object) -> bool:
    """Return whether jit looks into an object: a model, an optimizer, a record, but not an object of a library."""
    kind = type(x)
    if (
        isinstance(x, Op)
        or is_array_op(x)
        or is_resident(x)
        or not (hasattr(x, "__dict__") or any(map(_slots, kind.__mro__)))
    ):
        return False
    if kind.__module__.split(".")[0] == "adjoint" or is_users_class(kind):
        return True
    return f"{kind.__module__}.{kind.__qualname__}" in _RECORDS or _is_record(x, kind)


def _is_record(x: object, kind: type) -> bool:
    """Return whether an object of Python's library is its attributes, as a `ChainMap` and `os.environ` are."""
    if not is_standard(kind) or (kind.__reduce_ex__, kind.__reduce__) != (object.__reduce_ex__, object.__reduce__):
        return False
    return hasattr(x, "__dict__") and not isinstance(x, (ModuleType, IOBase, Iterator))


def is_standard(kind: type) -> bool:
    """Return whether a class is of Python's library."""
    module = kind.__module__  # functions of Cython have a descriptor there
    return isinstance(module, str) and module.split(".")[0] in sys.stdlib_module_names and is_foreign(module)


def attributes_of(x: object) -> dict[str, object]:
    """Return the attributes of an object, without those of its class."""
    return getattr(x, "__dict__", {}) | {name: getattr(x, name) for name in slots_of(x) if hasattr(x, name)}


def slots_of(x: object) -> list[str]:
    """Return the names of the slots of an object."""
    return [name for kind in type(x).__mro__ for name in _slots(kind)]


def _slots(kind: type) -> list[str]:
    slots = vars(kind).get("__slots__", ())
    return [name for name in ([slots] if isinstance(slots, str) else slots) if name not in ("__dict__", "__weakref__")]


def class_state(kind: type) -> Iterator[tuple[str, object, bool]]:
    """Yield the attributes of a class that matter: their names, what they are, and whether they are functions."""
    for name, x in list(vars(kind).items()):
        if isinstance(x, (GetSetDescriptorType, MemberDescriptorType)):
            continue
        functions = [x]
        if isinstance(x, _DESCRIPTORS):
            functions += [getattr(x, part, None) for part in ("__func__", "fget", "fset", "func")]
        found = [f for f in functions if isinstance(f, FUNCTIONS)]
        yield from ((name, f, True) for f in found)
        is_internal = (name.startswith("__") and name.endswith("__")) or name.startswith("_abc_")
        if not found and not is_internal:
            yield name, x, False


_DESCRIPTORS = (staticmethod, classmethod, property, cached_property, partialmethod)


# --- functions ---


@lru_cache(maxsize=4096)
def names_in(code: CodeType) -> tuple[list[str], list[str]]:
    """Return the names that code, and functions inside it, use: those of globals, and all, attributes among them."""
    names = dict.fromkeys(
        step.argval for step in dis.get_instructions(code) if step.opname.endswith(("_GLOBAL", "_NAME"))
    )
    attributes = dict.fromkeys((*code.co_names, *code.co_freevars))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):  # a function, or a comprehension, inside
            inner, inside = names_in(constant)
            names |= dict.fromkeys(inner)
            attributes |= dict.fromkeys(inside)
        elif isinstance(constant, str) and constant.isidentifier():  # getattr(module, "name")
            attributes[constant] = None
    return list(names), list(attributes)


def globals_of(f: FunctionType) -> list[str]:
    """Return the names of the globals that a function may read: those in its code, or all if it calls globals()."""
    names = names_in(f.__code__)[0]
    if any(name in names and name not in f.__globals__ for name in ("globals", "eval", "exec")):
        names = [name for name in f.__globals__ if not name.startswith("__")]
    return [name for name in names if not hasattr(builtins, name) or name in f.__globals__]


# --- arrays ---


def is_traceable_array(x) -> bool:
    """Return whether `x` is an array that a program can take as input: a NumPy array of numbers, or a JAX array."""
    if is_numpy(x):
        return x.dtype.kind in "fiub" or x.dtype.name == "bfloat16"
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(x, jax.Array)


def home_of(x: object) -> str:
    """Return the library of an array. An array that a program keeps on its device belongs to NumPy."""
    return "NumPy" if is_numpy(x) or is_resident(x) else "JAX"


def is_data(x: object) -> bool:
    """Return whether an argument consists of arrays and numbers only, like a batch."""
    if isinstance(x, (list, tuple, dict)):
        return _is_data(x, set())
    return type(x) in (float, int) or type(x) in PLAIN or is_traceable_array(x)


def _is_data(x: object, around: set[int]) -> bool:
    if not isinstance(x, (list, tuple, dict)):
        return is_data(x)
    if id(x) in around:  # it contains itself
        return False
    items = x.values() if isinstance(x, dict) else x
    return all(_is_data(item, around | {id(x)}) for item in items)


# --- objects that jit does not look into ---


def is_iterator(x: object) -> bool:
    """Return whether an object hands out items, and is another one afterwards."""
    return isinstance(x, Iterator) and not isinstance(x, IOBase)


def has_content(x: object) -> bool:
    """Return whether an object that jit does not look into may change, and `content_of` notices it."""
    kind = type(x)
    if is_numpy(x) or isinstance(x, (bytearray, memoryview)) or _is_other_array(x):
        return True
    if not is_standard(kind) or kind.__module__ in _UNCHANGING or isinstance(x, (random.Random, *_UNCHANGING_TYPES)):
        return False
    return content_of(x) is not None


def content_of(x: Any) -> Hashable:
    """Return what is equal for two states of such an object only if they are the same; None if it is not known."""
    if is_numpy(x):
        if x.dtype == object:
            return x.shape, tuple(map(exact, x.flat))
        return type(x), x.shape, str(x.dtype.descr), x.tobytes()
    if isinstance(x, (bytearray, memoryview)):
        return bytes(x)
    if _is_other_array(x):
        import numpy as np

        host = np.asarray(x.detach().cpu() if hasattr(x, "detach") else x)
        return type(x), host.shape, str(host.dtype), host.tobytes()
    try:
        return pickle.dumps(x)
    except Exception as error:  # it raises anything
        raise_interruption(error)
        return None


def _is_other_array(x: object) -> bool:
    return hasattr(x, "__array__") and hasattr(x, "shape") and type(x).__module__.split(".")[0] in _LIBRARIES


_UNCHANGING = {"datetime", "fractions", "pathlib", "re", "uuid", "typing", "types", "operator", "zoneinfo"}
_UNCHANGING_TYPES = (Decimal, type, CodeType, BuiltinFunctionType, MethodWrapperType, ModuleType)


class _Underlying:
    """Learns what a view of a mapping looks at: `view == underlying` hands it over."""

    mapping: Any = None

    def __eq__(self, other: object) -> bool:
        self.mapping = other
        return True

    def __hash__(self) -> int:
        return id(self)


def underlying(view: Any) -> Any:
    """Return the mapping that a `MappingProxyType` shows."""
    found = _Underlying()
    return found.mapping if view == found else None
