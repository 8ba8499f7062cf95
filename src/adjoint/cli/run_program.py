"""Run a program on the engine of adjoint, although it defines a Value of its own.

The class of the program with `data`, `grad` and a method `backward` is replaced by adjoint.Value; the file itself does
not change. At the end, a line says how much faster a training step has become: the program runs once more for three
steps with its own class, without output, in another process.

examples:
  %(prog)s train.py
  %(prog)s train.py --own                  compare both engines for a few steps: equal losses, and how much faster
  %(prog)s train.py -- --epochs 20         arguments of the program
"""

import argparse
import sys
import traceback
from time import perf_counter

from adjoint.cli.option_types import FAILED, OK, integer
from adjoint.cli.own_engines import Engine, read_engine
from adjoint.cli.stepping import Counter, Steps, execute, measure
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.text_table import table

_SAMPLE = 3  # the steps whose time is compared
_PATIENCE = 30.0  # seconds for these steps, with the class of the program
_TOLERANCE = 1e-9  # of losses, relative to the largest one


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint run`."""
    _own_options(command)
    command.add_argument("file", metavar="program.py", help="a program that defines its own Value")
    command.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program, after --")


def _own_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--own", action="store_true", default=argparse.SUPPRESS, help="compare both engines, then end")
    parser.add_argument(
        "--steps", type=integer, default=argparse.SUPPRESS, metavar="N", help="the steps that --own compares (5)"
    )
    parser.add_argument("--class", dest="kind", default=argparse.SUPPRESS, metavar="NAME", help="the class to replace")


def run(asked: argparse.Namespace) -> int:
    """Run a program with `adjoint.Value` in place of its own class."""
    arguments = _read_options_after_the_file(asked)
    if hasattr(asked, "steps") and not hasattr(asked, "own"):
        raise ArgumentError("--steps needs --own, which ends the program after so many steps")
    engine = read_engine(asked.file, getattr(asked, "kind", None))
    if hasattr(asked, "own"):
        return _compare(engine, arguments, getattr(asked, "steps", 5))
    return _run(engine, arguments)


def _read_options_after_the_file(asked: argparse.Namespace) -> list[str]:
    """Read the options that follow the file, up to `--`; return the arguments of the program."""
    end = asked.arguments.index("--") if "--" in asked.arguments else len(asked.arguments)
    parser = argparse.ArgumentParser(prog="adjoint run", add_help=False, allow_abbrev=False, exit_on_error=False)
    _own_options(parser)
    try:
        _, others = parser.parse_known_args(asked.arguments[:end], asked)
    except argparse.ArgumentError as error:
        raise ArgumentError(f"{error}; see adjoint run --help") from None
    return [*others, *asked.arguments[end + 1 :]]


# --- run ------------------------------------------------------------------------------------------------


def _run(engine: Engine, arguments: list[str]) -> int:
    _say(f"{engine.path}: the class {engine.name} (line {engine.kind.lineno}) is replaced by adjoint.Value")
    steps, before = Steps(), perf_counter()
    code = OK
    try:
        execute(engine.program(is_own=False), engine.path, arguments, Counter(steps, _SAMPLE))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else FAILED if end.code else OK
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except Exception as error:
        _explain_missing(engine, error)
        print(
            "".join(traceback.format_exception(error.with_traceback(_trace_within(error, engine)))),
            end="",
            file=sys.stderr,
        )
        return FAILED
    sys.stdout.flush()
    seconds = perf_counter() - before
    _say(f"{engine.path} ran for {seconds:.2f} s{_speed_up(engine, arguments, steps)}")
    return code


def _speed_up(engine: Engine, arguments: list[str], steps: Steps) -> str:
    """Return a sentence about the time of a step with the class of the program; "" if it cannot be compared."""
    if not steps.losses:
        return "; it has not called backward(), so there is no step to compare"
    own = measure(engine, arguments, is_own=True, most=_SAMPLE, timeout=_PATIENCE)
    if not own.losses:
        return f"; with its own class no step ended within {_PATIENCE:g} s ({own.error})" if own.error else ""
    differ = "" if _first_difference(own, steps) is None else "; but the losses differ, see --own"
    return f"; {_times(own, steps)}{differ}"


def _times(own: Steps, ours: Steps) -> str:
    """Return a clause about the time of a step with either class."""
    one, other = own.seconds_of_one, ours.seconds_of_one
    times = f"{one / other:,.1f} times faster" if other and one >= other else "not faster"
    return f"a step takes {other * 1e3:.3g} ms, with the class of the program {one * 1e3:.3g} ms: {times}"


def _explain_missing(engine: Engine, error: Exception) -> None:
    """Raise a clear error if the program uses something that only its own class has."""
    if isinstance(error, AttributeError) and (error.obj is Value or isinstance(error.obj, Value)):
        frame = _trace_within(error, engine)
        line = f" (line {frame.tb_lineno})" if frame is not None else ""
        if error.name and engine.has(error.name):
            raise ArgumentError(
                f"the class {engine.name} of {engine.path} cannot be replaced: the program uses its "
                f"{error.name}{line}, which adjoint.Value does not have"
            ) from None


def _trace_within(error: BaseException, engine: Engine):
    """Return the part of a traceback that is in the program."""
    found = error.__traceback__
    while found is not None and found.tb_frame.f_code.co_filename != engine.path:
        found = found.tb_next
    return found


def _say(text: str) -> None:
    print(f"adjoint: {text}", file=sys.stderr, flush=True)


# --- compare --------------------------------------------------------------------------------------------


def _compare(engine: Engine, arguments: list[str], count: int) -> int:
    own = measure(engine, arguments, is_own=True, most=count, timeout=20 * _PATIENCE)
    ours = measure(engine, arguments, is_own=False, most=count, timeout=20 * _PATIENCE)
    for steps, whose in ((own, f"its own {engine.name}"), (ours, "adjoint.Value")):
        if not steps.losses:
            reason = steps.error or "it has not called backward()"
            raise ArgumentError(f"{engine.path} cannot be compared: with {whose}, no step was made: {reason}")
    rows = [[str(i), f"{x:.9g}", f"{y:.9g}"] for i, (x, y) in enumerate(zip(own.losses, ours.losses), 1)]
    print(table(["step", f"loss with its own {engine.name}", "with adjoint.Value"], rows, "rrr"))
    print()
    different = _first_difference(own, ours)
    if different is None:
        most = max(abs(x - y) for x, y in zip(own.losses, ours.losses))
        print(f"The losses of {_steps(len(rows))} are equal (largest difference {most:.1g}).")
    else:
        print(f"The losses differ from step {different + 1} on.")
    for sentence in own.wrong:
        print(f"The operation {sentence}.")
    if different is not None and not own.wrong:
        print("No operation that both classes have is wrong by itself: compare what the program does with gradients.")
    print(f"With adjoint.Value, {_times(own, ours)}.")
    return OK if different is None else FAILED


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _first_difference(own: Steps, ours: Steps) -> int | None:
    """Return the first step whose losses differ by more than rounding; None if all are equal."""
    size = max(1e-300, *(abs(x) for x in ours.losses))
    for i, (x, y) in enumerate(zip(own.losses, ours.losses)):
        if not abs(x - y) <= _TOLERANCE * size and not (x != x and y != y):
            return i
    return None
