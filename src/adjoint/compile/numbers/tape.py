"""The tape: what a function computes with single numbers, recorded as a straight-line program.

    tape = Tape()
    with Recording(tape):              # a mode of this context; other threads compute as usual
        loss = (w * 3.0 - 1.0) ** 2    # w was made before: its number is an input of the program
        loss.backward()                # the chain rule is recorded too
    program = tape.fold([tape.grad_entry(w)], b"\\0" * tape.input_count)

An entry is an operation on earlier entries: (op, a, b, c). Operations on constants alone are computed while recording.
A Value that was made before the recording stays as it is: the tape keeps which entries hold its data and gradient now.
A Value made while recording holds a `TracedNumber` where others hold a float. `traced.py` has that class, and
`recording.py` what Values do while recording. `_native/tape.h` is the same in C.
"""

import struct
from array import array
from typing import TYPE_CHECKING, Any

from adjoint.compile.numbers.page_programs import PageProgram, page_module
from adjoint.compile.numbers.replay import CONST, INPUT, WHERE, TapeProgram, function_of
from adjoint.compile.numbers.traced import ArraysNeeded, TracedNumber, current_tape, trace_error
from adjoint.engine import ops
from adjoint.engine.native import twin
from adjoint.errors.given import Operand, number

if TYPE_CHECKING:
    from adjoint.engine.value import Value

__all__ = ["ArraysNeeded", "Tape", "TracedNumber", "current_tape", "trace_error"]

ENTRY_LIMIT = 20_000_000  # a loop that never ends stops with an error
FLOAT, INT, BOOL = range(3)  # the kind of an entry: its Python type


class _External:
    """A Value made before the recording: its inputs, and the entries that hold its data and gradient now."""

    __slots__ = ("data", "data_input", "grad", "grad_input")

    def __init__(self, data: int, data_input: int):
        self.data, self.data_input = data, data_input
        self.grad: Any = -1  # an entry; or a Value
        self.grad_input = -1


class Tape:
    """A recording: entries, constants, inputs, and the Values that it uses."""

    def __init__(self) -> None:
        self.limit = ENTRY_LIMIT
        self.input_count = 0
        self._entries, self._kinds, self._constants = array("i"), bytearray(), array("d")
        self._constant_entries: dict[bytes, int] = {}  # by their bits: 0.0 and -0.0 are two constants
        self._known: dict[int, float] = {}  # the constants by their entries
        self._shared: dict[int, TracedNumber] = {}
        self._externals: dict[Value, _External] = {}

    # --- entries ---

    def __len__(self) -> int:
        return len(self._kinds)

    def entries(self) -> bytes:
        """Return the entries as bytes: four int32 (op, a, b, c) each."""
        return self._entries.tobytes()

    def constants(self) -> bytes:
        """Return the constants as bytes of doubles."""
        return self._constants.tobytes()

    def kinds(self) -> bytes:
        """Return the kinds of all entries as bytes."""
        return bytes(self._kinds)

    def kind(self, entry: int) -> int:
        """Return the kind of an entry: 0 float, 1 int, 2 bool."""
        return self._kinds[entry]

    def _append(self, op: int, a: int, b: int = -1, c: int = -1, kind: int = FLOAT) -> int:
        if len(self._kinds) >= self.limit:
            raise trace_error("limit")
        self._entries.extend((op, a, b, c))
        self._kinds.append(kind)
        return len(self._kinds) - 1

    def _constant(self, x: float) -> int:
        bits = struct.pack("d", x)
        if bits not in self._constant_entries:
            entry = self._append(CONST, len(self._constants))
            self._constants.append(x)
            self._constant_entries[bits], self._known[entry] = entry, x
        return self._constant_entries[bits]

    def constant_at(self, entry: int) -> float | None:
        """Return the number of an entry if it is a constant, else None."""
        return self._known.get(entry)

    def input(self, kind: int = FLOAT) -> TracedNumber:
        """Return a new input of the program as a number."""
        self.input_count += 1
        return TracedNumber(self, self._append(INPUT, self.input_count - 1, kind=kind))

    def record(self, op: int, a: int, b: int = -1, c: int = -1, kind: int = FLOAT) -> int:
        """Append an operation and return its entry; an operation on constants is computed and gives a constant."""
        known = self._known
        if a in known:
            if op == WHERE:
                return b if known[a] else c
            if (b < 0 or b in known) and (c < 0 or c in known):
                return self._constant(function_of(op)(*[known[x] for x in (a, b, c) if x >= 0]))
        return self._append(op, a, b, c, kind)

    def number(self, entry: int) -> "TracedNumber | float":
        """Return an entry as a number: a float if it is a constant."""
        return self._known[entry] if entry in self._known else TracedNumber(self, entry)

    def shared(self, entry: int) -> TracedNumber:
        """Return an entry as a traced number that is made once: constants and inputs are used often."""
        if entry not in self._shared:
            self._shared[entry] = TracedNumber(self, entry)
        return self._shared[entry]

    def entry(self, x: Any) -> int:
        """Return the entry of a traced number, of the data of a Value, or of a constant."""
        if type(x) is TracedNumber:
            if x._tape is not self:
                raise trace_error("leak")
            return x.entry
        return self.data_entry(x) if isinstance(x, Operand) else self._constant(number(x))

    # --- Values ---

    @property
    def values(self) -> "list[Value]":
        """The Values made before the recording that it used."""
        return list(self._externals)

    def is_made_here(self, value: Any) -> bool:
        """Return whether a Value was made while this tape was recording."""
        return type(value._data) is TracedNumber and value._data._tape is self

    def data_entry(self, value: Any) -> int:
        """Return the entry of the data of a Value."""
        data = value._data
        if type(data) is not TracedNumber:
            return self._external(value).data
        if data._tape is not self:
            raise trace_error("leak")
        return data.entry

    def _external(self, value: Any) -> _External:
        found = self._externals.get(value)
        if found is None:
            if value._is_array:
                raise trace_error("arrays")
            found = _External(self._append(INPUT, self.input_count), self.input_count)
            self.input_count += 1
            self._externals[value] = found
        return found

    def grad_entry(self, value: "Value") -> Any:
        """Return the entry of the gradient of a Value; or the Value that is its gradient."""
        if self.is_made_here(value):
            return value._grad if isinstance(value._grad, Operand) else self.entry(value._grad)
        found = self._external(value)
        if isinstance(found.grad, int) and found.grad < 0:
            if isinstance(value._grad, Operand):
                found.grad = value._grad
            else:
                found.grad, found.grad_input = self._append(INPUT, self.input_count), self.input_count
                self.input_count += 1
        return found.grad

    def set_data(self, value: Any, entry: int) -> None:
        """Assign the data of a Value, in the program."""
        if self.is_made_here(value):
            value._data = TracedNumber(self, entry)
        else:
            self._external(value).data = entry

    def set_grad(self, value: Any, grad: Any) -> None:
        """Assign the gradient of a Value, in the program: an entry, or a Value."""
        if self.is_made_here(value):
            value._grad = grad if isinstance(grad, Operand) else self.number(grad)
        else:
            self._external(value).grad = grad

    def note(self, node: Any, operands: tuple[int, ...], result: int) -> None:
        """Note the entries that a node was computed from, and the entry of its result."""
        node._rare = {**(node._rare or {}), "entries": (operands, result)}

    def operand_entries(self, node: Any) -> tuple[int, ...]:
        """Return the entries that a node was computed from."""
        return node._rare["entries"][0]

    def is_changed(self, node: Any) -> bool:
        """Return whether the data of a node was assigned after it was computed."""
        return self.entry(node) != node._rare["entries"][1]

    def state(self, value: "Value") -> tuple[int, int, int, Any]:
        """Return the inputs of the data and gradient of a Value, and their entries now; -1 for those not used."""
        if self.is_made_here(value):
            return -1, -1, self.entry(value), self.grad_entry(value)
        found = self._externals.get(value)
        if found is None:
            return -1, -1, -1, -1
        return found.data_input, found.grad_input, found.data, found.grad

    # --- the program ---

    def fold(self, outputs: list[int], shared: bytes) -> TapeProgram:
        """Return the program that computes the given entries; `shared` says which inputs distinguish lanes."""
        if _Folded:
            return _Folded(self.entries(), self.constants(), outputs, shared)
        if page := page_module():
            return PageProgram(self.entries(), self.constants(), outputs, self.input_count, page)
        return TapeProgram(self.entries(), self.constants(), outputs, self.input_count)


_Folded: Any = twin("Program", None)  # finds dot products and lanes
if not TYPE_CHECKING:
    _errors = (lambda: trace_error("leak"), lambda: trace_error("limit"))
    Tape, TracedNumber = twin("accelerate_tape", (Tape, TracedNumber), Tape, TracedNumber, *_errors, ops.choice)
