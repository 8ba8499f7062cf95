"""Small changes of a definition: each says what is wrong with its place in the syntax tree, and can be undone."""

import ast
import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeGuard

_OF_VALUES = ("data", "grad")
_MOST_PARTS = 20  # of a statement, for two of them to change places
_Undo = Callable[[], None]
Kind = Callable[[ast.AST, ast.FunctionDef], "Iterator[Change]"]

_OTHER_SIGN: dict[type, type] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
_OTHER_OPERATION: dict[type, tuple[type, ...]] = {
    ast.Mult: (ast.Div, ast.Add, ast.Pow, ast.MatMult),
    ast.Div: (ast.Mult,),
    ast.Add: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.FloorDiv: (ast.Div,),
}
_OTHER_COMPARISON: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.FloorDiv: "//",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
_OTHER_FUNCTION = {
    "max": ("min", "sum"),
    "min": ("max",),
    "any": ("all",),
    "all": ("any",),
    "len": ("sum",),
    "sum": ("max", "len"),
}
_OF_A_VALUE = ("tanh", "relu", "exp", "log", "sigmoid")


@dataclass
class Change:
    """A change that was made in a tree: what to say if the check passes with it, and how to undo it."""

    sentence: str
    undo: _Undo


def changes(definition: ast.FunctionDef, kind: Kind) -> Iterator[Change]:
    """Make one change after the other in a definition. Each must be undone before the next one."""
    for node in list(ast.walk(definition)):
        yield from kind(node, definition)


def _set(node: ast.AST, sentence: str, **fields: object) -> Change:
    before = {name: getattr(node, name) for name in fields}

    def undo() -> None:
        for name, value in before.items():
            setattr(node, name, value)

    for name, value in fields.items():
        setattr(node, name, value)
    return Change(sentence, undo)


def _operations(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """Signs, operations, parentheses, the sides of a difference, comparisons, and sizes."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        line, code, op = node.lineno, ast.unparse(node), type(node.ops[0])
        for other in _OTHER_COMPARISON.get(op, ()):
            yield _set(
                node, f"The comparison `{_SIGNS[op]}` in `{code}`, line {line}, is not the right one.", ops=[other()]
            )
        return
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        yield _set(
            node, f"One sign in line {node.lineno} is wrong: look at the `-` in `{ast.unparse(node)}`.", op=ast.UAdd()
        )
    if not isinstance(node, ast.BinOp | ast.AugAssign):
        return
    line, code, op = node.lineno, ast.unparse(node), type(node.op)
    sign = _SIGNS.get(op, "")
    if op in _OTHER_SIGN and not (isinstance(node, ast.AugAssign) and ast.unparse(node.target).endswith(".grad")):
        mark = sign + "=" * isinstance(node, ast.AugAssign)
        yield _set(node, f"One sign in line {line} is wrong: look at the `{mark}` in `{code}`.", op=_OTHER_SIGN[op]())
    if isinstance(node, ast.AugAssign):
        return
    yield from _regrouped(node, code)
    for other in _OTHER_OPERATION.get(op, ()):
        yield _set(node, f"The operation `{sign}` in `{code}`, line {line}, is not the right one.", op=other())
    if op in (ast.Sub, ast.Div, ast.Pow, ast.MatMult):
        text = f"The two sides of `{sign}` in `{code}`, line {line}, are the wrong way round."
        yield _set(node, text, left=node.right, right=node.left)
    for side, kept in (("left", node.right), ("right", node.left)):
        gone = ast.unparse(getattr(node, side))
        text = f"`{gone}` is one part too many in `{code}`, line {line}."
        if op in (ast.Mult, ast.Add) or side == "right":
            yield _replaced(definition, node, kept, text)
    if op is ast.Sub:
        text = f"`{code}` in line {line} may be negative, and only its size matters: use `abs`."
        yield _replaced(definition, node, ast.Call(ast.Name("abs", ast.Load()), [copy.copy(node)], []), text)


def _regrouped(node: ast.BinOp, code: str) -> Iterator[Change]:
    """Move the second operand of an operation into its first one: `a / 2 * h` becomes `a / (2 * h)`."""
    inner = node.left
    while isinstance(inner, ast.BinOp):
        text = (
            f"Parentheses are missing or misplaced in `{code}`, line {node.lineno}: Python computes `**` first, then "
            "`*` and `/` from left to right, and `+` and `-` last."
        )
        right = ast.BinOp(inner.right, node.op, node.right)
        made = copy.deepcopy(node.left)
        place = made
        steps = node.left
        while steps is not inner:
            steps, place = steps.right, place.right  # pyright: ignore[reportAttributeAccessIssue]
        place.right = right  # pyright: ignore[reportAttributeAccessIssue]
        yield _set_all(node, made, text)
        inner = inner.right


def _ungrouped(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """Take away the parentheses of a second operand: `a * (b - c)` becomes `a * b - c`."""
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.BinOp):
        text = f"Parentheses are misplaced in `{ast.unparse(node)}`, line {node.lineno}."
        made = ast.BinOp(ast.BinOp(node.left, node.op, node.right.left), node.right.op, node.right.right)
        yield _set_all(node, made, text)


def _missing_parts(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """Multiply, divide, add or subtract one more name in a statement; take a whole list and not one element."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.ctx, ast.Load):
        text = f"`{ast.unparse(node)}` in line {node.lineno} takes one element, and all are needed."
        yield _replaced(definition, node, node.value, text)
    if isinstance(node, ast.List) and len(node.elts) == 1 and isinstance(node.ctx, ast.Load):
        text = (
            f"`{ast.unparse(node)}` in line {node.lineno} is a list of one element, and the element itself is needed."
        )
        yield _replaced(definition, node, node.elts[0], text)
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 2 and isinstance(node.ctx, ast.Load):
        text = f"The two parts of `{ast.unparse(node)}` in line {node.lineno} are in the wrong order."
        yield _set(node, text, elts=node.elts[::-1])
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.Return) or node.value is None:
        return
    names = [ast.unparse(x) for x in ast.walk(definition) if isinstance(x, ast.Attribute) and x.attr == "grad"]
    names += [x.arg for x in ast.walk(definition) if isinstance(x, ast.arg) and x.arg not in ("self", "other")]
    names += [x.id for x in ast.walk(definition) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]
    words = {ast.Mult: "A factor", ast.Div: "A divisor", ast.Add: "A summand", ast.Sub: "Something to subtract"}
    for name in dict.fromkeys(names):
        for op, word in words.items():
            made = ast.BinOp(node.value, op(), ast.parse(name, mode="eval").body)
            yield _set(node, f"{word} is missing in line {node.lineno}: `{name}`.", value=made)


def _set_all(node: ast.BinOp, made: ast.expr, text: str) -> Change:
    assert isinstance(made, ast.BinOp)
    return _set(node, text, left=made.left, op=made.op, right=made.right)


def _replaced(definition: ast.FunctionDef, node: ast.AST, other: ast.AST, sentence: str) -> Change:
    """Put another node in the place of one."""
    for parent in ast.walk(definition):
        for name, value in ast.iter_fields(parent):
            if value is node:
                return _set(parent, sentence, **{name: other})
            if isinstance(value, list) and any(item is node for item in value):
                return _set(parent, sentence, **{name: [other if item is node else item for item in value]})
    return Change("", lambda: None)


def _assignments(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """`=` for `+=`, and the other way round; a rule without `out.grad`."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Attribute | ast.Subscript | ast.Name):
            code = ast.unparse(target)
            for op, mark in ((ast.Add, "+="), (ast.Sub, "-=")):
                text = f"Line {node.lineno} sets `{code}` with `=`, and what was there before is lost. Use `{mark}`."
                made = ast.AugAssign(copy.deepcopy(target), op(), node.value)
                yield _replaced(definition, node, made, text)
    if isinstance(node, ast.AugAssign):
        code = ast.unparse(node.target)
        target = copy.deepcopy(node.target)
        text = f"Line {node.lineno} changes what was in `{code}` before. Set it with `=`."
        yield _replaced(definition, node, ast.Assign([target], node.value), text)
    if isinstance(node, ast.AugAssign | ast.Assign):
        value = ast.unparse(node.value)
        for parts, text in (
            ("out.grad", f"Line {node.lineno} hands back the local derivative alone. Multiply it by `out.grad`."),
            ("rate", f"Line {node.lineno} does not use `rate`."),
        ):
            if parts not in value:
                yield _set(node, text, value=ast.BinOp(node.value, ast.Mult(), ast.parse(parts, mode="eval").body))


def _numbers(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return
    x, line = node.value, node.lineno
    if isinstance(x, float) and 0 < x < 1 and x != 1e-5:
        size = "large" if x > 1e-5 else "small"
        yield _set(node, f"The number `{x:g}` in line {line} is too {size}.", value=1e-5)
    if isinstance(x, int | float):
        for other in (x + 1, x - 1, 2 * x, x / 2, -x, 0):
            if other != x:
                other = int(other) if isinstance(x, int) and float(other).is_integer() else other
                yield _set(node, f"The number `{x:g}` in line {line} is not the right one.", value=other)
    if isinstance(x, str) and x in ("+", "-", "*", "/"):
        for other in "+-*/":
            if other != x:
                yield _set(
                    node, f"The name of the operation in line {line}, `{x!r}`, belongs to another one.", value=other
                )


def _ranges(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """The bounds of `range`, and the places of brackets."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and node.args:
        code, line = ast.unparse(node), node.lineno
        if len(node.args) == 2:
            yield _set(node, f"`{code}` in line {line} does not start at 0, so a round is missing.", args=node.args[1:])
        if len(node.args) == 1:
            for op, text in ((ast.Add, "has one round too few"), (ast.Sub, "has one round too many")):
                made = ast.BinOp(node.args[0], op(), ast.Constant(1))
                yield _set(node, f"`{code}` in line {line} {text}.", args=[made])
            yield _set(
                node,
                f"`{code}` in line {line} has a round too many: it starts at 0.",
                args=[ast.Constant(1), *node.args],
            )
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript):
        text = f"The two indices of `{ast.unparse(node)}` in line {node.lineno} are the wrong way round."
        inner = node.value
        swapped = ast.Subscript(ast.Subscript(inner.value, node.slice, ast.Load()), inner.slice, node.ctx)
        yield _replaced(definition, node, swapped, text)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        text = f"The two indices of `{ast.unparse(node)}` in line {node.lineno} are the wrong way round."
        yield _set(node.slice, text, elts=node.slice.elts[::-1])
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        for name in dict.fromkeys(x.id for x in ast.walk(definition) if isinstance(x, ast.Name)):
            text = f"`{ast.unparse(node)}` in line {node.lineno} is the same element in every round."
            yield _set(node, text, slice=ast.Name(name, ast.Load()))
    elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        for op in (ast.Add, ast.Sub):
            text = f"The index `{ast.unparse(node.slice)}` in line {node.lineno} is off by one."
            yield _set(node, text, slice=ast.BinOp(node.slice, op(), ast.Constant(1)))


def _blocks(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """The order and the indentation of statements."""
    for name in ("body", "orelse"):
        body = getattr(node, name, None)
        if not isinstance(body, list) or not body or not isinstance(body[0], ast.stmt):
            continue
        for i, statement in enumerate(body):
            line = statement.lineno
            if i + 1 < len(body):
                text = f"Line {line} and line {body[i + 1].lineno} are in the wrong order."
                yield _set(node, text, **{name: [*body[:i], body[i + 1], statement, *body[i + 2 :]]})
            if isinstance(statement, ast.For | ast.While):
                yield from _loop(node, name, body, i, statement)
            if len(body) > 1 and not isinstance(statement, ast.Return | ast.FunctionDef):
                yield _set(node, f"Line {line} should not be there.", **{name: [*body[:i], *body[i + 1 :]]})


def _loop(node: ast.AST, name: str, body: list[ast.stmt], i: int, loop: ast.For | ast.While) -> Iterator[Change]:
    """Move a statement out of a loop, or into it."""

    def moved(inside: list[ast.stmt], before: list[ast.stmt], after: list[ast.stmt], text: str) -> Change:
        other = copy.copy(loop)
        other.body = inside
        return _set(node, text, **{name: [*before, other, *after]})

    first, last = loop.body[0], loop.body[-1]
    if len(loop.body) > 1:
        text = f"Line {last.lineno} is inside of the loop and runs in every round. It belongs after the loop."
        yield moved(loop.body[:-1], body[:i], [last, *body[i + 1 :]], text)
        text = f"Line {first.lineno} is inside of the loop and runs in every round. It belongs before the loop."
        yield moved(loop.body[1:], [*body[:i], first], body[i + 1 :], text)
    if i + 1 < len(body) and not isinstance(body[i + 1], ast.Return):
        text = f"Line {body[i + 1].lineno} comes after the loop and runs once. It belongs inside of the loop."
        yield moved([*loop.body, body[i + 1]], body[:i], body[i + 2 :], text)
    if i > 0:
        text = f"Line {body[i - 1].lineno} comes before the loop and runs once. It belongs inside of the loop."
        yield moved([body[i - 1], *loop.body], body[: i - 1], body[i + 1 :], text)
    if i + 2 < len(body):
        lines = f"Lines {body[i + 1].lineno} and {body[i + 2].lineno}"
        text = f"{lines} come after the loop and run once. They belong inside of it."
        yield moved([*loop.body, *body[i + 1 : i + 3]], body[:i], body[i + 3 :], text)


def _names(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """Another variable of the same definition."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        known = [x.arg for x in ast.walk(definition) if isinstance(x, ast.arg)]
        known += [x.id for x in ast.walk(definition) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]
        if node.id not in known:
            for other in _OTHER_FUNCTION.get(node.id, ()):
                yield _set(node, f"`{node.id}` in line {node.lineno} is not the right function.", id=other)
            return
        for other in dict.fromkeys(known):
            if other != node.id:
                yield _set(node, f"`{node.id}` in line {node.lineno} is not the name that is needed there.", id=other)


def _attributes(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """The number of a Value in place of its gradient, or of itself."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in ("self", "other", "out"):
        held = {id(x.value) for x in ast.walk(definition) if isinstance(x, ast.Attribute)}
        if id(node) not in held:
            text = f"`{node.id}` in line {node.lineno} is a Value, and its number is needed there."
            yield _replaced(definition, node, ast.Attribute(node, "data", ast.Load()), text)
    if not isinstance(node, ast.Attribute) or node.attr not in ("data", "grad"):
        return
    code, line = ast.unparse(node), node.lineno
    other = "grad" if node.attr == "data" else "data"
    yield _set(node, f"`{code}` in line {line} is not what is needed there: look at `.{node.attr}`.", attr=other)
    known = {x.arg for x in ast.walk(definition) if isinstance(x, ast.arg)}
    known |= {x.id for x in ast.walk(definition) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
    for base in sorted(known & {"self", "other", "out"}):
        if base != ast.unparse(node.value):
            text = f"`{code}` in line {line} is not what is needed there."
            yield _set(node, text, attr=other, value=ast.Name(base, ast.Load()))
    if isinstance(node.ctx, ast.Load):
        text = f"`{code}` in line {line} is a plain number, which has no history. Compute with the Value itself."
        yield _replaced(definition, node, node.value, text)


def _calls(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """The arguments of a call: their order, a star, an axis."""
    if not isinstance(node, ast.Call):
        return
    code, line = ast.unparse(node), node.lineno
    if len(node.args) == 2:
        yield _set(node, f"The arguments of `{code}` in line {line} are in the wrong order.", args=node.args[::-1])
    if len(node.args) == 1 and isinstance(node.args[0], ast.Name):
        text = f"`{code}` in line {line} hands over one list. With a star each of its elements is an argument."
        yield _set(node, text, args=[ast.Starred(node.args[0], ast.Load())])
    for keyword in node.keywords:
        if keyword.arg == "axis" and isinstance(keyword.value, ast.Constant):
            value = keyword.value
            if value.value in (0, 1):
                yield _set(value, f"`axis={value.value}` in line {line} is the other axis.", value=1 - value.value)
    if isinstance(node.func, ast.Attribute):
        yield from _other_functions(node.func, code)
    if isinstance(node.func, ast.Attribute) and not node.keywords:
        for name in ("keepdims", "axis"):
            value = ast.Constant(True if name == "keepdims" else 1)
            text = f"`{code}` in line {line} needs the argument `{name}`."
            yield _set(node, text, keywords=[ast.keyword(name, value)])


def _other_functions(function: ast.Attribute, code: str) -> Iterator[Change]:
    """A function of `math` with a similar name, and `extend` for `append`."""
    line, name = function.lineno, function.attr
    if ast.unparse(function.value) == "math":
        for other in get_close_matches(name, [x for x in vars(math) if x != name], 4, 0.5):
            yield _set(
                function, f"`{code}` in line {line} calls another function than the one that is needed.", attr=other
            )
    if name in _OF_A_VALUE:
        for other in _OF_A_VALUE:
            if other != name:
                yield _set(function, f"`{name}()` in line {line} is not the operation that is needed.", attr=other)
    if name in ("append", "extend"):
        what = "puts its argument into the list as one entry" if name == "append" else "adds each entry of its argument"
        yield _set(function, f"`{name}` in line {line} {what}.", attr="extend" if name == "append" else "append")


def _into_calls(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """Move the second side of an operation into the call on its first side, or out of it."""
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Call) and len(node.left.args) == 1:
        call, code = node.left, ast.unparse(node)
        inside = ast.Call(call.func, [ast.BinOp(call.args[0], node.op, node.right)], call.keywords)
        text = f"`{ast.unparse(node.right)}` stands outside of the parentheses in `{code}`, line {node.lineno}."
        yield _replaced(definition, node, inside, text)
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.BinOp):
        inner, code = node.args[0], ast.unparse(node)
        outside = ast.BinOp(ast.Call(node.func, [inner.left], node.keywords), inner.op, inner.right)
        text = f"`{ast.unparse(inner.right)}` stands inside of the parentheses in `{code}`, line {node.lineno}."
        yield _replaced(definition, node, outside, text)


def _exchanged(node: ast.AST, definition: ast.FunctionDef) -> Iterator[Change]:
    """Two parts of a statement change places."""
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.Return | ast.Expr):
        return
    called = {id(x.func) for x in ast.walk(node) if isinstance(x, ast.Call)}
    bases = {id(x.value) for x in ast.walk(node) if isinstance(x, ast.Attribute) and x.attr not in _OF_VALUES}
    parts = [x for x in ast.walk(node) if _is_part(x) and id(x) not in called | bases]
    if len(parts) > _MOST_PARTS:
        return
    for i, one in enumerate(parts):
        for other in parts[i + 1 :]:
            first, second = ast.unparse(one), ast.unparse(other)
            if first == second or any(x is other for x in ast.walk(one)) or any(x is one for x in ast.walk(other)):
                continue
            text = f"`{first}` and `{second}` are exchanged in line {node.lineno}."
            yield _swapped(one, other, text)


def _is_part(x: ast.AST) -> TypeGuard[ast.expr]:
    """Return whether a node may change its place. An assignment to `math.exp` would break Python itself."""
    return isinstance(x, ast.Name | ast.BinOp) or (isinstance(x, ast.Attribute) and x.attr in _OF_VALUES)


def _swapped(one: ast.expr, other: ast.expr, sentence: str) -> Change:
    """Exchange two nodes in place; each keeps whether it is read or assigned."""
    kinds = type(one), type(other)
    fields = dict(vars(one)), dict(vars(other))

    def put(node: ast.expr, kind: type, values: dict[str, object], context: object) -> None:
        node.__dict__.clear()
        node.__class__ = kind
        node.__dict__.update(values)
        if context is not None and "ctx" in values:
            node.__dict__["ctx"] = context

    contexts = fields[0].get("ctx"), fields[1].get("ctx")
    put(one, kinds[1], fields[1], contexts[0])
    put(other, kinds[0], fields[0], contexts[1])

    def undo() -> None:
        put(one, kinds[0], fields[0], None)
        put(other, kinds[1], fields[1], None)

    return Change(sentence, undo)


KINDS: tuple[Kind, ...] = (
    _operations,
    _assignments,
    _ranges,
    _numbers,
    _blocks,
    _into_calls,
    _names,
    _attributes,
    _calls,
    _exchanged,
    _missing_parts,
    _ungrouped,
)
IN_PAIRS: tuple[Kind, ...] = (_ranges, _assignments, _attributes, _operations, _names)
