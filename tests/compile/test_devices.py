"""Compiled functions on several devices and in several processes compute what one device computes."""

import functools
from types import SimpleNamespace

import numpy as np
import pytest
from compiling import close
from outside_scripts import free_port, output_of, run_outside

from adjoint import Value, jit

jax = pytest.importorskip("jax")
jnp = jax.numpy


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
    port = free_port()
    processes = [run_outside("processes.py", port, str(i), XLA_FLAGS="") for i in range(2)]
    for output in [output_of(process) for process in processes]:
        assert "the same in 2 processes" in output
