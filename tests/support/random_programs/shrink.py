"""Make a program that fails shorter, as long as it fails in the same way."""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from adjoint import Value
from random_programs.build import Failure, difference
from random_programs.check import run_way
from random_programs.program import NAMES, Leaf, Program, compiled, numbers, plain
from random_programs.special import ONE_LINE


def shrink(failure: Failure, seed: int, tries: int = 150) -> Failure:
    """Return the failure of the shortest program that was found."""
    best, again = failure, failure.check not in ONE_LINE
    while again and tries > 0:
        again = False
        for program in candidates(best.program):
            tries -= 1
            found = fails(program, best, seed)
            if found is not None:
                best, again = found, True
                break
            if tries <= 0:
                break
    return best


def fails(program: Program, like: Failure, seed: int) -> Failure | None:
    """Return the failure of a program if it is like another one."""
    try:
        if like.check == "forward":
            values = program.run(*[leaf.variable() for leaf in program.variables])
            if not is_wrong(like):
                return None
            last = replace(program, leaves=tuple(replace(leaf, varies=False) for leaf in program.leaves))
            problem = difference(plain(values), plain(last.run()))
            return Failure(program, "forward", problem) if problem else None
        run_way(program, like.check, seed)
    except Failure as found:
        return found if kind(found.message) == kind(like.message) else None
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return Failure(program, like.check, message) if kind(message) == kind(like.message) else None
    return None


def is_wrong(failure: Failure) -> bool:
    return failure.message.startswith("the result")


def kind(message: str) -> str:
    """Return a message without its numbers and names of classes, which differ between programs."""
    return re.sub(r"[-\d.e+]+|'\w+' object|\(.*\)|\[.*\]", "", message)[:60]


def candidates(program: Program) -> Iterator[Program]:
    """Yield shorter programs, the shortest first."""
    for step in program.steps[:-1]:  # end earlier
        yield replace(program, result=step.target).pruned()
    values = values_of(program)
    for step in program.steps[:-1]:  # start later
        value = values.get(step.target)
        if value is not None:
            data, number = value
            leaf = Leaf(step.target, data, repr(data.item()) if number else numbers(data),
                        "Value" if number or data.ndim else "Tensor", number)  # fmt: skip
            rest = tuple(other for other in program.steps if other is not step)
            shorter = replace(program, leaves=(*program.leaves, leaf), steps=rest).pruned()
            if shorter.variables:
                yield shorter
    for leaf in program.leaves:
        plainer = []
        if leaf.varies and len(program.variables) > 1:
            plainer.append(replace(leaf, varies=False))
        if leaf.make in ("V", "W"):
            plainer.append(replace(leaf, make="Value"))
        if not leaf.number and leaf.text != numbers(leaf.data):
            plainer.append(replace(leaf, text=numbers(leaf.data)))
        simple = simpler(leaf.data)
        if not np.array_equal(simple, leaf.data):
            text = repr(simple.item()) if leaf.number else numbers(simple)
            plainer.append(replace(leaf, data=simple, text=text))
        for other in plainer:
            yield replace(program, leaves=tuple(other if x is leaf else x for x in program.leaves))


def simpler(x: np.ndarray) -> np.ndarray:
    """Return short numbers near those of an array, and none that are special, as 0 and 1 are."""
    return np.asarray(np.round(x * 2) / 2 + 0.25)


def values_of(program: Program) -> dict[str, tuple[np.ndarray, bool]]:
    """Return the numbers of each line that can be computed, and whether it is a scalar Value."""
    names = {**program.functions}
    for leaf in program.leaves:
        names[leaf.name] = leaf.variable() if leaf.varies else leaf.plain()
    found = {}
    for step in program.steps:
        try:
            x = names[step.target] = eval(compiled(step.text), NAMES, names)
        except Exception:
            break
        if isinstance(x, Value) and plain(x).dtype == np.float64:
            found[step.target] = plain(x), not isinstance(x.data, np.ndarray)
    return found
