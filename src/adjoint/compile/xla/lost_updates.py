"""Detects what tracing would silently drop: in-place updates, and gradients of Values that the trace cannot see.

NumPy changes an array in `m *= 0.9`. A tracer cannot be changed: Python computes `m * 0.9` and binds the new tracer to
the name `m`; the original array is not updated. JAX has no hook for this, so while a function is traced, JAX's
class of tracers gets `__imul__` and the other in-place operators. They note the update and return NotImplemented, so
Python computes `m * 0.9` as usual. They watch only the thread that traces, and are removed after the trace.
"""

import sys
import threading

from adjoint.arrays.axes import name_of
from adjoint.arrays.backward_pass import observer
from adjoint.arrays.tensor import Tensor
from adjoint.compile.explanations import users_line
from adjoint.compile.xla.jax_library import load_jax
from adjoint.engine.graph import leaves_of
from adjoint.engine.value import Value
from adjoint.errors import TraceError

_IN_PLACE = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"]


class LostUpdates:
    """Watches one trace: `with LostUpdates(...) as updates:`."""

    def __init__(self, known: set[int], with_history: set[int], began: int):
        self.known, self.with_history = known, with_history  # Values, by identity
        self.began = began  # Values older than this exist outside of the trace
        self.changed: dict[int, tuple[object, str]] = {}  # tracers that were updated in place, and in which line

    def __enter__(self) -> "LostUpdates":
        self._outer, observer.before_backward = observer.before_backward, self._require_known_leaves
        self._tracer_class, tracing_thread = load_jax().core.Tracer, threading.get_ident()
        changed = self.changed

        def note_update(tracer, other):
            if threading.get_ident() == tracing_thread:
                changed[id(tracer)] = tracer, users_line(sys._getframe(1))
            return NotImplemented  # Python computes a new tracer, as without this method

        names = [f"__i{name}__" for name in _IN_PLACE]
        self._added = [name for name in names if name not in vars(self._tracer_class)]
        for name in self._added:
            setattr(self._tracer_class, name, note_update)
        return self

    def __exit__(self, *exception) -> None:
        observer.before_backward = self._outer
        for name in self._added:
            delattr(self._tracer_class, name)

    def _require_known_leaves(self, root: Value) -> None:
        """Raise an error if a backward pass would leave a tracer in a Value that outlives the trace."""
        if isinstance(root._data, self._tracer_class):
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
