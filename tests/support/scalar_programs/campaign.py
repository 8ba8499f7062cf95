"""Run many programs, from seeds, and make those that fail short."""

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from scalar_programs.build import build
from scalar_programs.check import Failure, check
from scalar_programs.program import Program


@dataclass
class Report:
    """The programs that fail, made short, by the kind of failure; and how many agree in each bit."""

    failures: dict[str, str] = field(default_factory=dict)
    failed: int = 0
    equal: int = 0
    programs: int = 0

    def __str__(self) -> str:
        found = "\n".join(self.failures.values())
        return f"{self.failed} of {self.programs} programs fail, {self.equal} agree in each bit\n\n{found}"


def report(seed: int, count: int, jit: Callable, all_bits: bool, most: int = 10) -> Report:
    """Run the programs of `count` seeds from the given one on."""
    found = Report()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of NumPy about divisions by zero
        for this in range(seed, seed + count):
            program, eager = build(this)
            found.programs += 1
            try:
                found.equal += check(program, jit, all_bits, eager)
            except Failure as failure:
                found.failed += 1
                key = kind(failure)
                if key not in found.failures and len(found.failures) < most:
                    found.failures[key] = str(shrink(failure, jit, all_bits))
    return found


def kind(failure: Failure) -> str:
    """Return a message without numbers, names of variables and quoted lines."""
    return re.sub(r"`.*?`|\(.*?\)|[-+\w]*\d[\w.+-]*|\bnan\b|\binf\b", "", failure.message)[:80]


def shrink(failure: Failure, jit: Callable, all_bits: bool, tries: int = 400) -> Failure:
    """Return the failure of the shortest program found that fails in the same way."""
    best, again = failure, True
    while again and tries > 0:
        again = False
        for program in candidates(best.program):
            tries -= 1
            found = _failure(program, jit, all_bits)
            if found is not None and kind(found) == kind(failure):
                best, again = found, True
                break
            if tries <= 0:
                break
    return best


def _failure(program: Program, jit: Callable, all_bits: bool) -> Failure | None:
    try:
        check(program, jit, all_bits)
    except Failure as found:
        return found
    except Exception:  # a candidate may be no program at all
        return None
    return None


def candidates(program: Program) -> Iterator[Program]:
    """Yield the program without one of its lines, or of its blocks."""
    for name in ("calls", "body", "setup"):
        lines = getattr(program, name)
        for i in range(len(lines) - 1, -1 if name != "body" else 0, -1):
            end = i + 1
            while end < len(lines) and _indent(lines[end]) > _indent(lines[i]):
                end += 1
            yield replace(program, **{name: (*lines[:i], *lines[end:])})
    for i, line in enumerate(program.body):
        for shorter in _shorter(line):
            yield replace(program, body=(*program.body[:i], shorter, *program.body[i + 1 :]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _shorter(line: str) -> Iterator[str]:
    """Yield the line without one of the terms of its sum, at the top."""
    head, equals, tail = line.partition(" = ")
    terms = tail.split(" + ")
    if equals and len(terms) > 1:
        for i in range(len(terms)):
            yield head + equals + " + ".join(terms[:i] + terms[i + 1 :])
