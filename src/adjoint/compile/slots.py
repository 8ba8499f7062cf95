"""Where a program stores the data and gradient of a single number."""

from adjoint.engine.value import Value


def slot_of(name: str) -> str:
    """Return the attribute that holds the data or gradient of a Value and runs no Python code when it is assigned.

    So neither an interrupt nor another thread comes between the assignments of a program.

    >>> slot_of("grad") in ("grad", "_grad")
    True
    """
    return f"_{name}" if isinstance(getattr(Value, name), property) else name
