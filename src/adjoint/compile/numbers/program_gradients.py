"""Gradients through a compiled function that changes nothing, to the Values that it uses.

The program also computes the derivative of each result with respect to each Value. They are the local derivatives of
one node per result, which `backward()` outside of the function uses. Derivatives of higher order evaluate the tape with
Values, one operation at a time.
"""

import operator
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from adjoint.compile.numbers.recording import TapeRecording
from adjoint.compile.numbers.replay import (
    AND,
    CONST,
    DATA,
    EQ,
    FIRST_ROW,
    GE,
    GT,
    INPUT,
    LE,
    LT,
    NE,
    NOT,
    NUMBER,
    OR,
    ROWS,
    WHERE,
)  # fmt: skip
from adjoint.engine import ops
from adjoint.engine.hooks import suspended
from adjoint.engine.rule import Op
from adjoint.engine.value import Value, make_node
from adjoint.errors import GraphError
from adjoint.errors.given import Operand

_LOGIC: dict[int, Callable] = {
    LT: operator.lt, LE: operator.le, GT: operator.gt, GE: operator.ge, EQ: ops.equal,
    NE: lambda x, z: not ops.equal(x, z), AND: lambda x, z: bool(x) and bool(z), OR: lambda x, z: bool(x) or bool(z),
    NOT: operator.not_,
}  # fmt: skip


class _Partials(tuple):
    """The partial derivatives of a result, each made when it is needed."""

    def __new__(cls, evaluate: Callable, entries: list[int]) -> "_Partials":
        made = super().__new__(cls, entries)
        made.evaluate = evaluate
        return made

    evaluate: Callable

    def __getitem__(self, i: Any) -> Any:
        wanted = super().__getitem__(i)
        return lambda m, y, *xs: self.evaluate(wanted, m, xs)


class ProgramGradients:
    """How the results of a compiled function depend on Values."""

    def __init__(self, recorder: Any):
        tape = recorder.tape
        zero = tape.entry(0.0)
        inputs = [(recorder.index[id(v)], v) for v in tape.values if id(v) not in recorder.replacements]
        inputs += [(recorder.index[i], v) for i, v in recorder.replacements.items()]
        self.outputs: list[int] = []  # the entries of the derivatives
        self._results: list[
            tuple[int, type, int, list[int], list[int]]
        ] = []  # output, class, entry, Values, derivatives
        with TapeRecording(tape), suspended():  # hooks are called by the backward pass outside
            for k, result in recorder.with_history.items():
                for _, v in inputs:
                    tape.set_grad(v, zero)
                try:
                    result.backward()
                except GraphError:  # a graph made by hand that cannot be differentiated: an error only if it is needed
                    continue
                found = [(i, tape.grad_entry(v)) for i, v in inputs]
                found = [(i, entry) for i, entry in found if entry != zero]
                entries = [entry for _, entry in found]
                self._results.append((k, type(result), tape.entry(result), [i for i, _ in found], entries))
                self.outputs += entries
        self.inputs: list[tuple[int, int]] = []  # where each comes from: a kind and an index
        self._others: dict[int, tuple] = {}  # for each result: the inputs of its operands, the other inputs, names
        self._entries, self._constants = array("i", tape.entries()), array("d", tape.constants())

    def values(
        self, derivatives: Sequence[float], data: "dict[int, float]", values: tuple, numbers: Sequence
    ) -> dict[int, Value]:
        """Return the results of a call with these Values and numbers as Values with a history."""
        made, at = {}, 0
        for k, kind, entry, parents, entries in self._results:
            if not parents:
                made[k] = make_node(kind, data[k])
                continue
            rule = self._rule(entry, parents, entries, values, numbers)
            operands = tuple([values[i] for i in parents])
            made[k] = make_node(kind, data[k], rule, operands, tuple(derivatives[at : at + len(operands)]))
            at += len(operands)
        return made

    def _rule(self, entry: int, parents: list[int], entries: list[int], values: tuple, numbers: Sequence) -> Op:
        """Return the operation from the Values to a result. Its partial derivatives can be differentiated again."""
        if entry not in self._others:
            operands = {k: i for k, (kind, i) in enumerate(self.inputs) if kind == DATA and i in parents}
            others = [(k, kind, i) for k, (kind, i) in enumerate(self.inputs) if k not in operands]
            self._others[entry] = {i: k for k, i in operands.items()}, others, tuple([f"x{i}" for i in parents])
        inputs, others, names = self._others[entry]
        constants = {
            k: numbers[i] if kind == NUMBER else values[i].data if kind == DATA else values[i].grad
            for k, kind, i in others
        }

        def evaluate(wanted: int, m: Any, xs: Sequence) -> Any:
            return self._evaluate(wanted, m, constants | {inputs[i]: x for i, x in zip(parents, xs)})

        rule = object.__new__(Op)  # not by its constructor: the number of operands varies
        rule.name, rule.operands, rule.defaults, rule.is_row = "jit", names, (), False
        rule.forward = lambda m, *xs: evaluate(entry, m, xs)
        rule.partials = _Partials(evaluate, entries)
        rule.readers, rule.array_readers = {}, {}
        return rule

    def _evaluate(self, wanted: int, m: Any, inputs: dict[int, Any]) -> Any:
        """Return an entry, computed from inputs that may be Values, floats, or whatever the rules accept."""
        entries, needed = self._entries, {wanted}
        for i in range(wanted, -1, -1):
            op = entries[4 * i]
            if i in needed and op not in (CONST, INPUT):
                needed.update(entries[4 * i + 1 : 4 * i + 4])
        found: dict[int, Any] = {-1: None}
        for i in sorted(needed - {-1}):
            op, a, b, c = entries[4 * i : 4 * i + 4]
            if op == CONST:
                found[i] = self._constants[a]
            elif op == INPUT:
                found[i] = inputs[a]
            else:
                found[i] = _apply(op, m, [x for x in (found[a], found[b], found[c]) if x is not None])
        return found[wanted]


def _apply(op: int, m: Any, xs: list) -> Any:
    if op == WHERE:
        return m.where(*xs)
    if op < FIRST_ROW:
        return _LOGIC[op](*xs)
    which, row = divmod(op - FIRST_ROW, len(ROWS))
    if which:
        return ROWS[row].partials[which - 1](m, *xs)
    return ROWS[row](*xs) if any(isinstance(x, Operand) for x in xs) else ROWS[row].forward(m, *xs)
