"""A rule: an operation as a forward expression and its partial derivatives, and how to evaluate it with floats.

The rules themselves are the table in `ops.py`; `adjoint.op` creates further ones.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload
from zlib import crc32

from adjoint import errors
from adjoint.engine import late
from adjoint.engine.mathematics import floats
from adjoint.errors.given import Operand, describe, is_array, is_traced, number
from adjoint.errors.interruptions import raise_interruption

if TYPE_CHECKING:
    from inspect import Signature

    from adjoint.engine.array_methods import Number
    from adjoint.engine.mathematics.protocol import Array, Mathematics, Rule
    from adjoint.engine.value import Value

V = TypeVar("V", bound="Value")
A = TypeVar("A", bound="Array")


class _OwnDoc:
    """The documentation of the class `Op`, and of each row of the table its own."""

    def __init__(self, doc: str | None):
        self._doc = doc

    def __get__(self, op: "Op | None", owner: type | None = None) -> str | None:
        if op is None or not op.is_row:
            return self._doc
        return late.row_doc(op)


class _OwnSignature:
    """The operands of each operation as the parameters of its function, for `inspect.signature` and editors."""

    def __get__(self, op: "Op | None", owner: type | None = None) -> "Signature":
        if op is None:
            raise AttributeError("the class has the signature of its constructor")
        from inspect import Parameter, Signature

        required = len(op.operands) - len(op.defaults)
        defaults = [*[Parameter.empty] * required, *op.defaults]
        return Signature([Parameter(x, Parameter.POSITIONAL_ONLY, default=d) for x, d in zip(op.operands, defaults)])


class Op:
    """One operation: its name, how to compute it, its partial derivatives. Call it to apply it.

    >>> from adjoint import Value, ops
    >>> ops.mul
    y = x·z    ∂y/∂x = z    ∂y/∂z = x
    >>> ops.mul(2.0, 3.0), ops.mul(Value(2.0), 3.0).data
    (6.0, 6.0)
    """

    if not TYPE_CHECKING:
        __doc__, __signature__ = _OwnDoc(__doc__), _OwnSignature()  # `help` shows those of each row
    __slots__ = (
        "__weakref__",
        "array_readers",
        "defaults",
        "forward",
        "is_row",
        "name",
        "operands",
        "partials",
        "readers",
    )

    def __init__(self, name: str, forward: "Rule", partials: tuple["Rule", ...], is_row: bool = False):
        if not isinstance(name, str) or not name:
            raise errors.OpError(f"op needs a name, such as 'softsign', not {describe(name)}")
        self.name, self.forward, self.partials = name, forward, partials
        self.operands = _parameters(forward)[1:]
        self.defaults = getattr(forward, "__defaults__", None) or ()
        self.is_row = is_row  # of the table in ops.py: a pure expression, which can be evaluated with symbols
        self.readers: dict[tuple[type, ...], Callable] = {}  # compiled by operands.py, by types
        self.array_readers: dict[tuple, tuple[Callable, Callable]] = {}  # the same for arrays, by kernels.py
        _require_whole(self)

    @overload
    def __call__(self, x: V, /, *others: "Number") -> V: ...
    @overload
    def __call__(self, x: "Number", z: V, /) -> V: ...
    @overload
    def __call__(self, x: float, /, *others: float) -> float: ...
    @overload
    def __call__(self, x: A, /, *others: Any) -> A: ...
    def __call__(self, *operands: Any) -> Any:
        """Apply to Values, giving a Value, or to plain numbers or arrays, giving a float or an array.

        NumPy's float32 numbers give one of them, as in NumPy.
        """
        for operand in operands:
            if isinstance(operand, Operand):  # a Value or a symbol
                return operand._apply(self, operands)
        for operand in operands:
            if is_traced(operand):
                return operand._apply(self, operands)
        if any(map(is_array, operands)):
            return late.compute(self, self.complete(operands))
        y = evaluate(self, [number(x, self.name) for x in self.complete(operands)], ())[0]
        return late.number_like(y, operands) if any(hasattr(x, "dtype") for x in operands) else y

    def complete(self, operands: Sequence) -> Sequence:
        """Return `operands` and the defaults of those left out; raise if there are too few or too many."""
        missing = len(self.operands) - len(operands)
        if not missing:
            return operands
        if not 0 < missing <= len(self.defaults):
            count, takes = len(self.operands), ", ".join(self.operands)
            plural = "s" if count > 1 else ""
            raise errors.OperandError(f"{self.name} takes {count} operand{plural} ({takes}), not {len(operands)}")
        return (*operands, *self.defaults[-missing:])

    def __repr__(self) -> str:
        try:
            return late.rule_as_text(self)
        except Exception:  # a rule that is not an expression over m
            return format_application(self.name, self.operands)

    def __reduce__(self):
        return late.copying().reduce_op(self)

    def __copy__(self) -> "Op":
        return self

    def __deepcopy__(self, memo) -> "Op":
        return self


def op(name: str, forward: "Rule", *partials: "Rule") -> Op:
    """Create an operation from a forward expression and one partial derivative for each operand.

    >>> from adjoint import op
    >>> cube = op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    >>> cube(2)
    8.0
    >>> cube
    y = cube(x) = x²·x    ∂y/∂x = 3·x·x
    """
    return Op(name, forward, partials)


def row(name: str, forward: "Rule", *partials: "Rule") -> Op:
    """Create an operation of the table in `ops.py`: all of its functions are expressions, without `if` or loops."""
    return Op(name, forward, partials, is_row=True)


def fingerprint(rows: Iterable[Op]) -> int:
    """Return a checksum of the table; the native core compares it with that of the table it was built from."""
    parts = []
    for op in rows:
        codes = [function.__code__ for function in (op.forward, *op.partials)]
        parts.append((op.name, op.operands, op.defaults, [(c.co_code, c.co_consts, c.co_names) for c in codes]))
    return crc32(repr(parts).encode())


def format_application(name: str, operands: Sequence[str]) -> str:
    """Return an application as text, with operators between their operands.

    >>> format_application("*", ["a", "b"]), format_application("tanh", ["n"]), format_application("neg", ["a"])
    ('a * b', 'tanh(n)', '-a')
    """
    if len(operands) == 2 and name and not name.isidentifier():
        return f"{operands[0]} {name} {operands[1]}"
    return f"-{operands[0]}" if name == "neg" else f"{name}({', '.join(operands)})"


def evaluate(op: Op, inputs: Sequence[float], wanted: Sequence[int]) -> tuple[float, tuple]:
    """Return the result of `op` on floats, and its local derivatives for the `wanted` operands."""
    try:
        y = number(op.forward(floats, *inputs))
        return y, tuple([number(op.partials[i](floats, y, *inputs)) for i in wanted])
    except Exception as error:  # a pole, where Python's `/` raises; or a mistake in the rule
        raise_interruption(error)
        return _evaluate_at_pole(op, inputs, wanted)


def _evaluate_at_pole(op, inputs, wanted):
    m, xs = cast("Mathematics", floats.IEEEMaths()), [floats.IEEEFloat(x) for x in inputs]
    reading = "its forward expression"
    try:
        y = floats.IEEEFloat(number(op.forward(m, *xs), "the result"))
        derivatives = []
        for i in wanted:
            reading = f"its partial derivative for {op.operands[i]}"
            partial = op.partials[i](m, y, *xs)
            derivatives.append(float(number(partial, "the result")))
    except MemoryError:
        raise
    except Exception as error:
        raise_interruption(error)
        raise rule_error(op, reading, inputs, error) from error
    return float(y), tuple(derivatives)


def rule_error(op: Op, reading: str, inputs: Sequence[float], error: Exception) -> "errors.OpError":
    """Return the error for a rule that failed at `inputs`."""
    at = ", ".join(f"{name}={x!r}" for name, x in zip(op.operands, inputs))
    return errors.OpError(f"op {op.name!r}: {reading} failed at {at}: {type(error).__name__}: {error}")


def _parameters(function: Callable) -> tuple[str, ...]:
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & 0x0C:  # *args or **kwargs
        raise errors.OpError(f"the rules of an op must be functions with named parameters, not {function!r}")
    return code.co_varnames[: code.co_argcount]


def _require_whole(op: Op) -> None:
    takes = ", ".join(op.operands)
    if not op.operands:
        raise errors.OpError(f"op {op.name!r}: its forward expression must take m and at least one operand")
    if len(op.partials) != len(op.operands):
        raise errors.OpError(
            f"op {op.name!r} needs one partial derivative for each operand ({takes}): "
            f"{len(op.operands)} in all, not {len(op.partials)}"
        )
    for operand, partial in zip(op.operands, op.partials):
        if len(_parameters(partial)) != len(op.operands) + 2:
            given = ", ".join(_parameters(partial))
            raise errors.OpError(
                f"op {op.name!r}: its partial derivative for {operand} must take (m, y, {takes}), "
                f"y being the result; it takes ({given})"
            )
