"""Compiled functions on several devices and in several processes compute what one device computes."""

import functools
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from compiling import close

from adjoint import Value, jit

jax = pytest.importorskip("jax")
jnp = jax.numpy

OUTSIDE = Path(__file__).parents[1] / "outside"


def run_outside(program: str, *arguments: str, **environment: str) -> subprocess.Popen:
    """Start a script of tests/outside."""
    return subprocess.Popen(
        [sys.executable, str(OUTSIDE / program), *arguments],
        env={**os.environ, "JAX_PLATFORMS": "cpu", **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def output_of(process: subprocess.Popen) -> str:
    """Wait for a script and return what it printed. The limit is only for a script that hangs."""
    output, _ = process.communicate(timeout=900)
    assert process.returncode == 0, output
    return output


@pytest.mark.parametrize("devices", [1, jax.devices()[:1], jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))])
def test_one_device_can_be_given_as_a_mesh(devices):
    w, state = Value([1.0, 2.0]), SimpleNamespace(t=0, m=np.ones(2))

    @functools.partial(jit, devices=devices)
    def step(x, rate):
        state.t += 1
        state.m = state.m * 2
        loss = (w * x * state.m).sum(axis=1).mean()
        w.zero_grad()
        loss.backward()
        w.data -= rate * w.grad
        return loss

    x = np.array([[1.0, 1.0], [3.0, 1.0]])
    assert [float(step(x, 0.5)), float(step(jnp.asarray(x), 0.5))] == [8.0, -4.0]
    close(w.grad, [8.0, 4.0])
    close(state.m, [4.0, 4.0])
    assert state.t == 2


def test_eight_devices_compute_what_one_computes():
    output = output_of(run_outside("devices.py", XLA_FLAGS="--xla_force_host_platform_device_count=8"))
    assert "the same on 8 devices" in output


def test_two_processes_compute_what_one_computes():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    processes = [run_outside("processes.py", port, str(i), XLA_FLAGS="") for i in range(2)]
    for output in [output_of(process) for process in processes]:
        assert "the same in 2 processes" in output
