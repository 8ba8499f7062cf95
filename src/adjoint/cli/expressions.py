"""What `adjoint graph` and `adjoint explain` share: options, the Values of an expression, and the output."""

import argparse
import sys
from typing import Any

from adjoint.cli.option_types import OK
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.suggest import unknown_name_error
from adjoint.files import atomic
from adjoint.see.expression import Expression


def expression_options(command: argparse.ArgumentParser, formats: dict[str, str]) -> None:
    command.add_argument("expression", help='such as "tanh(a*b + c)", or statements: "d = a*b; L = d + c"')
    command.add_argument("numbers", nargs="*", metavar="name=number", help="the number of each input, such as a=2")
    command.add_argument("--format", metavar="NAME", help=", ".join(formats))
    command.add_argument("--out", metavar="FILE", help="write to a file; its suffix decides the format")


def format_of(asked: argparse.Namespace, formats: dict[str, str]) -> str | None:
    """Return the requested format, by its name or by the suffix of a file; None if neither was given."""
    if asked.out:
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


def show_result(content: Any, path: str | None) -> int:
    """Print the result, in color if the output is a terminal, or write it to a file."""
    if path is not None:
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


def compute(asked: argparse.Namespace) -> tuple[Expression, dict[str, Value]]:
    """Return the expression and the Values of its inputs and statements."""
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
