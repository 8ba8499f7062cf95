"""Random programs over arrays against NumPy, PyTorch and central differences: see tests/support/random_programs."""

import os

from fuzzing import TIMES
from random_programs.campaign import report

# `make test` runs the same 200 programs each time. `make fuzz` runs 10,000 that start at a new seed, or at SEED.
COUNT = 200 if TIMES == 1 else 500 * TIMES
SEED = int(os.environ.get("SEED", "0" if TIMES == 1 else str(int.from_bytes(os.urandom(4)))))


def test_random_programs_agree_with_central_differences():
    failures = report(SEED, COUNT)
    assert not failures, f"{len(failures)} of {COUNT} programs from SEED={SEED} fail:\n\n" + "\n".join(failures)
