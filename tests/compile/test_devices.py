"""Compiled functions on several devices and in several processes compute what one device computes."""

import functools
from types import SimpleNamespace

import numpy as np
import pytest
from closeness import require_close
from outside_scripts import free_port, output_of, run_outside

from adjoint import Value, jit
from adjoint.errors import ArgumentError

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.mark.parametrize(
    "devices", [1, np.int64(1), jax.devices()[:1], jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))]
)
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
    require_close(w.grad, [8.0, 4.0])
    require_close(state.m, [4.0, 4.0])
    assert state.t == 2


@pytest.mark.parametrize(
    ("devices", "message"),
    [
        (jax.devices()[:1] * 2, "devices names a device more than once"),
        (jax.sharding.Mesh(np.array(jax.devices()[:0]), ("batch",)), "the mesh has 0 devices"),
        (jax.sharding.Mesh(np.array(jax.devices()[0]), ()), r"the axes \(\); it needs at least one of each"),
    ],
)
def test_devices_over_which_nothing_can_be_split_are_explained(devices, message):
    with pytest.raises(ArgumentError, match=message):
        jit(lambda x: x * 2.0, devices=devices)(np.ones(2))


def test_eight_devices_compute_what_one_computes():
    output = output_of(run_outside("devices.py", XLA_FLAGS="--xla_force_host_platform_device_count=8"))
    assert "the same on 8 devices" in output


def run_processes(count: int, *arguments: str) -> list[str]:
    """Run processes.py in several processes, and return what each prints."""
    common = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "XLA_FLAGS": ""}
    started = [run_outside("processes.py", *arguments, RANK=str(i), **common) for i in range(count)]
    return [output_of(process) for process in started]


@pytest.mark.full
def test_two_processes_compute_what_one_computes():
    for output in run_processes(2, "small"):
        assert "the same in 2 processes" in output


@pytest.mark.full
@pytest.mark.parametrize("count", [2, 4])
def test_processes_train_a_transformer_with_split_state_as_one_does(count):
    for output in run_processes(count, "split"):
        assert f"the same in {count} processes" in output
