"""Runs a program where NumPy cannot be imported, as in a browser, and where it can: the output must be the same."""

import os
import subprocess
import sys

ARRAY_LIBRARIES = ("numpy", "array_api_compat", "scipy", "jax", "torch")
_BLOCK = f"import sys; sys.modules |= dict.fromkeys({ARRAY_LIBRARIES})\n"  # None: an import of it fails


def output_of(program: str, *, numpy: bool, pure: bool = False) -> str:
    """Return what a program prints in a process of its own, on the Python engine (`pure`) or on the native core."""
    environment = os.environ | {"ADJOINT_PURE": "1" if pure else ""}
    source = program if numpy else _BLOCK + program
    run = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout
