"""The public names: what `dir()` lists, what `from adjoint import *` takes, and which of them have an example."""

import builtins
import doctest
import importlib
import io
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

import adjoint

LAYERS = ("nn", "nn.functional", "nn.init")
OTHERS = ("data", "fft", "linalg", "metrics", *LAYERS, "optim", "see.plots", "sklearn", "special", "stats")
PACKAGES = ("adjoint", *(f"adjoint.{name}" for name in OTHERS))
WITHOUT_EXAMPLE = Path(__file__).parent / "support" / "names_without_example.txt"


@pytest.mark.parametrize("name", PACKAGES)
def test_dir_lists_public_names_only(name):
    package = importlib.import_module(name)
    names = dir(package)
    assert len(names) > 1
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


def public_objects() -> dict[str, object]:
    """Return the functions, classes and other objects with a public name, by their full name."""
    packages = {name: importlib.import_module(name) for name in PACKAGES}
    found = {f"{name}.{own}": getattr(package, own) for name, package in packages.items() for own in dir(package)}
    dtypes = {name for name, x in found.items() if getattr(x, "__module__", "") == "numpy"}
    return {name: x for name, x in found.items() if name not in dtypes and not isinstance(x, DATA)}


def has_example(x: object, others: Counter[type]) -> bool:
    """Return whether `help(x)` shows an example: of `x` itself, not of a class with several public objects."""
    doc = getattr(x, "__doc__", None)
    is_own = isinstance(x, type) or doc != type(x).__doc__ or others[type(x)] == 1
    return isinstance(doc, str) and ">>> " in doc and is_own


def test_every_public_name_has_an_example_except_those_that_still_lack_one():
    """The file may only become shorter: a new name needs a docstring with an example."""
    found = public_objects()
    others = Counter(type(x) for x in {id(x): x for x in found.values()}.values())
    missing = {name for name, x in found.items() if not has_example(x, others)}
    listed = set(WITHOUT_EXAMPLE.read_text().split())
    assert missing - listed == set(), "write a docstring with a `>>>` example for these names"
    assert listed - missing == set(), f"these names have an example now; remove them from {WITHOUT_EXAMPLE.name}"


def test_the_examples_that_pytest_does_not_collect_run():
    """pytest runs the docstrings of the functions and classes in each file, but not those that a program makes."""
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(verbose=False)
    found = {id(x): (name, x) for name, x in public_objects().items() if ">>> " in (x.__doc__ or "")}
    modules = {getattr(x, "__module__", None) for _, x in found.values()} & sys.modules.keys()
    collected = {test.docstring for module in modules for test in finder.find(sys.modules[module])}
    report = io.StringIO()
    for name, x in found.values():
        if x.__doc__ not in collected:
            examples = doctest.DocTestParser().get_doctest(x.__doc__, {"adjoint": adjoint}, name, name, None)
            runner.run(examples, out=report.write)
    assert not runner.failures, report.getvalue()
