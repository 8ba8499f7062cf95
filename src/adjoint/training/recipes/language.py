"""The recipe of a language model: a GPT that predicts the next token, trained with AdamW: `adjoint train text.txt`.

recipe = language_recipe("gpt-tiny", steps=300)
tokens = tokens_of("text.txt")
model = recipe.model(tokens)
history = recipe.fit(model, tokens)
"""

import math
import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from adjoint import data, files, nn, optim
from adjoint.data.text_files import read_pieces
from adjoint.engine.modes import precision_name
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, DataError, StateError
from adjoint.errors.given import is_number, whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.training.recipes.recipe import TOKEN_SUFFIXES

if TYPE_CHECKING:
    import numpy as np

    from adjoint.training.history import History

    Batches = Iterator[tuple[np.ndarray, np.ndarray]]

HELD_OUT = 0.1  # the fraction of the tokens used for validation, and the most tokens, unless a recipe says otherwise
MOST_HELD_OUT = 1_000_000
_END = 0.1  # the fraction of the learning rate at the end of training
_LARGE_VOCABULARY = 4096  # a vocabulary from this size on is rounded up, so that GPUs compute the scores fast
_MULTIPLE = 128


@dataclass(frozen=True)
class LanguageRecipe:
    """A GPT of a known size, and how it is trained."""

    name: str  # of the model
    lr: float
    batch_size: int  # sequences in a batch
    length: int  # tokens of a sequence
    steps: int = 1000  # updates of the weights
    accumulate: int = 1  # batches of an update
    warmup: int | None = None  # steps during which the learning rate rises; None for a tenth of all, at most 1,000
    weight_decay: float = 0.1  # of matrices
    clip: float = 1.0  # the largest norm of the gradient
    dropout: float = 0.0
    precision: str = "float32"  # of products
    recompute: bool = False  # whether the backward pass computes each block again, which saves memory
    evaluate_every: int | None = None  # steps between two rows of the history; None for a twentieth of all
    validation: float | str | None = None  # the fraction of the tokens, or the file of others; None decides
    validation_batches: int = 20
    seed: int = 0  # of the initial weights and the order of the data

    @property
    def interval(self) -> int:
        """The number of steps between two evaluations."""
        return self.evaluate_every or min(self.steps, 1000, max(10, self.steps // 20))

    @property
    def rise(self) -> int:
        """The number of steps during which the learning rate rises."""
        return min(1000, max(1, self.steps // 10)) if self.warmup is None else self.warmup

    def model(self, tokens: "data.Tokens") -> "nn.GPT":
        """Return a model with new weights for the vocabulary of some tokens."""
        size = tokens.vocab_size
        if size >= _LARGE_VOCABULARY:
            size = -(-size // _MULTIPLE) * _MULTIPLE
        changes = {"vocab_size": size, "context": self.length, "dropout": self.dropout, "checkpoint": self.recompute}
        return nn.GPT.named(self.name, seed=self.seed, **changes)

    def optimizer(self, model: "nn.GPT") -> "optim.Optimizer":
        """Return AdamW, which decays matrices, but not biases and the factors of norms."""
        parameters = model.parameters()
        groups = [
            {"params": [p for p in parameters if _is_matrix(p)], "weight_decay": self.weight_decay},
            {"params": [p for p in parameters if not _is_matrix(p)], "weight_decay": 0.0},
        ]
        return optim.AdamW(groups, lr=self.lr, betas=(0.9, 0.95))

    def rate(self, done: float) -> float:
        """Return the factor of the learning rate at a fraction of the training: it rises, then falls as a cosine.

        >>> recipe = language_recipe("gpt-tiny", steps=100, warmup=10)
        >>> [round(recipe.rate(step / 100), 2) for step in (0, 4, 9, 10, 55, 100)]
        [0.1, 0.5, 1.0, 1.0, 0.55, 0.1]
        """
        step = round(done * self.steps)
        if step < self.rise:
            return (step + 1) / self.rise
        progress = min(1.0, (step - self.rise) / max(1, self.steps - self.rise))
        return _END + (1 - _END) * (1 + math.cos(math.pi * progress)) / 2

    def batches(self, tokens: "data.Tokens", part: tuple[int, int] = (0, 1)) -> Any:
        """Return a function that returns the batches of an interval, given its number from 1."""
        count = self.interval * self.accumulate

        def batches(interval: int) -> "Batches":
            start = (interval - 1) * count
            return tokens.batches(self.batch_size, self.length, start=start, steps=count, seed=self.seed, part=part)

        return batches

    def batches_of_validation(self, tokens: "data.Tokens", part: tuple[int, int] = (0, 1)) -> list[Any]:
        """Return the batches of validation, which are always the same."""
        steps = max(1, min(self.validation_batches, tokens.windows(self.length) // self.batch_size))
        return list(tokens.batches(self.batch_size, self.length, steps=steps, part=part))

    def fit(
        self,
        model: "nn.GPT",
        tokens: "data.Tokens",
        held_out: "data.Tokens | None" = None,
        *,
        part: tuple[int, int] = (0, 1),
        **options: Any,
    ) -> "History":
        """Train a model; `options` are those of `adjoint.fit`. With several processes, `part` is the own one of all."""
        from adjoint.training.loop import fit

        used = replace(self, evaluate_every=self.interval, warmup=self.rise)
        notes: dict[str, Any] = {"recipe": {**asdict(used), "task": "language"}, "data": fingerprint(tokens)}
        if tokens.tokenizer is not None:
            notes["tokenizer"] = tokens.tokenizer.to_json()
        return fit(
            model,
            self.batches(tokens, part),
            loss=model.loss,
            optimizer=self.optimizer(model),
            schedule=self.rate,
            steps=self.steps,
            steps_per_epoch=self.interval * self.accumulate,
            accumulate=self.accumulate,
            clip_norm=self.clip,
            precision=self.precision,
            validation=None if held_out is None else self.batches_of_validation(held_out, part),
            keep_best=False,
            seed=self.seed,
            notes=notes,
            **options,
        )


RECIPES = {
    recipe.name: recipe
    for recipe in (
        LanguageRecipe("gpt-tiny", lr=2e-3, batch_size=16, length=64, steps=500),
        LanguageRecipe("gpt2", lr=6e-4, batch_size=32, length=1024, steps=10_000),
        LanguageRecipe("gpt2-medium", lr=3e-4, batch_size=16, length=1024, steps=10_000),
        LanguageRecipe("gpt2-large", lr=2.5e-4, batch_size=8, length=1024, steps=10_000),
        LanguageRecipe("gpt2-xl", lr=2e-4, batch_size=8, length=1024, steps=10_000),
    )
}


def language_recipe(name: str, **changes: Any) -> LanguageRecipe:
    """Return the recipe of a model, with some fields changed; None keeps a field.

    >>> language_recipe("gpt-tiny", steps=20).interval
    10
    """
    if name not in RECIPES:
        raise unknown_name_error("model", name, RECIPES)
    recipe = replace(RECIPES[name], **{key: x for key, x in changes.items() if x is not None})
    for field in ("batch_size", "length", "steps", "accumulate", "interval"):
        whole(getattr(recipe, field), field)
    whole(recipe.rise, "warmup", 0)
    precision_name(recipe.precision)
    for field in ("lr", "clip"):
        if not is_number(x := getattr(recipe, field)) or not 0 < x < math.inf:
            raise ArgumentError(f"{field} must be a number above 0, not {x!r}")
    return recipe


def saved_recipe(path: str | os.PathLike, **changes: Any) -> LanguageRecipe:
    """Return the recipe of a checkpoint; only the number of steps may be changed. None keeps a field."""
    notes = notes_of(path)
    where = repr(os.fspath(path))
    if notes.get("recipe", {}).get("task") != "language":
        raise StateError(f"{where} does not hold the training of a language model; train one with --save first")
    with files.refuse_malformed(path):
        recipe = LanguageRecipe(**{name: x for name, x in notes["recipe"].items() if name != "task"})
        for name, x in changes.items():
            if name != "steps" and x is not None and x != getattr(recipe, name):
                raise StateError(
                    f"{where} was trained with {name}={getattr(recipe, name)}, but now it is {x}; use the same, or "
                    "start a new training"
                )
    return recipe if changes.get("steps") is None else replace(recipe, steps=changes["steps"])


def notes_of(path: str | os.PathLike) -> dict[str, Any]:
    """Return the notes of a checkpoint, without reading its tensors."""
    about = files.open_tensors(path).about or {}
    return about.get("extra", {})


def _is_matrix(p: Value) -> bool:
    return len(getattr(p, "shape", ())) > 1


# --- data -----------------------------------------------------------------------------------------------------


def tokens_of(name: str | os.PathLike, seed: int = 0) -> "data.Tokens":
    """Return the tokens of a file, the bytes of a text file, or the letters of `data.names()` in random order.

    >>> tokens_of("names").vocab_size
    27
    """
    if str(name) == "names":
        import numpy as np

        names = data.names()
        order = np.random.default_rng(seed).permutation(len(names))
        return data.Tokens.from_text([names[i] for i in order], data.Characters(names))
    if os.path.splitext(name)[1].lower() in TOKEN_SUFFIXES:
        return data.Tokens(name)
    return data.Tokens.from_text(text_of(name))


def text_of(name: str | os.PathLike) -> str:
    """Return the text of a file."""
    text = "".join(read_pieces(name))
    if not text:
        raise DataError(f"{str(name)!r} is empty; a language model needs text")
    return text


def split(tokens: "data.Tokens", recipe: LanguageRecipe) -> "tuple[data.Tokens, data.Tokens | None]":
    """Return the tokens to train on, and those of validation: the fraction of the recipe, which is 0.1 by default.

    By default, short data are not split, and at most a million tokens are used for validation.
    """
    if not recipe.validation and recipe.validation is not None:
        return tokens, None
    if isinstance(recipe.validation, float):
        return tokens.split(recipe.validation)
    fraction = min(HELD_OUT, MOST_HELD_OUT / len(tokens))
    if min(fraction, 1 - fraction) * len(tokens) <= 2 * recipe.length:
        return tokens, None
    return tokens.split(fraction)


def fingerprint(tokens: "data.Tokens") -> dict[str, int]:
    """Return what identifies some tokens: their number, and a checksum of the first and the last ones."""
    ends = [tokens[: 1 << 16], tokens[-(1 << 16) :]]
    checksum = zlib.crc32(b"".join(x.astype("<u4").tobytes() for x in ends))
    return {"tokens": len(tokens), "vocab_size": tokens.vocab_size, "checksum": checksum}


def require_same_data(path: str | os.PathLike, tokens: "data.Tokens") -> None:
    """Raise if a checkpoint was trained on other tokens."""
    saved, own, where = notes_of(path).get("data", {}), fingerprint(tokens), repr(os.fspath(path))
    if saved != own:
        said = f"{saved.get('tokens', 0):,} tokens" if saved.get("tokens") != own["tokens"] else "other tokens"
        raise StateError(f"{where} was trained on {said}, but the data have {own['tokens']:,}; use the same data")
