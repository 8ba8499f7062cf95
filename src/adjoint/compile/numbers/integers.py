"""Which integers of a program must be exact. A program computes integers as floats, which are exact below 2**53.

An integer that a float rounds gives a wrong result if the function returns it, compares it, or computes with it as an
integer: `(seed * 1103515245 + 12345) % 2**31`. The program checks such integers before it stores anything. A product
that becomes a float afterwards may be rounded, as that float is.
"""

import math
from collections.abc import Iterable
from typing import Any

from adjoint.compile.numbers.replay import CONST, EXACT_LIMIT, INPUT, NE, WHERE, operand_count, row_op
from adjoint.engine import ops
from adjoint.errors import NumberError

_INT = 1  # the kind of an entry
_SCALING = {WHERE, *map(row_op, (ops.mul, ops.neg, ops.abs, ops.pow))}  # as exact as what they compute must be
_ROUNDING = {*map(row_op, (ops.remainder, ops.floor_divide))}


def exact_entries(tape: Any, outputs: Iterable[int], integers: Iterable[int]) -> list[int]:
    """Return the entries of integers that must be exact so that the outputs are right, `integers` among them."""
    kinds = bytes(tape.kinds())
    if _INT not in kinds:
        return []
    numbers = memoryview(tape.entries()).cast("B").cast("i")
    entries = list(zip(*(numbers[i::4].tolist() for i in range(4))))  # an operation and three operands each
    is_int = [kind == _INT for kind in kinds] + [False]  # the last one for an operand of -1, which is none
    live = None
    exact = set(integers)
    for i in range(len(entries) - 1, -1, -1):
        op, x, z, w = entries[i]
        if op <= INPUT or not (is_int[x] or is_int[z] or is_int[w]):
            continue
        needs = op <= NE or op in _ROUNDING or (is_int[i] and (op not in _SCALING or i in exact))
        if not needs:
            continue
        if live is None:
            live = _live_entries(entries, outputs)
        if not live[i]:
            continue
        for operand in (x, z, w)[: operand_count(op)]:
            if is_int[operand]:
                exact.add(operand)
            elif is_int[i] and entries[operand][0] == CONST and not abs(tape.constant_at(operand)) < EXACT_LIMIT:
                raise inexact_integer(tape.constant_at(operand))
    return sorted(exact)


def _live_entries(entries: list[tuple[int, ...]], outputs: Iterable[int]) -> bytearray:
    """Return which entries the outputs depend on."""
    live = bytearray(len(entries))
    for entry in outputs:
        live[entry] = 1
    for i in range(len(entries) - 1, -1, -1):
        if live[i]:
            op, *operands = entries[i]
            for operand in operands[: operand_count(op)] if op > INPUT else ():
                live[operand] = 1
    return live


def inexact_integer(x: float) -> NumberError:
    """Return the error for an integer that a float does not hold."""
    if math.isfinite(x):
        return NumberError(
            f"a compiled function computed the integer {x:.17g}, beyond the integers that a float holds exactly "
            "(2**53); compute with floats, or make the argument static"
        )
    return NumberError(f"a compiled function divided by zero, or computed an integer that is too large: it is {x}")
