"""Child processes save a checkpoint repeatedly, and each is killed at a random moment: it must stay readable.

    python killing.py FOLDER KILLS file
    python killing.py FOLDER KILLS folder

The checkpoint is one file, or a folder of several. Prints the number of kills, the number of kills that left a file of
an incomplete save, and the last step that was saved.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from adjoint.files.checkpoints import load_state, save_state
from adjoint.files.parts import split_by, write_folder
from adjoint.files.tensors import open_tensors

TENSORS = {"weight": (100, 100), "bias": (100,)}


def state(step: int) -> dict[str, np.ndarray]:
    return {name: np.full(shape, float(step)) for name, shape in TENSORS.items()}


def save(path: Path, step: int) -> None:
    if path.suffix:
        save_state(path, state(step), {"step": step})
    else:
        write_folder(path, state(step), {"moment": np.full(50, float(step))}, {"step": step}, split_by(2, None))


def load(path: Path) -> tuple[dict[str, np.ndarray], int]:
    if path.suffix:
        tensors, about = load_state(path)
        return tensors, about["step"]
    opened = open_tensors(path)
    assert opened.about is not None
    tensors, step = dict(opened), opened.about["step"]
    np.testing.assert_array_equal(tensors.pop("moment"), np.full(50, float(step)))
    return tensors, step


def save_forever(path: Path, step: int) -> None:
    while True:
        step += 1
        save(path, step)


def duration_of_a_save(path: Path, times: int = 5) -> float:
    start = time.perf_counter()
    for _ in range(times):
        save(path, 0)
    return (time.perf_counter() - start) / times


def kill_one(path: Path, step: int, delay: float) -> int:
    """Kill a child that is saving; check every number in the checkpoint, and return the step that it holds."""
    child = os.fork()
    if not child:
        save_forever(path, step)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    tensors, found = load(path)
    assert found >= step
    for name, expected in state(found).items():
        np.testing.assert_array_equal(tensors[name], expected)
    return found


def main() -> None:
    parent, kills, kind = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    path = parent / ("state.safetensors" if kind == "file" else "state")
    folder = parent if kind == "file" else path
    rng, step, left = random.Random(0), 0, 0
    longest = 4 * duration_of_a_save(path)  # kills occur during every part of a save, and between two saves
    complete = len(list(folder.iterdir()))
    for _ in range(kills):
        before = len(list(folder.iterdir()))
        step = kill_one(path, step, rng.uniform(0, longest))
        left += len(list(folder.iterdir())) > (before if kind == "file" else complete)
    if kind == "folder":
        save(path, step)  # it removes what the killed ones have left
        left_now = 0
    else:
        left_now = len(list(folder.glob(".state.safetensors.*.tmp")))
    assert len(list(folder.iterdir())) == complete + left_now
    print(kills, left, step)


if __name__ == "__main__":
    main()
