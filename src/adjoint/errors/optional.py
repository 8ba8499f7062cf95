"""Import optional libraries where they are used, with an error that says how to install a missing one."""

import sys
from functools import cache
from importlib import import_module
from types import ModuleType

from adjoint import errors

DISTRIBUTION = "adjoint-autograd"  # as pyproject.toml names it; on PyPI, `adjoint` is a package of other people


def install_command(extra: str) -> str:
    """Return the command that installs the libraries of an extra of adjoint.

    >>> install_command("lab")
    "pip install 'adjoint-autograd[lab]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def library(name: str, who: str, extra: str = "") -> ModuleType:
    """Return an optional library, or raise an error that names the extra of adjoint that installs it.

    >>> from adjoint.errors import library
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
        raise errors.MissingExtraError(f"{missing}: {install_command(extra)}") from None


@cache
def installed_numpy() -> ModuleType | None:
    """Return NumPy; None where it is not installed: Values of single numbers work without it.

    >>> from adjoint.errors import installed_numpy
    >>> np = installed_numpy()
    >>> float(np.sqrt(4.0)) if np else 2.0
    2.0
    """
    try:
        return import_module("numpy")
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        return None


def require_numpy() -> None:
    """Raise an error that says that arrays need NumPy, if it is not installed."""
    try:
        import_module("numpy")
    except ModuleNotFoundError as error:
        raise needs_numpy(error) or error from None


def needs_numpy(error: ImportError) -> "errors.MissingExtraError | None":
    """Return the error for arrays where NumPy is not installed, given that of an import; None if that is another."""
    if error.name != "numpy" or installed_numpy():
        return None
    missing, advice = "is not installed", "pip install numpy"
    if sys.platform == "emscripten":
        missing, advice = "this page does not have", "use adjoint on your computer"
    return errors.MissingExtraError(
        f"arrays need NumPy, which {missing}: {advice}; Values of single numbers work without it"
    )
