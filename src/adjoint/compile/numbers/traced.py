"""TracedNumber: a number of a function that is being recorded on a tape. It is known when the program runs.

Arithmetic on it records further operations. Whatever needs the number itself, such as `float(x)` or `if x > 0`, is an
error.
"""

import operator
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adjoint.compile.numbers.replay import AND, EQ, GE, GT, LE, LT, NE, NOT, OR, WHERE, row_op
from adjoint.engine import ops
from adjoint.engine.mathematics.floats import IEEEFloat
from adjoint.engine.modes import modes
from adjoint.engine.rule import Op, rule_error
from adjoint.errors import TraceError
from adjoint.errors.given import Operand, is_array, is_number, is_traced, number
from adjoint.errors.interruptions import raise_interruption

if TYPE_CHECKING:
    from adjoint.compile.numbers.tape import Tape


class RecordingError(TraceError):
    """Code that needs something that is not known while a function is recorded; `need` says what."""

    need = "number"


class ArraysNeeded(RecordingError):
    """A number that meets an array while single numbers are recorded: the function must be compiled for arrays."""

    need = "arrays"


_TEXTS = {
    "number": "the code needs the number itself, which is not known while jit records the function",
    "condition": "the code has control flow that depends on a number, which is not known while jit records the "
    "function; to choose between values, write adjoint.where(condition, a, b)",
    "index": "the code uses a number as an index or a count, and it is not known while jit records the function",
    "text": "the code makes a text of a number, which is not known while jit records the function; return the number, "
    "and print it outside of the function",
    "leak": "a number from inside a jit-compiled function was kept outside of it; return it from the function instead",
    "limit": "the function computes too many operations on single numbers for one program (20 million); is there a "
    "loop that does not end? Compile a part of it, or use arrays",
    "arrays": "a single number meets an array, so the function must be compiled for arrays",
    "outside": "backward() inside a jit-compiled function reached a Value that was computed before the call; compute "
    "it inside the function, or use its detach()",
}


class _Refusals(threading.local):
    """The last error for code of this thread that needs a number. The code may catch it, and go on without one."""

    last: TraceError | None = None


refusals = _Refusals()


def trace_error(need: str) -> TraceError:
    """Return the error for code that needs something that is not known while recording; its `need` says what."""
    error = (ArraysNeeded if need == "arrays" else RecordingError)(_TEXTS[need])
    error.need = need
    if need in ("number", "condition", "index"):
        refusals.last = error
    return error


def current_tape() -> "Tape | None":
    """Return the tape that records in this context."""
    recording: Any = modes.takeover
    return recording.tape if recording else None


def number_or_traced(x: Any, who: str = "Value") -> Any:
    """Return a traced number as it is, and any other number as a float."""
    return x if is_traced(x) else number(x, who)


_ROW_OF_OPERATOR = {
    "+": ops.add, "-": ops.sub, "*": ops.mul, "/": ops.div, "**": ops.pow, "%": ops.remainder, "//": ops.floor_divide,
}  # fmt: skip
_OP = {sign: row_op(op) for sign, op in _ROW_OF_OPERATOR.items()}
_OP |= {"<": LT, "<=": LE, ">": GT, ">=": GE, "==": EQ, "!=": NE, "&": AND, "|": OR, "^": NE}
_FLOAT, _INT, _BOOL = range(3)


def combine(sign: str, left: Any, right: Any) -> Any:
    """Return `left <sign> right`, at least one of them a traced number; NotImplemented leaves it to the other."""
    tape = (left if is_traced(left) else right).tape
    kinds = [_kind(x) for x in (left, right)]
    if None in kinds:
        return NotImplemented
    if sign in ("/", "//", "%") and type(right) in (float, int, bool) and not right:
        raise ZeroDivisionError(f"a number {sign} zero, in a function that jit records")  # as Python's floats
    if sign in ("&", "|", "^") and kinds != [_BOOL, _BOOL]:
        raise trace_error("number")
    if sign in ("<", "<=", ">", ">=", "==", "!=", "&", "|", "^"):
        kind = _BOOL
    else:
        is_fraction = sign == "/" or (sign == "**" and not is_traced(right) and right < 0)
        kind = _FLOAT if is_fraction or _FLOAT in kinds else _INT
    return tape.number(tape.record(_OP[sign], tape.entry(left), tape.entry(right), kind=kind))


def _kind(x: Any) -> int | None:
    """Return the kind of an operand of a traced number: 0 float, 1 int, 2 bool; None for a Value or no number."""
    if is_traced(x):
        return x.kind
    if isinstance(x, (bool, int, float)):
        return _BOOL if isinstance(x, bool) else _FLOAT if isinstance(x, float) else _INT
    if isinstance(x, Operand) or not hasattr(x, "dtype"):
        return None
    if is_array(x) or not is_number(x) or (x.dtype.kind == "f" and x.dtype.itemsize < 8):
        raise trace_error("arrays")  # float32 next to a float computes with float32 in NumPy
    return {"b": _BOOL, "f": _FLOAT}.get(x.dtype.kind, _INT)


def _operator(sign: str) -> tuple[Callable, Callable]:
    return lambda self, other: combine(sign, self, other), lambda self, other: combine(sign, other, self)


def _needs(need: str) -> Callable:
    def method(self, *arguments):
        raise trace_error(need if self.tape else "leak")

    return method


# The functions that NumPy's numbers call for operators with a traced number on the right.
_UFUNCS: dict[str, Callable] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "power": operator.pow, "remainder": operator.mod, "floor_divide": operator.floordiv, "negative": operator.neg,
    "absolute": operator.abs, "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
    "greater_equal": operator.ge, "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip


class TracedNumber:
    """A number of a program that is being recorded: the entry of a tape."""

    __slots__ = ("_tape", "entry", "kind")
    _is_traced = True

    def __init__(self, tape: "Tape", entry: int, kind: int | None = None):
        self._tape, self.entry = tape, entry
        self.kind = tape.kind(entry) if kind is None else kind  # 0 for a float, 1 for an int, 2 for a bool

    @property
    def takeover(self) -> Any:
        """The mode that this number belongs to; an error after the recording."""
        return modes.takeover if self.tape else None

    @property
    def tape(self) -> "Tape":
        """The tape, while it records in this context; afterwards the number has no meaning."""
        if current_tape() is not self._tape:
            raise trace_error("leak")
        return self._tape

    __add__, __radd__ = _operator("+")
    __sub__, __rsub__ = _operator("-")
    __mul__, __rmul__ = _operator("*")
    __truediv__, __rtruediv__ = _operator("/")
    __mod__, __rmod__ = _operator("%")
    __floordiv__, __rfloordiv__ = _operator("//")
    __and__, __rand__ = _operator("&")
    __or__, __ror__ = _operator("|")
    __xor__, __rxor__ = _operator("^")
    __lt__, __gt__ = _operator("<")[0], _operator(">")[0]
    __le__, __ge__ = _operator("<=")[0], _operator(">=")[0]
    __eq__, __ne__ = _operator("==")[0], _operator("!=")[0]
    _unusual = staticmethod(combine)

    def __pow__(self, other, modulus=None):
        return combine("**", self, other) if modulus is None else NotImplemented

    def __rpow__(self, other, modulus=None):
        return combine("**", other, self) if modulus is None else NotImplemented

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def _unary(self, row: Op) -> Any:
        kind = _FLOAT if self.kind == _FLOAT else _INT
        return self.tape.number(self.tape.record(row_op(row), self.entry, kind=kind))

    def __neg__(self):
        return self._unary(ops.neg)

    def __abs__(self):
        return self._unary(ops.abs)

    def __pos__(self):
        return self + 0 if self.kind == _BOOL else self

    def __invert__(self):
        if self.kind != _BOOL:
            raise trace_error("number")
        return self.tape.number(self.tape.record(NOT, self.entry, kind=_BOOL))

    def _where(self, x: Any, z: Any) -> Any:
        """Return `x` if this condition holds when the program runs, else `z`, numbers or Values."""
        for side in (x, z):
            if isinstance(side, Operand):
                return side._apply(ops.choice, (self, x, z))
        kinds = [_kind(x), _kind(z)]
        if kinds[0] is None or kinds[1] is None:
            raise trace_error("arrays")
        kind = kinds[0] if kinds[0] == kinds[1] else _FLOAT if _FLOAT in kinds else _INT
        entries = [self.tape.entry(y) for y in (self, x, z)]
        return self.tape.number(self.tape.record(WHERE, *entries, kind=kind))

    # --- what needs the number itself ---

    __bool__ = _needs("condition")
    __float__ = __int__ = __complex__ = _needs("number")
    __index__ = _needs("index")
    __str__ = __format__ = _needs("text")
    __round__ = __trunc__ = __floor__ = __ceil__ = _needs("number")
    __hash__ = __reduce__ = is_integer = as_integer_ratio = hex = _needs("number")
    __array__ = __array_function__ = _needs("arrays")

    def __repr__(self) -> str:
        return f"TracedNumber({('float', 'int', 'bool')[self.kind]})"

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __array_ufunc__(self, ufunc, method: str, *inputs, **options):
        row = ops.TABLE.get(ufunc.__name__)
        if method != "__call__" or options or any(map(is_array, inputs)):
            raise trace_error("arrays")
        if ufunc.__name__ in _UFUNCS:
            return _UFUNCS[ufunc.__name__](*[x.item() if hasattr(x, "dtype") else x for x in inputs])
        if row is None:
            raise trace_error("arrays")
        return row(*inputs)

    @staticmethod
    def _apply(op: Op, operands: tuple) -> Any:
        """Return the result of `op` on traced numbers and plain ones: `adjoint.exp(x)`."""
        if any(map(is_array, operands)):
            raise trace_error("arrays")
        tape = next(x for x in operands if is_traced(x)).tape
        entries = [float_entry(tape, number_or_traced(x, op.name)) for x in op.complete(operands)]
        if op.is_row:
            return tape.number(tape.record(row_op(op), *entries))
        return read_rule(op, op.forward, "its forward expression", [tape.number(entry) for entry in entries])


def float_entry(tape: "Tape", x: object) -> int:
    """Return the entry of a number as a float, as a Value holds it: an int or bool is converted."""
    if isinstance(x, Operand):
        return tape.data_entry(x)
    entry = tape.entry(x)
    return entry if tape.kind(entry) == _FLOAT else tape.record(_OP["*"], entry, tape.entry(1.0))


def read_rule(op: Op, rule: Callable, reading: str, operands: list) -> Any:
    """Evaluate a user's rule with traced numbers: the functions of `ops` record what it computes."""
    known = [x if is_traced(x) else IEEEFloat(x) for x in operands]
    try:
        return number_or_traced(rule(ops, *known), "the result")
    except (MemoryError, TraceError):
        raise
    except Exception as error:
        raise_interruption(error)
        raise rule_error(op, reading, operands, error) from error
