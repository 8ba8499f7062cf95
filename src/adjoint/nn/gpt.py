"""GPT: a language model of transformer blocks, with the architecture of GPT-2."""

import math
import os
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions.products import linear
from adjoint.arrays.random_generators import Seed, generator
from adjoint.arrays.tensor import Tensor
from adjoint.engine import late
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.attention_layers import Past, TransformerBlock
from adjoint.nn.containers import ModuleList
from adjoint.nn.dropouts import Dropout
from adjoint.nn.embeddings import Embedding
from adjoint.nn.generation import CompiledSteps, Settings, as_prompt, stream
from adjoint.nn.indices import as_indices
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.linear_likelihoods import linear_cross_entropy
from adjoint.nn.loss_arguments import IGNORED
from adjoint.nn.module import Module
from adjoint.nn.normalization_layers import LayerNorm
from adjoint.nn.training_modes import evaluation_mode
from adjoint.nn.weight_draws import draw_normal, skip_draws
from adjoint.transforms.recompute import checkpoint as recompute

_NAMED: dict[str, dict[str, int]] = {
    "gpt2": {"embed_dim": 768, "num_heads": 12, "num_layers": 12},
    "gpt2-medium": {"embed_dim": 1024, "num_heads": 16, "num_layers": 24},
    "gpt2-large": {"embed_dim": 1280, "num_heads": 20, "num_layers": 36},
    "gpt2-xl": {"embed_dim": 1600, "num_heads": 25, "num_layers": 48},
    "gpt-tiny": {"vocab_size": 257, "context": 128, "embed_dim": 128, "num_heads": 4, "num_layers": 2},
}


class GPT(Module):
    """A language model with the architecture of GPT-2: it scores the next token at each position.

    Tokens are integers of shape (samples, positions), with at most `context` positions, and the scores (logits) have
    shape (samples, positions, vocab_size). The head, which computes them, is the table of token embeddings. The blocks
    are causal `TransformerBlock`s with a norm before each part and GELU in its tanh form.

    Weights are drawn as for GPT-2: normal with a standard deviation of 0.02, divided by √(2·num_layers) for the
    projections at the ends of residual branches; biases are 0. They are float32 by default. `dropout` applies to the
    embeddings and in each block. `bias=False` leaves out all biases. With `checkpoint`, the backward pass computes each
    block again instead of keeping its arrays: that takes less memory and about a third more time.

    >>> from adjoint import nn
    >>> model = nn.GPT(vocab_size=50, context=16, embed_dim=8, num_heads=2, num_layers=1, seed=0)
    >>> model([[1, 2, 3]]).shape
    (1, 3, 50)
    >>> round(float(model.loss([[1, 2, 3]], [[2, 3, 4]])), 1)  # about ln 50: all are equally likely at first
    4.0
    """

    def __init__(
        self,
        vocab_size: int = 50257,
        context: int = 1024,
        embed_dim: int = 768,
        num_heads: int = 12,
        num_layers: int = 12,
        dropout: float = 0.0,
        bias: bool = True,
        *,
        checkpoint: bool = False,
        seed: Seed = None,
        dtype="float32",
    ):
        self.vocab_size = whole(vocab_size, "GPT: vocab_size")
        self.context = whole(context, "GPT: context")
        self.embed_dim = whole(embed_dim, "GPT: embed_dim")
        self.num_heads = whole(num_heads, "GPT: num_heads")
        self.num_layers = whole(num_layers, "GPT: num_layers")
        self.dropout, self.checkpoint = dropout, bool(checkpoint)
        rng = generator(seed)
        with skip_draws():  # the weights are drawn below, as for GPT-2
            self.token_embedding = Embedding(self.vocab_size, self.embed_dim, seed=rng, dtype=dtype)
            self.position_embedding = Embedding(self.context, self.embed_dim, seed=rng, dtype=dtype)
            self.embedding_dropout = Dropout(dropout, seed=rng)
            self.blocks = ModuleList(
                TransformerBlock(
                    self.embed_dim, self.num_heads, dropout=dropout, activation="gelu_tanh", causal=True, bias=bias,
                    seed=rng, dtype=dtype,
                )
                for _ in range(self.num_layers)
            )  # fmt: skip
            self.norm = LayerNorm(self.embed_dim, bias=bias, dtype=dtype)
        self._draw_weights(rng)
        self._programs = CompiledSteps()

    def _draw_weights(self, rng: np.random.Generator) -> None:
        weights = [(self.token_embedding.weight, 0.02), (self.position_embedding.weight, 0.02)]
        at_ends = 0.02 / math.sqrt(2 * self.num_layers)
        for block in self.blocks:
            weights += [(block.self_attn.in_proj_weight, 0.02), (block.self_attn.out_proj.weight, at_ends)]
            weights += [(block.linear1.weight, 0.02), (block.linear2.weight, at_ends)]
        draw_normal(weights, rng)

    @classmethod
    def named(cls, name: str, **changes: Any) -> Self:
        """Return a model of a known size, with new weights; other arguments are those of the constructor.

        "gpt2" has 124 million weights, "gpt2-medium" 355, "gpt2-large" 774 and "gpt2-xl" 1,558 million. "gpt-tiny" has
        446,000, for the tokens of `data.ByteTokenizer`: it trains on a CPU.

        >>> from adjoint import nn
        >>> nn.GPT.named("gpt-tiny", context=64, seed=0).arguments()["context"]
        64
        """
        if name not in _NAMED:
            raise unknown_name_error("GPT", name, _NAMED)
        return cls(**{**_NAMED[name], **changes})

    @classmethod
    def from_pretrained(cls, name: str, path: "str | os.PathLike[str]", **changes: Any) -> Self:
        """Return a GPT-2 with the weights in files of Hugging Face: `model.safetensors` and `config.json`.

        The path is that of their folder, or of the safetensors file. There may be several of these with an index. The
        name "gpt2" takes the sizes from `config.json`; "gpt2-medium", "gpt2-large" and "gpt2-xl" also check them. Other
        arguments are `dropout`, `checkpoint` and `dtype`.

        >>> import tempfile
        >>> from adjoint import nn
        >>> folder = tempfile.mkdtemp()
        >>> nn.GPT.named("gpt-tiny", seed=0).save_pretrained(folder)
        >>> nn.GPT.from_pretrained("gpt2", folder).embed_dim
        128
        """
        names = [known for known in _NAMED if known.startswith("gpt2")]
        if name not in names:
            raise unknown_name_error("GPT-2", name, names)
        known = {"dropout", "checkpoint", "dtype", "seed"}
        if not changes.keys() <= known:
            raise ArgumentError(
                f"from_pretrained: {min(changes.keys() - known)!r} is decided by the files; the arguments are "
                f"{', '.join(sorted(known))}"
            )
        return late.gpt2_files().read_gpt2(path, {} if name == "gpt2" else _NAMED[name], changes, cls)

    def save_pretrained(self, path: "str | os.PathLike[str]") -> None:
        """Write the model into a folder as a GPT-2 of Hugging Face, which `transformers` loads from there.

        `adjoint.save` keeps more: the dtype, the state of the random generators, and an optimizer.

        >>> import os, tempfile
        >>> from adjoint import nn
        >>> folder = tempfile.mkdtemp()
        >>> nn.GPT.named("gpt-tiny", seed=0).save_pretrained(folder)
        >>> sorted(os.listdir(folder))
        ['config.json', 'model.safetensors']
        """
        late.gpt2_files().write_gpt2(path, self)

    @property
    def bias(self) -> bool:
        """Whether the linear layers and norms have biases."""
        return self.norm.bias is not None

    def forward(self, tokens: "ArrayLike") -> Tensor:
        """Return the scores of the next token at each position."""
        return self._score(self._features(tokens))

    def loss(self, tokens: "ArrayLike", targets: "ArrayLike") -> Value:
        """Return the mean cross-entropy of the targets: the next token at each position, or -100 to ignore one.

        >>> from adjoint import nn
        >>> model = nn.GPT.named("gpt-tiny", seed=0)
        >>> text = list(b"A short text.")
        >>> round(float(model.loss([text[:-1]], [text[1:]])), 1)  # about ln 257, as all tokens are equally likely
        5.6
        """
        features = self._features(tokens)
        wanted: Any = as_indices(targets, self.vocab_size, "target", "tokens", IGNORED)
        if wanted.shape != features.shape[:-1]:
            raise ShapeError(
                f"GPT.loss needs one target per token: the tokens have shape {features.shape[:-1]}, the targets "
                f"{wanted.shape}"
            )
        return linear_cross_entropy(features, self.token_embedding.weight, wanted)

    def _features(self, tokens: "ArrayLike") -> Value:
        """Return the features of each position, which the head turns into scores."""
        given = as_indices(tokens, self.vocab_size, "token", "tokens")
        shape = given.shape
        if len(shape) != 2 or not shape[1]:
            hint = "; for one text, pass [tokens]" if len(shape) == 1 else ""
            raise ShapeError(f"expected tokens of shape (samples, positions), not {shape}{hint}")
        if shape[1] > self.context:
            raise ShapeError(
                f"{shape[1]} positions are more than the context of {self.context}; pass the last {self.context} tokens"
            )
        x = self.token_embedding(given) + self.position_embedding(np.arange(shape[1], dtype=np.int32))
        x = self.embedding_dropout(x)
        for block in self.blocks:
            x = (recompute(block) if self.checkpoint else block)(x)
        return self.norm(x)

    def _score(self, features: "ArrayLike") -> Tensor:
        """Return the scores of the next token, given features: the product with the table of token embeddings."""
        return linear(features, self.token_embedding.weight)

    def _extend(
        self, tokens: "ArrayLike", past: "Sequence[Past | None]", position: Any, places: int = 0
    ) -> tuple[Value, list[Past]]:
        """Return the features of tokens after those of `past`, and the past of the next ones: one for each layer."""
        count = shape_of(tokens)[1]
        x = self.token_embedding(tokens) + self.position_embedding(position + np.arange(count, dtype=np.int32))
        extended = []
        for block, before in zip(self.blocks, past):
            x, after = block.extend(x, before, position, places)
            extended.append(after)
        return self.norm(x), extended

    def generate(
        self,
        prompt: "ArrayLike",
        max_new_tokens: int,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        stop: "int | Sequence[int] | None" = None,
        seed: Seed = None,
        compiled: bool | None = None,
    ) -> np.ndarray:
        """Return the prompt followed by at most `max_new_tokens` tokens, each drawn given all tokens before it.

        The prompt is a list or an array of tokens, or a batch of prompts of the same length, one per row. Scores are
        divided by the `temperature` before the softmax; with 0, the token with the highest score is taken. `top_k`
        limits the choice to that many tokens with the highest scores, and `top_p` to the fewest tokens whose
        probabilities add up to at least that; tokens with the same score as the last of them can be chosen too. A text
        ends with a token of `stop`; in a batch, that token is repeated until all texts have ended. The same `seed`
        gives the same tokens.

        The keys and values of earlier tokens are kept, so each token costs one position of the model. When the
        `context` is full, the model goes on from the second half of it. On a GPU, or with `compiled=True`, one compiled
        program reads the prompt and one computes many tokens per call; else NumPy computes.

        >>> from adjoint import nn
        >>> model = nn.GPT.named("gpt-tiny", seed=0)
        >>> model.generate(list(b"Once"), max_new_tokens=3, temperature=0).shape
        (7,)
        """
        with evaluation_mode(self):
            new = [*self._stream(prompt, max_new_tokens, temperature, top_k, top_p, stop, seed, compiled, False)]
        texts, is_single = as_prompt(prompt, self.vocab_size)
        found = np.concatenate([texts, np.stack(new, axis=1)] if new else [texts], axis=1).astype(np.int64)
        return found[0] if is_single else found

    def generate_stream(
        self,
        prompt: "ArrayLike",
        max_new_tokens: int,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        stop: "int | Sequence[int] | None" = None,
        seed: Seed = None,
        compiled: bool | None = None,
    ) -> "Iterator[Any]":
        """Yield the tokens that `generate` adds to the prompt as they are computed; of a batch, one array per position.

        >>> from adjoint import nn
        >>> model = nn.GPT.named("gpt-tiny", seed=0)
        >>> tokens = model.generate_stream(list(b"Once"), max_new_tokens=3, temperature=0)
        >>> [*tokens] == model.generate(list(b"Once"), max_new_tokens=3, temperature=0)[4:].tolist()
        True
        """
        _, is_single = as_prompt(prompt, self.vocab_size)
        for tokens in self._stream(prompt, max_new_tokens, temperature, top_k, top_p, stop, seed, compiled, True):
            yield int(tokens[0]) if is_single else tokens.astype(np.int64)

    def _stream(
        self, prompt: Any, max_new_tokens: int, temperature: Any, top_k: Any, top_p: Any, stop: Any, seed: Seed,
        compiled: bool | None, is_paced: bool,
    ) -> "Iterator[np.ndarray]":  # fmt: skip
        settings = Settings(self.vocab_size, temperature, top_k, top_p, stop)
        count = whole(max_new_tokens, "generate: max_new_tokens", 0)
        texts, _ = as_prompt(prompt, self.vocab_size)
        return stream(self, texts, count, settings, seed, compiled, is_paced)
