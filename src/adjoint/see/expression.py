"""Expressions typed by users, such as `tanh(a*b + c)`: parsed and computed with Values, never executed as Python.

A text has one or more statements, separated by `;` or line ends: `d = a*b; e = d + c; L = e*f`. The last one is the
result and may be an expression without a name. An expression consists of names, numbers, `+ - * / // % **` and the
functions of `ops.py`. An error marks the position with a caret.
"""

import ast
import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from adjoint.engine import ops
from adjoint.engine.mathematics.symbols import Symbol
from adjoint.engine.value import Value
from adjoint.errors import ExpressionError
from adjoint.errors.suggest import nearest

MOST_CHARACTERS, MOST_NODES, MOST_DEPTH, MOST_NAMES = 1000, 200, 40, 26
CONSTANTS = {"pi": math.pi}
_BINARY = {ast.Add: ops.add, ast.Sub: ops.sub, ast.Mult: ops.mul, ast.Div: ops.div, ast.Pow: ops.pow,
           ast.Mod: ops.remainder, ast.FloorDiv: ops.floor_divide}  # fmt: skip
# Rows whose name is not a word are written as operators.
FUNCTIONS = {name: rule for name, rule in ops.TABLE.items() if rule.name.isidentifier() and name != "neg"}
_SIGNS = {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "π": "pi", "√": "sqrt(…)", "²": "**2", "³": "**3"}
_NO_OPERATOR = re.compile(r"\b\d+[A-Za-z_(]|[\w)][ \t]+[\w(]")  # 2x, 2(x + 1), a b
_INSTEAD = {ast.BitXor: "** (a power)", ast.MatMult: "*"}


@dataclass(frozen=True)
class Statement:
    """A computed statement: `d = a*b`, or a last expression without a name, whose `name` is empty.

    >>> from adjoint.see import Expression
    >>> [(statement.name, statement.text) for statement in Expression("d = a*b; d + 1").statements]
    [('d', 'd = a*b'), ('', 'd + 1')]
    """

    name: str
    formula: ast.expr
    uses: frozenset[str]
    text: str

    @property
    def alias(self) -> str | None:
        """The name that this statement repeats, as `L = d` does."""
        formula = self.formula
        while isinstance(formula, ast.UnaryOp) and isinstance(formula.op, ast.UAdd):
            formula = formula.operand
        return formula.id if isinstance(formula, ast.Name) and formula.id in self.uses else None


class Expression:
    """A parsed text: its inputs in the order of their first use, and its value for given numbers.

    A name that no statement assigns is an input. A statement without names on its right side, such as `a = 2`, gives an
    input its number. Every other statement computes a Value and labels it with its name.

    >>> from adjoint.see import Expression
    >>> expression = Expression("tanh(a*b + c)")
    >>> expression.names
    ['a', 'b', 'c']
    >>> round(expression.value({"a": 2.0, "b": -3.0, "c": 10.0}).data, 6)
    0.999329
    >>> expression = Expression("a = 2; d = a*b; L = d + a")
    >>> expression.names, expression.given
    (['a', 'b'], {'a': 2.0})
    >>> L = expression.value({"b": -3.0})
    >>> L.label, L.data, L.parents[0].label
    ('L', -4.0, 'd')
    """

    def __init__(self, text: str):
        if not isinstance(text, str) or not text.strip():
            raise _empty()
        if len(text) > MOST_CHARACTERS:
            raise ExpressionError(f"the expression has {len(text)} characters; the limit is {MOST_CHARACTERS}")
        self._lines = re.split(r"\r\n?|\n", text)
        self.text = "\n".join(self._lines)
        self.names: list[str] = []
        self.given: dict[str, float] = {}
        self.statements: list[Statement] = []
        self.result = ""
        self._count = 0
        self._used: set[str] = set()
        self._check_characters()
        body = self._parse()
        if not body:
            raise _empty()
        self._later = {
            target.id: _names_in(node.value)
            for node in body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self._assigned: set[str] = set()
        self._target = ""
        for node in body:
            self._read(node, node is body[-1])
        #: The whole text on one line, without comments.
        self.title = "; ".join(self._source(node) for node in body)

    def value(self, numbers: Mapping[str, Any]) -> Value:
        """Return the result as a Value, given a number or a Value for each input that has none in the text."""
        return self.values(numbers)[self.result]

    def values(self, numbers: Mapping[str, Any]) -> dict[str, Value]:
        """Return every input and every statement as a Value; a last expression without a name has the key "".

        >>> {name: x.data for name, x in Expression("d = a*b; d + 1").values({"a": 2.0, "b": 3.0}).items()}
        {'a': 2.0, 'b': 3.0, 'd': 6.0, '': 7.0}
        """
        known = {**self.given, **numbers}
        missing = [name for name in self.names if name not in known]
        if missing:
            each = " ".join(f"{name}=1" for name in missing)
            without, one = ("has", "one") if len(missing) == 1 else ("have", "each one")
            raise ExpressionError(f"{', '.join(missing)} {without} no value; give {one}, such as {each}")
        values = {
            name: x if isinstance(x, Value) else Value(x, label=name)
            for name, x in ((name, known[name]) for name in self.names)
        }
        for statement in self.statements:
            computed = self._compute(statement.formula, values)
            value = computed if isinstance(computed, Value) else Value(computed)
            if statement.name and not statement.alias:
                value.label = statement.name
            values[statement.name] = value
        return values

    def symbol(self) -> Symbol | float:
        """Return the last statement as a symbol or a number, which can be printed as mathematics.

        >>> from adjoint.engine.mathematics.printing import as_mathematics
        >>> as_mathematics(Expression("(a*b + c)**2").symbol())
        '(a·b + c)^2'
        """
        if self.result in self.names:
            return Symbol(self.result)
        last = self.statements[-1]
        return self._compute(last.formula, {name: Symbol(name) for name in last.uses})

    @property
    def used(self) -> set[str]:
        """The names of the inputs and statements that the result depends on, including its own.

        >>> sorted(Expression("d = a*b; e = c + 1; L = d*f").used)
        ['L', 'a', 'b', 'd', 'f']
        """
        used = {self.result}
        for statement in reversed(self.statements):  # each uses only names of earlier statements
            if statement.name in used:
                used |= statement.uses
        return used

    @property
    def notes(self) -> list[str]:
        """Sentences about statements that the graph of the result does not show as nodes of their own.

        >>> Expression("d = a*b; e = d + c; L = d").notes
        ['L is another name for d.', 'L does not use e; the graph does not show it.']
        """
        used, result = self.used, self.result or "the result"
        aliases = [(x.name, x.alias) for x in self.statements if x.alias and x.name and x.name in used]
        notes = [f"{name} is another name for {other}." for name, other in aliases]
        unused = [name for name in (*self.given, *(x.name for x in self.statements)) if name not in used]
        if unused:
            names = " and ".join(filter(None, [", ".join(unused[:-1]), unused[-1]]))
            notes.append(
                f"{result} does not use {names}; the graph does not show {'it' if len(unused) == 1 else 'them'}."
            )
        return [note[0].upper() + note[1:] if note.startswith("the ") else note for note in notes]

    # --- parsing ---

    def _parse(self) -> list[ast.stmt]:
        self._leads = [len(line) - len(line.lstrip()) for line in self._lines]
        try:
            return ast.parse("\n".join(line.lstrip() for line in self._lines)).body
        except SyntaxError as error:
            place = (error.lineno or 1, (error.offset or 1) - 1)
            if "never closed" in (error.msg or ""):
                raise self._error(place, "this parenthesis is never closed") from None
            if _NO_OPERATOR.search(self.text):
                raise self._error(place, "syntax error; is an operator missing, as in 2*x?") from None
            raise self._error(place, "syntax error") from None
        except (ValueError, RecursionError, MemoryError):
            raise self._error((1, 0), "syntax error") from None

    def _error(self, at: "ast.expr | ast.stmt | tuple[int, int]", message: str) -> ExpressionError:
        """Return an error that shows the line of a node, or of a line number and a column after its indentation."""
        line, column = at if isinstance(at, tuple) else (at.lineno, at.col_offset)
        line = min(line, len(self._lines))
        text = self._lines[line - 1]
        column = min(column + self._leads[line - 1], len(text.rstrip()))
        shown = "".join(c if c.isprintable() else "�" for c in text)  # no control characters of a terminal
        where = f"line {line}: " if len(self._lines) > 1 else ""
        return ExpressionError(f"{where}{message}\n  {shown}\n  {' ' * column}^")

    def _source(self, node: ast.stmt) -> str:
        """Return the text of a statement on one line."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        parts = [line.lstrip() for line in self._lines[first : last + 1]]
        parts[-1] = parts[-1][: node.end_col_offset]
        parts[0] = parts[0][node.col_offset :]
        return " ".join(part.split("#")[0].strip() for part in parts).strip()

    def _read(self, node: ast.stmt, is_last: bool) -> None:
        """Check a statement and keep it."""
        self._used = set()
        self.result = ""
        if isinstance(node, ast.Assign):
            target = self._check_target(node)
            self.result = target.id
            self._check(node.value, 1)
            self._assigned.add(target.id)
            if self._used:
                self._keep(target.id, node, node.value)
            else:
                self._add_input(target)
                self.given[target.id] = float(self._compute(node.value, {}))
        elif isinstance(node, ast.Expr):
            if not is_last and not isinstance(node.value, ast.Compare):
                raise self._error(node, "this statement has no name; write name = … (only the last may have none)")
            self._check(node.value, 1)
            self._keep("", node, node.value)
        else:
            raise self._error(node, "only statements such as d = a*b are supported")

    def _keep(self, name: str, node: ast.stmt, formula: ast.expr) -> None:
        self.statements.append(Statement(name, formula, frozenset(self._used), self._source(node)))

    # --- checks ---

    def _check_target(self, node: ast.Assign) -> ast.Name:
        target = node.targets[0]
        if len(node.targets) > 1:
            raise self._error(node.targets[1], "a statement assigns one name; use two statements")
        if not isinstance(target, ast.Name):
            raise self._error(target, "only a name can be assigned, as in d = a*b")
        if target.id in FUNCTIONS or target.id in CONSTANTS:
            kind = "function" if target.id in FUNCTIONS else "constant"
            raise self._error(target, f"{target.id} is a {kind}; choose another name")
        if target.id in self._assigned:
            raise self._error(target, f"{target.id} is assigned twice; use another name")
        self._target = target.id
        return target

    def _check_characters(self) -> None:
        """Raise an error at a character that is not ASCII: letters that look alike would be different names."""
        self._leads = [0] * len(self._lines)
        for number, line in enumerate(self._lines, 1):
            for column, c in enumerate(line):
                if not " " <= c <= "~" and c != "\t":
                    known = c.isprintable() and unicodedata.name(c, "")
                    named = f"{c} ({known})" if known else f"U+{ord(c):04X}"
                    instead = (
                        f"write {_SIGNS[c]}" if c in _SIGNS else "names consist of the letters a to z, digits and _"
                    )
                    raise self._error((number, column), f"{named} is not supported; {instead}")

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
        elif isinstance(node, ast.Compare):
            raise self._error(node, "comparisons are not supported; write = to name a value, as in d = a*b")
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
        if node.id in CONSTANTS:
            return
        self._used.add(node.id)
        if node.id in self._assigned:
            return
        if node.id in self._later:
            cycle = self._cycle(node.id)
            if cycle:
                raise self._error(node, f"{self._target} depends on itself: {' → '.join(cycle)}")
            raise self._error(node, f"{node.id} is used before it is assigned; move its statement up")
        self._add_input(node)

    def _cycle(self, name: str) -> list[str]:
        """Return the names from the current statement through `name` back to it; nothing if there is no such way."""
        ways, seen = [[self._target, name]], set()
        while ways:
            way = ways.pop()
            if way[-1] == self._target:
                return way
            if way[-1] not in seen:
                seen.add(way[-1])
                ways += [[*way, other] for other in self._later.get(way[-1], ())]
        return []

    def _add_input(self, node: ast.Name) -> None:
        if node.id not in self.names:
            if len(self.names) == MOST_NAMES:
                raise self._error(node, f"the expression has more than {MOST_NAMES} names")
            self.names.append(node.id)

    def _check_call(self, node: ast.Call, depth: int) -> None:
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            raise self._error(node, self._unknown_function(node.func))
        row, name = FUNCTIONS[node.func.id], node.func.id
        most, least = len(row.operands), len(row.operands) - len(row.defaults)
        if node.keywords or not least <= len(node.args) <= most:
            takes = f"{most} operand{'s' * (most > 1)}" if least == most else f"{least} or {most} operands"
            raise self._error(node, f"{name} takes {takes}, not {len(node.args) + len(node.keywords)}")
        for argument in node.args:
            self._check(argument, depth + 1)

    def _unknown_function(self, function: ast.expr) -> str:
        if isinstance(function, ast.Attribute) and function.attr in FUNCTIONS:
            return f"a function must be called by its name; write {function.attr}(…)"
        if not isinstance(function, ast.Name):
            return "a function must be called by its name"
        if function.id == "Value":
            return "write the number itself, as in a = 2"
        near = nearest(function.id, FUNCTIONS)
        hint = f"did you mean {near}?" if near else f"the functions are {', '.join(FUNCTIONS)}"
        return f"unknown function {function.id}; {hint}"

    # --- evaluation ---

    def _compute(self, node: ast.expr, values: Mapping[str, Any]) -> Any:
        if isinstance(node, ast.Constant):
            return float(node.value)  # pyright: ignore[reportArgumentType]
        if isinstance(node, ast.Name):
            return CONSTANTS[node.id] if node.id in CONSTANTS else values[node.id]
        if isinstance(node, ast.UnaryOp):
            inside = self._compute(node.operand, values)
            return -inside if isinstance(node.op, ast.USub) else inside
        if isinstance(node, ast.BinOp):
            rule: Callable = _BINARY[type(node.op)]
            return rule(self._compute(node.left, values), self._compute(node.right, values))
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        return FUNCTIONS[node.func.id](*[self._compute(argument, values) for argument in node.args])


def _empty() -> ExpressionError:
    return ExpressionError("the expression is empty; type one such as tanh(a*b + c), or d = a*b; L = d + c")


def _names_in(node: ast.AST) -> set[str]:
    return {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}
