"""Text of a trained language model: `adjoint generate`."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from adjoint import data, nn
from adjoint.errors import ArgumentError, StateError
from adjoint.files.checkpoints import load
from adjoint.files.tensors import open_tensors

_TABLE = "token_embedding.weight"


class Writer(NamedTuple):
    """A language model with its tokenizer."""

    model: "nn.GPT"
    tokenizer: "data.Tokenizer"

    def write(self, prompt: str = "", tokens: int = 200, stop: str | None = None, **options: Any) -> Iterator[str]:
        """Yield the continuation of a prompt as it is made, up to the end of the text or the text `stop`.

        Without a prompt, a new text starts. The options are those of `nn.GPT.generate`.
        """
        end = self.tokenizer.end_of_text
        given = self.tokenizer.encode(prompt).tolist() if prompt else [end]
        new = self.model.generate_stream(given, tokens, stop=end, **options)
        return until(self.tokenizer.stream(new), stop)


def until(pieces: Iterable[str], stop: str | None) -> Iterator[str]:
    """Yield pieces of text up to a text that may be divided between them.

    >>> list(until(["one. ", "Us", "er: two", " three"], "User:"))
    ['one. ']
    """
    if not stop:
        yield from pieces
        return
    held = ""
    for piece in pieces:
        held += piece
        if stop in held:
            held = held[: held.index(stop)]
            break
        # The end of the text is held back as long as it may be the beginning of `stop`.
        keep = next((n for n in range(min(len(stop) - 1, len(held)), 0, -1) if stop.startswith(held[-n:])), 0)
        if len(held) > keep:
            yield held[: len(held) - keep]
        held = held[len(held) - keep :]
    if held:
        yield held


def load_writer(path: str | os.PathLike, tokenizer: str | os.PathLike | None = None) -> Writer:
    """Return the language model of a checkpoint of `adjoint train`, or of a folder with the weights of GPT-2.

    The tokenizer is in the checkpoint, or beside the model: `tokenizer.json`, or `vocab.json` and `merges.txt`.
    """
    place = Path(path)
    folder = place if place.is_dir() else place.parent
    is_ours = "class" in (open_tensors(path).about or {})  # by adjoint.save, not by another library
    if not is_ours and (folder / "config.json").exists():
        model, notes = nn.GPT.from_pretrained("gpt2", folder), {}
    else:
        model, notes = load(path)
    if not isinstance(model, nn.GPT):
        raise StateError(
            f"{str(path)!r} holds {type(model).__name__}, not a language model; for networks of data sets, use "
            "adjoint predict"
        )
    if tokenizer is not None:
        found = data.Tokenizer.load(tokenizer)
    elif "tokenizer" in notes:
        found = data.Tokenizer.from_json(notes["tokenizer"])
    else:
        beside = [folder / name for name in ("tokenizer.json", "vocab.json") if (folder / name).exists()]
        if not beside:
            raise ArgumentError(
                f"{str(path)!r} has no tokenizer, and there is neither tokenizer.json nor vocab.json beside it; give "
                "one: --tokenizer FILE"
            )
        found = data.Tokenizer.load(beside[0])
    return Writer(trim(model, found.vocab_size), found)


def trim(model: "nn.GPT", vocab_size: int) -> "nn.GPT":
    """Return a model without the tokens at the end of its vocabulary that the tokenizer does not have.

    The vocabulary of a model may be rounded up, because some sizes are faster on GPUs.
    """
    if model.vocab_size < vocab_size:
        raise ArgumentError(
            f"the model has {model.vocab_size} tokens, but the tokenizer {vocab_size}; use the tokenizer that it was "
            "trained with"
        )
    if model.vocab_size == vocab_size:
        return model
    trimmed = nn.GPT(**{**model.arguments(), "vocab_size": vocab_size})
    state: dict[str, Any] = dict(model.state_dict())
    trimmed.load_state_dict({**state, _TABLE: state[_TABLE][:vocab_size]})
    return trimmed
