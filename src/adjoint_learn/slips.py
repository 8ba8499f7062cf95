"""Slips that the text of a program shows, whatever it computes: a `return` inside of a loop, a missing comma.

Each sentence states a fact about a line, and is given only if the solution of the course has nothing like it.
"""

import ast
import itertools
from collections.abc import Callable, Iterator

from adjoint_learn.course import Exercise
from adjoint_learn.definitions import Name, changed, definitions, returns
from adjoint_learn.python_errors import explanations
from adjoint_learn.results import Result

_Slip = Callable[[ast.FunctionDef, ast.FunctionDef], Iterator[str]]  # the learner's definition, and that of the course


def find_slip(exercise: Exercise, source: str, result: Result) -> str:
    """Return a sentence about a slip in a learner's program, or an empty text.

    >>> from adjoint_learn.course import load
    >>> program = "def slope(f, x):\\n    (f(x + 1e-5) - f(x - 1e-5)) / 2e-5"
    >>> find_slip(load().exercise("slope"), program, Result("failed"))
    '`slope` computes a number in line 2 and drops it, because it has no `return`.'
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    found = next(explanations(exercise, tree, result), "")
    return found or next((sentence for _, sentence in _in_definitions(exercise, tree)), "")


def slips_in(exercise: Exercise, source: str) -> frozenset[str]:
    """Return which kinds of slips the text of a program shows, and whether it has a loop.

    Programs are alike only if they agree in this: "each round replaces the one before" needs a loop.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return frozenset()
    found = {kind for kind, _ in _in_definitions(exercise, tree)}
    asked = changed(exercise.stub, exercise.solution)
    parts = [x for name, node in definitions(tree).items() if name in asked for x in ast.walk(node)]
    called = {x.id for x in parts if isinstance(x, ast.Name)}
    loops = any(isinstance(x, _LOOPS) for x in parts) or called & {"map", "sum", "reduce"}
    return frozenset(found | ({"loop"} if loops else set()))


def _in_definitions(exercise: Exercise, tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the kind and the sentence of each slip in what the exercise asks for."""
    theirs, ours = definitions(tree), definitions(ast.parse(exercise.solution))
    asked = changed(exercise.stub, exercise.solution)
    for name, node in theirs.items():
        if name in asked and not _is_stub(exercise, name, node):
            for slip in _SLIPS:
                for sentence in slip(node, ours[name]):
                    yield slip.__name__, sentence


def _is_stub(exercise: Exercise, name: Name, node: ast.FunctionDef) -> bool:
    try:
        stub = definitions(ast.parse(exercise.stub)).get(name)
    except SyntaxError:
        return False
    return stub is not None and ast.dump(stub) == ast.dump(node)


_IN_PLACE = {"reverse", "sort", "append", "extend", "insert", "add", "update", "clear"}
_NEEDED_CALLS = {"backward", "step", "zero_grad"}
_LOOPS = (ast.For, ast.While, ast.comprehension)


# --- what a definition says ----------------------------------------------------------------------------------------


def _no_return(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    if returns(node) or not returns(ours):
        return
    calls = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
    printed = [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]
    last = node.body[-1]
    if printed:
        line = printed[-1]
        yield f"`{node.name}` prints its result in line {line} and returns nothing. `print` shows, `return` hands over."
    elif isinstance(last, ast.Expr) and not isinstance(last.value, ast.Constant):
        yield f"`{node.name}` computes a number in line {last.lineno} and drops it, because it has no `return`."
    else:
        yield f"`{node.name}` has no `return`, so it gives None. What should it hand over?"


def _ends_with_print(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    last = node.body[-1]
    if returns(node) and isinstance(ours.body[-1], ast.Return) and ast.unparse(last).startswith("print("):
        yield f"`{node.name}` ends with `print` in line {last.lineno}, and returns nothing there. Use `return`."


def _empty_rule(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    for inner in ast.walk(node):
        if not isinstance(inner, ast.FunctionDef) or inner.name != "_backward":
            continue
        if not any(isinstance(x, ast.Assign | ast.AugAssign | ast.Call) for x in ast.walk(inner)):
            yield (
                f"The function `_backward` in line {inner.lineno} changes nothing. It has to add to the `grad` of the "
                "parents; nobody looks at what it returns."
            )


def _renamed_item(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    for loop in ast.walk(node):
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            last, name = loop.body[-1], loop.target.id
            target = last.targets[0] if isinstance(last, ast.Assign) else getattr(last, "target", None)
            if isinstance(target, ast.Name) and target.id == name:
                yield (
                    f"Line {last.lineno} gives the name `{name}` to another object, and the next round replaces it. "
                    "What the loop goes through stays as it is."
                )


def _no_loop(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    def loops(definition: ast.FunctionDef) -> bool:
        names = {x.id for x in ast.walk(definition) if isinstance(x, ast.Name)}
        again = any(isinstance(x, _LOOPS) for x in ast.walk(definition))
        return again or bool(names & {"map", "sum", "reduce", definition.name})

    if loops(ours) and not loops(node):
        yield f"`{node.name}` has no loop, so it does everything once."


def _return_in_loop(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    for loop in ast.walk(node):
        if isinstance(loop, ast.For | ast.While) and isinstance(loop.body[-1], ast.Return):
            if any(isinstance(x, ast.Continue) for x in ast.walk(loop)):
                continue
            yield (
                f"The `return` in line {loop.body[-1].lineno} is inside of the loop, so the loop ends in its first "
                "round. Indent it less."
            )


def _dropped(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    for statement in ast.walk(node):
        if not isinstance(statement, ast.Expr):
            continue
        value, line = statement.value, statement.lineno
        code = ast.unparse(value)
        if isinstance(value, ast.Compare) and isinstance(value.ops[0], ast.Eq):
            yield f"Line {line} compares with `==`, and nothing uses the answer. `=` assigns."
        elif isinstance(value, ast.BinOp):
            yield f"Line {line} computes `{code}` and drops the result. Assign it to a name."
        elif isinstance(value, ast.Attribute | ast.Name):
            yield f"Line {line} only mentions `{code}`. To call a function, write parentheses: `{code}()`."


def _dropped_calls(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    inner = {x.name for x in ast.walk(node) if isinstance(x, ast.FunctionDef) and x is not node}
    local = {x.id for x in ast.walk(node) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
    local |= {x.arg for x in ast.walk(node) if isinstance(x, ast.arg)} - inner
    for statement in ast.walk(node):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            name = call.func.id if isinstance(call.func, ast.Name) else ""
            code, line = ast.unparse(call), statement.lineno
            if name == node.name and returns(node):
                yield f"Line {line} calls `{code}` and drops what it returns. What should become of it?"
            elif name in local or name[:1].isupper():
                yield f"Line {line} computes `{code}` and drops the result. Assign it to a name."


def _changed_in_place(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    for x in ast.walk(node):
        value = x.value if isinstance(x, ast.Assign | ast.Return) else x.iter if isinstance(x, ast.For) else None
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _IN_PLACE:
            name, line = value.func.attr, value.lineno
            yield f"`{name}()` in line {line} changes the object itself and returns None: do not use its result."


def _without_rule(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    if node.name in ("__add__", "__mul__") and "_backward" not in ast.unparse(ours):
        return
    if "_backward" in ast.unparse(node) or not node.args.args or node.args.args[0].arg != "self":
        return
    composed = "_backward" not in ast.unparse(ours)
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "Value" and len(call.args) > 1:
            more = " Compose it of operations that have rules." if composed else ""
            what = f"`{node.name}` makes a Value with parents in line {call.lineno}, and gives it no rule"
            yield f"{what}: nothing is handed back.{more}"


def _never_called(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    def called(definition: ast.FunctionDef) -> set[str]:
        return {x.attr for x in ast.walk(definition) if isinstance(x, ast.Attribute)} & _NEEDED_CALLS

    for name in sorted(called(ours) - called(node)):
        yield f"Nothing in `{node.name}` calls `{name}()`."


def _plus_after_equals(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    for statement in ast.walk(node):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.UnaryOp):
            value, target = statement.value, statement.targets[0]
            if isinstance(value.op, ast.UAdd) and not isinstance(value.operand, ast.Constant):
                line, name = statement.lineno, ast.unparse(target)
                yield f"`=+` in line {line} is `=` and a plus sign: it sets `{name}`. `+=` adds to it."


def _not_a_power(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    for x in ast.walk(node):
        if isinstance(x, ast.BinOp | ast.AugAssign) and isinstance(x.op, ast.BitXor):
            yield f"`^` in line {x.lineno} is not a power in Python. Write `**`."


def _tuple_of_one(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "Value":
            parents = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "_prev")]
            line = call.lineno
            if parents and ast.unparse(parents[0]) == "self":
                yield f"`(self)` in line {line} is only `self` in parentheses. A tuple of one needs a comma: `(self,)`."


def _never_stored(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    used = {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef) and inner is not node and inner.name not in used:
            stored = " Store it in the result: `out._backward = _backward`." if inner.name == "_backward" else ""
            yield f"The function `{inner.name}` in line {inner.lineno} is defined and never used.{stored}"


def _overwritten(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    names = {argument.arg for argument in node.args.args}
    for statement in node.body:
        used = {x.id for x in ast.walk(statement) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load)}
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if name in names and isinstance(statement.value, ast.Constant):
                yield f"Line {statement.lineno} overwrites the argument `{name}`, so what the caller gave is lost."
        names -= used


def _unused(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    used = {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}
    needed = {x.id for x in ast.walk(ours) if isinstance(x, ast.Name)}
    for mine, theirs in zip(node.args.args, ours.args.args):
        if mine.arg not in used and theirs.arg in needed:
            yield f"Nothing in `{node.name}` uses `{mine.arg}`, and the result has to depend on it."


def _after_return(node: ast.FunctionDef, ours: ast.FunctionDef) -> Iterator[str]:
    for x in ast.walk(node):
        for body in (getattr(x, "body", None), getattr(x, "orelse", None)):
            if isinstance(body, list):
                for statement, after in itertools.pairwise(body):
                    if isinstance(statement, ast.Return):
                        yield f"Line {after.lineno} never runs, because the line before it returns."


_SLIPS: tuple[_Slip, ...] = (
    _no_return,
    _ends_with_print,
    _empty_rule,
    _renamed_item,
    _tuple_of_one,
    _plus_after_equals,
    _not_a_power,
    _never_stored,
    _after_return,
    _return_in_loop,
    _dropped,
    _dropped_calls,
    _changed_in_place,
    _without_rule,
    _never_called,
    _overwritten,
    _unused,
    _no_loop,
)
