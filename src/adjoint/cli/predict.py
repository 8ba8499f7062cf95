"""Predict with a saved network.

examples:
  adjoint predict moons.safetensors 0.5 0.2
  adjoint predict names.safetensors an           new names that start with "an"
"""

import argparse
import json
import math
from typing import Any

from adjoint.cli.option_types import OK, integer, integer_from_0
from adjoint.errors import ArgumentError
from adjoint.files.checkpoints import load, refuse_malformed
from adjoint.nn.module import Module
from adjoint.training.recipes import Predictor
from adjoint.training.recipes.name_generator import sample


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint predict`."""
    command.add_argument("checkpoint", help="a file written by adjoint train … --save FILE")
    command.add_argument(
        "inputs", nargs="*", metavar="x", help="the inputs of one sample; for names, their first letters"
    )
    command.add_argument("--count", type=integer, default=10, metavar="N", help="for names: how many to generate")
    command.add_argument("--seed", type=integer_from_0, default=0, metavar="N", help="for names: the random seed")
    command.add_argument("--json", action="store_true", help="print JSON")


def run(asked: argparse.Namespace) -> int:
    """Print the prediction of a saved network."""
    model, notes = load(asked.checkpoint)
    if notes.get("recipe", {}).get("task") == "language":
        raise ArgumentError(
            f'{asked.checkpoint!r} is a language model; write text with: adjoint generate {asked.checkpoint} "…"'
        )
    if "preparation" not in notes:
        raise ArgumentError(f"{asked.checkpoint!r} was not written by adjoint train --save, so its inputs are unknown")
    with refuse_malformed(asked.checkpoint):
        is_of_names = notes["recipe"]["name"] == "names"
        found = _names(model, notes, asked) if is_of_names else Predictor(model, notes)(_coordinates(asked.inputs))
    if is_of_names:
        print(json.dumps(found) if asked.json else "\n".join(found["names"]))
        return OK
    if asked.json:
        print(json.dumps(found))
    elif "prediction" in found:
        print(f"{found['prediction']:.6g}")
    elif "score" in found:
        print(f"class {found['class']} (score {found['score']:.4f}; positive scores are class 1)")
    else:
        print(f"class {found['class']}   ({', '.join(f'{i}: {p:.1%}' for i, p in enumerate(found['probabilities']))})")
    return OK


def _names(model: Module, notes: dict[str, Any], asked: argparse.Namespace) -> dict[str, Any]:
    """Return new names, which begin with the letters that were given."""
    begin, context = "".join(asked.inputs), notes["recipe"]["context"]
    return {"names": sample(model, asked.count, asked.seed, begin=begin, context=context)}


def _coordinates(texts: list[str]) -> list[float]:
    """Return the inputs of a sample as numbers."""
    return [_coordinate(text) for text in texts]


def _coordinate(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ArgumentError(f"the inputs must be finite numbers, not {text!r}")
    return number
