"""The parser of the command line: `adjoint train moons` and the other commands.

A user error gives one line on standard error and the exit code 2. Results go to standard output, with `--json`
as JSON. Each command is a module, of this package or, by an entry point, of another: its docstring is the help, and it
has the functions `add_options(parser)` and `run(asked)`. Only the module of the requested command is imported.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any

from adjoint import __version__
from adjoint.cli.option_types import INTERRUPTED, MISUSED, OK
from adjoint.cli.output import discard_output, prepare_output, show_warnings_as_lines
from adjoint.engine.native import accelerated
from adjoint.errors import AdjointError, ArgumentError
from adjoint.errors.suggest import unknown_name_error

COMMANDS = {  # those of this package, and their modules
    **{name: f"adjoint.cli.{name}" for name in ("train", "tokenize", "predict", "generate", "graph", "explain")},
    "run": "adjoint.cli.run_program",
    "bench": "adjoint.cli.bench",
}

_EXAMPLES = """\
examples:
  adjoint train moons --plot moons.png         train a network on two moons and plot the boundary
  adjoint train digits --engine jit            handwritten digits, compiled by XLA
  adjoint train text.txt --save gpt.safetensors
                                               train a small GPT on a text
  adjoint generate gpt.safetensors "Once"      text of a trained language model
  adjoint graph "tanh(a*b + c)" a=2 b=-3 c=10  an expression, its gradients, its graph
  adjoint explain "a*b + a" a=2 b=-3           the chain rule, step by step
  adjoint run train.py                         a program with an engine of its own, on this one
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    prepare_output()
    try:
        code = _run(arguments)
        sys.stdout.flush()  # an error of the output is reported here, not while Python ends
        return code
    except AdjointError as error:
        return _misused(str(error))
    except MemoryError:
        return _misused("out of memory; use a smaller network, or fewer samples")
    except KeyboardInterrupt:
        _misused("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output has closed it
        discard_output("stdout")
        return OK
    except OSError as error:
        if error.filename is not None:  # not of the output
            raise
        discard_output("stdout")
        return _misused(f"cannot write the output: {error.strerror or error}")


def _run(arguments: Sequence[str]) -> int:
    try:
        parser = _parser(arguments)
        if not arguments:
            parser.print_help()
            return OK
        asked, unknown = parser.parse_known_args(arguments)
    except SystemExit as end:  # argparse has printed the version or the help of a command
        return int(end.code or OK)
    if unknown:  # argparse would name the help of all commands
        raise ArgumentError(f"unrecognized arguments: {' '.join(unknown)}; see adjoint {_command(arguments)} --help")
    with show_warnings_as_lines():
        return asked.run(asked)


def _misused(message: str) -> int:
    """Print an error, and return its exit code, also if standard error cannot be written."""
    try:
        print(f"adjoint: {message}", file=sys.stderr, flush=True)
    except OSError:
        discard_output("stderr")
    return MISUSED


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line that names the help."""

    def error(self, message: str):
        raise ArgumentError(f"{message}; see {self.prog} --help")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print the help or the version; argparse would ignore that it cannot be written."""
        (file or sys.stdout).write(message)


def _command(arguments: Sequence[str]) -> str | None:
    """Return the command in a list of arguments, which is its first word."""
    return next((word for word in arguments if not word.startswith("-")), None)


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="adjoint",
        description="An autograd engine and neural networks: train models, and inspect gradients.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    requested = _command(arguments)
    if requested in COMMANDS:  # the others need not be found
        _add_requested(commands, requested, importlib.import_module(COMMANDS[requested]))
    else:
        _add_all(commands, requested)
    return parser


def _add_requested(commands: Any, name: str, module: Any) -> None:
    command = _add(commands, name, *split_help(name, module.__doc__ or ""))
    module.add_options(command)
    command.set_defaults(run=module.run)


def _add_all(commands: Any, requested: str | None) -> None:
    """Add the commands of this package and of others. Only the requested one, of another package, is imported."""
    from adjoint.cli import entry_points  # takes longer than the parser

    known = {name: entry_points.entry_of(name, module) for name, module in COMMANDS.items()}
    for name, entry in entry_points.commands_of_packages().items():
        known.setdefault(name, entry)
    if requested is not None and requested not in known:
        raise unknown_name_error("command", requested, known)
    for name, entry in known.items():
        if name == requested:
            _add_requested(commands, name, entry_points.load_command(entry))
        else:
            _add(commands, name, *split_help(name, entry_points.docstring(entry)))


def split_help(name: str, docstring: str) -> tuple[str, str]:
    """Return the help of a command from the docstring of its module: the first line, and the others."""
    first, _, others = docstring.replace("%(prog)s", f"adjoint {name}").partition("\n")
    return f"{first[:1].lower()}{first[1:].rstrip('.')}", others.strip("\n")


def _add(commands: Any, name: str, brief: str, details: str) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=brief.replace("%", "%%"),
        description=brief,
        epilog=details,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _version() -> str:
    engine = "native core" if accelerated else "plain Python"
    return f"adjoint {__version__} ({engine}, Python {sys.version.split()[0]})"
