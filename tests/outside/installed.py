"""Test an installed adjoint, such as that of a wheel: `python tests/outside/installed.py native`.

It must be the installed package that is imported, with the engine that is named (native or python) and with the files
that its parts need. Then the tests of the engine run on it. With `--short` one backward pass runs instead, as on
Pyodide, which has no processes and threads. This needs pytest and Hypothesis.
"""

import sys
from importlib import metadata, resources
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SUBJECTS = (
    "engine/test_value.py",
    "engine/test_rule.py",
    "engine/test_modes.py",
    "engine/test_anomaly.py",
    "engine/mathematics/test_symbols.py",
    "engine/mathematics/test_printing.py",
    "transforms/test_gradient_check.py",
    "arrays/test_copying.py",
)
FILES = (
    "adjoint/py.typed",
    "adjoint/__init__.pyi",
    "adjoint/data/first_names.txt",
    "adjoint/engine/array_methods.pyi",
    "adjoint_lab/assets/index.html",
    "adjoint_learn/course/01_nudge/lesson.md",
)
COMMANDS = {"lab", "learn"}  # of the packages beside adjoint, found by their entry points


def main(engine: str, *options: str) -> int:
    sys.path[:] = [
        folder for folder in sys.path if TESTS not in Path(folder).resolve().parents
    ]  # only what is installed
    import adjoint
    from adjoint.cli.command_line import main as command_line

    place = Path(adjoint.__file__).resolve()
    assert TESTS.parent / "src" not in place.parents, f"this is the checkout, not an installed package: {place}"
    assert adjoint.accelerated is (engine == "native"), (
        f"expected the {engine} engine; accelerated = {adjoint.accelerated}"
    )
    assert metadata.version("adjoint-autograd") == adjoint.__version__
    missing = [name for name in FILES if not _is_file(*name.split("/", 1))]
    assert not missing, f"the packages lack {missing}"
    assert {entry.name for entry in metadata.entry_points(group="adjoint.commands")} >= COMMANDS
    x = adjoint.Value(3.0)
    (x * x).backward()
    assert x.grad == 6.0
    assert command_line(["explain", "a*b", "a=2", "b=-3"]) == 0
    print(
        f"adjoint {adjoint.__version__}, {engine} engine, Python {sys.version.split()[0]}: installed in {place.parent}"
    )
    if "--short" in options:
        return 0
    import pytest

    return pytest.main(["-q", "-p", "no:cacheprovider", *(str(TESTS / subject) for subject in SUBJECTS)])


def _is_file(package: str, name: str) -> bool:
    return resources.files(package).joinpath(name).is_file()


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
