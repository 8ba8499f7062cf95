"""Detects what tracing would silently drop: in-place updates, and gradients of Values that the trace cannot see.

NumPy changes an array in `m *= 0.9`. A tracer cannot be changed: Python computes `m * 0.9` and binds the new tracer to
the name `m`; the original array is not updated. JAX has no hook for this. So the tracers that stand for NumPy arrays
are of a subclass of JAX's class (`watch_updates`) that has `__imul__` and the other in-place operators. They note the
update and return NotImplemented, so Python computes `m * 0.9` as usual.
"""

import sys
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

from adjoint.arrays.axes import name_of
from adjoint.arrays.backward_pass import observer
from adjoint.arrays.tensor import Tensor
from adjoint.compile.explanations import users_line
from adjoint.engine.graph import leaves_of
from adjoint.engine.value import Value
from adjoint.errors import TraceError
from adjoint.errors.optional_jax import load_jax

_IN_PLACE = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"]


class _Thread(threading.local):
    """What watches the trace of a thread."""

    updates: "LostUpdates | None" = None


_thread = _Thread()


def note_update(tracer: Any, other: object) -> Any:
    """Note that a tracer is updated in place. Tracers have this as `__iadd__` and the other in-place operators."""
    if _thread.updates is not None:
        _thread.updates.changed[id(tracer)] = tracer, users_line(sys._getframe(1))
    return NotImplemented  # Python computes a new tracer, as without this method


IN_PLACE: dict[str, Callable] = {f"__i{name}__": note_update for name in _IN_PLACE}


class Watched:
    """The mark of a class of tracers that notes updates in place."""

    __slots__ = ()


@cache
def _watched_class(kind: type) -> type:
    return type(kind)(kind.__name__, (Watched, kind), {"__slots__": (), "__hash__": None, **IN_PLACE})


def watch_updates(x: Any) -> Any:
    """Return an array that a function reads from a Value; if it is a tracer, it notes updates in place from now on."""
    if isinstance(x, load_jax().core.Tracer) and not isinstance(x, Watched):
        x.__class__ = _watched_class(type(x))
    return x


class LostUpdates:
    """Watches one trace: `with LostUpdates(...) as updates:`."""

    def __init__(self, known: set[int], with_history: set[int], began: int):
        self.known, self.with_history = known, with_history  # Values, by identity
        self.began = began  # Values older than this exist outside of the trace
        self.changed: dict[int, tuple[object, str]] = {}  # tracers that were updated in place, and in which line

    def __enter__(self) -> "LostUpdates":
        self._outer, observer.before_backward = observer.before_backward, self._require_known_leaves
        self._around, _thread.updates = _thread.updates, self
        return self

    def __exit__(self, *exception) -> None:
        observer.before_backward, _thread.updates = self._outer, self._around

    def _require_known_leaves(self, root: Value) -> None:
        """Raise an error if a backward pass would leave a tracer in a Value that outlives the trace."""
        if isinstance(root._data, load_jax().core.Tracer):
            for leaf in leaves_of(root):
                self._require_known(leaf)

    def _require_known(self, leaf: Value) -> None:
        name = name_of(leaf)
        if id(leaf) in self.with_history:
            raise TraceError(
                f"backward() inside jit reaches {name}, which was computed outside, so the Values it was computed from "
                "would get no gradient. Compute it inside the function, or pass its .detach()"
            )
        if isinstance(leaf, Tensor) and leaf._serial < self.began and id(leaf) not in self.known:
            raise TraceError(
                f"backward() inside jit reaches {name}, which is not among the arguments of the function, its "
                "closure, its globals or the objects there; pass it as an argument"
            )

    def require_kept(self, x: object, what: str) -> None:
        """Raise an error if a tracer was updated in place, but is still the content of `what`."""
        if id(x) in self.changed:
            raise TraceError(
                f"{what} is updated in place at {self.changed[id(x)][1]}. Arrays cannot change while jit traces, so "
                "the update would be lost; write x = x + … instead of x += …, and assign the result to where it belongs"
            )
