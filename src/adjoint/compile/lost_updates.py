"""What tracing would lose without a word, and jit therefore says: changes in place, and gradients of unknown Values."""

import sys
from typing import Any

from adjoint.arrays import tensor
from adjoint.arrays.tensor import Tensor
from adjoint.compile.explanations import users_line
from adjoint.compile.xla import load_jax
from adjoint.engine.graph import leaves_of
from adjoint.errors import TraceError

_IN_PLACE = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"]


class Watch:
    """The time in which a function is traced: `with Watch(…) as watch:`."""

    def __init__(self, known: set[int], with_history: set[int], began: int):
        self.known, self.with_history, self.began = known, with_history, began  # Values by identity; what is older
        self.changed: dict[int, tuple[Any, str]] = {}  # tracers that met `+=` and the like, and where

    def __enter__(self) -> "Watch":
        self._store, tensor.store = tensor.store, self._guarded_store
        Tracer = load_jax().core.Tracer
        watch = self

        def noted(self, other):
            watch.changed[id(self)] = self, users_line(sys._getframe(1))
            return NotImplemented  # as without this method: the result is a new tracer

        self._names = [f"__i{name}__" for name in _IN_PLACE if f"__i{name}__" not in vars(Tracer)]
        for name in self._names:
            setattr(Tracer, name, noted)
        return self

    def __exit__(self, *exception) -> None:
        tensor.store = self._store
        for name in self._names:
            delattr(load_jax().core.Tracer, name)

    def _guarded_store(self, root, gradient, retain_graph, create_graph) -> None:
        """Run a backward pass, unless it would leave a tracer in a Value that nobody will take it out of."""
        if isinstance(root._data, load_jax().core.Tracer):
            for leaf in leaves_of(root):
                self._require_known(leaf)
        self._store(root, gradient, retain_graph, create_graph)

    def _require_known(self, leaf: Any) -> None:
        name = repr(leaf.label) if leaf.label else f"a Value of shape {getattr(leaf, 'shape', ())}"
        if id(leaf) in self.with_history:
            raise TraceError(
                f"backward() inside jit reaches {name}, which was computed outside: what it was computed from would "
                "get no gradient. Compute it inside, or give its .detach()"
            )
        if isinstance(leaf, Tensor) and leaf._serial < self.began and id(leaf) not in self.known:
            raise TraceError(
                f"backward() inside jit reaches {name}, which is not among the arguments of the function, its "
                "closure, its globals or the objects there; pass it as an argument"
            )

    def require_kept(self, x, what: str) -> None:
        """Raise if an array was changed in place and what it belongs to still holds the old one.

        NumPy would have changed it; a tracer cannot be changed, so `m *= 0.9` made a new one and named it m.
        """
        if id(x) in self.changed:
            raise TraceError(
                f"{what} is changed in place at {self.changed[id(x)][1]}; while jit traces, arrays cannot be changed, "
                "so the change would be lost: write x = x + … instead of x += …, and assign the result to where it "
                "belongs"
            )
