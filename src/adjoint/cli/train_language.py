"""`adjoint train` of language models: on a file of tokens, on a text, or on names."""

import argparse
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from adjoint import data, distributed, nn
from adjoint.arrays.apply import is_out_of_memory
from adjoint.cli.language_options import FIELDS
from adjoint.cli.option_types import FAILED, INTERRUPTED, OK
from adjoint.compile.xla.devices import Placement
from adjoint.distributed.failures import tell_others
from adjoint.errors import AdjointError, ArgumentError
from adjoint.errors.optional_jax import load_jax, require_jax
from adjoint.errors.suggest import unknown_name_error
from adjoint.training.history import History, count
from adjoint.training.progress import format_numbers
from adjoint.training.recipes import language
from adjoint.training.recipes.language import TOKEN_SUFFIXES, LanguageRecipe, notes_of
from adjoint.training.recipes.recipe import is_text

_OVERFITTED = 1.02  # a validation loss this much above the lowest one is reported


@contextmanager
def _shared_errors() -> Iterator[None]:
    """Tell the other processes, if there are any, of an error in this one: they would wait for it."""
    try:
        yield
    except AdjointError as error:
        if "jax" in sys.modules:
            tell_others(error)
        raise


@_shared_errors()
def run(asked: argparse.Namespace, callbacks: list[Any]) -> int:
    """Train a language model, show its progress, and write the requested files."""
    jit, recipe = _is_compiled(asked), _recipe(asked)
    if asked.save_every and not asked.save:
        raise ArgumentError("--save-every needs --save FILE, the file to write")
    if recipe.precision != "float32" and not jit:
        raise ArgumentError(f"--precision {recipe.precision} needs --engine jit: NumPy computes in float32")
    if asked.devices and not jit:
        raise ArgumentError("--devices needs --engine jit: NumPy computes on the CPU")
    if asked.shard not in (None, "parameters"):
        raise unknown_name_error("--shard", asked.shard, ["parameters"])
    process = _join(asked, jit)
    if asked.shard and not asked.devices:
        raise ArgumentError("--shard parameters needs --devices N, the devices to split the weights over")
    if recipe.batch_size % (asked.devices or 1):
        raise ArgumentError(f"--batch-size {recipe.batch_size} cannot be split over {asked.devices} devices")
    if asked.devices:
        Placement(asked.devices)  # raises if JAX has fewer
    tokens = language.tokens_of(asked.data, recipe.seed)
    trained_on, held_out = _split(tokens, recipe)
    _require_windows(recipe, trained_on, held_out)
    if asked.resume:
        language.require_same_data(asked.save, trained_on)
    model = recipe.model(tokens)
    if not asked.quiet:
        print(_headline(asked, recipe, model, tokens, held_out), file=sys.stderr)
    with _terminated_by_ctrl_c(), _explain_lack_of_memory():
        history = recipe.fit(
            model,
            trained_on,
            held_out,
            jit=jit,
            devices=asked.devices,
            shard=asked.shard,
            progress=False if asked.quiet else "auto",
            checkpoint=asked.save,
            checkpoint_every=asked.save_every,
            resume=asked.resume,
            callbacks=callbacks if process.index == 0 else [],
            part=(process.index, process.count),
        )
    if process.index == 0:
        print(history.to_json() if asked.json else _result(history, asked, recipe))
    return {"finished": OK, "interrupted": INTERRUPTED}.get(history.stopped, FAILED)


def _join(asked: argparse.Namespace, jit: bool) -> distributed.Process:
    """Join the processes that Slurm, MPI or another launcher has started. Only process 0 prints."""
    if not jit:
        return distributed.Process(0, 1)
    process = distributed.initialize()
    if process.count > 1:
        asked.devices = asked.devices or load_jax().device_count()
        if asked.save and asked.save.endswith(".safetensors"):
            raise ArgumentError(
                f"{process.count} processes save a language model in a folder, such as --save run/, not in {asked.save}"
            )
        asked.quiet = asked.quiet or process.index > 0
    return process


@contextmanager
def _terminated_by_ctrl_c() -> Iterator[None]:
    """Let SIGTERM, by which batch systems end jobs, do what Ctrl-C does: save the step and end."""
    if threading.current_thread() is not threading.main_thread():  # others cannot handle signals
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _explain_lack_of_memory() -> Iterator[None]:
    """Say which options save memory where there is not enough of it."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise ArgumentError(
            "out of memory; use a smaller --batch-size (with --accumulate, an update has the same number of tokens), "
            f"--recompute, --precision bfloat16 or a smaller --length; {' '.join(str(error).split())[:200]}"
        ) from None


def _recipe(asked: argparse.Namespace) -> LanguageRecipe:
    changes = {name: getattr(asked, name) for name in ("lr", "batch_size", "seed", *FIELDS)}
    if asked.resume:
        return language.saved_recipe(asked.save, name=asked.model, **changes)
    stem, ending = os.path.splitext(asked.data)
    beside = f"{stem}.validation{ending}"  # where adjoint tokenize --validation writes it
    if asked.validation is None and ending.lower() == ".bin" and os.path.exists(beside):
        changes["validation"] = beside
    return language.language_recipe(asked.model or "gpt-tiny", **changes)


def _split(tokens: data.Tokens, recipe: LanguageRecipe) -> tuple[data.Tokens, data.Tokens | None]:
    """Return the tokens to train on and those of validation, which may be in a file of their own."""
    own = tokens.tokenizer  # raises if its file is missing
    if not isinstance(recipe.validation, str):
        return language.split(tokens, recipe)
    ending = os.path.splitext(recipe.validation)[1].lower()
    if ending in language.TOKEN_SUFFIXES or own is None:
        held_out = language.tokens_of(recipe.validation)
    else:
        held_out = data.Tokens.from_text(language.text_of(recipe.validation), own)
    if held_out.vocab_size > tokens.vocab_size:
        raise ArgumentError(
            f"the tokens of {recipe.validation} have a vocabulary of {held_out.vocab_size}, those of the training data "
            f"of {tokens.vocab_size}; use files of the same tokenizer"
        )
    other = held_out.tokenizer
    if own is not None and other is not None and own.to_json() != other.to_json():
        raise ArgumentError(
            f"the tokens of {recipe.validation} were made with another tokenizer than the training data; use files of "
            "the same tokenizer"
        )
    return tokens, held_out


def _require_windows(recipe: LanguageRecipe, trained_on: data.Tokens, held_out: data.Tokens | None) -> None:
    """Raise if some data are shorter than a sequence, or if a batch has more sequences than the data."""
    for what, tokens, more in (
        ("training data", trained_on, "or more text"),
        (f"validation data (--validation {recipe.validation})", held_out, "more validation data, or --validation 0"),
    ):
        if tokens is not None and len(tokens) <= recipe.length:
            raise ArgumentError(
                f"the {what} have {len(tokens)} tokens, fewer than a window of length {recipe.length} and the token "
                f"after it; use a smaller --length, {more}"
            )
    most = len(trained_on) - recipe.length
    if recipe.batch_size > most:
        raise ArgumentError(
            f"--batch-size {recipe.batch_size} is more than the {most:,} sequences of length {recipe.length} in the "
            f"{len(trained_on):,} tokens to train on; use at most {most}, or a smaller --length"
        )


def _is_compiled(asked: argparse.Namespace) -> bool:
    if asked.engine not in (None, "array", "jit"):
        raise ArgumentError(f"a language model needs --engine array or jit, not {asked.engine!r}")
    if asked.engine is None:
        return find_spec("jax") is not None
    if asked.engine == "jit":
        require_jax("--engine jit")
    return asked.engine == "jit"


def _headline(
    asked: argparse.Namespace,
    recipe: LanguageRecipe,
    model: nn.GPT,
    tokens: data.Tokens,
    held_out: data.Tokens | None,
) -> str:
    """Return two lines that describe the data and the model."""
    if asked.data == "names":
        kind = "letters"
    elif os.path.splitext(asked.data)[1].lower() in TOKEN_SUFFIXES:
        kind = f"vocabulary {tokens.vocab_size:,}"
    else:
        kind = "bytes"
    held = f", {len(held_out):,} of them for validation" if held_out is not None else ", none for validation"
    if held_out is not None and isinstance(recipe.validation, str):
        held = f"; {recipe.validation}: {len(held_out):,} for validation"
    count = sum(p.size for p in model.parameters())
    batch = f"{recipe.batch_size * recipe.accumulate} × {recipe.length} tokens"
    how = f"compiled by XLA{_devices(asked)}{_products(recipe)}" if _is_compiled(asked) else "array engine"
    if asked.engine is None and not _is_compiled(asked):
        how += "; install JAX to compile the steps"
    if asked.resume:
        how += f", resumed at step {notes_of(asked.save)['training']['updates']:,}"
    return (
        f"{asked.data}: {len(tokens):,} tokens ({kind}){held}\n"
        f"{recipe.name}: {count:,} parameters, {_steps(recipe.steps)} of {batch}, {how}"
    )


def _products(recipe: LanguageRecipe) -> str:
    return "" if recipe.precision == "float32" else f", products in {recipe.precision}"


def _devices(asked: argparse.Namespace) -> str:
    if not asked.devices:
        return ""
    return f" for {asked.devices} devices" + (", which share the weights" if asked.shard else "")


def _result(history: History, asked: argparse.Namespace, recipe: LanguageRecipe) -> str:
    """Return the result of training, what the file holds, and the next command."""
    why = "" if history.stopped == "finished" else f" ({history.stopped})"
    done = f"after {_steps(history.steps or 0)}"
    lines = [f"{done}{why}, before the first evaluation"]
    if history.rows:
        numbers = ", ".join(format_numbers(history.rows[-1]))
        lines = [f"{numbers}, {done} in {history.duration()}{why}"]
        lines += _overfitting(history)
    lines.append(_saved(history, asked, recipe) if asked.save else "the model was not saved; --save FILE saves it")
    return "\n".join(lines)


def _saved(history: History, asked: argparse.Namespace, recipe: LanguageRecipe) -> str:
    """Return what the file of --save holds, and the next command."""
    file, model = shlex.quote(asked.save), "" if is_text(asked.data) else f" --model {recipe.name}"
    resume = f"adjoint train {shlex.quote(asked.data)}{model} --save {file} --resume"
    if history.stopped == "finished" and history.saved is None:
        more = 2 * (history.steps or 1)
        return f"the training was already over, and nothing was written; for more steps: {resume} --steps {more}"
    if history.stopped == "finished":
        return f'wrote {asked.save}; write text with: adjoint generate {file} "…"'
    held = notes_of(asked.save)["training"]["updates"] if asked.resume else history.saved
    if held is not None:
        holds = f"{asked.save} holds the state after {_steps(held)}"
    else:
        holds = f"{asked.save} was not written{', and is that of an earlier run' * os.path.exists(asked.save)}"
    if history.stopped == "diverged":
        return f"{holds}; train again with a smaller learning rate, such as --lr {recipe.lr / 10:g}"
    return holds if held is None else f"{holds}; resume with: {resume}"


def _overfitting(history: History) -> list[str]:
    """Return a line of advice if the validation loss was clearly better before the end."""
    best, last = history.best, history.rows[-1]
    if history.monitor != "validation_loss" or not last["validation_loss"] > _OVERFITTED * best["validation_loss"]:
        return []  # also for NaN
    return [
        f"overfitted: the validation loss was lowest after step {best['step']:,}, {best['validation_loss']:.4f}; "
        f"use --steps {best['step']}, --dropout 0.2 or more data"
    ]


def _steps(number: int) -> str:
    return count(number, "step")
