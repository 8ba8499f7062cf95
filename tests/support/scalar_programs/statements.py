"""Random statements of a training step over single numbers.

Each function draws lines and returns them with the scope that the lines after it can use.
"""

from __future__ import annotations

from collections.abc import Callable

from scalar_programs.expressions import Expressions, Scope

Lines = list[str]
Statement = Callable[[Expressions, Scope], tuple[Lines, Scope]]


def indented(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]


def assign_value(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    name = draw.fresh("v")
    return [f"{name} = {draw.value(scope, 3)}"], scope.with_names(values=name)


def assign_float(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    name = draw.fresh("f")
    return [f"{name} = {draw.float_(scope, 2)}"], scope.with_names(floats=name)


def samples(draw: Expressions, scope: Scope) -> tuple[str, str, Scope]:
    """Return the target and the list of a loop over numbers, or over rows of numbers, and the scope inside."""
    i, x, y = draw.fresh("i"), draw.fresh("x"), draw.fresh("y")
    if scope.tables and draw.chance(0.6):
        table = draw.one_of(*scope.tables)
        if draw.chance(0.5):
            return (
                f"{x}, {y}",
                f"zip({table}, {draw.one_of(*scope.float_lists)})",
                scope.with_names(float_lists=x, floats=(y, f"{x}[0]")),
            )
        return x, table, scope.with_names(float_lists=x, floats=(f"{x}[0]", f"{x}[-1]"))
    if draw.chance(0.3):
        # the number of a sample is a constant of the program
        return f"{i}, {x}", f"enumerate({draw.one_of(*scope.float_lists)})", scope.with_names(floats=(x, i))
    if draw.chance(0.2):
        return x, draw.one_of(*scope.value_lists), scope.with_names(values=x)
    return x, draw.one_of(*scope.float_lists), scope.with_names(floats=x)


def comprehension(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    """Compute the same for every sample."""
    target, iterable, inner = samples(draw, scope)
    name = draw.fresh("h")
    line = f"{name} = [{draw.value(inner, 3)} for {target} in {iterable}]"
    total = draw.fresh("v")
    combined = draw.one_of(
        f"sum({name})", f"sum({name}) / len({name})", f"reduce(ops.maximum, {name})", f"sum({name}, {draw.literal()})",
        f"sum(map(mul, {name}, {name}))", f"{name}[-1] * {name}[0]", f"reduce(mul, map(ops.tanh, {name}))",
        f"reduce(ops.logaddexp, {name})", f"sum(ops.relu(1 - {draw.literal()} * x) for x in {name})",
    )  # fmt: skip
    lines = [line, f"{total} = {combined} + 0 * {draw.value(scope, 0)}"]
    return lines, scope.with_names(values=total, value_lists=name)


def loop(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    """Compute for every sample with a state that passes from one to the next, or with a growing sum."""
    target, iterable, inner = samples(draw, scope)
    state = draw.fresh("v")
    start = draw.one_of(f"Value({draw.literal()})", draw.value(scope, 1), draw.value(scope, 0))
    inner = inner.with_names(values=state)
    body: Lines = []
    for _ in range(draw.random.randint(0, 2)):
        lines, inner = draw.one_of(assign_value, assign_value, assign_float)(draw, inner)
        body += lines
    new = draw.value(inner, 2)
    body.append(
        draw.one_of(
            f"{state} = {state} + {new}",
            f"{state} += {new}",
            f"{state} = ({state} * {draw.value(scope, 0)} + {new}).tanh()",
            f"{state} = ({new} + 0.5 * {state}).sin()",
            f"{state} = {state} - {draw.literal()} * {new}.detach()",
        )
    )
    return [f"{state} = {start}", f"for {target} in {iterable}:", *indented(body)], scope.with_names(values=state)


def layer(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    """Apply a matrix of Values to a list, as layers of tutorials do."""
    name, total = draw.fresh("h"), draw.fresh("v")
    inputs = draw.one_of(*scope.value_lists, *scope.float_lists)
    activation = draw.one_of("tanh", "relu", "sigmoid", "gelu", "softplus")
    rows = draw.one_of("sum(map(mul, row, {}), c)", "(sum(w * x for w, x in zip(row, {})) + c)").format(inputs)
    line = f"{name} = [{rows}.{activation}() for row, c in zip(W, b)]"
    return [line, f"{total} = sum({name})"], scope.with_names(values=total, value_lists=name)


def network(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    """Apply a layer to every row of a table."""
    table = draw.one_of(*scope.tables)
    scores, total = draw.fresh("h"), draw.fresh("v")
    function = draw.one_of("forward", "forward", "model" if "model" in scope.functions else "forward")
    targets = draw.one_of(*scope.float_lists)
    losses = draw.one_of(
        "sum((z - y) ** 2 for z, y in zip({}, {}))", "sum((1 - y * z).relu() for z, y in zip({}, {}))",
        "sum(ops.softplus(-y * z) for z, y in zip({}, {}))",
    ).format(scores, targets)  # fmt: skip
    lines = [f"{scores} = [{function}(x) for x in {table}]", f"{total} = {losses} / len({scores})"]
    return lines, scope.with_names(values=total, value_lists=scores)


def nested_sums(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    name, table = draw.fresh("v"), draw.one_of("W", *scope.tables)
    other = draw.one_of(*scope.value_lists)
    return [f"{name} = sum(sum(w * x for w, x in zip(row, {other})) for row in {table})"], scope.with_names(values=name)


def without_gradient(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    name = draw.fresh("v")
    lines = ["with adjoint.no_grad():", f"    {name} = {draw.value(scope, 2)}"]
    return lines, scope.with_names(values=name)


def derivative(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    """Define a function, and use its first or second derivative."""
    f, t, name = draw.fresh("g"), draw.fresh("t"), draw.fresh("v")
    inner = Scope(values=(t, draw.one_of(*scope.values)), value_lists=("p",), float_lists=scope.float_lists)
    body = draw.value(inner, 2)
    grad = draw.one_of("adjoint.grad({})", "adjoint.grad({})", "adjoint.grad(adjoint.grad({}))").format(f)
    at = draw.float_(scope, 0)
    lines = [
        f"def {f}({t}):",
        f"    return {body} + {t} * {t} * {t}",
        f"{name} = {draw.value(scope, 0)} * {grad}({at})",
    ]
    return lines, scope.with_names(values=name)


def change_number(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    """Change a number of an object."""
    line = draw.one_of(
        f"s.total += {draw.one_of(*scope.values)}.data",
        f"s.total = 0.5 * s.total + {draw.float_(scope, 1)}",
        "s.count += 1",
        f"s.m[0] = 0.9 * s.m[0] + {draw.float_(scope, 1)}",
        f"s.by_name['x'] = {draw.float_(scope, 1)}",
    )
    return [line], scope


def change_data(draw: Expressions, scope: Scope) -> tuple[Lines, Scope]:
    """Assign the data of a parameter before it is used."""
    value = draw.one_of("p[0]", "p[-1]", "q[0]")
    line = draw.one_of(f"{value}.data *= 0.75", f"{value}.data = {draw.float_(scope, 1)}", f"{value}.data -= 0.25")
    return [line], scope


STATEMENTS: dict[Statement, float] = {
    assign_value: 4,
    assign_float: 1.5,
    comprehension: 3,
    loop: 2,
    layer: 1,
    network: 1.5,
    nested_sums: 0.5,
    without_gradient: 0.4,
    derivative: 0.5,
    change_number: 0.8,
}
