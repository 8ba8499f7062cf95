"""Checkpoints of state that is split over devices and processes: training goes on with another number of them."""

import sys

import pytest
from closeness import require_close
from outside_scripts import OUTSIDE, free_port, output_of, run_outside

from adjoint import load, save

jax = pytest.importorskip("jax")


@pytest.mark.full
def test_training_on_4_devices_goes_on_with_2_with_1_and_with_8(tmp_path):
    flags = "--xla_force_host_platform_device_count=8"
    output = output_of(run_outside("saved_devices.py", str(tmp_path), XLA_FLAGS=flags))
    assert "the same with 4, 2, 1 and 8 devices" in output


@pytest.mark.full
def test_training_in_2_processes_goes_on_in_1_and_in_2(tmp_path, monkeypatch):
    losses = []
    for count in (2, 1, 2):
        port, flags = free_port(), "--xla_force_host_platform_device_count=2"
        arguments = [(port, str(i), str(count), str(tmp_path / "checkpoint")) for i in range(count)]
        started = [run_outside("saved_processes.py", *own, XLA_FLAGS=flags) for own in arguments]
        printed = [output_of(process).split("losses", 1)[1].split() for process in started]
        assert all(own == printed[0] for own in printed)
        losses += map(float, printed[0])
    monkeypatch.syspath_prepend(OUTSIDE)
    from transformer import batch, training

    step = training()[2]
    require_close(losses, [float(step(*batch(seed))) for seed in range(9)], dtype="float32")
    sys.modules.pop("transformer")


@pytest.mark.full
def test_a_process_that_is_killed_leaves_the_old_checkpoint(tmp_path):
    port, folder = free_port(), tmp_path / "checkpoint"
    started = [run_outside("saved_killed.py", port, str(i), str(folder), XLA_FLAGS="") for i in range(2)]
    for process in started:
        printed, _ = process.communicate(timeout=900)
        assert "saved the first" in printed, printed
        assert "saved the second" not in printed
        assert process.returncode != 0
    model, extra = load(folder)
    assert extra["step"] == 1
    save(folder, model, step=3)  # it removes what the processes have left
    assert len(list(folder.iterdir())) == 2
    assert load(folder).extra == {"step": 3}
