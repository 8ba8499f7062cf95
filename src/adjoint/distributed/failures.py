"""When an error ends one of several processes, the others end too.

They would wait for it in their next step. JAX notices after five minutes, and aborts all of them without a message.
"""

import atexit
import logging
import os
import sys
import threading
import time
from typing import Any

_EVERY = 1.0  # seconds between two looks at whether another process has failed
_GRACE = 5.0  # seconds in which a process may report an error of its own
_KEY = "adjoint/failed"


_started: "list[FailureWatch]" = []  # of this process: one, if it has joined others


def tell_others(error: BaseException) -> None:
    """Tell the other processes, if there are any, of an error that ends this one by an exit code."""
    for watch in _started:
        watch.tell(error)


class FailureWatch:
    """Tells the other processes of an error that ends this one, and ends this one after an error in another."""

    def __init__(self, client: Any, index: int):
        self._client, self._index = client, index
        self._has_failed, self._is_over, self._report = False, threading.Event(), sys.excepthook
        self._thread = threading.Thread(target=self._look, name="adjoint-failures", daemon=True)

    def start(self) -> None:
        """Watch until the process ends."""
        _started.append(self)
        sys.excepthook = self._note
        atexit.register(self._leave)  # it runs before the handler of JAX, which waits for all processes
        self._thread.start()

    def _note(self, kind: type[BaseException], error: BaseException, traceback: Any) -> None:
        """Report an error that ends this process, as Python does, and tell the others."""
        self._report(kind, error, traceback)
        self.tell(error)

    def tell(self, error: BaseException) -> None:
        """Tell the other processes that an error ends this one."""
        self._has_failed = True
        try:
            for _, text in self._client.key_value_dir_get(_KEY):  # the reason, if this error comes from a connection
                print(f"adjoint: {text}", file=sys.stderr)
            text = f"process {self._index} ended with {type(error).__name__}: {error}"
            self._client.key_value_set(f"{_KEY}/{self._index}", text)
        except Exception as failure:  # the process that keeps the keys has gone
            logging.getLogger("adjoint").debug("the other processes were not told of the error: %s", failure)

    def _look(self) -> None:
        while not self._is_over.wait(_EVERY):
            try:
                found = self._client.key_value_dir_get(_KEY)
            except Exception:  # the process that keeps the keys has gone, and JAX ends this one
                return
            if found and not self._is_over.wait(_GRACE):
                print(f"adjoint: {found[0][1]}\nadjoint: process {self._index} ends too", file=sys.stderr)
                _end()

    def _leave(self) -> None:
        self._is_over.set()
        self._thread.join(_GRACE)
        if self._has_failed:
            if self._index == 0:  # it keeps the keys: the others must have read them
                time.sleep(_GRACE + 3 * _EVERY)
            _end()


def _end() -> None:
    """End this process without waiting for the others."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)
