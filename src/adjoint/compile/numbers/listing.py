"""The instructions of a program of numbers as text, one in each line: `v2[0:100] = relu(v1[0:100])`."""

from collections.abc import Iterator
from itertools import groupby, islice
from typing import cast

from adjoint.compile.numbers.instructions import ONE, SIGNS, Instruction, Span
from adjoint.compile.numbers.replay import DOT, GATHER, NOT, WHERE
from adjoint.compile.numbers.value_names import RESULT, Slots, Store, abbreviate, join_names
from adjoint.engine.mathematics.printing import Unicode, write, write_factor
from adjoint.engine.mathematics.protocol import Mathematics
from adjoint.engine.mathematics.symbols import Symbol, SymbolMaths

_ALIKE = 3  # instructions of one kind in a row that are listed before the others are only counted
_LINES = 150  # of instructions, and of what is stored
_STORES = 12
_LONG = 60  # characters of a derivative; a longer one is named, and not written out
_INFIX = {"*": "·"} | {sign: f" {sign} " for sign in ("+", "-", "/", "**", "%", "//")}


def as_lines(slots: Slots, full: bool = False) -> list[str]:
    """Return the instructions, then what is stored and returned; without `full`, only a few of those that are alike."""
    lines = list(_instructions(slots)) if full else _first(_instructions(slots, _ALIKE), len(slots.instructions))
    stores = [_store(slots, store) for store in slots.stores]
    if len(stores) > _STORES and not full:
        left_out = sum(len(store.names) for store in slots.stores[_STORES - 1 :])
        stores[_STORES - 1 :] = [f"… {left_out:,} more numbers are stored"]
    return lines + stores


def _instructions(slots: Slots, most: int | None = None) -> Iterator[str]:
    """Yield a line for each instruction; of those in a row that are alike, for the first `most`."""
    numbered = enumerate(slots.instructions)
    for _, group in groupby(numbered, key=lambda pair: (pair[1].op, pair[1].lanes, len(pair[1].operands))):
        alike = list(group)
        shown = alike if most is None or len(alike) <= most + 1 else alike[:most]
        for i, instruction in shown:
            yield f"{slots.result(i)} = {formula(slots, instruction)}"
        if len(shown) < len(alike):
            first, last = alike[len(shown)][0], alike[-1][0]
            yield f"… {len(alike) - len(shown):,} more like this: v{first + 1} to v{last + 1}"


def _first(lines: Iterator[str], count: int) -> list[str]:
    shown = list(islice(lines, _LINES))
    if next(lines, None) is not None:
        shown.append(f"… of {count:,} instructions; listing(full=True) has them all")
    return shown


def _store(slots: Slots, store: Store) -> str:
    texts = [slots.text(Span(slot)) for slot in store.slots]
    if store.names[0] == RESULT:
        return f"{RESULT} {', '.join(abbreviate(texts))}"
    return f"{join_names(store.names)[0]} = {', '.join(abbreviate(texts))}"


def formula(slots: Slots, instruction: Instruction) -> str:
    """Return what an instruction computes: `w·x + b`, `tanh(v1)`."""
    op, row, operands = instruction.op, instruction.row, instruction.operands
    if op == DOT:
        return _sum(slots, instruction)
    if row is not None and instruction.part:
        return _derivative(slots, instruction)
    texts = [slots.text(span) for span in operands]
    if row is not None:
        if row.name in _INFIX:
            return _INFIX[row.name].join(texts)
        return f"-{texts[0]}" if row.name == "neg" else f"{row.name}({', '.join(texts)})"
    if op == GATHER:
        return f"[{', '.join(abbreviate(texts))}]"
    if op == WHERE:
        return f"{texts[1]} if {texts[0]} else {texts[2]}"
    return f"not {texts[0]}" if op == NOT else f"{texts[0]} {SIGNS[op]} {texts[1]}"


def _sum(slots: Slots, instruction: Instruction) -> str:
    terms = [_term(slots, instruction, a, b) for a, b in instruction.terms]
    count = f"   ({len(terms)} terms)" if len(abbreviate(terms)) < len(terms) else ""
    return " + ".join(abbreviate(terms)) + count


def _term(slots: Slots, instruction: Instruction, a: Span, b: Span) -> str:
    """Return a product of two factors; over several slots within one number, the sum of their products."""
    factors = [slots.text(span) for span in (a, b) if span.slot != ONE]
    if instruction.lanes > 1 or a.length == b.length == 1:
        return "·".join(factors) or "1"
    if a.length == b.length:
        return f"dot({', '.join(factors)})"
    wide, shared = (factors[0], factors[1:]) if a.length > 1 else (factors[-1], factors[:-1])
    return "·".join([*shared, f"sum({wide})"])


class _Folding(SymbolMaths):
    """The `m` of a rule whose operands may be numbers: choices between known numbers are made."""

    def equal(self, x: object, z: object) -> object:
        return Symbol("equal", x, z) if isinstance(x, Symbol) or isinstance(z, Symbol) else x == z

    def where(self, condition: object, x: object, z: object) -> object:
        return Symbol("where", condition, x, z) if isinstance(condition, Symbol) else x if condition else z

    def pow(self, x: object, z: object) -> object:
        if z == 1.0:
            return x
        is_whole = isinstance(z, float) and z.is_integer()
        return Symbol("**", x, int(cast(float, z)) if is_whole else z)


def _derivative(slots: Slots, instruction: Instruction) -> str:
    """Return a partial derivative with the operands in it, or its name if that is long; times a gradient, if it is."""
    row, part, texts = instruction.row, instruction.part, [slots.text(span) for span in instruction.operands]
    assert row is not None
    is_pull = part > 2  # the first operand is the gradient; then the result, and the operands of the row
    spans, names = instruction.operands[is_pull:], texts[is_pull:]
    known = [slots.constant(span) for span in spans]
    m, partial = cast("Mathematics", _Folding()), row.partials[(part - 1) % 2]
    try:
        expression = partial(m, *(Symbol(name) if x is None else x for name, x in zip(names, known)))
    except (ArithmeticError, TypeError):  # a pole, or a condition of a number and a symbol
        expression = partial(m, *map(Symbol, names))
    text = write_factor(expression, Unicode()) if is_pull else write(expression, Unicode())
    if len(text) > _LONG:
        text = f"{row.name}'({', '.join(names[1:])})"
    return f"{texts[0]}·{text}" if is_pull else text
