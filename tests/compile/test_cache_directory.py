"""compilation_cache: the programs of one process are loaded by the next one."""

import json
import subprocess
import sys

import pytest

import adjoint
from adjoint.errors import ArgumentError

pytest.importorskip("jax")

PROGRAM = """
import json, sys
import numpy as np
import jax
import adjoint
from adjoint import Value, jit

found = []
jax.monitoring.register_event_listener(lambda name, **known: found.append(name.split("/")[-1]))
jit(lambda x: x + 1.0)(np.ones(2))  # compiled before the cache is switched on
adjoint.compilation_cache(sys.argv[1])
del found[:]
w = Value([1.0, 2.0])

@jit
def step(x):
    loss = ((w * x).tanh() ** 2).sum()
    w.zero_grad()
    loss.backward()
    w.data -= 0.1 * w.grad
    return loss

losses = [float(step(np.array([0.5, 0.25]))) for _ in range(3)]
print(json.dumps([losses, found.count("cache_hits"), found.count("cache_misses")]))
"""


def run(directory):
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(directory)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.full
def test_the_next_process_loads_what_the_first_one_compiled(tmp_path):
    directory = tmp_path / "programs"
    losses, hits, misses = run(directory)
    assert not hits
    assert misses
    assert list(directory.iterdir())
    assert run(directory) == [losses, misses, 0]


def test_a_cache_needs_a_directory():
    with pytest.raises(ArgumentError, match="needs a directory or None, not int 3"):
        adjoint.compilation_cache(3)
