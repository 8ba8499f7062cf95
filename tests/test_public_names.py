"""The public names: what `dir()` lists, what `from adjoint import *` takes, and which of them have an example."""

import ast
import builtins
import doctest
import importlib
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

import adjoint

LAYERS = ("nn", "nn.functional", "nn.init")
OTHERS = (
    "data",
    "distributed",
    "errors",
    "fft",
    "linalg",
    "metrics",
    *LAYERS,
    "optim",
    "see",
    "see.plots",
    "sklearn",
    "special",
    "stats",
    "training",
)
PACKAGES = ("adjoint", *(f"adjoint.{name}" for name in OTHERS))


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


DATA = (ModuleType, bool, Mapping, tuple)  # public names that are neither functions nor classes


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


def test_every_public_name_has_an_example():
    found = public_objects()
    others = Counter(type(x) for x in {id(x): x for x in found.values()}.values())
    missing = {name for name, x in found.items() if not has_example(x, others)}
    assert not missing, "write a docstring with a `>>>` example for these names"


def test_the_examples_that_pytest_does_not_collect_run():
    """pytest runs the docstrings of the functions and classes in each file, but not those that a program makes."""
    finder, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(verbose=False)
    found = public_objects()
    modules = {getattr(x, "__module__", "") for x in found.values()} & sys.modules.keys()
    collected = {test.docstring for module in modules for test in finder.find(sys.modules[module])}
    docs = {x.__doc__ or "": name for name, x in found.items() if x.__doc__ not in collected}
    assert len(docs) > 1
    report: list[str] = []
    for doc, name in docs.items():
        runner.run(doctest.DocTestParser().get_doctest(doc, {}, name, name, None), out=report.append)
    assert not runner.failures, "".join(report)


def test_an_example_imports_what_it_uses():
    """Whoever copies an example from `help` into an empty session can run it; pytest runs it inside the module."""
    undefined = {}
    for name, x in public_objects().items():
        examples = doctest.DocTestParser().get_examples(x.__doc__ or "")
        undefined[name] = undefined_names("".join(example.source for example in examples))
    assert not {name: names for name, names in undefined.items() if names}


def undefined_names(program: str) -> set[str]:
    """Return the names that a program reads and neither defines nor imports; a rough answer, without scopes."""
    known, read = set(vars(builtins)), set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            known |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
            known.add(str(node.name))
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else known).add(node.id)
    return read - known


def test_a_name_that_an_example_does_not_import_is_found():
    assert undefined_names("import math\nx = Value(math.pi)\nf = lambda y: grad(y + x)") == {"Value", "grad"}
