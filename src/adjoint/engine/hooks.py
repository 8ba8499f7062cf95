"""Hooks: a user's functions that see a gradient as it reaches a node, and may change it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar, cast
from weakref import WeakSet

from adjoint import errors
from adjoint.engine.locks import make_lock
from adjoint.engine.modes import number_in_charge
from adjoint.errors.given import Operand, describe, is_number
from adjoint.errors.settings import Setting

if TYPE_CHECKING:
    from adjoint.engine.value import Value

G = TypeVar("G")


class _Hook:
    """One registration of a function: the same function may be registered several times."""

    __slots__ = ("__weakref__", "function")

    def __init__(self, function: Callable):
        self.function = function


class Handle:
    """A registered hook: calling the handle, or, as in PyTorch, its method `remove`, removes the hook."""

    __slots__ = ("remove",)

    def __init__(self, remove: Callable[[], None]):
        self.remove = remove

    def __call__(self) -> None:
        self.remove()


# All hooks in existence. While there are none, a backward pass over arrays need not look for any. A hook is held by its
# Value, and is gone when the Value is.
registered: WeakSet[_Hook] = WeakSet()


class _Changes:
    """How often hooks were registered or removed, leaves frozen, or modules given another dtype.

    A compiled function holds those of its time.
    """

    count = 0


changes = _Changes()
_registering = make_lock()  # two threads may register hooks of the same Value
_suspended = Setting(False)


def suspended() -> AbstractContextManager[None]:
    """Return a context in which no hook is called."""
    return _suspended.to(True)


def register(value: object, hook: Callable) -> Handle:
    """Call `hook(gradient)` in each backward pass; if it returns something, that replaces the gradient.

    The hook must return a gradient of the same shape, and cannot change an array in place. If it raises, the pass ends
    and no gradient changes. Returns a handle: `handle.remove()`, or `handle()`, removes the hook.

    >>> from adjoint import Value
    >>> x = Value(3.0)
    >>> remove = x.register_hook(lambda gradient: 10 * gradient)
    >>> (2 * x).backward()
    >>> x.grad
    20.0
    """
    if not callable(hook):
        raise errors.ArgumentError(f"a hook is a function of the gradient, not {describe(hook)}")
    node, entry = cast("Value", value), _Hook(hook)
    with _registering:
        registered.add(entry)
        changes.count += 1
        node._hooks = (*node._hooks, entry)
        node._by_hand = True  # backward() now calls the user's code

    def remove() -> None:
        with _registering:
            registered.discard(entry)
            changes.count += 1
            node._hooks = tuple(other for other in node._hooks if other is not entry)

    return Handle(remove)


def apply_hooks(node: "Value", gradient: G) -> G:
    """Return a gradient after the hooks of its node have seen it."""
    hooks = node._hooks
    for hook in () if hooks and _suspended.get() else hooks:
        changed = hook.function(_read_only(gradient))
        if changed is not None:
            gradient = cast("G", _checked(node, changed, gradient))
    return gradient


def _read_only(gradient):
    """Return a NumPy array as a view that a hook cannot change: other nodes may hold the same array."""
    if not hasattr(gradient, "setflags") or not getattr(gradient, "ndim", 0):
        return gradient
    view = gradient[...]
    view.setflags(write=False)
    return view


def _checked(node, changed, gradient: object) -> object:
    """Return what a hook returned as a gradient of its node: of the same kind, shape and dtype."""
    who = "the result of a hook"
    if isinstance(gradient, tuple):  # of several results
        return changed
    if isinstance(changed, Operand):
        if not isinstance(gradient, Operand):
            raise errors.NumberError(
                f"{who} must be a number or an array, not {describe(changed)}: return its .data, or call "
                "backward(create_graph=True)"
            )
        given = cast("Value", changed)
        if tuple(given.shape) != tuple(node.shape):
            raise errors.ShapeError(f"{who} must have the shape {tuple(node.shape)}, not {tuple(given.shape)}")
        return given.astype(node.dtype) if given.dtype != node.dtype else given
    if node._is_array and node.shape and is_number(changed):
        raise errors.ShapeError(f"{who} must have the shape {tuple(node.shape)}, not be the number {describe(changed)}")
    return node._like(changed, who) if node._is_array else number_in_charge(changed, who)
