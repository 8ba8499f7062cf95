"""Write text with a trained language model.

examples:
  adjoint generate text.safetensors "Once"
  adjoint generate names.safetensors --samples 10
  adjoint generate gpt2/ "Once upon a time" --tokens 100 --top-k 40     a folder with the weights of GPT-2

Without a prompt, a new text starts. A folder with weights has a tokenizer.json, or vocab.json and merges.txt.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from itertools import count
from time import perf_counter

from adjoint.cli.option_types import OK, integer, integer_from_0, number_from_0, probability
from adjoint.engine.modes import precision
from adjoint.training.recipes.writing import load_writer


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint generate`."""
    command.usage = "adjoint generate MODEL [PROMPT] [options]"
    command.add_argument(
        "model", metavar="MODEL", help="a file or folder of adjoint train … --save, or a folder with weights of GPT-2"
    )
    command.add_argument("prompt", metavar="PROMPT", nargs="?", default="", help="the beginning of the text")
    command.add_argument("--tokens", type=integer, default=200, metavar="N", help="the most new tokens (default 200)")
    command.add_argument("--samples", type=integer, default=1, metavar="N", help="the number of texts (default 1)")
    command.add_argument(
        "--temperature",
        type=number_from_0,
        default=0.8,
        metavar="X",
        help="above 1 for more variety, 0 for the most likely token (default 0.8)",
    )
    command.add_argument("--top-k", type=integer, metavar="N", help="choose from the N most likely tokens")
    command.add_argument(
        "--top-p", type=probability, metavar="X", help="choose from the most likely ones of probability X"
    )
    command.add_argument("--stop", metavar="TEXT", help="end before this text")
    command.add_argument(
        "--seed", type=integer_from_0, metavar="N", help="the random seed; without it, each run differs"
    )
    command.add_argument(
        "--precision", default="float32", metavar="NAME", help="float32 (default), bfloat16 or float16"
    )
    command.add_argument("--tokenizer", metavar="FILE", help="the tokenizer, if it is not stored with the model")
    command.add_argument("--json", action="store_true", help="print the texts as JSON at the end")


def run(asked: argparse.Namespace) -> int:
    """Print texts of a model."""
    writer = load_writer(asked.model, asked.tokenizer)
    seeds, texts, begun = count(asked.seed or 0), [], perf_counter()
    for _ in range(asked.samples):
        with precision(asked.precision):
            pieces = writer.write(
                asked.prompt,
                asked.tokens,
                asked.stop,
                temperature=asked.temperature,
                top_k=asked.top_k,
                top_p=asked.top_p,
                seed=None if asked.seed is None else next(seeds),
            )
            texts.append(_print(asked, pieces, is_apart="\n" in "".join(texts[-1:])))
    if asked.json:
        print(json.dumps({"prompt": asked.prompt, "texts": texts}))
    elif sys.stderr.isatty():
        made = sum(len(writer.tokenizer.encode(text)) for text in texts)
        print(f"\n{made / (perf_counter() - begun):,.0f} tokens/s", file=sys.stderr)
    return OK


def _print(asked: argparse.Namespace, pieces: Iterable[str], is_apart: bool) -> str:
    """Print the pieces of a text as they come, unless JSON is asked for; return the whole text."""
    if asked.json:
        return "".join(pieces)
    if is_apart:
        print()
    print(asked.prompt, end="", flush=True)
    text = ""
    try:
        for piece in pieces:
            text += piece
            print(piece, end="", flush=True)
    finally:
        print(flush=True)  # the end of the line, also after Ctrl-C
    return text
