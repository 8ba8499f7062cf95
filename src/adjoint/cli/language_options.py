"""The options of `adjoint train` for language models, which `train_language.py` trains."""

import argparse
from typing import Any

from adjoint.cli.option_types import fraction, fraction_or_file, integer, integer_from_0, number_from_0, positive_number
from adjoint.training.recipes import RECIPES
from adjoint.training.recipes.recipe import is_text

FIELDS = (  # of the recipe
    "steps", "length", "accumulate", "warmup", "weight_decay", "clip", "dropout", "recompute", "precision",
    "evaluate_every", "validation",
)  # fmt: skip
OPTIONS = ("model", *FIELDS, "devices", "shard", "save_every")  # that other networks do not have


def add_options(group: Any) -> None:
    """Add the options of language models to a group of `adjoint train`."""
    group.add_argument("--model", metavar="NAME", help="gpt-tiny (default), gpt2, gpt2-medium, gpt2-large or gpt2-xl")
    group.add_argument("--steps", type=integer, metavar="N", help="the number of updates of the weights")
    group.add_argument("--length", type=integer, metavar="N", help="tokens of a sequence: the context of the model")
    group.add_argument("--warmup", type=integer_from_0, metavar="N", help="steps in which the learning rate rises")
    group.add_argument("--weight-decay", type=number_from_0, metavar="X", help="the decay of matrices (default 0.1)")
    group.add_argument("--clip", type=positive_number, metavar="X", help="the largest gradient norm (default 1.0)")
    group.add_argument("--dropout", type=fraction, metavar="X", help="the rate of dropout (default none)")
    group.add_argument("--accumulate", type=integer, metavar="N", help="batches whose gradients make one update")
    group.add_argument(
        "--recompute", action="store_const", const=True, help="compute blocks again in the backward pass; saves memory"
    )
    group.add_argument("--precision", metavar="NAME", help="of products: float32 (default), bfloat16 or float16")
    group.add_argument("--devices", type=integer, metavar="N", help="split each batch over so many devices")
    group.add_argument("--shard", metavar="WHAT", help="parameters: split the weights over the devices too")
    group.add_argument(
        "--validation", type=fraction_or_file, metavar="X", help="the fraction of the data (default 0.1), or a file"
    )
    group.add_argument("--evaluate-every", type=integer, metavar="N", help="validate, log and save after N steps")
    group.add_argument("--save-every", type=integer, metavar="N", help="save after other intervals of N steps")


def is_asked(asked: argparse.Namespace) -> bool:
    """Return whether the data need a language model: a text, tokens, or with --model the names and any other file."""
    is_of_numbers = asked.data in RECIPES and asked.data != "names"
    return is_text(asked.data) or (asked.model is not None and not is_of_numbers)
