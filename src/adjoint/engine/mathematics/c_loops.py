"""C loops over arrays for the rows of the table, generated for the native core when the package is built.

Only rows that are plain arithmetic become loops: on those, C and NumPy agree to the last bit. A loop computes a whole
expression in one pass over memory, where NumPy needs a pass for each operation in it.
"""

from collections.abc import Mapping
from itertools import product as choices

from adjoint.engine.mathematics.symbols import Symbol, as_code, names_in, product, read
from adjoint.engine.ops import TABLE
from adjoint.engine.rule import Op

_C = {"where": "({0} ? {1} : {2})", "&": "({0} & {1})", "abs": "ABS({0})", "sqrt": "SQRT({0})", "number": "((T){0!r})"}
_ARITHMETIC = {"+", "-", "*", "/", "neg", "<", "<=", ">", ">=", "equal", *_C}
_INPUTS = ("g", "y", "x", "z")  # the gradient, the result and the operands, in the order of the inputs of a loop


def loops_header() -> str:
    """Return the text of `loops.h`, which C includes once for each type T.

    Row `tanh` becomes `tanh_back0(out, in, step, count)`, which computes what its operand receives. A row that is
    itself arithmetic also has `…_forward`. A table lists them; PASS stands for the unchanged gradient.
    """
    loops, table = [], []
    for index, (row, op) in enumerate(TABLE.items()):
        forward, partials = read(op)
        renamed = dict(zip(op.operands, _INPUTS[2:]))
        varying = {"g", *_INPUTS[2:]} if len(op.operands) > 1 else {"g"}
        entries = []
        for i, expression in enumerate([forward, *(product(partial, Symbol("g")) for partial in partials)]):
            name = f"{row}_back{i - 1}" if i else f"{row}_forward"
            if _is_name(expression, "g"):
                entries.append("PASS")
            elif isinstance(expression, Symbol) and _is_arithmetic(expression) and not _rounds_numbers(expression, op):
                loops.append(_loop(name, _with_names(expression, renamed), varying))
                entries.append(f"NAME({name})")
            else:
                entries.append("NULL")
        table.append(f"    [{index}] = {{{len(op.operands)}, {entries[0]}, {{{', '.join(entries[1:])}}}}},")
    rows = "\n".join(["static const RowLoops NAME(row_loops)[ROW_COUNT] = {", *table, "};"])
    return "\n\n".join(["/* Generated from ops.py. */", *loops, rows]) + "\n"


def _is_name(expression, name: str) -> bool:
    return isinstance(expression, Symbol) and not expression.operands and expression.head == name


def _is_arithmetic(expression) -> bool:
    if not isinstance(expression, Symbol) or not expression.operands:
        return True
    return expression.head in _ARITHMETIC and all(map(_is_arithmetic, expression.operands))


def _rounds_numbers(expression, op: Op) -> bool:
    """Return whether a step of an expression takes one operand of several alone, such as the z * z of atan2.

    That operand may be a Python float next to float32 arrays. Then Python rounds the step to a double, C to a float.
    """
    if not isinstance(expression, Symbol) or not expression.operands or len(op.operands) == 1:
        return False
    alone = len(names_in(expression)) == 1 and names_in(expression) <= set(op.operands)
    if alone and expression.head in ("+", "-", "*", "/", "sqrt"):
        return True
    return any(_rounds_numbers(operand, op) for operand in expression.operands)


def _with_names(expression, names: Mapping[str, str]):
    """Return an expression with the operands renamed: rows use names of their own."""
    if not isinstance(expression, Symbol):
        return expression
    if not expression.operands:
        return Symbol(names.get(expression.head, expression.head))
    return Symbol(expression.head, *(_with_names(operand, names) for operand in expression.operands))


def _loop(name: str, expression: Symbol, varying: set[str]) -> str:
    """Return a loop as two functions: the loop itself, and one that calls it with constant steps.

    The step of an input is 0 if it is a single number to be repeated, else 1. With constants the compiler can
    vectorize each combination.
    """
    inputs = [i for i in _INPUTS if i in names_in(expression)]
    steps = [i for i in inputs if i in varying]
    pointers = "".join(f", const T *{i}s, npy_intp {i}_step" for i in inputs)
    reads = "".join(f"const T {i} = {i}s[k * {i}_step]; " for i in inputs)
    body = f"{reads}out[k] = {as_code(expression, _C)};"
    inner = (
        f"INLINE void NAME({name}_at)(T *out, npy_intp count{pointers})\n"
        f"{{\n    INDEPENDENT\n    for (npy_intp k = 0; k < count; k++) {{ {body} }}\n}}"
    )
    lines = []
    for chosen in choices((1, 0), repeat=len(steps)):
        step_of = dict(zip(steps, chosen))
        condition = " && ".join(f"step[{_INPUTS.index(i)}] == {step}" for i, step in step_of.items()) or "1"
        given = "".join(f", (const T *)in[{_INPUTS.index(i)}], {step_of.get(i, 1)}" for i in inputs)
        lines.append(f"if ({condition}) NAME({name}_at)((T *)out, count{given});")
    choice = "\n    else ".join(lines)
    outer = (
        f"LOOP NAME({name})(char *out, const char *const *in, const int *step, npy_intp count)\n{{\n    {choice}\n}}"
    )
    return f"{inner}\n{outer}"
