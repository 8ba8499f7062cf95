"""The instructions of a program of numbers, read from its code for people; see `_native/instructions.h`."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from adjoint.compile.numbers.replay import (
    AND,
    DOT,
    END,
    EQ,
    FIRST_ROW,
    GATHER,
    GE,
    GT,
    LANES,
    LE,
    LT,
    NE,
    NOT,
    OR,
    ROWS,
    WHERE,
)
from adjoint.engine.rule import Op

SIGNS = {LT: "<", LE: "<=", GT: ">", GE: ">=", EQ: "==", NE: "!=", AND: "and", OR: "or"}
ONE = 0  # the slot of a folded program that holds 1.0: the second factor of a plain term of a dot product


class Code(Protocol):
    """What the native core and `compile/numbers/replay.py` provide of a program."""

    def code(self) -> bytes: ...
    def layout(self) -> tuple[bytes, bytes, bytes]: ...
    def describe(self) -> dict[str, int]: ...


class Span(NamedTuple):
    """Consecutive slots: the numbers of an operand in all lanes, or one number that all lanes share."""

    slot: int
    length: int = 1


class Instruction(NamedTuple):
    """An operation on numbers, in one lane or several. The operands of a dot product are pairs of factors."""

    op: int
    out: Span
    operands: list[Span]

    @property
    def lanes(self) -> int:
        """How many numbers it computes."""
        return self.out.length

    @property
    def row(self) -> "Op | None":
        """The row of the table that it computes or differentiates."""
        return ROWS[(self.op - FIRST_ROW) % len(ROWS)] if self.op >= FIRST_ROW else None

    @property
    def part(self) -> int:
        """What it computes of the row: 0 the result, 1 and 2 partial derivatives, 3 and 4 these times a gradient."""
        return (self.op - FIRST_ROW) // len(ROWS) if self.op >= FIRST_ROW else 0

    @property
    def terms(self) -> list[tuple[Span, Span]]:
        """The pairs of factors of a dot product."""
        return list(zip(self.operands[::2], self.operands[1::2]))

    @property
    def is_sum(self) -> bool:
        """Whether it adds plain terms: the other factor of each is one."""
        return self.op == DOT and all(Span(ONE) in term for term in self.terms)


def instructions_of(program: Code) -> list[Instruction]:
    """Return the instructions of a program in the order in which they run."""
    return list(_read(memoryview(program.code()).cast("i").tolist()))


def _read(code: list[int]) -> Iterator[Instruction]:
    at = 0
    while code[at] != END:
        op, is_wide = code[at] & ~LANES, bool(code[at] & LANES)
        lanes = code[at + 1] if is_wide else 1
        out = Span(code[at + 1 + is_wide], lanes)
        at += 2 + is_wide
        operands: list[Span] = []
        if op == DOT and not is_wide:
            pairs, runs = code[at : at + 2]
            operands += [Span(slot) for slot in code[at + 2 : at + 2 + 2 * pairs]]
            at += 2 + 2 * pairs
            for _ in range(runs):
                operands += [_span(word, code[at + 2]) for word in code[at : at + 2]]
                at += 3
        else:
            count = 2 * code[at] if op == DOT else lanes if op == GATHER else operand_count(op)
            at += op == DOT
            words = code[at : at + count]
            operands += [_span(word, lanes) if is_wide and op != GATHER else Span(word) for word in words]
            at += count
        yield Instruction(op, out, operands)


def _span(word: int, lanes: int) -> Span:
    return Span(word >> 1, lanes if word & 1 else 1)


def operand_count(op: int) -> int:
    """Return how many operands an instruction has: a derivative reads the result too, times a gradient that too."""
    if op < FIRST_ROW:
        return {NOT: 1, WHERE: 3}.get(op, 2)
    part, index = divmod(op - FIRST_ROW, len(ROWS))
    return len(ROWS[index].operands) + (0 if not part else 1 if part < 3 else 2)
