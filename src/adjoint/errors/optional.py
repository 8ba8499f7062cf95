"""Import optional libraries where they are used, with an error that says how to install a missing one."""

from importlib import import_module
from types import ModuleType

from adjoint.errors import MissingExtraError

DISTRIBUTION = "adjoint-autograd"  # as pyproject.toml names it; on PyPI, `adjoint` is a package of other people


def install_command(extra: str) -> str:
    """Return the command that installs the libraries of an extra of adjoint.

    >>> install_command("lab")
    "pip install 'adjoint-autograd[lab]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def library(name: str, who: str, extra: str = "") -> ModuleType:
    """Return an optional library, or raise an error that names the extra of adjoint that installs it.

    >>> library("json", "this example").dumps([1])
    '[1]'
    >>> library("lapis", "draw", "images")
    Traceback (most recent call last):
    adjoint.errors.MissingExtraError: draw needs lapis, which is not installed: pip install 'adjoint-autograd[images]'
    """
    try:
        return import_module(name)
    except ImportError as error:
        if error.name and error.name.split(".")[0] != name.split(".")[0]:
            raise  # the library is installed, and one that it needs is missing
        missing = f"{who} needs {name.split('.')[0]}, which is not installed"
        raise MissingExtraError(f"{missing}: {install_command(extra)}") from None
