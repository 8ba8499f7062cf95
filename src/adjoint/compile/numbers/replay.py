"""Replay: run a recorded tape again, one operation at a time, with the bits of the eager engine.

`_native/replay.h` is the same in C, where operations are folded into dot products and lanes first; in a web page,
`javascript.py` runs the operations in JavaScript.
"""

import functools
import operator
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from itertools import starmap
from typing import TYPE_CHECKING, Any

from adjoint.engine import ops
from adjoint.engine.locks import accumulating, reserved
from adjoint.engine.mathematics.symbols import number_function
from adjoint.engine.rule import evaluate

if TYPE_CHECKING:
    from adjoint.engine.value import Value

# The operations of a tape; `_native/tape.h` has the same numbers.
CONST, INPUT, LT, LE, GT, GE, EQ, NE, AND, OR, NOT, WHERE = range(12)
DOT, GATHER, END = range(WHERE + 1, WHERE + 4)  # instructions of a folded program, beside the operations
LANES = 1 << 15  # the bit of an instruction that computes several numbers: `_native/instructions.h` describes them
FIRST_ROW = 16
ROWS = tuple(ops.TABLE.values())
ROW_OF = {op: i for i, op in enumerate(ROWS)}

NUMBER, DATA, GRAD, EXACT = range(4)  # where an input comes from and an output goes: see `TapeProgram.connect`
EXACT_LIMIT = 2.0**53  # integers up to here are floats


def row_op(op: ops.Op) -> int:
    """Return the number of a row as an operation of a tape."""
    return FIRST_ROW + ROW_OF[op]


def partial_op(op: ops.Op, operand: int) -> int:
    """Return the number of the partial derivative of a row for one operand; its operands are y, x, z."""
    return FIRST_ROW + (1 + operand) * len(ROWS) + ROW_OF[op]


def _logical(holds: Callable[..., Any]) -> Callable[..., float]:
    return lambda *operands: float(bool(holds(*operands)))


_LOGIC: dict[int, Callable[..., float]] = {
    LT: _logical(operator.lt),
    LE: _logical(operator.le),
    GT: _logical(operator.gt),
    GE: _logical(operator.ge),
    EQ: _logical(operator.eq),
    NE: _logical(operator.ne),
    NOT: _logical(operator.not_),
    AND: _logical(lambda x, z: x and z),
    OR: _logical(lambda x, z: x or z),
    WHERE: lambda condition, x, z: x if condition else z,
}


@functools.cache
def function_of(op: int) -> Callable[..., float]:
    """Return an operation of a tape as a function of floats that follows IEEE 754."""
    if op in _LOGIC:
        return _LOGIC[op]
    part, index = divmod(op - FIRST_ROW, len(ROWS))
    rule, wanted = ROWS[index], part - 1
    compiled = number_function(rule, wanted if part else None)

    def compute(*operands: float) -> float:
        try:
            return compiled(*operands)
        except ArithmeticError:  # a pole, where Python's `/` raises
            return evaluate(rule, operands[1:], (wanted,))[1][0] if part else evaluate(rule, operands, ())[0]

    return compute


def operand_count(op: int) -> int:
    """Return how many operands an operation has."""
    if op < FIRST_ROW:
        return {CONST: 0, INPUT: 0, NOT: 1, WHERE: 3}.get(op, 2)
    part, index = divmod(op - FIRST_ROW, len(ROWS))
    return len(ROWS[index].operands) + (part > 0)


class TapeProgram:
    """The entries of a tape that its outputs depend on, ready to run with other inputs."""

    engine = "on the Python engine"  # where the program runs, for people

    def __init__(self, entries: bytes, constants: bytes, outputs: Sequence[int], input_count: int):
        self._entries, self._constants = array("i", entries), array("d", constants)
        self._size, self._outputs, self._input_count = len(self._entries) // 4, tuple(outputs), input_count
        self._inputs: Sequence[tuple[int, int]] = ()
        self._stores: Sequence[tuple[int, int]] = ()
        self._returned = 0  # how many outputs a call gets

    @functools.cached_property
    def _live(self) -> list[tuple[int, int, tuple[int, ...]]]:
        """The entries that the outputs depend on, in their order: an entry, its operation, and what it refers to."""
        flat, live, found = self._entries, bytearray(self._size), []
        for entry in self._outputs:
            live[entry] = 1
        for i in range(self._size - 1, -1, -1):
            if live[i]:
                op = flat[4 * i]
                operands = tuple(flat[4 * i + 1 : 4 * i + 1 + operand_count(op)])
                for operand in operands:
                    live[operand] = 1
                found.append((i, op, operands or (flat[4 * i + 1],)))
        return found[::-1]

    @functools.cached_property
    def _start(self) -> list[tuple[int, int, int]]:
        """The constants and inputs: (entry, CONST or INPUT, its number)."""
        return [(i, op, refers[0]) for i, op, refers in self._live if op in (CONST, INPUT)]

    @functools.cached_property
    def _steps(self) -> list[tuple[Callable[..., float], int, tuple[int, ...]]]:
        """The operations: a function, the entry of its result, and those of its operands."""
        return [(function_of(op), i, refers) for i, op, refers in self._live if op not in (CONST, INPUT)]

    @property
    def operations(self) -> int:
        """The number of operations."""
        return len(self._steps)

    @classmethod
    def from_entries(cls, entries: bytes, constants: bytes, outputs: Sequence[int], input_count: int) -> "TapeProgram":
        """Return the program of a tape that is given as bytes, for instance one that the native core recorded."""
        return cls(entries, constants, outputs, input_count)

    def connect(self, inputs: Sequence[tuple[int, int]], outputs: Sequence[tuple[int, int]]) -> None:
        """Say what each input is read from and where each output goes: pairs of a kind and an index.

        An input of kind 0 is a number of the call, of kind 1 the data and of kind 2 the gradient of a Value.
        An output of kind 0 is returned; those of kinds 1 and 2 are stored as the data or gradient of a Value. An output
        of kind 3 is an integer that the program only checks: if a float does not hold it exactly, the run raises an
        ArithmeticError with the number before it stores anything.
        """
        self._inputs, self._stores = tuple(inputs), tuple(outputs)
        self._returned = sum(kind == NUMBER for kind, _ in outputs)

    def compute(self, inputs: Sequence[float]) -> list[float]:
        """Return the outputs for the given inputs."""
        found = [0.0] * self._size
        for entry, op, index in self._start:
            found[entry] = self._constants[index] if op == CONST else inputs[index]
        for function, entry, operands in self._steps:
            found[entry] = function(*[found[i] for i in operands])
        return [found[entry] for entry in self._outputs]

    def run(self, values: "Sequence[Value]", numbers: Sequence[float]) -> list[float]:
        """Read the inputs, compute, and store the outputs; return those of kind 0 in the order of their index.

        The outputs are stored together: an interrupt or another thread sees the state before or after the run.
        """
        with accumulating, reserved:
            outputs = self.prepare(values, numbers)
            deque(starmap(operator.call, self.assignments(values, outputs)), maxlen=0)  # in C: no signal within
        return outputs[: self._returned]

    def prepare(self, values: "Sequence[Value]", numbers: Sequence[float]) -> list[float]:
        """Read the inputs and compute; return the outputs of kind 0 in the order of their index, then kinds 1 and 2."""
        read = {
            NUMBER: lambda k: float(numbers[k]),
            DATA: lambda i: values[i]._data,
            GRAD: lambda i: float(values[i]._grad),
        }
        outputs = self.compute([read[kind](index) for kind, index in self._inputs])
        returned, stored = {}, []
        for (kind, index), x in zip(self._stores, outputs):
            if kind == EXACT:
                if not abs(x) < EXACT_LIMIT:
                    raise ArithmeticError(x)
            elif kind == NUMBER:
                returned[index] = x
            else:
                stored.append(x)
        return [*(returned[k] for k in sorted(returned)), *stored]

    def assignments(self, values: "Sequence[Value]", outputs: list[float]) -> list[tuple[Any, ...]]:
        """Return how to store the outputs that `prepare` returned: functions written in C, and their arguments."""
        places = [(values[i], "_data" if kind == DATA else "_grad") for kind, i in self._stores if kind in (DATA, GRAD)]
        return [(setattr, *place, x) for place, x in zip(places, outputs[self._returned :])]

    def code(self) -> bytes:
        """Return the instructions as bytes of int32, as `_native/instructions.h` describes them; slots are entries."""
        words = array("i")
        for out, op, operands in self._live:
            if op not in (CONST, INPUT):
                words.extend((op, out, *operands))
        return array("i", (*words, END)).tobytes()

    def layout(self) -> tuple[bytes, bytes, bytes]:
        """Return the slots of the inputs (-1: unused) and outputs as bytes of int32, and the numbers in all slots."""
        inputs, numbers = array("i", [-1]) * self._input_count, array("d", [0.0]) * self._size
        for entry, op, index in self._start:
            if op == INPUT:
                inputs[index] = entry
            else:
                numbers[entry] = self._constants[index]
        return inputs.tobytes(), array("i", self._outputs).tobytes(), numbers.tobytes()

    @property
    def memory(self) -> int:
        """How many bytes the program takes, about."""
        return 16 * self._size + 64 * self.operations

    def describe(self) -> dict[str, int]:
        """Return counts of what the program has."""
        return {
            "operations": self.operations,
            "instructions": self.operations,
            "dot_products": 0,
            "lanes": 0,
            "inputs": self._input_count,
            "outputs": len(self._outputs),
            "bytes": self.memory,
        }
