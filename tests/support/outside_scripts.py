"""Starting the scripts of tests/outside, which need processes and devices of their own."""

import os
import socket
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parent
OUTSIDE = SUPPORT.parent / "outside"


def run_outside(program: str, *arguments: str, **environment: str) -> subprocess.Popen:
    """Start a script of tests/outside, which may import the modules of tests/support."""
    paths = os.pathsep.join([str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, str(OUTSIDE / program), *arguments],
        env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": paths, **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def output_of(process: subprocess.Popen) -> str:
    """Wait for a script and return what it printed. The limit is only for a script that hangs."""
    output, _ = process.communicate(timeout=900)
    assert process.returncode == 0, output
    return output


def free_port() -> str:
    """Return a port of this machine that nothing uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])
