"""Random expressions over single numbers, as Python: Values, floats, ints and conditions.

An expression uses the names of a scope. Under `jit` the arguments of the step, and what is computed from them, are
numbers that are not known yet. So floats appear here only in operations that `jit` records: arithmetic, the functions
of adjoint, `adjoint.where`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from random_programs.choices import Choices

from adjoint.engine import ops

UNARY = [name for name, row in ops.TABLE.items() if len(row.operands) - len(row.defaults) == 1]
BINARY = [name for name, row in ops.TABLE.items() if len(row.operands) == 2]
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "remainder": "%", "floor_divide": "//"}
SPECIAL = ("0.0", "-0.0", "1.0", "-1.0", "inf", "-inf", "nan", "1e300", "1e-310", "3.0", "-6.0")

# Operands that keep a row inside of its domain, and its results small.
INSIDE = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "log1p"), "(abs({}) + 0.25)"),
    **dict.fromkeys(("asin", "acos", "atanh"), "({} * 0.25).tanh()"),
    **dict.fromkeys(("exp", "exp2", "expm1", "sinh", "cosh", "square"), "{}.tanh()"),
    "acosh": "(abs({}) + 1.25)",
    "tan": "{}.sin()",
    "cbrt": "({} + 0.1)",
}
DIVISORS = ("div", "remainder", "floor_divide", "fmod", "celu")


@dataclass(frozen=True)
class Scope:
    """The names that an expression can use, by kind."""

    values: tuple[str, ...] = ()
    floats: tuple[str, ...] = ()
    ints: tuple[str, ...] = ()
    value_lists: tuple[str, ...] = ()
    float_lists: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()  # lists of lists of floats
    functions: tuple[str, ...] = ()  # of one Value or float

    def with_names(self, **names: tuple[str, ...] | str) -> Scope:
        added = {kind: (x,) if isinstance(x, str) else x for kind, x in names.items()}
        return replace(self, **{kind: (*getattr(self, kind), *x) for kind, x in added.items()})


@dataclass
class Expressions(Choices):
    """Draws expressions."""

    seed: int | str
    special: bool = False  # draw zeros, infinities and NaN too
    conditions: bool = True
    wheres: int = field(default=0, init=False)  # conditions drawn so far
    names: int = field(default=0, init=False)

    def __post_init__(self):
        super().__init__(self.seed)

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def literal(self) -> str:
        if self.special and self.chance(0.15):
            return self.one_of(*SPECIAL)
        return self.one_of("2", "3", "0.5") if self.chance(0.2) else repr(self.float())

    def weighted(self, choices: dict) -> str:
        return self.random.choices(list(choices), list(choices.values()))[0]

    # --- Values ---

    def value(self, scope: Scope, depth: int) -> str:
        if depth <= 0 or self.chance(0.1):
            return self.one_of(*scope.values)
        kinds = {"unary": 4, "binary": 5, "power": 1, "dot": 2, "detach": 0.4, "leaf": 0.4, "own": 0.6}
        kinds |= {"where": 0.7 * self.conditions, "function": 0.5 * bool(scope.functions)}
        kind = self.weighted(kinds)
        if kind == "unary":
            return self.unary(self.one_of(*UNARY), self.value(scope, depth - 1))
        if kind == "binary":
            return self.binary(self.one_of(*BINARY, "add", "sub", "mul", "mul", "add", "div"), scope, depth)
        if kind == "power":
            first, power = self.value(scope, depth - 1), self.one_of("2", "3", "2.0", "0", "1", "-1", "0.5", "-0.5")
            if power in ("-1", "0.5", "-0.5") and not (self.special and self.chance(0.3)):
                first = f"abs({first}) + 0.25"
            return f"(({first}) ** {power})"
        if kind == "dot":
            return self.dot(scope)
        if kind == "where":
            first, second = self.value(scope, 0), self.value(scope, depth - 1)
            if self.chance(0.3):  # of a Value and a float; run eagerly, the result is either
                chosen = f"adjoint.where({self.condition(scope, 1)}, {first}, {self.float_(scope, 0)})"
                return self.one_of(f"({chosen} + {second})", f"({second} * {chosen})")
            if self.chance(0.5):
                first, second = second, first
            return f"adjoint.where({self.condition(scope, 1)}, {first}, {second})"
        if kind == "detach":
            return f"({self.value(scope, depth - 1)}).detach()"
        if kind == "leaf":
            return f"Value({self.float_(scope, 1)})"
        if kind == "function":
            return f"{self.one_of(*scope.functions)}({self.value(scope, depth - 1)})"
        first = self.value(scope, depth - 1)
        return self.one_of(f"cube({first}.tanh())", f"ramp({first}, {self.float_(scope, 0)})", f"doubled({first})")

    def unary(self, row: str, operand: str) -> str:
        if row in INSIDE and not (self.special and self.chance(0.3)):
            operand = INSIDE[row].format(operand)
        if row == "neg":
            return f"(-{operand})"
        if row == "abs":
            return f"abs({operand})"
        return self.one_of(f"{operand}.{row}()", f"ops.{row}({operand})", f"adjoint.{row}({operand})")

    def binary(self, row: str, scope: Scope, depth: int) -> str:
        first = self.value(scope, depth - 1)
        second = self.one_of(self.value(scope, depth - 1), self.value(scope, 0), self.float_(scope, 1), self.literal())
        if self.chance(0.3):
            first, second = second, first
        if row in DIVISORS and not (self.special and self.chance(0.3)):
            second = f"(abs({second}) + 0.5)"
        if row == "pow" and not (self.special and self.chance(0.3)):
            first, second = f"(abs({first}) + 0.25)", f"ops.tanh({second})"
        if row in OPERATORS and self.chance(0.9):
            return f"({first} {OPERATORS[row]} {second})"
        return f"{self.one_of('ops', 'adjoint')}.{row}({first}, {second})"

    def dot(self, scope: Scope) -> str:
        first = self.one_of(*scope.value_lists)
        second = self.one_of(*scope.value_lists, *scope.float_lists, *scope.float_lists)
        if self.chance(0.3):
            first, second = second, first
        start = self.one_of("", "", f", {self.value(scope, 0)}", f", {self.literal()}")
        w, x = self.fresh("w"), self.fresh("x")
        term = self.one_of(f"{w} * {x}", f"{w} * {x}", f"{x} * {w}", f"({w} - {x}) ** 2", f"({w} * {x}).tanh()")
        total = f"sum(map(mul, {first}, {second}){start})"
        spelled = f"sum(({term} for {w}, {x} in zip({first}, {second})){start})"
        return self.one_of(total, spelled)

    # --- plain numbers ---

    def float_(self, scope: Scope, depth: int) -> str:
        if depth <= 0 or self.chance(0.2):
            if scope.floats and self.chance(0.8):
                return self.one_of(*scope.floats)
            return self.literal()
        where, ints = 0.5 * self.conditions, 0.7 * bool(scope.ints)
        kind = self.weighted({"arithmetic": 4, "row": 1, "where": where, "data": 1, "int": ints})
        first, second = self.float_(scope, depth - 1), self.float_(scope, depth - 1)
        if kind == "arithmetic":
            quotient = f"({first} / (abs({second}) + 0.5))"
            rest = f"({first} {self.one_of('%', '//')} {self.one_of('1.5', '0.75', '-2.5')})"
            return self.one_of(*(f"({first} {sign} {second})" for sign in "+-*"), quotient, rest, f"(-{first})",
                               f"abs({first})", f"(({first}) ** 2)")  # fmt: skip
        if kind == "row":
            row = self.one_of("exp", "tanh", "sin", "sigmoid", "sqrt", "erf", "floor", "sign", "maximum", "atan2")
            operands = f"{first}, {second}" if row in ("maximum", "atan2") else first
            operands = f"abs({first})" if row == "sqrt" else operands
            return f"{self.one_of('ops', 'adjoint')}.{row}({operands})"
        if kind == "where":
            return f"adjoint.where({self.condition(scope, 1)}, {first}, {second})"
        if kind == "data":
            return f"{self.one_of(*scope.values)}.data"
        return self.int_(scope, depth - 1)

    def int_(self, scope: Scope, depth: int) -> str:
        first = self.one_of(*scope.ints)
        if depth <= 0:
            return first
        first = self.int_(scope, depth - 1)
        return self.one_of(f"({first} + 1)", f"({first} * 2)", f"({first} // 2)", f"({first} % 3)", f"(-{first})",
                           f"abs({first})", f"(({first}) ** 2)", f"({first} / 4)")  # fmt: skip

    def condition(self, scope: Scope, depth: int) -> str:
        self.wheres += 1
        if depth > 0 and self.chance(0.2):
            return f"({self.condition(scope, 0)} {self.one_of('&', '|')} {self.condition(scope, 0)})"
        first = self.one_of(self.value(scope, 0), self.float_(scope, 0))
        second = self.one_of(self.value(scope, 0), self.float_(scope, 0), self.literal())
        return f"({first} {self.one_of('<', '>', '<=', '>=')} {second})"
