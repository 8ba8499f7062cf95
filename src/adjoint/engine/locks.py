"""Locks for what threads share: the gradients of leaves, and the time of the last assignment."""

import os
import threading
from contextlib import AbstractContextManager
from typing import Any

from adjoint.engine.native import twin


def make_lock() -> AbstractContextManager:
    """Return a lock for short steps that nothing inside them can block.

    The thread that holds it may take it again: a signal handler or a finalizer may run at any time. A fork waits until
    no other thread is within such a step, because the threads, and the rest of their steps, are not in the new process.
    """
    lock: Any = threading.RLock()
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock._at_fork_reinit)
    return lock


# Held while gradients are added to those of leaves: two threads that add to one leaf both count. A pass of the native
# core over numbers does not take the lock, since no other thread runs during it. While any thread is in `reserved`, it
# leaves the pass to Python, which takes the lock.
accumulating = make_lock()
reserved: Any = twin("reserved", accumulating)
if reserved is not accumulating and hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=reserved.forget)
