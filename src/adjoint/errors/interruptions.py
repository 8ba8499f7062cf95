"""Errors of signal handlers, which are raised in the middle of a computation and have nothing to do with it.

Code that explains the errors of a computation, or goes on after them, lets these through.
"""


def raise_interruption(error: BaseException) -> None:
    """Raise an error again if a signal handler raised it, such as one that ends a program after some time.

    Python calls a handler with the number of the signal and the frame that it interrupts: no other function receives
    the frame of its caller. A trace function, by which debuggers end programs, receives it too.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        interrupted, called = trace.tb_frame, trace.tb_next.tb_frame
        if any(_holds(x, interrupted) for x in called.f_locals.values()):
            raise error
        trace = trace.tb_next


def _holds(x: object, frame: object) -> bool:
    return x is frame or (type(x) is tuple and len(x) <= 3 and any(part is frame for part in x))
