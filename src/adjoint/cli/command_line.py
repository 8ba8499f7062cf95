"""The parser of the command line: `adjoint train moons` and the other commands.

A user error gives one line on standard error and the exit code 2. Results go to standard output, with `--json`
as JSON. Each command is a module with its options and a function that runs it, of this package or, by an entry point,
of another; only the module of the requested command is imported.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from adjoint import __version__
from adjoint.cli.arguments import INTERRUPTED, MISUSED, OK
from adjoint.cli.output import discard_output, prepare_output, show_warnings_as_lines
from adjoint.errors import AdjointError, ArgumentError
from adjoint.errors.suggest import unknown_name_error


class Command(NamedTuple):
    """A command of this package: the module that defines it, its functions there, and its help."""

    module: str
    brief: str
    details: str = ""
    add_options: str = "add_options"
    run: str = "run"


COMMANDS = {
    "train": Command(
        "train",
        "train a network on a data set, or a language model on text",
        """\
examples:
  adjoint train moons --plot moons.png
  adjoint train moons --film moons.gif
  adjoint train spirals --hidden 64,64 --epochs 300
  adjoint train moons --engine scalar            the same losses, with scalar Values as weights
  adjoint train digits --save digits.safetensors
  adjoint train points.csv --save points.safetensors --plot points.png
  adjoint train text.txt --save text.safetensors             a small GPT, which a CPU trains in a minute
  adjoint train names --model gpt-tiny --steps 300
  adjoint train tokens.bin --model gpt2 --precision bfloat16 --devices 8 --save gpt2.safetensors

A .csv file is a table of numbers. Its last column holds the targets. A few
integers from 0 are classes, others are numbers to predict; --classes or --regression decides.

A text is tokenized as bytes; adjoint tokenize writes files of tokens. Ctrl-C saves the step that training stops at.
With --resume, the options are those of the file; only --steps may be changed.""",
    ),
    "tokenize": Command(
        "tokenize",
        "write the tokens of texts to a file, to train language models on",
        """\
examples:
  adjoint tokenize text.txt
  adjoint tokenize text.txt --tokenizer bpe --vocab-size 8192 --validation 0.1
  adjoint tokenize a.txt b.txt --tokenizer tokenizer.json --out train.bin
  adjoint tokenize names

The tokens are in train.bin, a plain file of uint16 (uint32 for more than 65,536
tokens), described by train.bin.json; train.tokenizer.json is the tokenizer.
The end-of-text token follows each file.""",
    ),
    "predict": Command(
        "predict",
        "predict with a saved network",
        """\
examples:
  adjoint predict moons.safetensors 0.5 0.2
  adjoint predict names.safetensors an           new names that start with "an\"""",
    ),
    "generate": Command(
        "generate",
        "write text with a trained language model",
        """\
examples:
  adjoint generate text.safetensors "Once"
  adjoint generate names.safetensors --samples 10
  adjoint generate gpt2/ "Once upon a time" --tokens 100 --top-k 40     a folder with the weights of GPT-2

Without a prompt, a new text starts. A folder with weights has a tokenizer.json, or vocab.json and merges.txt.""",
    ),
    "graph": Command(
        "expressions",
        "compute an expression, and show its gradients and its graph",
        """\
examples:
  adjoint graph "tanh(a*b + c)" a=2 b=-3 c=10
  adjoint graph "tanh(a*b + c)" a=2 b=-3 c=10 --out graph.svg
  adjoint graph "(a + b)**2 / c" a=1 b=2 c=4 --json
  adjoint graph "d = a*b; e = d + c; L = e*f" a=2 b=-3 c=10 f=-2    with names for the nodes
  adjoint graph "a = 2; b = -3; L = a*b" a=5                        numbers in the text; a=5 replaces one""",
        "graph_options",
        "graph",
    ),
    "explain": Command(
        "expressions",
        "explain step by step how an expression and its gradients are computed",
        """\
examples:
  adjoint explain "tanh(a*b + c)" a=2 b=-3 c=10
  adjoint explain "a*b + a" a=2 b=-3 --format latex
  adjoint explain "d = a*b; L = d + a" a=2 b=-3""",
        "explain_options",
        "explain",
    ),
    "bench": Command("bench", "measure a training step with each engine"),
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
    for name, command in COMMANDS.items():
        subparser = _add(commands, name, command.brief, command.details)
        if name == requested:
            module = importlib.import_module(f"adjoint.cli.{command.module}")
            getattr(module, command.add_options)(subparser)
            subparser.set_defaults(run=getattr(module, command.run))
    if requested not in COMMANDS:
        _add_others(commands, requested)
    return parser


def _add_others(commands: Any, requested: str | None) -> None:
    """Add the commands of other packages; the requested one is imported."""
    from adjoint.cli.entry_points import commands_of_packages, help_of, load_command  # takes longer than the parser

    others = {name: entry for name, entry in commands_of_packages().items() if name not in COMMANDS}
    if requested is not None and requested not in others:
        raise unknown_name_error("command", requested, [*COMMANDS, *others])
    for name, entry in others.items():
        subparser = _add(commands, name, *help_of(entry))
        if name == requested:
            module = load_command(entry)
            module.add_options(subparser)
            subparser.set_defaults(run=module.run)


def _add(commands: Any, name: str, brief: str, details: str) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=brief.replace("%", "%%"),
        description=brief,
        epilog=details,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _version() -> str:
    from adjoint.engine.native import accelerated

    engine = "native core" if accelerated else "plain Python"
    return f"adjoint {__version__} ({engine}, Python {sys.version.split()[0]})"
