"""Freezing: a leaf with `requires_grad = False` receives no gradient, and optimizers leave it as it is."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar, cast

from adjoint import errors
from adjoint.engine.graph import leaves_of
from adjoint.engine.hooks import changes
from adjoint.engine.marks import FROZEN, UNRECORDED, Mark
from adjoint.engine.modes import modes
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.engine.value import Value

V = TypeVar("V", bound="Freezable")


class _Used:
    """Whether any leaf of the process was ever frozen: if not, nothing looks for frozen leaves."""

    ever = False


used = _Used()


class Freezable:
    """A base class of `Value`: the attribute `requires_grad`."""

    __slots__ = ()
    _frozen = Mark(FROZEN)
    _unrecorded = Mark(UNRECORDED)  # whether it was computed under `no_grad()` or returned by `detach()`

    @property
    def requires_grad(self) -> bool:
        """Whether `backward()` adds to the gradient. Assign False to freeze a leaf.

        A frozen leaf receives no gradient, and optimizers do not change it; freezing sets its gradient to zero. For a
        computed Value it is whether the Value depends on a leaf that is not frozen.

        >>> from adjoint import Value
        >>> w, b = Value(2.0), Value(1.0)
        >>> b.requires_grad = False
        >>> (w * 3 + b).backward()
        >>> w.grad, b.grad
        (3.0, 0.0)
        """
        value = cast("Value", self)
        if not value.parents:
            return not self._frozen
        try:
            return any(not leaf._frozen for leaf in leaves_of(value))
        except errors.GraphError:  # a part of the graph was freed
            return True

    @requires_grad.setter
    def requires_grad(self, on: bool) -> None:
        value = cast("Value", self)
        if not isinstance(on, bool):
            raise errors.ArgumentError(f"requires_grad is True or False, not {describe(on)}")
        if value.parents:
            if on:
                return
            raise errors.GraphError(
                f"requires_grad can be switched off for leaves only, and {value!r} was computed by {value.op}; "
                "x.detach() has the same numbers without history"
            )
        if on is not self._frozen:
            return
        if modes.takeover or hasattr(type(value), "traces"):
            raise errors.TraceError("requires_grad cannot change inside a compiled function; assign it before the call")
        self._frozen, used.ever = not on, True
        changes.count += 1  # a compiled function was recorded with the frozen leaves of its time
        if not on:
            value.zero_grad()

    def requires_grad_(self: V, requires_grad: bool = True) -> V:
        """Set `requires_grad` and return the Value, as in PyTorch.

        >>> from adjoint import Value
        >>> Value([1.0, 2.0]).requires_grad_(False).requires_grad
        False
        """
        self.requires_grad = requires_grad
        return self


def trainable(values: "Iterable[Value]") -> "list[Value]":
    """Return the Values that are not frozen."""
    return [value for value in values if not value._frozen]


def require_trainable(root: "Value", received: "Iterable[Value]") -> None:
    """Raise if all leaves that a backward pass has reached are frozen."""
    leaves = [x for x in received if not x.parents]
    if leaves and all(leaf._frozen for leaf in leaves):
        raise errors.GraphError(
            f"backward() of {root!r} changes nothing: every leaf that it depends on is frozen. Set requires_grad = "
            "True for a leaf, or call model.unfreeze()"
        )


def require_history(root: "Value") -> None:
    """Raise if `backward()` is called on a result whose history was not recorded."""
    if root._unrecorded and not root.parents:
        raise errors.GraphError(
            f"backward() of {root!r}: it has no history, because it was computed inside no_grad() or returned by "
            "detach(). Compute it outside no_grad(), and call backward() before detach()"
        )
