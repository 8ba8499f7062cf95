"""Explains errors of Python in the terms of a learner's program: a missing `return`, a misspelt method."""

import ast
import re
from collections.abc import Iterator
from difflib import get_close_matches

from adjoint_learn.course import Exercise
from adjoint_learn.definitions import definitions, returns
from adjoint_learn.results import Place, Result

_DATA = {"data", "other", "out", "x", "node"}  # what people write in place of `self`


def explanations(exercise: Exercise, tree: ast.Module, result: Result) -> Iterator[str]:
    """Yield what an exception means, with the names and lines of a learner's program."""
    solution = ast.parse(exercise.solution)
    ours = {node.name: node for node in solution.body if isinstance(node, ast.ClassDef)}
    text = result.message
    for node in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        methods = {child.name: child for child in node.body if isinstance(child, ast.FunctionDef)}
        wanted = {
            child.name for child in getattr(ours.get(node.name), "body", ()) if isinstance(child, ast.FunctionDef)
        }
        unknown = [name for name in methods if name not in wanted]
        for name in sorted(wanted - set(methods)):
            close = get_close_matches(name, unknown, 1, 0.6)
            if close:
                yield (
                    f"Your class `{node.name}` has no method `{name}`, but one with the name `{close[0]}` in line "
                    f"{methods[close[0]].lineno}. Python looks for exactly `{name}`."
                )
        for name, method in methods.items():
            first = [*method.args.posonlyargs, *method.args.args][:1]
            if (
                name in wanted
                and not method.decorator_list
                and not method.args.vararg
                and (not first or first[0].arg in _DATA)
            ):
                yield f"The first parameter of the method `{name}` in line {method.lineno} should be `self`."
    missing = re.search(r"NameError: name '(\w+)' is not defined", text)
    if missing:
        name = missing[1]
        attributes = {target.attr for target in ast.walk(tree) if isinstance(target, ast.Attribute)}
        if name in {"math", "random"}:
            yield f"`{name}` is a module of Python: write `import {name}` at the top of the file."
        elif any(name == method[-1] for method in definitions(tree) if len(method) == 2):
            yield f"`{name}` is a method. It is called on an object: `node.{name}()`, or `self.{name}()`."
        elif name in attributes:
            yield f"`{name}` alone is a variable, which does not exist here. What a Value holds is `self.{name}`."
        else:
            names = {x.id for x in ast.walk(tree) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
            names |= {x.arg for x in ast.walk(tree) if isinstance(x, ast.arg)} | {
                name[-1] for name in definitions(tree)
            }
            close = get_close_matches(name, names - {name}, 1, 0.6)
            if close:
                yield f"Nothing has the name `{name}`. Is `{close[0]}` meant?"
    yield from _about_attributes(text, tree)
    yield from _about_types(text, tree, solution, result.places)
    if "local variable" in text and "UnboundLocalError" in text:
        yield "A name that a function assigns is local in all of this function, also above the assignment."
    if "'NoneType'" in text:
        for name, node in definitions(tree).items():
            theirs = definitions(solution).get(name)
            if theirs is not None and returns(theirs) and not returns(node):
                yield (
                    f"Something here is None. `{name[-1]}` in line {node.lineno} has no `return`, and a function "
                    "without `return` gives None."
                )
    if "RecursionError" in text and any(
        isinstance(node, ast.Attribute) and node.attr == "setrecursionlimit" for node in ast.walk(tree)
    ):
        yield (
            "You raise Python's recursion limit. That moves the wall, and a longer graph hits it again, or crashes "
            "Python: the check sets the limit back. A loop with a list needs no limit."
        )


def _about_attributes(text: str, tree: ast.Module) -> Iterator[str]:
    """Explain that an object does not have an attribute."""
    found = re.search(r"AttributeError: '(\w+)' object has no attribute '(\w+)'", text)
    if found is None:
        return
    kind, name = found[1], found[2]
    if kind in ("int", "float"):
        yield (
            f"Something here is a plain number, and a number has no `{name}`. Make a Value of it first, or compute "
            "with the Value where you have taken its `data`."
        )
    elif kind in ("list", "tuple"):
        yield f"Something here is a whole {kind}, and `{name}` belongs to one of its elements."
    elif kind != "NoneType":
        stored = {x.attr for x in ast.walk(tree) if isinstance(x, ast.Attribute) and isinstance(x.ctx, ast.Store)}
        methods = {name[-1] for name in definitions(tree)}
        close = get_close_matches(name, (stored | methods) - {name}, 1, 0.6)
        if hasattr([], name):
            yield f"Something here is a single {kind}, and `{name}` belongs to a list."
        elif close:
            yield f"Your class has no `{name}`, but `{close[0]}`. The names have to agree, with their underscores."


def _about_types(text: str, tree: ast.Module, solution: ast.Module, places: list[Place]) -> Iterator[str]:
    """Explain operands and arguments of the wrong kind."""
    found = re.search(r"unsupported operand type\(s\) for (\S+): '(\w+)' and '(\w+)'", text)
    if found and "NoneType" not in text and found[1] != "^":
        op, left, right = found.groups()
        kinds = f"two objects of the kind `{left}`" if left == right else f"`{left}` and `{right}`"
        yield f"`{op}` has no meaning for {kinds}: take out the numbers first, or make Values of them."
    if "must be real number, not Value" in text:
        yield "The functions of `math` compute with numbers: give them the number of the Value, its `data`."
    if "not supported between instances of" in text and "'Value'" in text:
        yield "Values of your class cannot be compared. Compare their numbers, `data`."
    found = re.search(r"'(int|float|Value)' object is not (iterable|subscriptable|callable)", text)
    if found:
        what = "number" if found[1] != "Value" else "Value"
        need = {
            "iterable": "where a list is needed",
            "subscriptable": "and has no elements",
            "callable": "and no function",
        }
        more = " Is a `*` missing in front of the parenthesis?" if found[2] == "callable" else ""
        yield f"Something here is a single {what}, {need[found[2]]}.{more}"
    if "can only concatenate str" in text or "must be str" in text:
        yield "`+` joins texts only. Make a text of the number first: `str(…)`, or an f-string."
    if "math domain error" in text:
        yield "A function of `math` has no value for this number: there is no logarithm of 0 or of a negative number."
    if "IndexError" in text:
        yield "An index is too large: the last element of a list with n elements has the index n - 1."
    if "argument" in text and "TypeError" in text:
        ours = definitions(solution)
        for name, node in definitions(tree).items():
            wanted = [x.arg for x in ours[name].args.args] if name in ours else []
            have = [x.arg for x in node.args.args]
            if len(have) < len(wanted) and not node.args.vararg:
                yield (
                    f"`{name[-1]}` in line {node.lineno} takes {', '.join(have) or 'nothing'}. It has to take "
                    f"{', '.join(wanted)}, as in the stub."
                )
    if "RecursionError" in text:
        for name, node in definitions(tree).items():
            sign = _METHODS.get(name[-1])
            inside = any(node.lineno <= place.line <= (node.end_lineno or 0) for place in places)
            if sign and inside and any(_uses(x, sign, name[-1].startswith("__r")) for x in ast.walk(node)):
                yield (
                    f"`{name[-1]}` in line {node.lineno} uses `{sign.strip()}` for Values itself, and Python calls "
                    f"`{name[-1]}` for it again, without end."
                )
        spans = {name[-1]: range(node.lineno, (node.end_lineno or 0) + 1) for name, node in definitions(tree).items()}
        chain = dict.fromkeys(name for place in places for name, span in spans.items() if place.line in span)
        names = [f"`{name}`" for name in chain if name.startswith("__")]
        if len(names) > 1:
            yield f"{', '.join(names[:-1])} and {names[-1]} call each other without end. One has to compute a number."


def _uses(x: ast.AST, sign: str, right: bool) -> bool:
    """Return whether an operation of Values calls the method that it stands in."""
    if sign == "-" and isinstance(x, ast.UnaryOp) and isinstance(x.op, ast.USub):
        return ast.unparse(x.operand) == "self"
    if isinstance(x, ast.BinOp) and isinstance(x.op, _OPERATIONS.get(sign, ())):
        left = ast.unparse(x.left)
        return left == "other" and ast.unparse(x.right) == "self" if right else left == "self"
    return False


_METHODS = {
    "__add__": "+",
    "__radd__": "+",
    "__rsub__": "- ",
    "__rtruediv__": "/",
    "__mul__": "*",
    "__rmul__": "*",
    "__neg__": "-",
    "__sub__": "- ",
    "__truediv__": "/",
    "__pow__": "**",
}
_OPERATIONS: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "*": ast.Mult,
    "- ": ast.Sub,
    "/": ast.Div,
    "**": ast.Pow,
}
