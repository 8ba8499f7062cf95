"""Print the table of `ops.py` as JavaScript, so that a page computes values and gradients itself.

python -m adjoint.compile.numbers.page_table      writes web/src/rules/table.ts
"""

from json import dumps
from pathlib import Path

from adjoint.compile.numbers.replay import AND, CONST, EQ, FIRST_ROW, GE, GT, INPUT, LE, LT, NE, NOT, OR, WHERE
from adjoint.engine.mathematics.symbols import Symbol, as_javascript, names_in, read
from adjoint.engine.ops import TABLE
from adjoint.engine.rule import Op

_FILE = Path(__file__).parents[4] / "web" / "src" / "rules" / "table.ts"
_HEADER = """\
// Generated from adjoint.engine.ops by `make web`; do not edit.
import * as m from "./functions";

/** One operation on numbers: how to compute it, and its partial derivative for each operand. */
export interface Rule {
  /** The names of its operands. */
  operands: string[];
  /** The numbers of the last operands if they are left out, such as the slope of leaky_relu. */
  defaults: number[];
  forward: (x: number, z: number) => number;
  /** Functions of the result y and the operands. */
  partials: ((y: number, x: number, z: number) => number)[];
}
"""
_OPERATIONS = {
    "CONST": CONST, "INPUT": INPUT, "LT": LT, "LE": LE, "GT": GT, "GE": GE, "EQ": EQ, "NE": NE, "AND": AND, "OR": OR,
    "NOT": NOT, "WHERE": WHERE, "FIRST_ROW": FIRST_ROW,
}  # fmt: skip


def generate() -> str:
    """Return table.ts: each row of the table as functions, and `TABLE`, the rules by the names of the operations.

    It also has `OPERATIONS`, the numbers of the operations of a tape.

    Row `tanh` becomes `tanh_y(x)`, which computes it, and `tanh_d0(y, x)`, its partial derivative.

    >>> "const tanh_d0 = (y: number): number => (1.0 - (y * y));" in generate()
    True
    """
    functions, rules = [], []
    for row, op in TABLE.items():
        forward, partials = read(op)
        functions.append(_function(f"{row}_y", op.operands, forward))
        for i, partial in enumerate(partials):
            functions.append(_function(f"{row}_d{i}", ("y", *op.operands), partial))
        rules.append(f"  {dumps(op.name)}: {_rule(row, op)},")
    table = ["/** The rules by the names of their operations, as in a scene. */"]
    table += ["export const TABLE: Record<string, Rule> = {", *rules, "};"]
    numbers = [f"  {name}: {number}," for name, number in _OPERATIONS.items()]
    operations = ["/** The numbers of the operations of a tape; those of the rows start at FIRST_ROW. */"]
    operations += ["export const OPERATIONS = {", *numbers, "} as const;"]
    return "\n".join([_HEADER, *functions, "", *table, "", *operations]) + "\n"


def _function(name: str, parameters: tuple[str, ...], expression: Symbol | float) -> str:
    """Return an expression as a function; parameters after the last one that it uses are left out."""
    used = names_in(expression)
    count = max((i + 1 for i, parameter in enumerate(parameters) if parameter in used), default=0)
    typed = ", ".join(f"{x if x in used else '_' + x}: number" for x in parameters[:count])
    return f"const {name} = ({typed}): number => {as_javascript(expression)};"


def _rule(row: str, op: Op) -> str:
    partials = ", ".join(f"{row}_d{i}" for i in range(len(op.partials)))
    names, defaults = dumps([*op.operands]), dumps([*map(float, op.defaults)])
    return f"{{ operands: {names}, defaults: {defaults}, forward: {row}_y, partials: [{partials}] }}"


if __name__ == "__main__":
    _FILE.write_text(generate())
