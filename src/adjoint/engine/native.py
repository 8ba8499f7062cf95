"""Which engine runs: the native core, if it was built from this table of rules, else plain Python.

Python is complete and does not know of C. Where a finished function or class has a twin in C, the last line on it says
so, and nothing else does: `tick = twin("tick", tick)`.
"""

import os
import sys
import warnings
from typing import Any, TypeVar

from adjoint.engine import ops
from adjoint.engine.rule import fingerprint

T = TypeVar("T")
_BUILD = "Build it again with `pip install -e .` in a checkout, or reinstall adjoint."


def _load() -> Any:
    """Return the native core, or None: `ADJOINT_PURE=1` was set, it was not built, it is stale, or there is no GIL."""
    if os.environ.get("ADJOINT_PURE", "") not in ("", "0"):
        return None
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None  # importing the core would switch the GIL on: only the GIL guards its nodes
    try:
        from adjoint.engine import _core  # pyright: ignore[reportAttributeAccessIssue]
    except ImportError:  # there was no C compiler when adjoint was installed
        return None
    if getattr(_core, "table_digest", None) != fingerprint(ops.TABLE.values()):
        warnings.warn(
            "the native core of adjoint is stale: it was built from another table of rules (engine/ops.py), so the "
            f"slower Python engine runs. {_BUILD}",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return _core


def twin(name: str, python: T, *arguments: Any) -> T:
    """Return what the native core has under a name in place of a finished object of Python, or makes of `arguments`.

    Without the core, that is the object itself.
    """
    if core is None:
        return python
    try:
        found = getattr(core, name)
        return found(*arguments) if arguments else found
    except (AttributeError, TypeError) as error:  # the table is the same, but not the C sources
        raise ImportError(f"the native core of adjoint is stale: its C sources have changed. {_BUILD}") from error


core: Any = _load()
accelerated: bool = core is not None
