"""Compares the learner's Value with adjoint's on a program of statements such as `d = a*b; L = d + c`.

Values are compared in the order of the statements, and gradients in the reverse order. The first wrong gradient of this
order has only correct gradients after it, so the mistake is in a statement that uses its name.
"""

import ast
import math
import random
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from adjoint import Value
from adjoint_learn.checking import Mismatch, as_code, show, show_pair
from adjoint_learn.nodes import parents_first
from adjoint_learn.results import Graph

Make = Callable[[float], Any]  # the learner's class
Backward = Callable[[Any], None]  # computes the gradients of all nodes of a graph
_STATEMENT = "<statement>"  # the file of statements in a traceback


def compare(
    make: Make,
    program: str,
    inputs: Mapping[str, float],
    backward: Backward | None,
    tolerance: float,
    keep: Callable[[Any, Mapping[str, Any]], None] | None = None,
) -> Mismatch | None:
    """Return the first difference between the learner's Values and adjoint's, or None.

    `backward` computes the learner's gradients. Without it, only values are compared. If all agree, `keep` is called
    with the learner's result and the Values by their names.
    """
    lines = _lines(program)
    reference: dict[str, Any] = {name: Value(x, label=name) for name, x in inputs.items()}
    for name, code in lines:
        reference[name] = eval(code, {"__builtins__": {}}, reference)
    theirs = _inputs(make, inputs)
    for name, x in inputs.items():
        problem = _value_problem(name, None, theirs[name], x, tolerance)
        if problem is not None:
            return problem
    names = list(inputs)
    for name, code in lines:
        theirs[name] = evaluate(code, theirs, f"{name} = {code}")
        names.append(name)
        problem = _value_problem(name, code, theirs[name], float(reference[name].data), tolerance)
        if problem is not None:
            return Mismatch(
                str(problem), problem.got, _graph(theirs[name], theirs, {name: float(reference[name].data)}, "data")
            )
        problem = _changed_number(f"`{name} = {code}`", names[:-1], theirs, reference, tolerance)
        if problem is not None:
            return problem
    root = names[-1]
    if backward is None:
        if keep:
            keep(theirs[root], theirs)
        return None
    reference[root].backward()
    backward(theirs[root])
    problem = _changed_number("the way back", names, theirs, reference, tolerance)
    if problem is not None:
        return problem
    for name in reversed(names):
        expected, got = float(reference[name].grad), getattr(theirs[name], "grad", None)
        if not _near(got, expected, tolerance):
            message = _gradient_message(name, got, expected, lines, reference)
            return Mismatch(message, (name, got), _graph(theirs[root], theirs, {name: expected}, "grad"))
    if keep:
        keep(theirs[root], theirs)
    return None


def compare_with_nudges(make: Make, program: str, inputs: Mapping[str, float], backward: Backward) -> Mismatch | None:
    """Return the first input whose gradient differs from the central difference of the learner's own values."""
    step = 1e-5
    root, theirs = _compute(make, program, inputs)
    backward(theirs[root])
    for name, x in inputs.items():
        low, high = (
            float(_compute(make, program, {**inputs, name: x + change})[1][root].data) for change in (-step, step)
        )
        slope, got = (high - low) / (2 * step), theirs[name].grad
        if not _near(got, slope, 1e-4):
            return Mismatch(
                f"your gradient of `{name}` is {show(got)}, but if `{name}` moves a little, your `{root}` changes by "
                f"{show(slope)} times as much.",
                (name, got),
            )
    return None


def evaluate(code: str, names: Mapping[str, Any], what: str) -> Any:
    """Return the value of an expression of the learner's objects. `what` describes it in a message."""
    program = compile(code, _STATEMENT, "eval")
    return _attempt(what, lambda: eval(program, {"__builtins__": {}}, names))


def call_backward(root: Any) -> None:
    """Compute the gradients with the learner's `backward()`."""
    _attempt("backward()", lambda: root.backward())


def call_rules(root: Any) -> None:
    """Compute the gradients with the learner's `_backward` functions, each before those of the node's parents."""
    root.grad = 1.0
    for node in reversed(parents_first(root)):
        rule = getattr(node, "_backward", None)
        if not callable(rule):
            made = f"of the result of `{node._op}` " if getattr(node, "_op", "") else ""
            raise Mismatch(
                f"`_backward` {made}is {show(rule)}, and should be a function. Store the function itself, and do not "
                "call it: `out._backward = _backward`, without parentheses.",
                ("_backward", None),
            )
        _attempt("_backward()", rule)


def _inputs(make: Make, inputs: Mapping[str, float]) -> dict[str, Any]:
    return {name: _attempt(f"{name} = Value({x:g})", lambda x=x: make(x)) for name, x in inputs.items()}


def _compute(make: Make, program: str, inputs: Mapping[str, float]) -> tuple[str, dict[str, Any]]:
    """Return the name of the result of a program, and the learner's Values by their names."""
    theirs, root = _inputs(make, inputs), ""
    for root, code in _lines(program):
        theirs[root] = evaluate(code, theirs, f"{root} = {code}")
    return root, theirs


def _attempt(what: str, action: Callable[[], Any]) -> Any:
    """Return the result of an action. An exception that is not raised in the learner's code becomes a `Mismatch`."""
    try:
        return action()
    except Exception as error:
        files = {frame.filename for frame in traceback.extract_tb(error.__traceback__)}
        if not files <= {__file__, _STATEMENT}:
            raise
        kind = type(error).__name__
        raise Mismatch(f"`{what}` raises {as_code(f'{kind}: {error}')}.", (what, kind, str(error))) from None


def random_program(rng: random.Random, templates: list[str], statements: int = 6) -> tuple[str, dict[str, float]]:
    """Return a random program and its inputs. A template is an expression of `x` and, if it has two operands, `y`.

    >>> program, inputs = random_program(random.Random(1), ["x + y", "x * y", "x.tanh()"], 3)
    >>> program.count("=")
    3
    """
    inputs = {name: round(rng.uniform(-2, 2), 2) or 0.5 for name in "abc"}
    names, lines = list(inputs), []
    for i in range(statements):
        template = rng.choice(templates)
        recent = names[-4:] if rng.random() < 0.7 else names
        x, y = rng.choice(recent), rng.choice(names)
        name = f"v{i + 1}"
        lines.append(f"{name} = {_fill(template, x, y)}")
        names.append(name)
    return "\n".join(lines), inputs


def _fill(template: str, x: str, y: str) -> str:
    class Names(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            return ast.Name({"x": x, "y": y}.get(node.id, node.id), node.ctx)

    return ast.unparse(Names().visit(ast.parse(template, mode="eval")))


def _lines(program: str) -> list[tuple[str, str]]:
    found = []
    for line in program.replace(";", "\n").splitlines():
        if line.strip():
            name, _, code = line.partition("=")
            found.append((name.strip(), code.strip()))
    return found


def _value_problem(name: str, code: str | None, value: Any, expected: float, tolerance: float) -> Mismatch | None:
    made = f"`{name} = {code}`" if code else f"`{name} = Value({expected:g})`"
    if value is None:
        return Mismatch(f"{made}: the result is None. An operation must return a new Value.", (name, None))
    got = getattr(value, "data", None)
    if got is None:
        return Mismatch(
            f"{made}: the result is {show(value)}, which has no `data`. An operation must return a Value.",
            (name, type(value).__name__),
        )
    if not _near(got, expected, tolerance):
        is_now, should_be = show_pair(got, expected)
        return Mismatch(f"{made}: your value of `{name}` is {is_now}, and should be {should_be}.", (name, got))
    return None


def _changed_number(
    what: str, names: list[str], theirs: Mapping[str, Any], reference: Mapping[str, Any], tolerance: float
) -> Mismatch | None:
    """Return which Value has another number than when it was made, or None."""
    for name in names:
        expected, got = float(reference[name].data), getattr(theirs[name], "data", None)
        if not _near(got, expected, tolerance):
            is_now, was = show_pair(got, expected)
            return Mismatch(
                f"{what} changes the number of `{name}` from {was} to {is_now}. Operations and their rules read `data` "
                "and leave it as it is: other operations use this number too.",
                ("changed", what.startswith("the")),
            )
    return None


def _gradient_message(
    name: str, got: Any, expected: float, lines: list[tuple[str, str]], reference: Mapping[str, Any]
) -> str:
    root = lines[-1][0] if lines else name
    if name == root:
        return (
            f"your gradient of the result `{name}` is {show(got)}, and should be `1`: "
            "the backward pass starts with the derivative of the result with respect to itself."
        )
    users = [(user, code) for user, code in lines if name in _names(code) and float(reference[user].grad) != 0.0]
    is_now, should_be = show_pair(got, expected)
    message = f"your gradient of `{name}` is {is_now}, and should be {should_be}"
    if not users:
        return f"{message}: `{root}` does not depend on `{name}`."
    parts = []
    for user, code in users:
        local, after = _local_derivative(name, code, reference), float(reference[user].grad)
        parts.append((user, code, local, after))
    if len(parts) == 1:
        user, code, local, after = parts[0]
        times = sum(found == name for found in _names(code))
        if times > 1:
            return f"`{user} = {code}`: {message}. `{name}` is used {times} times, and every use adds its share."
        return (
            f"`{user} = {code}`: {message}. The local derivative of `{user}` with respect to `{name}` is "
            f"{show(local)}. Times the gradient of `{user}`, {show(after)}, it gives {show(expected)}."
        )
    each = ", ".join(f"{show(local * after)} from `{user} = {code}`" for user, code, local, after in parts)
    return f"{message}. `{name}` is used {len(parts)} times, and its gradient is the sum of {each}."


def _local_derivative(name: str, code: str, reference: Mapping[str, Any]) -> float:
    fresh = {other: Value(float(x.data)) for other, x in reference.items()}
    result = eval(code, {"__builtins__": {}}, fresh)
    if not isinstance(result, Value) or result is fresh[name]:
        return 1.0
    result.backward()
    return float(fresh[name].grad)


def _names(code: str) -> list[str]:
    return [node.id for node in ast.walk(ast.parse(code, mode="eval")) if isinstance(node, ast.Name)]


def _near(got: Any, expected: float, tolerance: float) -> bool:
    if isinstance(got, bool) or not isinstance(got, int | float) or (isinstance(got, int) and abs(got) > 1e300):
        return False
    if math.isnan(expected) or math.isinf(expected):
        return repr(float(got)) == repr(expected)
    return abs(got - expected) <= tolerance * max(1.0, abs(expected))


def _graph(root: Any, named: Mapping[str, Any], expected: Mapping[str, float], field: str) -> Graph | None:
    """Return a drawing of the learner's graph, if it can be drawn, with the wrong node marked."""
    from adjoint_learn.graphs import draw_graph

    labels = {id(value): name for name, value in named.items()}
    notes = {id(named[name]): f"{field} should be {x:.4f}" for name, x in expected.items()}
    return draw_graph(root, labels, notes)
