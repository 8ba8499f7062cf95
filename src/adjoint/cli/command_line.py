"""The command line: `adjoint train moons`, and what else can be done without writing a program.

A mistake of the user is one line on standard error and the exit code 2; what was asked for goes to standard output,
with `--json` as JSON. Each command is a function below; what it needs is loaded when it runs.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from adjoint import __version__
from adjoint.cli import expressions, lab as lab
from adjoint.errors import AdjointError, ArgumentError
from adjoint.errors.suggest import unknown
from adjoint.errors.text_table import table

OK, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        parser = _parser(arguments)
        if not arguments:
            parser.print_help()
            return OK
        asked = parser.parse_args(arguments)
        return asked.run(asked)
    except AdjointError as error:
        print(f"adjoint: {error}", file=sys.stderr)
        return MISUSED
    except KeyboardInterrupt:
        print("adjoint: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


# --- what can be asked -----------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are ours: one line, and where to read more."""

    def error(self, message: str):
        raise ArgumentError(f"{message}; {self.prog} --help tells more")


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="adjoint",
        description="An autograd engine and neural networks: train, look into gradients, check them.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (describe, run, explanation) in _COMMANDS.items():
        brief, _, examples = explanation.partition("\n")
        command = commands.add_parser(
            name,
            help=brief,
            description=brief,
            epilog=examples.strip("\n"),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        describe(command)
        command.set_defaults(run=run)
    first = next((word for word in arguments if not word.startswith("-")), None)
    if first is not None and first not in _COMMANDS:
        raise unknown("command", first, _COMMANDS)
    return parser


def _version() -> str:
    from adjoint.engine.native import accelerated

    engine = "native core" if accelerated else "plain Python"
    return f"adjoint {__version__} ({engine}, Python {sys.version.split()[0]})"


def _train_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("data", help="xor, moons, circles, blobs, spirals, digits, names, or a .csv or .npz file")
    command.add_argument(
        "--engine", default="array", help="scalar (every weight a Value), array (default), or jit (XLA)"
    )
    command.add_argument("--epochs", type=_whole, metavar="N", help="how often all the data is seen")
    command.add_argument("--lr", type=_number, metavar="RATE", help="the learning rate")
    command.add_argument("--optimizer", metavar="NAME", help="sgd, adam, adamw, rmsprop, adagrad or lion")
    command.add_argument("--hidden", type=_sizes, metavar="N,N", help="the sizes of the hidden layers, such as 16,16")
    command.add_argument("--activation", metavar="NAME", help="relu, tanh, sigmoid, gelu, …")
    command.add_argument("--batch-size", type=_whole, metavar="N", help="samples in a step")
    command.add_argument(
        "--seed", type=_whole_or_zero, default=0, metavar="N", help="for the data and the first weights"
    )
    command.add_argument(
        "--save", metavar="FILE", help="keep the trained network, and how to go on, in a .safetensors file"
    )
    command.add_argument("--resume", action="store_true", help="go on from the file that --save names")
    command.add_argument("--plot", metavar="FILE", help="draw the boundary and the loss into a .png, .pdf or .svg file")
    command.add_argument("--film", metavar="FILE", help="film how the boundary moves, as a .gif, .html or .mp4 file")
    command.add_argument("--json", action="store_true", help="print the history as JSON")
    command.add_argument("--quiet", action="store_true", help="show no progress")


def _predict_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("checkpoint", help="a file that `adjoint train … --save FILE` wrote")
    command.add_argument("inputs", nargs="*", metavar="x", help="the numbers of one sample; for names, how they begin")
    command.add_argument("--count", type=_whole, default=10, metavar="N", help="for names: how many to make up")
    command.add_argument("--seed", type=_whole_or_zero, default=0, metavar="N", help="for names: other ones")
    command.add_argument("--json", action="store_true", help="print JSON")


def _check_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seed", type=_whole_or_zero, default=0, metavar="N", help="for the points at which to check")
    command.add_argument("--json", action="store_true", help="print JSON")


def _bench_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--seconds", type=_number, default=1.0, metavar="S", help="how long to measure each engine")
    command.add_argument("--json", action="store_true", help="print JSON")


def _reader(what: str, read: Callable[[str], Any], fits: Callable[[Any], bool]) -> Callable[[str], Any]:
    def reader(text: str) -> Any:
        try:
            found = read(text)
        except ValueError:
            found = None
        if found is None or not fits(found):
            raise argparse.ArgumentTypeError(f"{what} is needed, not {text!r}")
        return found

    return reader


_whole = _reader("a whole number of at least 1", int, lambda n: n >= 1)
_whole_or_zero = _reader("a whole number of at least 0", int, lambda n: n >= 0)
_number = _reader("a number above 0", float, lambda x: 0 < x < float("inf"))
_sizes = _reader(
    "one size or several, such as 16,16,",
    lambda text: tuple(int(size) for size in text.split(",")),
    lambda sizes: all(size >= 1 for size in sizes),
)


# --- train and predict -----------------------------------------------------------------------------------


def train(asked: argparse.Namespace) -> int:
    """Train a network on data, show how it goes, and keep what was asked for."""
    from adjoint.files import atomic
    from adjoint.training import recipes

    if asked.resume and not asked.save:
        raise ArgumentError("--resume goes on from the file that --save names; give both")
    if asked.save:
        atomic.require_writable(asked.save)
    changes = {
        name: getattr(asked, name) for name in ("epochs", "lr", "optimizer", "hidden", "activation", "batch_size")
    }
    recipe = recipes.recipe_for(asked.data, **changes)
    X, y = recipe.data(asked.seed)
    preparation = recipes.Preparation.of(recipe, X, y)
    picture = _picture(asked.plot, X, preparation.task) if asked.plot else None
    model = recipe.model(X, y, asked.engine, asked.seed)
    X, y = preparation(X, y)
    film = _film(asked.film, X, y, preparation.task) if asked.film else None
    if not asked.quiet:
        print(_headline(recipe, model, X, y, preparation.task, asked.engine), file=sys.stderr)
    history = recipe.fit(
        model,
        X,
        y,
        asked.engine,
        asked.seed,
        progress=False if asked.quiet else "auto",
        checkpoint=asked.save,
        resume=asked.resume,
        notes=recipes.notes(recipe, preparation),
        callbacks=[film] if film else [],
    )
    if film:
        film.save(asked.film)
    if picture:
        picture(model, X, y, history)
    print(history.to_json() if asked.json else _result(history, asked, model))
    return OK


def _headline(recipe: Any, model: Any, X: Any, y: Any, task: str, engine: str) -> str:
    """Return in one line what is about to be trained, and on what."""
    count = sum(getattr(p, "size", 1) for p in model.parameters())
    learned = {"sides": "2 classes", "classes": f"{int(y.max()) + 1} classes", "numbers": "numbers"}[task]
    how = {"scalar": "every weight a Value", "array": "arrays", "jit": "arrays, compiled by XLA"}[engine]
    sizes = "-".join(map(str, [X.shape[1], *recipe.hidden, int(y.max()) + 1 if task == "classes" else 1]))
    network = f"a network {sizes}, {recipe.activation}, {count:,} parameters ({how})"
    return f"{recipe.name}: {len(X)} samples, {learned}; {network}"


def _result(history: Any, asked: argparse.Namespace, model: Any) -> str:
    """Return how it ended, what was written, and what to do next."""
    lines = [_reached(history)]
    if asked.data == "names":
        from adjoint.training.recipes.names import sample

        lines.append("new names: " + ", ".join(sample(model, 10, asked.seed)))
    if asked.plot:
        lines.append(f"wrote {asked.plot}")
    if asked.film:
        lines.append(f"wrote {asked.film}")
    if asked.save:
        lines.append(f"wrote {asked.save}; adjoint predict {asked.save} … asks it")
    return "\n".join(lines)


def _reached(history: Any) -> str:
    """Return in one line what training has reached; how it judges samples that were held out, where some were."""
    last, prefix = history.rows[-1], "validation_" if "validation_loss" in history else ""
    share = f", accuracy {last[f'{prefix}accuracy']:.1%}" if "accuracy" in last else ""
    where = " on samples that were held out" if prefix else ""
    why = "" if history.stopped == "finished" else f" ({history.stopped})"
    return (
        f"loss {last[f'{prefix}loss']:.4g}{share}{where}, after {history.epochs} epochs in {history.seconds:.2f} s{why}"
    )


def _film(path: str, X: Any, y: Any, task: str) -> Any:
    """Return what films training; raise now if the film could not be written then."""
    from adjoint.see.plots.film import Film, require_film

    require_film(path)
    if not _is_in_the_plane(X, task):
        raise ArgumentError("a film shows how classes are parted in the plane: the data have two inputs and classes")
    return Film(X, y)


def _is_in_the_plane(X: Any, task: str) -> bool:
    return X.ndim == 2 and X.shape[1] == 2 and task != "numbers"


def _picture(path: str, X: Any, task: str) -> Callable[..., None]:
    """Return what draws a trained network into a file; raise now if it could not be written then."""
    from adjoint.files import atomic
    from adjoint.see.plots import figure, plot_boundary, plot_loss

    ending = os.path.splitext(path)[1].lower()
    if ending not in (".png", ".pdf", ".svg"):
        raise ArgumentError(f"a picture is written to a .png, .pdf or .svg file, not to {path!r}")
    atomic.require_writable(path)
    in_the_plane = _is_in_the_plane(X, task)
    drawn, axes = figure(2 if in_the_plane else 1)

    def picture(model: Any, X: Any, y: Any, history: Any) -> None:
        from io import BytesIO

        if in_the_plane:
            plot_boundary(model, X, y, axes[0])
        plot_loss(history, axes[-1])
        content = BytesIO()
        drawn.savefig(content, format=ending[1:], dpi=150)
        atomic.write(path, content.getvalue())

    return picture


def predict(asked: argparse.Namespace) -> int:
    """Ask a network that was saved."""
    from adjoint.files.checkpoints import load
    from adjoint.training.recipes import Predictor

    model, notes = load(asked.checkpoint)
    if "preparation" not in notes:
        raise ArgumentError(f"{asked.checkpoint!r} was not written by adjoint train, so what it predicts is not known")
    if notes["recipe"]["name"] == "names":
        from adjoint.training.recipes.names import sample

        names = sample(model, asked.count, asked.seed, begin="".join(asked.inputs), context=notes["recipe"]["context"])
        print(json.dumps({"names": names}) if asked.json else "\n".join(names))
        return OK
    said = Predictor(model, notes)([_coordinate(x) for x in asked.inputs])
    if asked.json:
        print(json.dumps(said))
    elif "prediction" in said:
        print(f"{said['prediction']:.6g}")
    elif "score" in said:
        print(f"class {said['class']}   (score {said['score']:+.4f}: class 1 above 0)")
    else:
        print(f"class {said['class']}   ({', '.join(f'{i}: {p:.1%}' for i, p in enumerate(said['probabilities']))})")
    return OK


def _coordinate(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"the inputs of a network are numbers, not {text!r}") from None


# --- check and bench ----------------------------------------------------------------------------------------


def check(asked: argparse.Namespace) -> int:
    """Compare the gradient of every operation with central differences."""
    from adjoint.cli.check import findings

    found = list(findings(asked.seed))
    wrong = [finding for finding in found if not finding.ok]
    if asked.json:
        print(json.dumps([finding._asdict() for finding in found]))
    else:
        rows = [[f.group, f.operation, str(f.compared), f"{f.error:.1e}", "ok" if f.ok else "WRONG"] for f in found]
        print(table(["kind", "operation", "derivatives", "largest error", ""], rows, "  rr "))
        agree = f"{len(found) - len(wrong)} of {len(found)} operations agree with central differences"
        print(f"\n{agree}: in reverse and forward mode, first and second derivatives")
    return FAILED if wrong else OK


def bench(asked: argparse.Namespace) -> int:
    """Measure a training step on two moons with each engine, and with PyTorch if it is installed."""
    from adjoint.cli.bench import measurements

    found = list(measurements(asked.seconds))
    if asked.json:
        print(json.dumps([row._asdict() for row in found]))
        return OK
    slowest = max(row.seconds for row in found)
    rows = [
        [row.engine, f"{1 / row.seconds:,.0f}", f"{row.seconds * 1e3:.3g} ms", f"{slowest / row.seconds:,.1f} ×"]
        for row in found
    ]
    print(table(["one training step on two moons", "steps a second", "time", "as fast"], rows, " rrr"))
    return OK


_EXAMPLES = """\
examples:
  adjoint train moons --plot moons.png         a network learns two moons; look at moons.png
  adjoint train digits --engine jit            handwritten digits, compiled by XLA
  adjoint graph "tanh(a*b + c)" a=2 b=-3 c=10  an expression, its gradients, its graph
  adjoint explain "a*b + a" a=2 b=-3           the chain rule, step by step
  adjoint check                                every operation against central differences
  adjoint lab                                  all of it in the browser, to play with
"""

_COMMANDS: dict[str, tuple[Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int], str]] = {
    "train": (
        _train_options,
        train,
        """train a network on data
examples:
  adjoint train moons --plot moons.png
  adjoint train moons --film moons.gif
  adjoint train spirals --hidden 64,64 --epochs 300
  adjoint train moons --engine scalar            the same losses, every weight a Value of its own
  adjoint train digits --save digits.safetensors
  adjoint train points.csv --save points.safetensors --plot points.png

A .csv file is a table of numbers; its last column is what is to be learned: whole numbers from 0 are classes.""",
    ),
    "predict": (
        _predict_options,
        predict,
        """ask a network that was saved
examples:
  adjoint predict moons.safetensors 0.5 0.2
  adjoint predict names.safetensors an           new names that begin with "an\"""",
    ),
    "check": (_check_options, check, "compare the gradient of every operation with central differences"),
    "graph": (
        expressions.graph_options,
        expressions.graph,
        """compute an expression, and show its gradients and its graph
examples:
  adjoint graph "tanh(a*b + c)" a=2 b=-3 c=10
  adjoint graph "tanh(a*b + c)" a=2 b=-3 c=10 --out graph.svg
  adjoint graph "(a + b)**2 / c" a=1 b=2 c=4 --json""",
    ),
    "explain": (
        expressions.explain_options,
        expressions.explain,
        """tell step by step how an expression and its gradients are computed
examples:
  adjoint explain "tanh(a*b + c)" a=2 b=-3 c=10
  adjoint explain "a*b + a" a=2 b=-3 --format latex""",
    ),
    "bench": (_bench_options, bench, "measure a training step with each engine"),
    "lab": (
        lab.options,
        lab.lab,
        """open the lab in the browser: type an expression, move a slider, watch gradients flow
examples:
  adjoint lab
  adjoint lab --port 0 --no-browser              any free port; the address is printed""",
    ),
}
