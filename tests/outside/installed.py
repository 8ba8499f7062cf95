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
    "py.typed",
    "__init__.pyi",
    "data/first_names.txt",
    "engine/array_methods.pyi",
    "lab/assets/index.html",
    "learn/course/01_nudge/lesson.md",
)


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
    missing = [name for name in FILES if not resources.files("adjoint").joinpath(name).is_file()]
    assert not missing, f"the package lacks {missing}"
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


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
