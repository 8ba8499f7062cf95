"""Train a network on a data set, or a language model on text.

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
With --resume, the options are those of the file; only --steps may be changed.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from adjoint import files
from adjoint.cli import language_options
from adjoint.cli.option_types import FAILED, INTERRUPTED, OK, integer, integer_from_0, layer_sizes, positive_number
from adjoint.data.named_datasets import SUFFIXES
from adjoint.errors import ArgumentError, StateError
from adjoint.nn.module import Module
from adjoint.training import recipes
from adjoint.training.history import History, count
from adjoint.training.recipes import FEW_CLASSES, RECIPES, Recipe, task_of
from adjoint.training.recipes.name_generator import sample


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint train`."""
    command.usage = "adjoint train DATA [options]"
    command.add_argument(
        "data",
        metavar="DATA",
        help="xor, moons, circles, blobs, spirals, digits, names, a table (.csv, .npz), a text (.txt, .md) or tokens "
        "(.bin)",
    )
    command.add_argument("--lr", type=positive_number, metavar="RATE", help="the learning rate")
    command.add_argument("--batch-size", type=integer, metavar="N", help="samples per step; sequences for text")
    command.add_argument(
        "--seed", type=integer_from_0, metavar="N", help="the seed of the data and the initial weights (default 0)"
    )
    command.add_argument(
        "--engine",
        metavar="NAME",
        help="array, jit (arrays, compiled by XLA), or for small networks scalar (each weight is a Value)",
    )
    networks = command.add_argument_group("networks for data sets and tables")
    networks.add_argument("--epochs", type=integer, metavar="N", help="the number of passes over the data")
    networks.add_argument("--optimizer", metavar="NAME", help="sgd, adam, adamw, rmsprop, adagrad or lion")
    networks.add_argument(
        "--hidden", type=layer_sizes, metavar="N,N", help="the sizes of the hidden layers, such as 16,16"
    )
    networks.add_argument("--activation", metavar="NAME", help="relu, tanh, sigmoid, gelu, …")
    task = networks.add_mutually_exclusive_group()
    for option, meaning in (("--classes", "classes"), ("--regression", "numbers")):
        meant = f"the targets of a file are {meaning}"
        task.add_argument(option, action="store_const", const=meaning, dest="targets", help=meant)
    networks.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="the first line of a .csv file has the names of the columns, or is a sample",
    )
    networks.add_argument(
        "--no-jit", action="store_false", dest="jit", help="with --engine scalar: run the steps without compiling them"
    )
    networks.add_argument("--plot", metavar="FILE", help="plot the boundary and the loss to a .png, .pdf or .svg file")
    networks.add_argument("--film", metavar="FILE", help="record how the boundary moves, to a .gif, .html or .mp4 file")
    language_options.add_options(
        command.add_argument_group("language models (texts, files of tokens, and names with --model)")
    )
    files = command.add_argument_group("files and output")
    files.add_argument(
        "--save",
        metavar="FILE",
        help="save the network and the state of training in a .safetensors file, or a language model in a folder/",
    )
    files.add_argument("--resume", action="store_true", help="resume training from the file given by --save")
    files.add_argument("--log", metavar="FILE", help="log each evaluation to a .csv or .jsonl file")
    files.add_argument("--json", action="store_true", help="print the history as JSON")
    files.add_argument("--quiet", action="store_true", help="show no progress")


_OF_NETWORKS = ("epochs", "optimizer", "hidden", "activation", "targets", "header", "jit", "plot", "film")
_OTHER_NAMES = {"targets": "--classes or --regression", "header": "--header or --no-header", "jit": "--no-jit"}
_INSTEAD = {"epochs": "; use --steps", "steps": "; use --epochs", "hidden": "; use --model"}


def _refuse(options: Sequence[str], asked: argparse.Namespace, why: str) -> None:
    """Raise if an option is given that does not apply to the data."""
    for name in options:
        value = getattr(asked, name)
        if value is not None and not (name == "jit" and value):
            given = _OTHER_NAMES.get(name, f"--{name.replace('_', '-')}")
            raise ArgumentError(f"{given} does not apply to {asked.data}, {why}{_INSTEAD.get(name, '')}")


def run(asked: argparse.Namespace) -> int:
    """Train a network or a language model, show its progress, and write the requested files."""
    if asked.resume and not asked.save:
        raise ArgumentError("--resume needs --save FILE, the file to resume from")
    if asked.save:
        is_folder = language_options.is_asked(asked) and (asked.save.endswith("/") or os.path.isdir(asked.save))
        if os.path.splitext(asked.save)[1].lower() != ".safetensors" and not is_folder:
            folder = ", or a folder such as run/" if language_options.is_asked(asked) else ""
            raise ArgumentError(f"--save needs a .safetensors file{folder}, not {asked.save!r}")
        files.require_writable(asked.save)
    loggers = _loggers(asked.log)
    if language_options.is_asked(asked):
        _refuse(_OF_NETWORKS, asked, "which trains a language model")
        from adjoint.cli import train_language

        return train_language.run(asked, loggers)
    _refuse(language_options.OPTIONS, asked, "which trains a network, not a language model")
    _refuse_unknown_file(asked.data)
    if asked.resume:
        _refuse_language_model(asked.save)
    return _train_network(asked, loggers)


def _refuse_unknown_file(name: str) -> None:
    """Raise if a file exists but its ending does not say what it contains."""
    if name not in RECIPES and os.path.isfile(name) and os.path.splitext(name)[1].lower() not in SUFFIXES:
        raise ArgumentError(
            f"{name!r} is not a table (.csv, .npz), a text (.txt, .md) or a file of tokens (.bin) by its ending; if it "
            "contains text, train a language model on it with --model gpt-tiny"
        )


def _refuse_language_model(path: str) -> None:
    """Raise if the file to resume from holds a language model."""
    from adjoint.training.recipes.language import notes_of

    if notes_of(path).get("recipe", {}).get("task") == "language":
        raise StateError(f"{path!r} holds a language model, not a network for this data; resume it with its own data")


def _loggers(path: str | None) -> list[Any]:
    """Return the logger of a file, by its suffix."""
    if path is None:
        return []
    from adjoint.training.logs import CSVLogger, JSONLogger

    kinds = {".csv": CSVLogger, ".jsonl": JSONLogger}
    ending = os.path.splitext(path)[1].lower()
    if ending not in kinds:
        raise ArgumentError(f"--log needs a .csv or .jsonl file, not {path!r}")
    return [kinds[ending](path)]


def _train_network(asked: argparse.Namespace, loggers: list[Any]) -> int:
    asked.engine, asked.seed = asked.engine or "array", asked.seed or 0
    if not asked.jit and asked.engine == "jit":
        raise ArgumentError("--no-jit and --engine jit exclude each other; --engine array runs without compiling")
    pictures = _pictures() if asked.plot or asked.film else None
    fields = ("epochs", "lr", "optimizer", "hidden", "activation", "batch_size", "targets", "header")
    changes = {name: getattr(asked, name) for name in fields}
    recipe = recipes.recipe_for(asked.data, **changes)
    X, y = recipe.data(asked.seed)
    preparation, learned = recipes.Preparation.of(recipe, X, y), _learned(recipe, y)
    picture = pictures.plot(asked.plot, X, preparation.task) if pictures and asked.plot else None
    model = recipe.model(X, y, asked.engine, asked.seed)
    X, y = preparation(X, y)
    film = pictures.film(asked.film, X, y, preparation.task) if pictures and asked.film else None
    if not asked.quiet:
        print(_headline(recipe, model, X, y, learned, _ENGINES[asked.engine, asked.jit]), file=sys.stderr)
    history = recipe.fit(
        model,
        X,
        y,
        asked.engine,
        asked.seed,
        jit=asked.jit and asked.engine != "array",
        progress=False if asked.quiet else "auto",
        checkpoint=asked.save,
        resume=asked.resume,
        notes=recipes.notes(recipe, preparation),
        callbacks=[*loggers, *([film] if film else [])],
    )
    was_interrupted = history.stopped == "interrupted"
    if not history.rows:  # nothing to draw or to save
        reason = f"training was {history.stopped} before the first epoch had ended; nothing was written"
        print(history.to_json() if asked.json else reason)
        return INTERRUPTED if was_interrupted else FAILED
    if film:
        film.save(asked.film)
    if picture:
        picture(model, X, y, history)
    print(history.to_json() if asked.json else _result(history, asked, model))
    return INTERRUPTED if was_interrupted else OK


def _pictures() -> ModuleType:
    """Return the module of pictures; raise now if matplotlib is missing."""
    from adjoint.cli import training_pictures

    training_pictures.load_matplotlib()
    return training_pictures


def _learned(recipe: Recipe, y: np.ndarray) -> str:
    """Return what the targets are taken for, and how to decide otherwise where it is not certain."""
    task = task_of(y)
    if task == "numbers":
        is_uncertain = recipe.targets is None and (y == np.round(y)).all() and y.min() >= 0
        hint = "; --classes trains a classifier" if is_uncertain else ""
        return f"numbers from {y.min():.6g} to {y.max():.6g}{hint}"
    classes = int(y.max()) + 1 if task == "classes" else 2
    is_uncertain = recipe.scaled and recipe.targets is None and classes > FEW_CLASSES
    return f"{classes} classes{'; --regression predicts numbers' if is_uncertain else ''}"


_ENGINES = {  # what the first line says about an engine, with and without jit
    ("scalar", True): "scalar engine, compiled",
    ("scalar", False): "scalar engine, not compiled",
    ("array", True): "array engine",
    ("array", False): "array engine",
    ("jit", True): "arrays, compiled by XLA",
}


def _headline(recipe: Recipe, model: Module, X: np.ndarray, y: np.ndarray, learned: str, how: str) -> str:
    """Return a line that describes the data and the network."""
    count, task = sum(getattr(p, "size", 1) for p in model.parameters()), task_of(y)
    sizes = "-".join(map(str, [X.shape[1], *recipe.hidden, int(y.max()) + 1 if task == "classes" else 1]))
    network = f"network {sizes} ({recipe.activation}), {count:,} parameters, {how}"
    return f"{recipe.name}: {len(X)} samples, {learned}; {network}"


def _result(history: History, asked: argparse.Namespace, model: Module) -> str:
    """Return the result of training, the files written, and the next command."""
    lines = [_final_line(history)]
    if asked.data == "names":
        lines.append("new names: " + ", ".join(sample(model, 10, asked.seed)))
    if asked.plot:
        lines.append(f"wrote {asked.plot}")
    if asked.film:
        lines.append(f"wrote {asked.film}")
    if asked.save and history.saved is None:
        is_over = history.stopped == "finished"
        more = f"; it was already over, and --epochs {2 * history.epochs} continues it" if is_over else ""
        lines.append(f"the training wrote nothing to {asked.save}{more}")
    elif asked.save:
        lines.append(f"wrote {asked.save}; predict with: adjoint predict {asked.save} …")
    return "\n".join(lines)


def _final_line(history: History) -> str:
    """Return a line with the final loss and accuracy, on the validation samples if there are any."""
    last, prefix = history.rows[-1], "validation_" if "validation_loss" in history else ""
    share = f", accuracy {last[f'{prefix}accuracy']:.1%}" if "accuracy" in last else ""
    where = " on validation samples" if prefix else ""
    why = "" if history.stopped == "finished" else f" ({history.stopped})"
    duration = f"after {count(history.epochs, 'epoch')} in {history.duration()}"
    return f"loss {last[f'{prefix}loss']:.4g}{share}{where}, {duration}{why}"
