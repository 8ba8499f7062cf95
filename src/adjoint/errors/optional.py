"""Import optional libraries where they are used, with an error that says how to install a missing one."""

from importlib import import_module
from types import ModuleType

from adjoint.errors import MissingExtraError


def library(name: str, who: str, extra: str = "") -> ModuleType:
    """Return an optional library, or raise an error that names the extra of adjoint that installs it.

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
            raise  # the library is installed, and one that it needs is missing
        package, remedy = name.split(".")[0], f"pip install adjoint[{extra}]"
        raise MissingExtraError(f"{who} needs {package}, which is not installed: {remedy}") from None
