"""JAX, and the modules that compile, are loaded when a function is compiled, and not before."""

import subprocess
import sys

import pytest

pytest.importorskip("jax")


def modules_loaded_by(program: str) -> list[str]:
    """Run a program in a new process, and return the modules that it loads."""
    report = "\nimport sys; print('loaded:', *sys.modules)"
    output = subprocess.run([sys.executable, "-c", program + report], check=True, capture_output=True, text=True).stdout
    return output.rpartition("loaded:")[2].split()


def test_decorating_a_function_does_not_load_jax():
    assert "jax" not in modules_loaded_by("import adjoint; adjoint.jit(lambda x: x)")


def test_training_without_jit_loads_nothing_of_the_compiler():
    program = "from adjoint.cli.command_line import main; main(['train', 'moons', '--epochs', '1'])"
    loaded = modules_loaded_by(program)
    assert "adjoint.training.eager_steps" in loaded
    assert not [name for name in loaded if name.startswith(("adjoint.compile", "jax"))]
