"""Hooks: a user's functions that see a gradient as it reaches a node, and may change it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast
from weakref import WeakSet

from adjoint.errors import ArgumentError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.engine.value import Value

G = TypeVar("G")


class _Hook:
    """One registration of a function: the same function may be registered several times."""

    __slots__ = ("__weakref__", "function")

    def __init__(self, function: Callable):
        self.function = function


# All hooks in existence. While there are none, a backward pass over arrays need not look for any. A hook is held by its
# Value, and is gone when the Value is.
registered: WeakSet[_Hook] = WeakSet()


def register(value: object, hook: Callable) -> Callable[[], None]:
    """Call `hook(gradient)` in each backward pass; if it returns something, that replaces the gradient.

    Returns a function that removes the hook.

    >>> from adjoint import Value
    >>> x = Value(3.0)
    >>> remove = x.register_hook(lambda gradient: 10 * gradient)
    >>> (2 * x).backward()
    >>> x.grad
    20.0
    """
    if not callable(hook):
        raise ArgumentError(f"a hook is a function of the gradient, not {describe(hook)}")
    node, entry = cast("Value", value), _Hook(hook)
    registered.add(entry)
    node._hooks = (*node._hooks, entry)
    node._by_hand = True  # backward() now calls the user's code

    def remove() -> None:
        registered.discard(entry)
        node._hooks = tuple(other for other in node._hooks if other is not entry)

    return remove


def apply_hooks(node: "Value", gradient: G) -> G:
    """Return a gradient after the hooks of its node have seen it."""
    for hook in node._hooks:
        changed = hook.function(gradient)
        if changed is not None:
            gradient = changed
    return gradient
