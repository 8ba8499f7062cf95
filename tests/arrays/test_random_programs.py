"""Random programs over arrays against NumPy, PyTorch and central differences: see tests/support/random_programs."""

import os

from fuzzing import FUZZING, TIMES, share
from random_programs.campaign import report

# `make test` runs the same 100 programs each time, and 200 with FULL=yes. `make fuzz` runs 10,000 that start at a new
# seed, or at SEED.
COUNT = 500 * int(TIMES) if FUZZING else share(200)
SEED = int(os.environ.get("SEED", str(int.from_bytes(os.urandom(4))) if FUZZING else "0"))


def test_random_programs_agree_with_central_differences():
    failures = report(SEED, COUNT)
    assert not failures, f"{len(failures)} of {COUNT} programs from SEED={SEED} fail:\n\n" + "\n".join(failures)
