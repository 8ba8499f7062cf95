"""Random training steps over single numbers, compiled and eager: see tests/support/scalar_programs."""

import functools
import os

import pytest
from fuzzing import FUZZING, TIMES, share
from scalar_programs.campaign import report

import adjoint
from adjoint import jit

pytestmark = pytest.mark.long

# `make test` runs the same 100 programs each time, and 200 with FULL=yes. `make fuzz` runs 2,000 that start at a new
# seed, or at SEED.
COUNT = 100 * int(TIMES) if FUZZING else share(200)
SEED = int(os.environ.get("SEED", str(int.from_bytes(os.urandom(4))) if FUZZING else "0"))


def test_random_training_steps_give_the_eager_results():
    count = COUNT if adjoint.accelerated else COUNT // 5
    found = report(SEED, count, jit, all_bits=not adjoint.accelerated)
    assert not found.failed, f"from SEED={SEED}: {found}"
    assert found.equal > count / 2


def names_of(step):
    """Return the variables that a step can use."""
    cells = zip(step.__code__.co_freevars, (cell.cell_contents for cell in step.__closure__ or ()))
    return {**step.__globals__, **dict(cells)}


# --- wrong compilers, which the check of random programs finds ---

on_the_native_core = pytest.mark.skipif(not adjoint.accelerated, reason="about the check, not about an engine")


def with_the_first_rate(step):
    """Compile numbers of objects as constants."""
    first = []

    @functools.wraps(step)
    def run(*arguments, **options):
        s = names_of(step)["s"]
        first.append(s.rate)
        s.rate = first[0]
        try:
            return step(*arguments, **options)
        finally:
            s.rate = first.pop() if len(first) > 1 else first[0]

    return run


def with_sums_from_the_end(step):
    def total(terms, start=0):
        for term in reversed([*terms]):
            start = start + term
        return start

    @functools.wraps(step)
    def run(*arguments, **options):
        step.__globals__["sum"] = total
        try:
            return step(*arguments, **options)
        finally:
            del step.__globals__["sum"]

    return run


def after_the_step(change):
    def jit(step):
        @functools.wraps(step)
        def run(*arguments, **options):
            result = step(*arguments, **options)
            change(names_of(step)["p"])
            return result

        return run

    return jit


def lose_a_gradient(p):
    p[1].grad = 0.0


def move_by_a_billionth(p):
    p[0].data *= 1 + 1e-9


@on_the_native_core
@pytest.mark.parametrize(
    "wrong", [with_the_first_rate, after_the_step(lose_a_gradient), after_the_step(move_by_a_billionth)]
)
def test_random_programs_find_a_wrong_compiler(wrong):
    assert report(1, 15, wrong, all_bits=False, most=0).failed > 0


@on_the_native_core
def test_a_program_that_fails_is_printed_short():
    found = str(report(1, 1, after_the_step(lose_a_gradient), all_bits=False))
    assert "1 of 1 programs fail" in found
    assert len(found.partition("def step(")[2].splitlines()) < 10


@on_the_native_core
def test_a_sum_in_another_order_is_accepted_but_has_other_bits():
    assert report(0, 10, with_sums_from_the_end, all_bits=False).failed == 0
    assert report(0, 10, with_sums_from_the_end, all_bits=True, most=0).failed > 0
