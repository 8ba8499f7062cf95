"""Limits the time of a program that runs in this process."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from time import perf_counter

WAITING = 3  # times the limit of an exercise is how long a program may take if it waits, or if the machine is busy
_TOOL = 4  # of sys.monitoring; debuggers and profilers have other numbers


class TimeLimit(BaseException):
    """The program ran longer than the exercise permits."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeLimit` in a program that computes longer, or that takes a multiple of this time while it waits.

    The first limit counts the time of the processor, so that a busy machine does not matter. Windows and browsers have
    no such timer; there, the program looks at the clock in each loop and call. There is no limit outside of the main
    thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if not hasattr(signal, "setitimer"):
        with _limit_at_events(seconds):
            yield
        return

    def stop(*_: object) -> None:
        raise TimeLimit

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, seconds), (signal.ITIMER_REAL, signal.SIGALRM, WAITING * seconds))
    before = [(number, signal.signal(number, stop)) for _, number, _ in timers]
    for timer, _, limit in timers:
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for timer, _, _ in timers:
            signal.setitimer(timer, 0)
        for number, handler in before:
            signal.signal(number, handler)


@contextlib.contextmanager
def _limit_at_events(seconds: float) -> Iterator[None]:
    """Raise `TimeLimit` at the first jump or call after this time. Before Python 3.12, there is no limit."""
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None or monitoring.get_tool(_TOOL):
        yield
        return
    end = perf_counter() + seconds

    def look(*_: object) -> None:
        if perf_counter() > end:
            monitoring.set_events(_TOOL, 0)  # like a timer, it raises once
            raise TimeLimit

    monitoring.use_tool_id(_TOOL, "adjoint: time limit")
    events = (monitoring.events.JUMP, monitoring.events.PY_START)
    for event in events:
        monitoring.register_callback(_TOOL, event, look)
    monitoring.set_events(_TOOL, sum(events))
    try:
        yield
    finally:
        monitoring.set_events(_TOOL, 0)
        for event in events:
            monitoring.register_callback(_TOOL, event, None)
        monitoring.free_tool_id(_TOOL)
