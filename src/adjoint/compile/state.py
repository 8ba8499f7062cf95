"""The rule of what is state: which objects jit looks into, and which of them are constants.

State is everything that a function can reach by names:

- its arguments, the variables of its closure, its defaults, and the globals that its code names; of modules, the
  attributes that its code names; all globals if the code calls `globals()`, `eval` or `exec`;
- the same for each function and method that it reaches;
- everything inside these: the items of lists, tuples, dictionaries, sets, deques, views of mappings and arrays of
  objects; the attributes of objects, and of their classes; the targets of weak references; what a method is bound to.

Modules of Python, of adjoint and of installed packages hold no state, and neither do objects of other libraries: they
are constants, and another object in their place means another program. If such an object holds Values or arrays, such
as a generator of batches, and the code names it, that is an error.
"""

import builtins
import dis
import gc
import sys
import sysconfig
from collections.abc import Callable, Hashable, Iterator
from functools import cache, lru_cache, partial
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

from adjoint.arrays.kinds import is_array_op, is_numpy, is_numpy_number, is_resident
from adjoint.engine.rule import Op
from adjoint.engine.value import Value


class Wrapped:
    """A function that jit or vmap runs."""

    fn: Callable


class Unseen:
    """An object that jit does not look into, and that makes no difference to a program: it holds compiled functions."""


PLAIN = (str, bytes, bool, type(None), complex, type(...), range)
FUNCTIONS = (FunctionType, MethodType, partial, Wrapped)
BUILT_IN = (BuiltinFunctionType, MethodWrapperType)
_LIBRARIES = {"numpy", "jax", "jaxlib", "torch", "cupy", "scipy", "array_api_compat"}
_RECORDS = {
    "types.SimpleNamespace", "argparse.Namespace", "collections.UserDict", "collections.UserList",
    "weakref.WeakKeyDictionary", "weakref.WeakValueDictionary", "_weakrefset.WeakSet",
}  # fmt: skip


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
    if f"{kind.__module__}.{kind.__qualname__}" in _RECORDS or kind.__module__.split(".")[0] == "adjoint":
        return True
    return is_users_class(kind)


def attributes_of(x: object) -> dict[str, object]:
    """Return the attributes of an object, without those of its class."""
    return getattr(x, "__dict__", {}) | {name: getattr(x, name) for name in slots_of(x)}


def slots_of(x: object) -> list[str]:
    """Return the slots of an object that are filled."""
    return [name for kind in type(x).__mro__ for name in _slots(kind) if hasattr(x, name)]


def _slots(kind: type) -> list[str]:
    slots = vars(kind).get("__slots__", ())
    return [name for name in ([slots] if isinstance(slots, str) else slots) if name not in ("__dict__", "__weakref__")]


def class_state(kind: type) -> Iterator[tuple[str, object, bool]]:
    """Yield the attributes of a class that matter: their names, what they are, and whether they are functions."""
    for name, x in list(vars(kind).items()):
        if isinstance(x, (GetSetDescriptorType, MemberDescriptorType)):
            continue
        functions = [x, *(getattr(x, part, None) for part in ("__func__", "fget", "fset", "func"))]
        found = [f for f in functions if isinstance(f, FUNCTIONS)]
        yield from ((name, f, True) for f in found)
        is_internal = (name.startswith("__") and name.endswith("__")) or name.startswith("_abc_")
        if not found and not is_internal:
            yield name, x, False


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


def held_state(x: object) -> str:
    """Return what an object that jit does not look into holds: "a Value", "an array", "its next item", or nothing."""
    if isinstance(x, Iterator) and not isinstance(x, IOBase):
        return "its next item"
    if type(x).__module__.split(".")[0] in (*_LIBRARIES, "adjoint"):
        return ""
    pending, seen = [x], {id(x)}
    while pending and len(seen) < _MANY:
        x = pending.pop()
        if isinstance(x, Value):
            return "a Value"
        if is_traceable_array(x) and not is_numpy_number(x):
            return "an array"
        inside = [x.__closure__, x.__defaults__] if isinstance(x, FunctionType) else gc.get_referents(x)
        for item in inside:
            if id(item) not in seen and not isinstance(item, (*PLAIN, float, int, type, ModuleType, CodeType)):
                seen.add(id(item))
                pending.append(item)
    return ""


_MANY = 1000  # objects: a larger one is a library's
