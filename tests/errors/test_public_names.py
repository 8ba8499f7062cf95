"""What `adjoint.errors.public_names` says of names that have moved."""

import importlib.util
import subprocess
import sys

import pytest

MOVED = {"learn": "adjoint_learn", "lab": "adjoint_lab"}


@pytest.mark.parametrize(
    "program",
    [
        "import adjoint.{old}",
        "import adjoint.{old}.course as course",
        "from adjoint.{old}.course import load",
        "from adjoint import {old}",
        "import adjoint; adjoint.{old}",
        "import importlib; importlib.import_module('adjoint.{old}.serve')",
    ],
)
@pytest.mark.parametrize("old", MOVED)
def test_an_old_module_raises_an_error_that_names_the_new_one(program, old):
    message = f"adjoint.{old} is now {MOVED[old]}: write `import {MOVED[old]}`"
    with pytest.raises((ImportError, AttributeError), match=message) as found:
        exec(program.format(old=old), {})
    assert f"adjoint.{old}" not in sys.modules
    assert "sklearn" not in str(found.value)


@pytest.mark.parametrize("old", MOVED)
def test_running_an_old_module_names_the_new_one(old):
    done = subprocess.run([sys.executable, "-m", f"adjoint.{old}"], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"adjoint.{old} is now {MOVED[old]}" in done.stderr


def test_a_module_that_never_was_is_missing_as_before():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'adjoint\.nowhere'"):
        importlib.import_module("adjoint.nowhere")
    assert importlib.util.find_spec("adjoint.nowhere") is None


def test_explore_without_the_lab_says_what_it_needs(monkeypatch):
    from adjoint import Value, errors

    monkeypatch.setitem(sys.modules, "adjoint_lab", None)
    with pytest.raises(errors.MissingExtraError, match=r"value.explore\(\) needs adjoint_lab, which is not installed"):
        Value(1.0).explore()
