"""Which integers of a program must be exact. A program computes integers as floats, which are exact below 2**53.

An integer that a float rounds gives a wrong result if the function returns it, compares it, or computes with it as an
integer: `(seed * 1103515245 + 12345) % 2**31`. The program checks such integers before it stores anything. A product
that becomes a float afterwards may be rounded, as that float is.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from adjoint.engine import ops
from adjoint.engine.replay import CONST, EXACT_LIMIT, INPUT, NE, WHERE, operand_count, row_op
from adjoint.errors import NumberError

_INT = 1  # the kind of an entry
_SCALING = {WHERE, *map(row_op, (ops.mul, ops.neg, ops.abs, ops.pow))}  # as exact as what they compute must be
_ROUNDING = {*map(row_op, (ops.remainder, ops.floor_divide))}


def exact_entries(tape: Any, outputs: Iterable[int], integers: Iterable[int]) -> list[int]:
    """Return the entries of integers that must be exact so that the outputs are right, `integers` among them."""
    kinds = np.frombuffer(tape.kinds(), np.uint8)
    is_int = kinds == _INT
    if not is_int.any():
        return []
    entries = np.frombuffer(tape.entries(), np.int32).reshape(-1, 4)
    operands = np.where(entries[:, :1] > INPUT, entries[:, 1:], -1)  # others have no operands
    users = np.flatnonzero((is_int[operands] & (operands >= 0)).any(axis=1))
    live = None
    exact = set(integers)
    for i in users[::-1].tolist():
        op, *found = entries[i].tolist()
        needs = op <= NE or op in _ROUNDING or (is_int[i] and (op not in _SCALING or i in exact))
        if not needs:
            continue
        if live is None:
            live = _live_entries(entries, outputs)
        if not live[i]:
            continue
        for operand in found[: operand_count(op)]:
            if is_int[operand]:
                exact.add(operand)
            elif is_int[i] and entries[operand, 0] == CONST and not abs(tape.constant_at(operand)) < EXACT_LIMIT:
                raise inexact_integer(tape.constant_at(operand))
    return sorted(exact)


def _live_entries(entries: np.ndarray, outputs: Iterable[int]) -> bytearray:
    """Return which entries the outputs depend on."""
    live = bytearray(len(entries))
    for entry in outputs:
        live[entry] = 1
    listed = entries.tolist()
    for i in range(len(listed) - 1, -1, -1):
        if live[i]:
            op, *operands = listed[i]
            for operand in operands[: operand_count(op)] if op > INPUT else ():
                live[operand] = 1
    return live


def inexact_integer(x: float) -> NumberError:
    """Return the error for an integer that a float does not hold."""
    if np.isfinite(x):
        return NumberError(
            f"a compiled function computed the integer {x:.17g}, beyond the integers that a float holds exactly "
            "(2**53); compute with floats, or make the argument static"
        )
    return NumberError(f"a compiled function divided by zero, or computed an integer that is too large: it is {x}")
