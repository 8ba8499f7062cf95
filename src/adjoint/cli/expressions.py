"""`adjoint graph "tanh(a*b + c)" a=2 b=-3 c=10` and `adjoint explain`: the graph and the steps of an expression."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from adjoint.cli.arguments import OK
from adjoint.errors import ArgumentError
from adjoint.errors.suggest import unknown_name_error
from adjoint.errors.text_table import table

if TYPE_CHECKING:
    from adjoint.engine.value import Value
    from adjoint.see.expression import Expression

_GRAPHS = {
    "text": ".txt", "svg": ".svg", "dot": ".dot", "mermaid": ".mmd", "png": ".png", "pdf": ".pdf", "json": ".json",
}  # fmt: skip
_EXPLANATIONS = {"text": ".txt", "json": ".json", "latex": ".tex"}


def graph_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint graph`."""
    _expression_options(command, _GRAPHS)
    command.add_argument(
        "--direction", default="LR", metavar="LR|TB", help="the direction of a picture: left to right, or top to bottom"
    )
    command.add_argument("--json", action="store_true", help="print the value and the gradients as JSON")


def explain_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint explain`."""
    _expression_options(command, _EXPLANATIONS)


def _expression_options(command: argparse.ArgumentParser, formats: dict[str, str]) -> None:
    command.add_argument("expression", help='such as "tanh(a*b + c)", or statements: "d = a*b; L = d + c"')
    command.add_argument("numbers", nargs="*", metavar="name=number", help="the number of each input, such as a=2")
    command.add_argument("--format", metavar="NAME", help=", ".join(formats))
    command.add_argument("--out", metavar="FILE", help="write to a file; its suffix decides the format")


def graph(asked: argparse.Namespace) -> int:
    """Compute an expression, and show its gradients and its graph."""
    from adjoint.see.drawing import draw
    from adjoint.see.explanation import explain
    from adjoint.see.explanation.summaries import as_json

    form = _format(asked, _GRAPHS)
    expression, values = _compute(asked)
    result = values[expression.result]
    result.backward()
    if asked.json:
        numbers = {name: {"value": as_json(x.data), "gradient": as_json(x.grad)} for name, x in values.items()}
        found: dict[str, object] = {
            "expression": expression.text,
            "value": as_json(result.data),
            "gradients": {name: numbers[name]["gradient"] for name in expression.names},
        }
        statements = {x.name: numbers[x.name] for x in expression.statements if x.name}
        if statements:
            found["statements"] = statements
        return _output(json.dumps(found), asked.out)
    if form == "json":
        return _output(explain(result).to_json(indent=2), asked.out)
    drawing = draw(result, form or "text", direction=asked.direction)
    if form is not None:
        return _output(drawing, asked.out)
    for statement in expression.statements:
        print(f"{statement.text} = {values[statement.name].data:.6g}")
    if expression.statements:
        print()
    inputs = [(name, values[name]) for name in expression.names]
    rows = [[name, f"{x.data:g}", f"{x.grad:.6g}"] for name, x in inputs]
    if rows:
        print(table(["input", "value", "gradient"], rows, " rr") + "\n")
    return _output(drawing, None)


def explain(asked: argparse.Namespace) -> int:
    """Explain step by step how an expression and its gradients are computed."""
    from adjoint.see.explanation import explain

    form = _format(asked, _EXPLANATIONS) or "text"
    expression, values = _compute(asked)
    explanation = explain(values[expression.result])
    formats = {"text": explanation.__str__, "json": lambda: explanation.to_json(indent=2), "latex": explanation.latex}
    return _output(formats[form](), asked.out)


def _format(asked: argparse.Namespace, formats: dict[str, str]) -> str | None:
    """Return the requested format, by its name or by the suffix of a file; None if neither was given."""
    if asked.out:
        from adjoint.files import atomic

        ending = atomic.as_path(asked.out).suffix.lower()
        atomic.require_writable(asked.out)
        meant = next((name for name, known in formats.items() if known == ending), None)
        if meant is None and asked.format is None:
            endings = ", ".join(formats.values())
            raise ArgumentError(f"cannot tell the format from {asked.out!r}; use a suffix ({endings}) or --format")
        if asked.format is None:
            return meant
    if asked.format is not None and asked.format not in formats:
        raise unknown_name_error("format", asked.format, formats)
    return asked.format


def _output(content: Any, path: str | None) -> int:
    """Print the result, in color if the output is a terminal, or write it to a file."""
    if path is not None:
        from adjoint.files import atomic

        atomic.write(path, bytes(content) if hasattr(content, "__bytes__") else f"{content}\n".encode())
        print(f"wrote {path}")
    elif getattr(content, "kind", None) in ("png", "pdf"):
        if sys.stdout.isatty():
            raise ArgumentError("a terminal cannot show a picture; write it to a file with --out graph.png")
        sys.stdout.buffer.write(bytes(content))
    elif hasattr(content, "__rich__") and sys.stdout.isatty():
        from rich.console import Console

        Console(highlight=False).print(content)
    else:
        print(content)
    return OK


def _compute(asked: argparse.Namespace) -> tuple["Expression", dict[str, "Value"]]:
    """Return the expression and the Values of its inputs and statements."""
    from adjoint.see.expression import Expression

    expression = Expression(asked.expression)
    numbers = dict(_assignment(text) for text in asked.numbers)
    extra = [name for name in numbers if name not in expression.names]
    if extra:
        raise unknown_name_error("name", extra[0], expression.names, " (those of the expression)")
    values = expression.values(numbers)
    for note in expression.notes:
        print(note, file=sys.stderr)
    return expression, values


def _assignment(text: str) -> tuple[str, float]:
    name, equals, number = text.partition("=")
    try:
        return name.strip(), float(number)
    except ValueError:
        pass
    problem = f": {number!r} is not a number" if equals else ""
    raise ArgumentError(f"{text!r} is not of the form name=number, such as a=2{problem}")
