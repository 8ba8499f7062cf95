"""The public names: what `dir()` lists, what `from adjoint import *` takes, and which of them have an example."""

import builtins
import importlib
from pathlib import Path
from types import ModuleType

import pytest

import adjoint

OTHERS = ("data", "fft", "linalg", "metrics", "nn", "optim", "see.plots", "special", "stats")
PACKAGES = ("adjoint", *(f"adjoint.{name}" for name in OTHERS))
WITHOUT_EXAMPLE = Path(__file__).parent / "support" / "names_without_example.txt"


@pytest.mark.parametrize("name", PACKAGES)
def test_dir_lists_public_names_only(name):
    package = importlib.import_module(name)
    names = dir(package)
    assert len(names) > 5
    assert not [name for name in names if name.startswith("_")]
    if not Path(package.__file__ or "").with_suffix(".pyi").exists():  # a stub lists public modules too
        assert not [name for name in names if isinstance(getattr(package, name), ModuleType)]


def test_importing_everything_leaves_the_functions_of_python_alone():
    names = {}
    exec("from adjoint import *", names)
    assert {"Value", "tanh", "grad", "nn"} <= names.keys()
    assert not {name for name in names.keys() & vars(builtins).keys() if not name.startswith("__")}
    assert {"abs", "divmod", "max", "min", "pow", "round", "sum"} <= set(dir(adjoint))


DATA = (ModuleType, bool, dict)  # public names that are neither functions nor classes


def has_example(x: object) -> bool:
    """Return whether `help(x)` shows an example: of `x` itself, not of its class."""
    doc = getattr(x, "__doc__", None)
    return isinstance(doc, str) and ">>> " in doc and (isinstance(x, type) or doc != type(x).__doc__)


def test_every_public_name_has_an_example_except_those_that_still_lack_one():
    """The file may only become shorter: a new name needs a docstring with an example."""
    missing = set()
    for name in PACKAGES:
        package = importlib.import_module(name)
        found = {f"{name}.{own}": getattr(package, own) for own in dir(package)}
        found = {full: x for full, x in found.items() if getattr(x, "__module__", "") != "numpy"}  # dtypes
        missing |= {full for full, x in found.items() if not isinstance(x, DATA) and not has_example(x)}
    listed = set(WITHOUT_EXAMPLE.read_text().split())
    assert missing - listed == set(), "write a docstring with a `>>>` example for these names"
    assert listed - missing == set(), f"these names have an example now; remove them from {WITHOUT_EXAMPLE.name}"
