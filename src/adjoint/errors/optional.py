"""Optional libraries: imported where they are used, with a message that says how to get one that is not there."""

from importlib import import_module
from typing import Any

from adjoint.errors import MissingExtraError


def library(name: str, who: str, extra: str = "") -> Any:
    """Return an optional library, or say which extra of adjoint brings it.

    >>> library("json", "this example").dumps([1])
    '[1]'
    >>> library("no_such_library", "to_torch", "torch")
    Traceback (most recent call last):
    adjoint.errors.MissingExtraError: to_torch needs no_such_library, which is not installed: pip install adjoint[torch]
    """
    try:
        return import_module(name)
    except ImportError as error:
        if error.name and error.name.split(".")[0] != name.split(".")[0]:
            raise  # it is there, and something that it needs is not
        package, remedy = name.split(".")[0], f"pip install adjoint[{extra}]"
        raise MissingExtraError(f"{who} needs {package}, which is not installed: {remedy}") from None
