"""What a rule is: an operation as a forward expression and its partial derivatives, and how it is read.

The rules themselves are the table in `ops.py`; `adjoint.op` lets a user add one more.
"""

from collections.abc import Callable, Sequence
from typing import Any

from adjoint import floats
from adjoint.errors import OpError


class Op:
    """One operation: its name, how to compute it, its partial derivatives. Call it to apply it."""

    __slots__ = (
        "__weakref__",
        "all_operands",
        "defaults",
        "forward",
        "is_row",
        "name",
        "operands",
        "partials",
        "readers",
    )

    def __init__(self, name: str, forward: Callable, partials: tuple[Callable, ...]):
        self.name, self.forward, self.partials = name, forward, partials
        self.operands = _parameters(forward)[1:]
        self.defaults = getattr(forward, "__defaults__", None) or ()
        self.is_row = False  # of the table in ops.py: pure expressions, that symbols can read
        self.readers: dict[tuple[type, ...], Callable] = {}  # made by value.py, one per types of operands
        _require_whole(self)

    def __call__(self, *operands) -> Any:
        """Apply to Values, giving a Value, or to plain numbers, giving a float."""
        for operand in operands:
            if hasattr(operand, "_apply"):  # a Value or a symbol: it knows what applying means
                return operand._apply(self, operands)
        return evaluate(self, [floats.number(x, self.name) for x in self.complete(operands)], ())[0]

    def complete(self, operands: Sequence) -> Sequence:
        """Return `operands` and the defaults of those left out, or say how many it takes."""
        missing = len(self.operands) - len(operands)
        if not missing:
            return operands
        if not 0 < missing <= len(self.defaults):
            takes = ", ".join(self.operands)
            raise OpError(f"{self.name} takes ({takes}), but {len(operands)} operands were given")
        return (*operands, *self.defaults[-missing:])

    def __repr__(self) -> str:
        from adjoint.symbols import mathematics  # only for those who look

        return mathematics(self)

    def __reduce__(self):
        from adjoint.copying import reduce_op

        return reduce_op(self)

    def __deepcopy__(self, memo) -> "Op":
        return self


def op(name: str, forward: Callable, *partials: Callable) -> Op:
    """Make an operation of a forward expression and one partial derivative for each operand.

    >>> cube = op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    >>> cube(2)
    8.0
    >>> cube
    y = cube(x) = x²·x    ∂y/∂x = 3·x·x
    """
    return Op(name, forward, partials)


def written(name: str, operands: Sequence[str]) -> str:
    """Return an application as people write it.

    >>> written("*", ["a", "b"]), written("tanh", ["n"]), written("neg", ["a"])
    ('a * b', 'tanh(n)', '-a')
    """
    if len(operands) == 2 and not name.isidentifier():
        return f"{operands[0]} {name} {operands[1]}"
    return f"-{operands[0]}" if name == "neg" else f"{name}({', '.join(operands)})"


def evaluate(op: Op, inputs: Sequence[float], wanted: Sequence[int]) -> tuple[float, tuple]:
    """Return the result of `op` on floats, and its local derivatives for the `wanted` operands."""
    number = floats.number
    try:
        y = number(op.forward(floats, *inputs))
        return y, tuple([number(op.partials[i](floats, y, *inputs)) for i in wanted])
    except Exception:  # a pole, where Python's `/` raises; or a rule that is wrong
        return _evaluate_at_pole(op, inputs, wanted)


def _evaluate_at_pole(op, inputs, wanted):
    m, xs = floats.IEEEMaths(), [floats.IEEEFloat(x) for x in inputs]
    reading = "its forward expression"
    try:
        y = floats.IEEEFloat(floats.number(op.forward(m, *xs), "the result"))
        derivatives = []
        for i in wanted:
            reading = f"its partial derivative for {op.operands[i]}"
            partial = op.partials[i](m, y, *xs)
            derivatives.append(float(floats.number(partial, "the result")))
    except Exception as error:
        at = ", ".join(f"{name}={x!r}" for name, x in zip(op.operands, inputs))
        cause = f"{type(error).__name__}: {error}"
        raise OpError(f"op {op.name!r}: {reading} failed at {at}: {cause}") from error
    return float(y), tuple(derivatives)


def _parameters(function: Callable) -> tuple[str, ...]:
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & 0x0C:  # *args or **kwargs
        raise OpError(f"an op's rules are functions of named operands, not {function!r}")
    return code.co_varnames[: code.co_argcount]


def _require_whole(op: Op) -> None:
    takes = ", ".join(op.operands)
    if len(op.partials) != len(op.operands) or not op.operands:
        raise OpError(
            f"op {op.name!r} computes with ({takes}), so it needs {len(op.operands)} partial "
            f"derivatives, one for each operand after m; {len(op.partials)} were given"
        )
    for operand, partial in zip(op.operands, op.partials):
        if len(_parameters(partial)) != len(op.operands) + 2:
            given = ", ".join(_parameters(partial))
            raise OpError(
                f"op {op.name!r}: its partial derivative for {operand} must take (m, y, {takes}), "
                f"y being the result; it takes ({given})"
            )
