"""All errors and warnings of adjoint, and the functions that word their messages.

This is the lowest layer and uses no other. An error is an `AdjointError` and also the built-in kind that fits.
The classes are in `kinds.py` and `warning_kinds.py`. The engine writes `errors.NumberError`, so that they are loaded
with the first error or warning, and not by a program that is right. `given.py` converts and describes what a caller
gave, `suggest.py` finds the closest known name for a misspelled one, `optional.py` imports optional libraries, and
`optional_jax.py` JAX. `guard_warnings.py` issues the warnings.
"""

import weakref
from importlib import import_module

# A weak reference for each context of the process that has switched on a guard that is off by default. The engine looks
# for the mistakes of these guards only if there are any.
switched_on: set[weakref.ref] = set()

# Functions for programs that word errors as adjoint does, by their modules.
_FUNCTIONS = {
    "collect_warnings": "guard_warnings",
    "describe": "given",
    "installed_numpy": "optional",
    "library": "optional",
    "nearest": "suggest",
    "unknown_name_error": "suggest",
}


def _module_of(name: str) -> str | None:
    """Return the module of a public name."""
    kind = "warning_kinds" if name.endswith("Warning") else "kinds" if name.endswith("Error") else None
    return _FUNCTIONS.get(name, kind)


def __getattr__(name: str) -> object:
    module = _module_of(name)
    found = module and getattr(import_module(f"{__name__}.{module}"), name, None)
    if not found:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    modules = (import_module(f"{__name__}.{module}") for module in ("kinds", "warning_kinds"))
    classes = [name for module in modules for name, x in vars(module).items() if isinstance(x, type)]
    return sorted({*classes, *_FUNCTIONS})
