"""Run a function once, eagerly and slowly, to see which lines computed its Values and what became of a gradient."""

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from adjoint.arrays.kinds import is_tensor
from adjoint.engine.anomaly import Watch
from adjoint.engine.modes import modes
from adjoint.engine.value import Value
from adjoint.errors.users_code import is_users, line_of, users_frame

_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep  # adjoint calls functions of it, too


class Watching(Watch):
    """The mode in which a function runs for `why`. `judge(root, gradient, frame)` is called for each backward pass."""

    def __init__(self, value: Value, judge: Callable[[Value, Any, FrameType], None]):
        super().__init__()
        self._judge, self._is_judging, self._value = judge, False, value
        self.passes = 0
        self.cuts: dict[Value, tuple[str, tuple[Value, ...]]] = {}  # leaves without history, and what they came from
        self.last_frame: FrameType | None = None  # of the function itself, once it has returned
        self.zeroed_at = ""  # the line that set the gradient to zero, if no update had used it
        self._line, self._has_gradient, self._data = "", False, self._state()

    def note_cut(self, node: Value, origins: tuple[Value, ...]) -> None:
        self.cuts[node] = "detach" if modes.recording else "no_grad", origins

    def note_backward(self, root: Value, gradient: Any) -> None:
        if not self._is_judging:  # a hook may call backward()
            self._is_judging, self.passes = True, self.passes + 1
            try:
                self._judge(root, gradient, users_frame())
            finally:
                self._is_judging = False

    def run(self, function: Callable, arguments: tuple) -> Any:
        """Return what the function returns."""
        before = sys.gettrace()
        with self:
            sys.settrace(self._trace)
            try:
                result = function(*arguments)
            finally:
                sys.settrace(before)
            self._look()
            return result

    # --- the lines between backward() and the update ---

    def _trace(self, frame: FrameType, event: str, argument: object) -> Callable | None:
        if not is_users(frame) or frame.f_code.co_filename.startswith(_STANDARD_LIBRARY):
            return None
        self._look()
        self._line = line_of(frame)
        if event == "return":
            self.last_frame = frame
        return self._trace

    def _look(self) -> None:
        """Compare the gradient and the data with those before the line that has just run."""
        has_gradient = bool(self.passes) and holds_gradient(self._value)
        if has_gradient and not self._has_gradient:
            self._data, self.zeroed_at = self._state(), ""
        elif self._has_gradient and not has_gradient and self._data == self._state():
            self.zeroed_at = self._line
        self._has_gradient = has_gradient

    def _state(self) -> tuple:
        """Return what changes when the data is assigned."""
        data = self._value._data
        return (id(data), self._value._changed) if is_tensor(self._value) else (data, 0)


def holds_gradient(value: Value) -> bool:
    """Return whether the gradient of a Value is there and not zero."""
    if is_tensor(value):
        return value._has_gradient()
    return isinstance(value._grad, Value) or value._grad != 0
