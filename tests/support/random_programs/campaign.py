"""Run many random programs, from seeds, and collect those that fail."""

import re
import warnings

from random_programs import cases, signatures, special, steps
from random_programs.build import Builder, Failure
from random_programs.check import FIRST, SECOND, check, is_singular
from random_programs.program import Program
from random_programs.shrink import kind, shrink
from random_programs.source import as_python

# How often each kind of line is drawn.
KINDS = {
    cases.call: 6, signatures.call: 8, steps.operator: 4, steps.einsum: 2, steps.getitem: 2, steps.update: 2,
    steps.gathered: 1, steps.where: 0.5, steps.chain: 1,
    special.keywords: 2, special.at_infinity: 1, special.integers: 1,
}  # fmt: skip


def build(seed: int) -> Program | None:
    """Return the program of a seed, or None if it has no lines."""
    builder = Builder(seed)
    builder.new_leaf(varies=True)
    wanted = builder.one_of(1, 1, 2, 3, 4, 5)
    for _ in range(4 * wanted):
        kind = builder.random.choices(list(KINDS), list(KINDS.values()))[0]
        kind(builder)
        if len(builder.steps) >= wanted:
            break
    if not builder.steps:
        return None
    program = builder.program()
    return program if program.variables else None


def run(seed: int) -> Failure | None:
    """Build and check the program of a seed; return how it fails, or None."""
    try:
        program = build(seed)
        if program is not None:
            check(program, seed, ways(seed))
    except Failure as failure:
        return None if is_singular(failure, seed) else failure
    return None


def ways(seed: int) -> list[str]:
    """Return the ways to check for a seed: some for each program, those that compile for a few."""
    found = ["backward", "backward, twice", "jvp"]
    firsts, seconds = list(FIRST), list(SECOND)
    found += [firsts[1 + seed % (len(firsts) - 1)], seconds[1 + seed % (len(seconds) - 1)]]
    if seed % 3 == 0:
        found.append("in float32")
    if seed % 50 == 7:
        found.append("jit")
    if seed % 50 == 32:
        found.append("vmap")
    return list(dict.fromkeys(found))


def report(seed: int, count: int, most: int = 10) -> list[str]:
    """Run the programs of `count` seeds from the given one on; return those that fail as Python, made short."""
    found: dict[tuple, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of NumPy about divisions by zero
        for this in range(seed, seed + count):
            failure = run(this)
            if failure is not None:
                key = failure.check, kind(failure.message)
                if key not in found and len(found) < most:
                    found[key] = as_python(shrink(failure, this), f"SEED={this}")
    return list(found.values())


def search(seed: int, count: int, text: str) -> None:
    """Print the first program that fails and, made short, contains a text, given as a regular expression."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for this in range(seed, seed + count):
            failure = run(this)
            if failure is not None:
                program = as_python(shrink(failure, this), f"SEED={this}")
                if re.search(text, program.split("\n", 1)[1]):
                    print(program)
                    return
