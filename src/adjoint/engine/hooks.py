"""Hooks: a user's functions that see a gradient as it reaches a node, and may change it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adjoint.errors import ArgumentError
from adjoint.errors.given import described

if TYPE_CHECKING:
    from adjoint.engine.value import Value


registered = 0  # how many hooks there are: a pass without any need not ask each node


def register(value: "Value", hook: Callable) -> Callable[[], None]:
    """Call `hook(gradient)` in each backward pass; what it returns, if anything, takes the gradient's place.

    Returns a function that takes the hook off again.

    >>> from adjoint import Value
    >>> x = Value(3.0)
    >>> remove = x.register_hook(lambda gradient: 10 * gradient)
    >>> (2 * x).backward()
    >>> x.grad
    20.0
    """
    if not callable(hook):
        raise ArgumentError(f"a hook is a function of the gradient, not {described(hook)}")
    global registered
    registered += 1
    entry = [hook]  # its identity tells it from the same hook put on twice
    value._hooks = (*value._hooks, entry)
    value._closure = value._closure  # tells the native core that this node needs Python's backward

    def remove() -> None:
        global registered
        registered -= any(other is entry for other in value._hooks)
        value._hooks = tuple(other for other in value._hooks if other is not entry)

    return remove


def hooked(node: "Value", gradient: Any) -> Any:
    """Return a gradient as the hooks of its node leave it."""
    for (hook,) in node._hooks:
        changed = hook(gradient)
        if changed is not None:
            gradient = changed
    return gradient
