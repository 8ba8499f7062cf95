"""Find the line of the user's program that an error or a warning is about."""

import contextlib
import os
import sys
from types import FrameType

_PACKAGE = os.path.dirname(os.path.dirname(__file__))
# Modes decorate functions of adjoint by contextlib, whose frames are then between those of adjoint.
_NOT_THE_USERS = (_PACKAGE + os.sep, contextlib.contextmanager.__code__.co_filename)


def is_users(frame: FrameType) -> bool:
    """Return whether a frame runs code outside adjoint."""
    return not frame.f_code.co_filename.startswith(_NOT_THE_USERS)


def users_frame() -> FrameType:
    """Return the innermost frame outside adjoint."""
    frame = sys._getframe(1)
    while frame.f_back and not is_users(frame):
        frame = frame.f_back
    return frame


def users_line() -> str:
    """Return the file and line of the innermost frame outside adjoint."""
    return line_of(users_frame())


def line_of(frame: FrameType) -> str:
    """Return the file and line of a frame."""
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
