"""Libraries that an exercise cannot do without, such as NumPy and PyTorch, and that may be missing."""

import sys
from importlib.util import find_spec

from adjoint_learn.course import Exercise

_TITLES = {"numpy": "NumPy", "scipy": "SciPy", "torch": "PyTorch", "jax": "JAX", "matplotlib": "Matplotlib"}
_IN_PAGE = "{what} needs {name}, which this page does not have. {advice} with `adjoint learn` on your computer."


def missing_library(exercise: Exercise, install: str = "") -> str:
    """Return a message about a library that is not installed, with a command to install it; empty if there is none."""
    name = next((name for name in exercise.needs if not _is_installed(name)), None)
    if name is None:
        return ""
    if sys.platform == "emscripten":
        return _IN_PAGE.format(what="This exercise", name=_TITLES.get(name, name), advice="Do it")
    command = install or f"{sys.executable} -m pip install"
    return f"This exercise needs {name}: `{command} {name}`, then check again."


def missing_import(error: BaseException) -> str:
    """Return a message about a library that a program imports and a page does not have; empty for other errors."""
    name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if sys.platform != "emscripten" or name not in _TITLES:
        return ""
    return _IN_PAGE.format(what="Your program", name=_TITLES[name], advice="Write it without, or check it")


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name.partition(".")[0]) is not None
    except ValueError:  # its entry in sys.modules is None, which forbids the import
        return False
