"""Explain step by step how an expression and its gradients are computed.

examples:
  adjoint explain "tanh(a*b + c)" a=2 b=-3 c=10
  adjoint explain "a*b + a" a=2 b=-3 --format latex
  adjoint explain "d = a*b; L = d + a" a=2 b=-3
"""

import argparse

from adjoint.cli.expressions import compute, expression_options, format_of, show_result
from adjoint.see.explanation.steps import explain

_FORMATS = {"text": ".txt", "json": ".json", "latex": ".tex"}


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint explain`."""
    expression_options(command, _FORMATS)


def run(asked: argparse.Namespace) -> int:
    """Explain step by step how an expression and its gradients are computed."""
    form = format_of(asked, _FORMATS) or "text"
    expression, values = compute(asked)
    explanation = explain(values[expression.result])
    formats = {"text": explanation.__str__, "json": lambda: explanation.to_json(indent=2), "latex": explanation.latex}
    return show_result(formats[form](), asked.out)
