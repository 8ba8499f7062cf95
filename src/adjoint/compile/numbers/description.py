"""What a program of numbers consists of, as a sentence for people."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from adjoint.compile.numbers.instructions import Code, Instruction, instructions_of
from adjoint.compile.numbers.replay import AND, DOT, GATHER, NOT, OR, WHERE, TapeProgram

_FEW = 4  # kinds of instructions that are named; the others are counted
_MUCH = 0.1  # of what is computed in lanes: lanes of a number are named if they are more
_NOUNS = {
    "+": "addition",
    "-": "subtraction",
    "*": "multiplication",
    "/": "division",
    "//": "floor division",
    "%": "remainder",
    "**": "power",
    "neg": "negation",
}
_OTHERS = {GATHER: "gather", WHERE: "choice"} | dict.fromkeys((AND, OR, NOT), "logical operation")


def noun(instruction: Instruction) -> str:
    """Return what an instruction is: "dot product", "tanh", "derivative of tanh"."""
    if instruction.op == DOT:
        return "sum" if instruction.is_sum else "dot product"
    if instruction.row is None:
        return _OTHERS.get(instruction.op, "comparison")
    name = instruction.row.name
    if instruction.part:
        return f"derivative of {_NOUNS.get(name, name)}"
    return _NOUNS.get(name, name)


def count(number: int, thing: str) -> str:
    """Return a number of things.

    >>> count(1, "sum"), count(1200, "derivative of tanh"), count(3, "tanh")
    ('1 sum', '1,200 derivatives of tanh', '3 tanh')
    """
    if number == 1:
        return f"1 {thing}"
    first, of, rest = thing.partition(" of ")
    has_plural = of or thing in _PLURALS
    return f"{number:,} {first}{'s' if has_plural else ''}{of}{rest}"


_PLURALS = {"operation", "instruction", "sum", "dot product", "comparison", "other", "input", "output", "equation"}
_PLURALS |= {*_NOUNS.values(), *_OTHERS.values()}


def describe_program(program: Code) -> str:
    """Return a sentence such as "321 operations in 64 instructions: 5 dot products in lanes of 4; …"."""
    found = program.describe()
    size = f"{found['bytes']:,} bytes"
    operations = count(found["operations"], "operation")
    if isinstance(program, TapeProgram):
        how = ", one by one, " if found["operations"] > 1 else " "
        return f"{operations}{how}{program.engine}; {size}"
    by_lanes: dict[int, Counter[str]] = defaultdict(Counter)
    for instruction in instructions_of(program):
        by_lanes[instruction.lanes][noun(instruction)] += 1
    parts = [f"{operations} in {count(found['instructions'], 'instruction')}", "; ".join([*_groups(by_lanes), size])]
    return ": ".join(parts) if by_lanes else "; ".join(parts)


def _groups(by_lanes: Mapping[int, Counter[str]]) -> list[str]:
    """Return the kinds of instructions for the lanes that most of the work is in, for other lanes, and for numbers."""
    widths = [lanes for lanes in by_lanes if lanes > 1]
    widths.sort(key=lambda lanes: lanes * by_lanes[lanes].total(), reverse=True)
    total = sum(lanes * by_lanes[lanes].total() for lanes in widths)
    main = [lanes for lanes in widths[:3] if lanes * by_lanes[lanes].total() > _MUCH * total]
    found = [f"{_kinds(by_lanes[lanes])} in lanes of {lanes:,}" for lanes in main]
    rest = sorted(widths[len(main) :])
    if rest:
        kinds = sum((by_lanes[lanes] for lanes in rest), Counter())
        lanes = f"{rest[0]:,}" if len(rest) == 1 else f"{rest[0]:,} to {rest[-1]:,}"
        found.append(f"{_kinds(kinds)} in lanes of {lanes}")
    if 1 in by_lanes:
        found.append(f"{_kinds(by_lanes[1])} of single numbers")
    return found


def _kinds(kinds: Counter[str]) -> str:
    named = kinds.most_common(_FEW if len(kinds) > _FEW + 1 else None)
    texts = [count(number, thing) for thing, number in named]
    others = kinds.total() - sum(number for _, number in named)
    if others:
        texts.append(count(others, "other"))
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
