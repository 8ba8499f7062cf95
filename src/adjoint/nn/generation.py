"""Generating text with a GPT: token by token, with the keys and values of earlier tokens kept.

A window of at most `context` tokens is read once; then each token is computed from its predecessor and the keys and
values of the window. When the window is full, the second half of it is read again as the start of a new one.
"""

import importlib.util
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.backends import backend_of
from adjoint.arrays.convert import data_of
from adjoint.arrays.randomness import Seed, generator
from adjoint.arrays.tensor import Tensor
from adjoint.engine.modes import no_grad
from adjoint.errors import ArgumentError, NumberError, ShapeError
from adjoint.errors.given import describe, is_number, whole
from adjoint.nn.attention import Past
from adjoint.nn.indices import as_indices
from adjoint.nn.modes import evaluation_mode
from adjoint.nn.sampling import choose

if TYPE_CHECKING:
    from adjoint.nn.gpt import GPT

_PER_CALL = 128  # tokens that one call of the compiled program computes at most
_PAUSE = 0.05  # seconds between the tokens of a stream: shorter calls compute more tokens
_SMALLEST = 32  # the smallest number of places that a program is compiled for; others are this times a power of two


class Memory:
    """The keys and values of all tokens of a window, in all layers. They are Values, which jit keeps on the device."""

    def __init__(self):
        self.values: list[Tensor] = []


class Settings:
    """How tokens are chosen: the arguments of `generate`, checked."""

    def __init__(self, vocab_size: int, temperature: Any, top_k: Any, top_p: Any, stop: Any):
        if not is_number(temperature) or not 0 <= temperature < float("inf"):
            raise ArgumentError(f"generate: temperature must be a number of at least 0, not {describe(temperature)}")
        if top_p is not None and (not is_number(top_p) or not 0 < top_p <= 1):
            raise ArgumentError(f"generate: top_p must be a probability above 0, or None, not {describe(top_p)}")
        self.temperature = float(temperature) or None  # None: the token with the highest score
        self.top_k = None if top_k is None else whole(top_k, "generate: top_k")
        self.top_p = None if top_p is None or top_p == 1 else float(top_p)
        stops = [] if stop is None else stop if isinstance(stop, Sequence) else [stop]
        self.stop = np.asarray(as_indices(list(stops), vocab_size, "stop token", "tokens"), np.int32)


def stream(
    model: "GPT", prompt: Any, count: int, settings: Settings, seed: Seed, compiled: bool | None, is_paced: bool
) -> Iterator[np.ndarray]:
    """Yield the new tokens of all texts, one position at a time."""
    texts = prompt
    uniform = generator(seed).random((count, len(texts)), dtype=np.float32)
    if compiled is None:
        compiled = _has_accelerator()
    read, write = _functions(compiled)
    done, ended, pace = 0, np.zeros(len(texts), bool), 1 if is_paced or not compiled else _PER_CALL
    while done < count and not ended.all():
        window = texts[:, -model.context :] if not done else texts[:, -max(1, model.context // 2) :]
        position, room = window.shape[1] - 1, min(count - done, model.context - window.shape[1] + 1)
        places = _rounded(position + room, model.context) if compiled else position + room
        memory = Memory()
        with evaluation_mode(model):
            read(model, memory, _padded(window[:, :-1], _rounded(position, places) if compiled else position), places)
        token = window[:, -1].astype(np.int32)
        while room and not ended.all():
            asked, start = min(room, pace), perf_counter()
            numbers = _padded(uniform[done : done + _PER_CALL].T, _PER_CALL)
            with evaluation_mode(model):
                tokens = write(
                    model, memory, token, np.int32(position), np.int32(asked), numbers, ended, settings.stop,
                    settings.temperature, settings.top_k, settings.top_p,
                )  # fmt: skip
            tokens = np.asarray(tokens)[:, :asked]
            pace = min(2 * pace, _PER_CALL) if compiled and perf_counter() - start < _PAUSE else pace
            if (tokens < 0).any():
                raise NumberError("generate: the scores of the next token are NaN; check the weights of the model")
            for column in tokens.T:
                if ended.all():
                    break
                ended = ended | np.isin(column, settings.stop)
                yield column
            done, position, room = done + asked, position + asked, room - asked
            token = tokens[:, -1]
            texts = np.concatenate([texts, tokens], axis=1)


def _functions(compiled: bool) -> tuple[Any, Any]:
    """Return the two functions below, compiled or not."""
    if not compiled:
        return no_grad(_read), no_grad(_write)
    from adjoint.compile.sharing import compile_shared

    return compile_shared(no_grad(_read), ["places"]), compile_shared(no_grad(_write), ["top_k"])


def _read(model: "GPT", memory: Memory, tokens: Any, places: int) -> None:
    """Compute the keys and values of the first tokens of a window, in new memory for `places` tokens."""
    _, past = model._extend(tokens, [None] * model.num_layers, 0, places)
    memory.values = [make_leaf(x) for layer in past for x in layer]


def _write(
    model: "GPT", memory: Memory, token: Any, position: Any, count: Any, uniform: Any, ended: Any, stop: Any,
    temperature: float | None, top_k: int | None, top_p: float | None,
) -> Any:  # fmt: skip
    """Return `count` new tokens of each text, after `token` at `position`; the other columns have no meaning."""
    datas = [data_of(x) for x in memory.values]
    m: Any = backend_of(datas[0])
    zero = m.xp.asarray(0, dtype=np.int32)

    def goes_on(carry: tuple) -> Any:
        i, _, ended, _, _ = carry
        return (i < count) & ~m.xp.all(ended)

    def advance(carry: tuple) -> tuple:
        i, token, ended, tokens, datas = carry
        past = [Past(*pair) for pair in zip(datas[::2], datas[1::2])]
        features, past = model._extend(token[:, None], past, position + i)
        scores = data_of(model._score(features))[:, -1]
        found = m.where(ended, token, choose(m, scores, uniform[:, i], temperature, top_k, top_p))
        ended = ended | m.xp.any(found[:, None] == stop[None, :], axis=1)
        tokens = m.put_slice(tokens, found[:, None], 1, i)
        return i + 1, found, ended, tokens, [x for layer in past for x in layer]

    tokens = m.xp.zeros((token.shape[0], uniform.shape[1]), dtype=np.int32)
    *_, tokens, datas = m.while_loop(goes_on, advance, (zero, token, ended, tokens, datas))
    for value, data in zip(memory.values, datas):
        if value._data is not data:
            value.data = data
    return tokens


def _padded(x: np.ndarray, width: int) -> np.ndarray:
    """Return a matrix with columns of zeros added, up to a width of at least 1."""
    return np.pad(x, ((0, 0), (0, max(1, width) - x.shape[1])))


def _rounded(size: int, limit: int) -> int:
    """Return a size that few programs serve: a small number times a power of two, or the limit."""
    found = _SMALLEST
    while found < size:
        found *= 2
    return min(found, limit)


def _has_accelerator() -> bool:
    """Return whether JAX is installed and computes on a GPU or TPU."""
    if importlib.util.find_spec("jax") is None:
        return False
    import jax

    return jax.default_backend() != "cpu"


def as_prompt(prompt: Any, vocab_size: int) -> tuple[np.ndarray, bool]:
    """Return prompts as a matrix with one in each row, and whether there was only one, without an axis of samples."""
    tokens = np.asarray(as_indices(prompt, vocab_size, "token", "tokens"))
    if tokens.ndim not in (1, 2) or not tokens.shape[-1]:
        raise ShapeError(
            f"generate needs the tokens of a prompt, or a batch of prompts of one length, not shape {tokens.shape}; to "
            "start from nothing, pass a token that starts texts"
        )
    return np.atleast_2d(tokens), tokens.ndim == 1
