"""Reads single keys from a terminal, without waiting for Enter."""

import contextlib
import os
import signal
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
            self._before = signal.signal(signal.SIGTSTP, self._pause)
            tty.setcbreak(self._file)
        return self

    def _pause(self, *_: object) -> None:
        """Give the terminal back for the time of Ctrl-Z."""
        import tty

        self._restore()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # returns when the program continues
        signal.signal(signal.SIGTSTP, self._pause)
        tty.setcbreak(self._file)

    def _restore(self) -> None:
        import termios

        with contextlib.suppress(termios.error):  # the terminal may be closed
            termios.tcsetattr(self._file, termios.TCSADRAIN, self._settings)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if os.name == "posix":
            self._restore()
            signal.signal(signal.SIGTSTP, self._before)

    def read(self, seconds: float) -> str:
        """Return the next key."""
        if os.name == "posix":
            import select

            if not select.select([self._file], [], [], seconds)[0]:
                return ""
            try:
                found = os.read(self._file, 64)
            except OSError:  # the terminal was closed
                found = b""
            if not found:
                return "\x04"
            # An arrow or function key is a sequence that starts with Escape.
            return "" if found.startswith(b"\x1b") else found.decode("utf-8", "ignore")[:1]
        import msvcrt

        end = time.monotonic() + seconds
        while not msvcrt.kbhit():  # pyright: ignore[reportAttributeAccessIssue]
            if time.monotonic() >= end:
                return ""
            time.sleep(0.02)
        return msvcrt.getwch()  # pyright: ignore[reportAttributeAccessIssue]
