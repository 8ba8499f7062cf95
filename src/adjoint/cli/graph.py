"""Compute an expression, and show its gradients and its graph.

examples:
  adjoint graph "tanh(a*b + c)" a=2 b=-3 c=10
  adjoint graph "tanh(a*b + c)" a=2 b=-3 c=10 --out graph.svg
  adjoint graph "(a + b)**2 / c" a=1 b=2 c=4 --json
  adjoint graph "d = a*b; e = d + c; L = e*f" a=2 b=-3 c=10 f=-2    with names for the nodes
  adjoint graph "a = 2; b = -3; L = a*b" a=5                        numbers in the text; a=5 replaces one
"""

import argparse
import json

from adjoint.cli.expressions import compute, expression_options, format_of, show_result
from adjoint.errors.guard_warnings import guards
from adjoint.errors.text_table import table
from adjoint.see.drawing import draw
from adjoint.see.explanation.steps import explain
from adjoint.see.explanation.summaries import as_json

_FORMATS = {
    "text": ".txt", "svg": ".svg", "dot": ".dot", "mermaid": ".mmd", "png": ".png", "pdf": ".pdf", "json": ".json",
}  # fmt: skip


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint graph`."""
    expression_options(command, _FORMATS)
    command.add_argument(
        "--direction", default="LR", metavar="LR|TB", help="the direction of a picture: left to right, or top to bottom"
    )
    command.add_argument("--json", action="store_true", help="print the value and the gradients as JSON")


def run(asked: argparse.Namespace) -> int:
    """Compute an expression, and show its gradients and its graph."""
    form = format_of(asked, _FORMATS)
    expression, values = compute(asked)
    result = values[expression.result]
    with guards(missing_history=False):  # the result may be an input
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
        return show_result(json.dumps(found), asked.out)
    if form == "json":
        return show_result(explain(result).to_json(indent=2), asked.out)
    drawing = draw(result, form or "text", direction=asked.direction)
    if form is not None:
        return show_result(drawing, asked.out)
    for statement in expression.statements:
        print(f"{statement.text} = {values[statement.name].data:.6g}")
    if expression.statements:
        print()
    inputs = [(name, values[name]) for name in expression.names]
    rows = [[name, f"{x.data:g}", f"{x.grad:.6g}"] for name, x in inputs]
    if rows:
        print(table(["input", "value", "gradient"], rows, " rr") + "\n")
    return show_result(drawing, None)
