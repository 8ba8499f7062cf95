"""Values that hold tracers in the thread that traces, and their own arrays in every other thread.

A trace puts nothing into the Values of the user. While it lasts, a Value is an instance of a subclass of its class,
whose slots are properties. In the thread that traces, they read and write a `View` of the Value; in other threads, the
slots. So another thread may compute with a model while a training step of the model is traced.
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from itertools import repeat
from typing import Any

from adjoint.arrays.assignments import assigned, tick
from adjoint.arrays.backends import common_backend
from adjoint.arrays.tensor import Tensor
from adjoint.compile.xla.lost_updates import watch_updates

_SLOTS = ("_data", "_grad", "_operands", "_rule", "_static", "_back", "_serial")


class View:
    """What a Value holds in the thread that traces."""

    __slots__ = (*_SLOTS, "_changed", "_spent", "value")

    def __init__(self, value: Tensor, data: Any, grad: Any):
        self.value, self._data, self._grad = value, data, grad
        self._operands, self._rule, self._static, self._back = (), "", None, None
        self._serial, self._changed, self._spent = value._serial, value._changed, value._spent


class _Thread(threading.local):
    """The views of the Values that a thread traces, by their identity."""

    def __init__(self):
        self.views: dict[int, View] = {}


_thread = _Thread()


def _slot(kind: type[Tensor], name: str) -> property:
    """Return a property that is a slot of the class, or of the view in the thread that traces."""
    slot: Any = getattr(kind, name)

    def get(value: Any) -> Any:
        view = _thread.views.get(id(value))
        return slot.__get__(value) if view is None else getattr(view, name)

    def set(value: Any, content: Any) -> None:
        view = _thread.views.get(id(value))
        if view is None:
            slot.__set__(value, content)
        else:
            setattr(view, name, content)

    return property(get, set)


def _array(own: Any) -> Callable[[Any], Any]:
    """Return how to read the data or the gradient: code that gets a tracer may update it in place."""

    def get(value: Any) -> Any:
        found = own.__get__(value)
        return watch_updates(found) if id(value) in _thread.views else found

    return get


def _data(kind: type[Tensor]) -> property:
    own: Any = kind.data

    def set(value: Any, data: Any) -> None:
        view = _thread.views.get(id(value))
        if view is None:
            own.__set__(value, data)
        else:
            before = own.__get__(value)
            if data is not before:
                view._data = common_backend([before], "data").array(value._like(data, "data"))
            view._changed = assigned.last = tick()

    return property(_array(own), set)


def _grad(kind: type[Tensor]) -> property:
    own: Any = kind.grad
    read = _array(own)

    def get(value: Any) -> Any:
        found = read(value)
        if id(value) in _thread.views:
            value._grad_read = False  # tracing reads it, not the user's program
        return found

    return property(get, own.__set__)


@cache
def _traced_class(kind: type[Tensor]) -> type[Tensor]:
    names: dict[str, Any] = {name: _slot(kind, name) for name in (*_SLOTS, "_changed", "_spent")}
    names |= {
        "data": _data(kind),
        "grad": _grad(kind),
        "__slots__": (),
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
    }
    names["traces"] = kind
    return type(kind.__name__, (kind,), names)


class TracedValues:
    """Lets Values hold tracers in this thread: between `enter` and `leave`."""

    def __init__(self):
        self._outer: dict[int, View] = {}
        self._values: list[Tensor] = []
        self._kinds: list[type[Tensor]] = []
        self._rare: list[dict[str, Any]] = []

    def enter(self, views: Sequence[View]) -> None:
        """Let the Values hold what their views hold."""
        self._outer = _thread.views  # another trace may be around this one
        self._values = [view.value for view in views]
        self._rare = [dict(view.value._rare or {}) for view in views]
        self._kinds = [getattr(type(value), "traces", type(value)) for value in self._values]
        _thread.views = self._outer | {id(view.value): view for view in views}
        deque(map(setattr, self._values, repeat("__class__"), map(_traced_class, self._kinds)), maxlen=0)

    def leave(self) -> None:
        """Let the Values hold their own arrays again. This may be called more than once."""
        _thread.views = self._outer
        ended = [(value, kind) for value, kind in zip(self._values, self._kinds) if id(value) not in self._outer]
        deque(map(setattr, [v for v, _ in ended], repeat("__class__"), [kind for _, kind in ended]), maxlen=0)
        for value, before in zip(self._values, self._rare):
            now = value._rare or {}
            if now.keys() != before.keys() or any(now[name] is not before[name] for name in before):
                value._rare = before
        self._values = []
