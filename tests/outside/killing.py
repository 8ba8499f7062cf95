"""Child processes save a checkpoint repeatedly, and each is killed at a random moment: the file must stay readable.

    python killing.py FOLDER KILLS

Prints the number of kills, the number of temporary files that were left, and the last step that was saved.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from adjoint.files.checkpoints import load_state, save_state

TENSORS = {"weight": (100, 100), "bias": (100,)}


def state(step: int) -> dict[str, np.ndarray]:
    return {name: np.full(shape, float(step)) for name, shape in TENSORS.items()}


def save_forever(path: Path, step: int) -> None:
    while True:
        step += 1
        save_state(path, state(step), {"step": step})


def duration_of_a_save(path: Path, times: int = 5) -> float:
    start = time.perf_counter()
    for _ in range(times):
        save_state(path, state(0), {"step": 0})
    return (time.perf_counter() - start) / times


def kill_one(path: Path, step: int, delay: float) -> int:
    """Kill a child that is saving; check every number in the file, and return the step that it holds."""
    child = os.fork()
    if not child:
        save_forever(path, step)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    tensors, about = load_state(path)
    assert about["step"] >= step
    for name, expected in state(about["step"]).items():
        np.testing.assert_array_equal(tensors[name], expected)
    return about["step"]


def main() -> None:
    folder, kills = Path(sys.argv[1]), int(sys.argv[2])
    path, rng, step = folder / "state.safetensors", random.Random(0), 0
    longest = 4 * duration_of_a_save(path)  # kills occur during every part of a save, and between two saves
    for _ in range(kills):
        step = kill_one(path, step, rng.uniform(0, longest))
    left = len(list(folder.glob(".state.safetensors.*.tmp")))
    assert len(list(folder.iterdir())) == 1 + left <= 1 + kills
    print(kills, left, step)


if __name__ == "__main__":
    main()
