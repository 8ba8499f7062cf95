"""Symbols: read a rule of `ops.py` as an expression, and write it as code for the engines.

A rule is evaluated with `Symbol`s as its operands. They do not compute: each operation builds a larger expression.
`printing.py` writes the expression as mathematics; `as_code` here writes it as Python, C and JavaScript.
"""

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from adjoint import errors
from adjoint.engine.mathematics import floats
from adjoint.engine.ops import TABLE
from adjoint.engine.rule import Op, fingerprint
from adjoint.errors.given import Operand

if TYPE_CHECKING:
    from adjoint.engine.mathematics.protocol import Mathematics


class Symbol(Operand):
    """An expression: the name of an operation and its operands, or a bare name or number."""

    __slots__ = ("head", "operands")

    def __init__(self, head, *operands):
        self.head, self.operands = head, operands

    def _apply(self, op: Op, operands):
        return Symbol(op.name, *op.complete(operands))

    def __bool__(self):
        raise errors.OpError("a rule must use m.where(condition, x, z) instead of `if`, `and`, `or` and `not`")


def _operator(name: str, reflected: bool = False) -> Callable:
    if reflected:
        return lambda self, other: Symbol(name, other, self)
    return lambda self, *other: Symbol(name, self, *other)


for _method, _name in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "pow": "**",
    "mod": "%",
    "floordiv": "//",
}.items():
    setattr(Symbol, f"__{_method}__", _operator(_name))
    setattr(Symbol, f"__r{_method}__", _operator(_name, reflected=True))
for _method, _name in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "&", "neg": "neg"}.items():
    setattr(Symbol, f"__{_method}__", _operator(_name))


_OPERATOR_OF = {"pow": "**", "remainder": "%", "floor_divide": "//"}


class SymbolMaths:
    """The `m` of a rule evaluated with symbols: every function returns a symbol."""

    def __getattr__(self, name: str) -> Callable:
        return lambda *operands: Symbol(_OPERATOR_OF.get(name, name), *operands)


def read(op: Op) -> tuple[Symbol, tuple[Symbol, ...]]:
    """Return the forward expression of `op` and its partial derivatives, as symbols."""
    return _read_row(op) if op.is_row else _read(op)


def _read(op: Op) -> tuple[Symbol, tuple[Symbol, ...]]:
    m, y, xs = cast("Mathematics", SymbolMaths()), Symbol("y"), [Symbol(name) for name in op.operands]
    return op.forward(m, *xs), tuple(partial(m, y, *xs) for partial in op.partials)


_read_row = functools.cache(_read)  # the table is fixed; a user's op is not kept alive by this


def names_in(expression) -> set[str]:
    """Return the names that an expression uses: of operands, and `y` for the result."""
    if not isinstance(expression, Symbol):
        return set()
    return {expression.head} if not expression.operands else set().union(*map(names_in, expression.operands))


def functions_in(expression) -> set[str]:
    """Return the names of the operations and functions that an expression applies."""
    if not isinstance(expression, Symbol) or not expression.operands:
        return set()
    return {expression.head}.union(*map(functions_in, expression.operands))


def product(partial, g: Symbol):
    """Return a partial derivative times the gradient, with factors of one and zero simplified.

    Where a rule chooses, only the chosen side is multiplied by the gradient: an infinite gradient times a derivative
    of zero would be NaN.
    """
    if not isinstance(partial, Symbol):
        simple = {0.0: 0.0, 1.0: g, -1.0: Symbol("neg", g)}
        return simple[partial] if partial in simple else Symbol("*", g, partial)
    if partial.head == "where":
        condition, x, z = partial.operands
        x, z = product(x, g), product(z, g)
        return x if not isinstance(x, Symbol) and not isinstance(z, Symbol) else Symbol("where", condition, x, z)
    if partial.head == "neg" and partial.operands:
        return Symbol("neg", product(partial.operands[0], g))
    if partial.head == "/" and not isinstance(partial.operands[0], Symbol):
        return Symbol("/", product(partial.operands[0], g), partial.operands[1])
    return Symbol("*", partial, g)


# --- as code: Python, C and JavaScript --------------------------------------------------------------

_CODE_OPERATOR = {
    "+": "+",
    "-": "-",
    "*": "*",
    "/": "/",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "equal": "==",
}
_PYTHON = {"where": "({1} if {0} else {2})", "&": "({0} and {1})", "**": "pow({0}, {1})", "%": "remainder({0}, {1})",
           "//": "floor_divide({0}, {1})"}  # fmt: skip
_C = {"where": "({0} ? {1} : {2})", "&": "({0} && {1})", "**": "pow({0}, {1})", "abs": "fabs({0})",
      "%": "floor_modulo({0}, {1})", "copysign": "with_sign({0}, {1})", "//": "floor_divide({0}, {1})",
      "round": "nearbyint({0})"}  # fmt: skip
_JAVASCRIPT = {"where": "({0} ? {1} : {2})", "&": "({0} && {1})", "equal": "({0} === {1})", "**": "m.pow({0}, {1})",
               "%": "m.remainder({0}, {1})", "//": "m.floorDivide({0}, {1})", "call": "m.{0}({1})"}  # fmt: skip


def as_code(expression, notation: dict[str, str]) -> str:
    """Return an expression as code, with every operation in parentheses to keep the rule's order of evaluation."""
    if not isinstance(expression, Symbol):
        return notation.get("number", "{0!r}").format(float(expression))
    head, operands = expression.head, [as_code(operand, notation) for operand in expression.operands]
    if not operands:
        return head
    if head in notation:
        return notation[head].format(*operands)
    if head == "neg":
        return f"(-{operands[0]})"
    if head in _CODE_OPERATOR:
        return f"({operands[0]} {_CODE_OPERATOR[head]} {operands[1]})"
    call = "{0}_y({1})" if is_composite(head) else notation.get("call", "{0}({1})")
    return call.format(head, ", ".join(operands))


@functools.cache
def is_composite(name: str) -> bool:
    """Return whether a row is composed of other functions, so that libraries have no function of its name."""
    return name in TABLE and read(TABLE[name])[0].head != name


def as_c(expression) -> str:
    """Return an expression as C on doubles.

    >>> from adjoint import ops
    >>> as_c(read(ops.tanh)[1][0])
    '(1.0 - (y * y))'
    """
    return as_code(expression, _C)


def as_javascript(expression) -> str:
    """Return an expression as JavaScript, whose `m` is the module web/src/rules/functions.ts.

    >>> from adjoint import ops
    >>> as_javascript(read(ops.sqrt)[0])
    'm.sqrt(x)'
    """
    return as_code(expression, _JAVASCRIPT)


def python_function(op: Op, variables: Sequence[int]) -> Callable:
    """Return a row as one Python function of its operands; `variables` lists which of them are Values.

    It returns the result and the partial derivatives for the Values, several times faster than the rules.

    >>> from adjoint import Value, ops
    >>> python_function(ops.mul, [0])(Value(2.0), 3.0)
    (6.0, (3.0,))
    """
    forward, partials = read(op)
    data = "; ".join(f"{op.operands[i]} = {op.operands[i]}._data" for i in variables)
    derivatives = "".join(f"{as_code(partials[i], _PYTHON)}, " for i in variables)
    body = f"{data}; y = {as_code(forward, _PYTHON)}; return y, ({derivatives})"
    return _define(op.operands, body, (forward, *(partials[i] for i in variables)))


def number_function(op: Op, derivative: int | None = None) -> Callable[..., float]:
    """Return a row as a Python function of floats, or its partial derivative for an operand, a function of y too.

    >>> from adjoint import ops
    >>> number_function(ops.mul)(2.0, 3.0), number_function(ops.tanh, 0)(0.5, 0.0)
    (6.0, 0.75)
    """
    forward, partials = read(op)
    expression = forward if derivative is None else partials[derivative]
    names = op.operands if derivative is None else ("y", *op.operands)
    return _define(names, f"return {as_code(expression, _PYTHON)}", (expression,))


def _define(parameters: Sequence[str], body: str, expressions: Sequence) -> Callable:
    used = set().union(*map(functions_in, expressions)) & TABLE.keys()
    names = {f"{row}_y": TABLE[row] for row in used} | vars(floats)
    exec(f"def function({', '.join(parameters)}): {body}", names)
    return names["function"]


_ARITHMETIC = {"+", "-", "*", "/", "neg", "<", "<=", ">", ">=", "equal", "where", "&", "abs", "sqrt"}


def _read_by(op: Op, partial) -> int:
    names = names_in(partial)
    return sum(1 << i for i, name in enumerate(("y", *op.operands)) if name in names)


def c_header() -> str:
    """Return `ops.h`: each row of the table as C functions, and the list of the rows.

    Row `tanh` becomes `tanh_y(x)`, which computes it, and `tanh_d0(y, x)`, its partial derivative. PLAIN rows are
    arithmetic, which processors compute for several numbers at once; OTHER rows call functions such as exp.
    """
    functions, rows = [], {f"{kind}_{count}_ROWS": [] for kind in ("PLAIN", "OTHER") for count in ("UNARY", "BINARY")}
    for index, (row, op) in enumerate(TABLE.items()):
        forward, partials = read(op)
        operands = ", ".join(f"double {x}" for x in op.operands)
        functions.append(f"static inline double {row}_y({operands}) {{ return {as_c(forward)}; }}")
        for i, partial in enumerate(partials):
            body = f"{{ return {as_c(partial)}; }}"
            functions.append(f"static inline double {row}_d{i}(double y, {operands}) {body}")
        kind = "PLAIN" if all(functions_in(x) <= _ARITHMETIC for x in (forward, *partials)) else "OTHER"
        if len(op.operands) == 1:
            rows[f"{kind}_UNARY_ROWS"].append(f"    ROW({index}, {row})")
        else:
            default = float((*op.defaults, 0.0)[0])
            rows[f"{kind}_BINARY_ROWS"].append(f"    ROW({index}, {row}, {len(op.defaults)}, {default!r})")
    lists = [" \\\n".join([f"#define {name}(ROW)", *listed]) for name, listed in rows.items()]
    lists += [
        f"#define {count}_ROWS(ROW) PLAIN_{count}_ROWS(ROW) OTHER_{count}_ROWS(ROW)" for count in ("UNARY", "BINARY")
    ]
    reads = ["{" + ", ".join(str(_read_by(op, partial)) for partial in read(op)[1]) + "}" for op in TABLE.values()]
    used = "/* what each partial derivative reads: 1 for y, 2 for the first operand, 4 for the second */\n"
    used += f"UNUSED static const unsigned char partial_uses[][2] = {{{', '.join(reads)}}};"
    text = "\n\n".join(["/* Generated from ops.py. */", *functions, *lists, used])
    digest = fingerprint(TABLE.values())
    return f"{text}\n\n#define ROW_COUNT {len(TABLE)}\n#define TABLE_DIGEST {digest}u\n"
