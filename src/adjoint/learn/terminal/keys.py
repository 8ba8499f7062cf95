"""Reads single keys from a terminal, without waiting for Enter."""

import os
import sys
import time
from types import TracebackType


class Keys:
    """A context in which `read(seconds)` returns the next key, or "" if none was pressed in time.

    "\\x04" is the end of the input. The terminal gets its settings back at the end of the context.
    """

    def __enter__(self) -> "Keys":
        if os.name == "posix":
            import termios
            import tty

            self._file = sys.stdin.fileno()
            self._settings = termios.tcgetattr(self._file)
            tty.setcbreak(self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if os.name == "posix":
            import termios

            termios.tcsetattr(self._file, termios.TCSADRAIN, self._settings)

    def read(self, seconds: float) -> str:
        """Return the next key, in lower case."""
        if os.name == "posix":
            import select

            if not select.select([self._file], [], [], seconds)[0]:
                return ""
            found = os.read(self._file, 64)
            if not found:
                return "\x04"
            # An arrow or function key is a sequence that starts with Escape.
            return "" if found.startswith(b"\x1b") else found.decode("utf-8", "ignore")[:1].lower()
        import msvcrt

        end = time.monotonic() + seconds
        while not msvcrt.kbhit():  # pyright: ignore[reportAttributeAccessIssue]
            if time.monotonic() >= end:
                return ""
            time.sleep(0.02)
        return msvcrt.getwch().lower()  # pyright: ignore[reportAttributeAccessIssue]
