"""Expressions typed by users, such as `tanh(a*b + c)`: parsed and computed with Values, never executed as Python.

An expression consists of names, numbers, `+ - * / // % **` and the functions of `ops.py`. An error marks the
position with a caret.
"""

import ast
import math
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from adjoint.engine import ops
from adjoint.engine.mathematics.symbols import Symbol
from adjoint.engine.value import Value
from adjoint.errors import ExpressionError
from adjoint.errors.suggest import nearest

MOST_CHARACTERS, MOST_NODES, MOST_DEPTH, MOST_NAMES = 500, 200, 40, 26
CONSTANTS = {"pi": math.pi}
_BINARY = {ast.Add: ops.add, ast.Sub: ops.sub, ast.Mult: ops.mul, ast.Div: ops.div, ast.Pow: ops.pow,
           ast.Mod: ops.remainder, ast.FloorDiv: ops.floor_divide}  # fmt: skip
# Rows whose name is not a word are written as operators.
FUNCTIONS = {name: rule for name, rule in ops.TABLE.items() if rule.name.isidentifier() and name != "neg"}
_SIGNS = {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "π": "pi", "√": "sqrt(…)", "²": "**2", "³": "**3"}
_INSTEAD = {ast.BitXor: "** (a power)", ast.MatMult: "*"}


class Expression:
    """A parsed expression: its names in the order of their first use, and its value for given numbers.

    >>> expression = Expression("tanh(a*b + c)")
    >>> expression.names
    ['a', 'b', 'c']
    >>> expression.value({"a": 2.0, "b": -3.0, "c": 10.0}).data
    0.999329299739067
    """

    def __init__(self, text: str):
        if not isinstance(text, str) or not text.strip():
            raise ExpressionError("the expression is empty; type one such as tanh(a*b + c)")
        self.text = text = " ".join(text.splitlines())
        self.names: list[str] = []
        if len(text) > MOST_CHARACTERS:
            raise ExpressionError(f"the expression has {len(text)} characters; the limit is {MOST_CHARACTERS}")
        self._lead = 0
        self._check_characters()
        self._lead = len(text) - len(text.lstrip())
        self._body = self._parse()
        self._count = 0
        self._check(self._body, 1)

    def value(self, numbers: Mapping[str, Any]) -> Value:
        """Return the expression as a Value, given a number or a Value for each name."""
        missing = [name for name in self.names if name not in numbers]
        if missing:
            each = " ".join(f"{name}=1" for name in missing)
            without, one = ("has", "one") if len(missing) == 1 else ("have", "each one")
            raise ExpressionError(f"{', '.join(missing)} {without} no value; give {one}, such as {each}")
        values = {
            name: x if isinstance(x, Value) else Value(x, label=name)
            for name, x in ((name, numbers[name]) for name in self.names)
        }
        computed = self._compute(self._body, values)
        return computed if isinstance(computed, Value) else Value(computed)

    def symbol(self) -> Symbol | float:
        """Return the expression as a symbol or a number, which can be printed as mathematics.

        >>> from adjoint.engine.mathematics.printing import as_mathematics
        >>> as_mathematics(Expression("(a*b + c)**2").symbol())
        '(a·b + c)^2'
        """
        return self._compute(self._body, {name: Symbol(name) for name in self.names})

    def _parse(self) -> ast.expr:
        try:
            return ast.parse(self.text.strip(), mode="eval").body
        except SyntaxError as error:
            column = (error.offset or 1) - 1
            if "never closed" in (error.msg or ""):
                raise self._error(column, "this parenthesis is never closed") from None
            raise self._error(min(column, len(self.text.strip())), "syntax error") from None
        except (ValueError, RecursionError, MemoryError):
            raise self._error(0, "syntax error") from None

    def _error(self, at: "ast.expr | int", message: str) -> ExpressionError:
        column = (at if isinstance(at, int) else at.col_offset) + self._lead
        shown = "".join(c if c.isprintable() else "�" for c in self.text)  # no control characters of a terminal
        return ExpressionError(f"{message}\n  {shown}\n  {' ' * column}^")

    # --- checks ---

    def _check_characters(self) -> None:
        """Raise an error at a character that is not ASCII: letters that look alike would be different names."""
        for column, c in enumerate(self.text):
            if not " " <= c <= "~" and c != "\t":
                named = (
                    f"{c} ({unicodedata.name(c)})" if c.isprintable() and unicodedata.name(c, "") else f"U+{ord(c):04X}"
                )
                instead = f"write {_SIGNS[c]}" if c in _SIGNS else "names consist of the letters a to z, digits and _"
                raise self._error(column, f"{named} is not supported; {instead}")

    def _check(self, node: ast.expr, depth: int) -> None:
        self._count += 1
        if self._count > MOST_NODES:
            raise self._error(node, f"the expression has more than {MOST_NODES} parts")
        if depth > MOST_DEPTH:
            raise self._error(node, f"the expression is nested more than {MOST_DEPTH} deep")
        if isinstance(node, ast.Constant):
            self._check_number(node)
        elif isinstance(node, ast.Name):
            self._check_name(node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            self._check(node.operand, depth + 1)
        elif isinstance(node, ast.BinOp):
            if type(node.op) not in _BINARY:
                instead = _INSTEAD.get(type(node.op), "+ - * / // % **")
                raise self._error(node.right, f"this operator is not supported; use {instead}")
            self._check(node.left, depth + 1)
            self._check(node.right, depth + 1)
        elif isinstance(node, ast.Call):
            self._check_call(node, depth)
        else:
            raise self._error(node, "only names, numbers, + - * / // % ** and functions such as tanh are supported")

    def _check_number(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
            raise self._error(node, f"{node.value!r} is not a number")
        try:
            float(node.value)
        except OverflowError:
            raise self._error(node, "this number is too large") from None

    def _check_name(self, node: ast.Name) -> None:
        if node.id in FUNCTIONS:
            raise self._error(node, f"{node.id} is a function; write {node.id}(…)")
        if node.id not in self.names and node.id not in CONSTANTS:
            if len(self.names) == MOST_NAMES:
                raise self._error(node, f"the expression has more than {MOST_NAMES} names")
            self.names.append(node.id)

    def _check_call(self, node: ast.Call, depth: int) -> None:
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            near = nearest(name, FUNCTIONS)
            hint = f"did you mean {near}?" if near else f"the functions are {', '.join(FUNCTIONS)}"
            raise self._error(
                node, f"unknown function {name}; {hint}" if name else "a function must be called by its name"
            )
        row, name = FUNCTIONS[node.func.id], node.func.id
        most, least = len(row.operands), len(row.operands) - len(row.defaults)
        if node.keywords or not least <= len(node.args) <= most:
            takes = f"{most} operand{'s' * (most > 1)}" if least == most else f"{least} or {most} operands"
            raise self._error(node, f"{name} takes {takes}, not {len(node.args) + len(node.keywords)}")
        for argument in node.args:
            self._check(argument, depth + 1)

    # --- evaluation ---

    def _compute(self, node: ast.expr, values: Mapping[str, Any]) -> Any:
        if isinstance(node, ast.Constant):
            return float(node.value)  # pyright: ignore[reportArgumentType]
        if isinstance(node, ast.Name):
            return values[node.id] if node.id in self.names else CONSTANTS[node.id]
        if isinstance(node, ast.UnaryOp):
            inside = self._compute(node.operand, values)
            return -inside if isinstance(node.op, ast.USub) else inside
        if isinstance(node, ast.BinOp):
            rule: Callable = _BINARY[type(node.op)]
            return rule(self._compute(node.left, values), self._compute(node.right, values))
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        return FUNCTIONS[node.func.id](*[self._compute(argument, values) for argument in node.args])
