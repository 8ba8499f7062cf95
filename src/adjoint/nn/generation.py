"""Generating text with a GPT: token by token, with the keys and values of earlier tokens kept.

A window of at most `context` tokens is read once; then each token is computed from its predecessor and the keys and
values of the window. When the window is full, the second half of it is read again as the start of a new one.
"""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import backend_of
from adjoint.arrays.convert import data_of
from adjoint.arrays.functions.casting import cast_operands
from adjoint.arrays.random_generators import Seed, generator
from adjoint.compile.sharing import compile_shared
from adjoint.compile.state import Unseen
from adjoint.compile.xla.device_arrays import move_to_device
from adjoint.engine.modes import modes, no_grad
from adjoint.errors import ArgumentError, NumberError, ShapeError
from adjoint.errors.given import describe, is_number, whole
from adjoint.nn.attention_layers import Past
from adjoint.nn.indices import as_indices
from adjoint.nn.sampling import choose
from adjoint.nn.training_modes import evaluation_mode

if TYPE_CHECKING:
    from adjoint.nn.gpt import GPT

_PER_CALL = 64  # tokens that one call of a compiled program computes at most,
_WHOLE = 256  # and those of a call on an accelerator while nobody waits for the first of them
_PAUSE = 0.05  # seconds between the tokens of a stream: shorter calls compute more tokens
_DRAWN = 1 << 16  # positions whose random numbers are drawn at a time
_SMALLEST = 32  # the smallest number of places that a program is compiled for; others are this times a power of two


class CompiledSteps(Unseen):
    """The compiled functions of a model. Copies of the model compile their own."""

    functions: "tuple[Any, Any] | None" = None

    def __reduce__(self):
        return CompiledSteps, ()


class Settings:
    """How tokens are chosen: the arguments of `generate`, checked."""

    def __init__(self, vocab_size: int, temperature: Any, top_k: Any, top_p: Any, stop: Any):
        if not is_number(temperature) or not 0 <= temperature < float("inf"):
            raise ArgumentError(f"generate: temperature must be a number of at least 0, not {describe(temperature)}")
        if top_p is not None and (not is_number(top_p) or not 0 < top_p <= 1):
            raise ArgumentError(f"generate: top_p must be a probability above 0, or None, not {describe(top_p)}")
        is_zero = temperature < np.finfo(np.float32).tiny  # also as float32, in which the scores are divided by it
        self.temperature = None if is_zero else float(temperature)  # None: the token with the highest score
        self.top_k = None if top_k is None else whole(top_k, "generate: top_k")
        self.top_p = None if top_p is None or top_p == 1 else float(top_p)
        stops = [] if stop is None else np.ravel(stop).tolist()
        self.stop = np.asarray(as_indices(stops, vocab_size, "stop token", "tokens"), np.int32)


def stream(
    model: "GPT", texts: np.ndarray, count: int, settings: Settings, seed: Seed, compiled: bool | None, is_paced: bool
) -> Iterator[np.ndarray]:
    """Yield the new tokens of all texts, one position at a time.

    A paced stream computes fewer tokens per call, and the model is in its own mode between them. Else the caller has to
    put it into evaluation mode.
    """
    mode = evaluation_mode if is_paced else nullcontext
    numbers, uniform = generator(seed), np.empty((0, len(texts)), np.float32)  # those of the next positions
    on_accelerator = _has_accelerator() if compiled is not False else False
    compiled = on_accelerator if compiled is None else compiled
    run = _Runner(model, settings, compiled, on_accelerator)
    # On a CPU a call computes as many tokens as were asked for; on an accelerator it is fast and computes all
    done, ended, pace = 0, np.zeros(len(texts), bool), _PER_CALL if on_accelerator or not is_paced else 1
    while done < count and not ended.all():
        window = texts[:, -model.context :] if not done else texts[:, -max(1, model.context // 2) :]
        position, room = window.shape[1] - 1, min(count - done, model.context - window.shape[1] + 1)
        with mode(model):
            past = run.read(window[:, :-1], position + room)
        token = window[:, -1].astype(np.int32)
        while room and not ended.all():
            asked, start = min(room, pace if compiled else 1), perf_counter()
            length = _PER_CALL
            if on_accelerator and not is_paced and room >= _WHOLE:
                asked = length = _WHOLE
            if len(uniform) < min(length, count - done):
                block = min(_DRAWN, count - done - len(uniform)), len(texts)
                uniform = np.concatenate([uniform, numbers.random(block, dtype=np.float32)])
            with mode(model):
                tokens, past = run.write(past, token, position, asked, uniform[:length].T, ended, length)
            if perf_counter() - start < _PAUSE:
                pace = min(2 * pace, _PER_CALL)
            stops = np.isin(tokens, settings.stop)
            for i in range(asked):
                if not ended.all():
                    ended = ended | stops[:, i]
                    yield tokens[:, i]
            done, position, room = done + asked, position + asked, room - asked
            token, uniform = tokens[:, -1], uniform[asked:]
            texts = np.concatenate([texts, tokens], axis=1)[:, -model.context :]


class _Runner:
    """Calls the two functions below, compiled or not, with arrays of the shapes that they are compiled for."""

    def __init__(self, model: "GPT", settings: Settings, compiled: bool, on_accelerator: bool):
        self.model, self.settings, self.compiled = model, settings, compiled
        self.on_accelerator = on_accelerator
        self.functions = no_grad(_read), no_grad(_write)
        if compiled:
            if on_accelerator:
                move_to_device(model.parameters())
            if model._programs.functions is None:
                read, write = self.functions
                model._programs.functions = compile_shared(read, ["places"]), compile_shared(write, ["top_k", "length"])
            self.functions = model._programs.functions

    def read(self, tokens: np.ndarray, places: int) -> list:
        """Return the keys and values of the tokens before the last one of a window, in memory for `places` tokens."""
        width = tokens.shape[1]
        if self.compiled:
            places = _rounded(places, self.model.context)
            width = _rounded(width, places)
        return self.functions[0](self.model, self._array(_padded(tokens.astype(np.int32), width)), places)

    def write(
        self, past: list, token: np.ndarray, position: int, count: int, uniform: np.ndarray, ended: np.ndarray,
        length: int,
    ) -> tuple[np.ndarray, list]:  # fmt: skip
        """Return `count` of at most `length` new tokens, and the keys and values of all before the last of them."""
        given, numbers = self.settings, self._array(_padded(uniform, length))
        found, past = self.functions[1](
            self.model, past, token, np.int32(position), np.int32(count), numbers, ended, given.stop,
            given.temperature, given.top_k, given.top_p, length if self.on_accelerator else None,
        )  # fmt: skip
        tokens = np.asarray(found)[:, :count]
        if (tokens < 0).any():
            raise NumberError("generate: the scores of the next token are NaN; check the weights of the model")
        return tokens, past

    def _array(self, x: np.ndarray) -> Any:
        """Return an array of JAX for a compiled function, which then leaves its results on the device."""
        if not self.compiled:
            return x
        import jax

        return jax.device_put(x)


def _read(model: "GPT", tokens: Any, places: int) -> list:
    """Return the keys and values of the first tokens of a window, in new memory for `places` tokens."""
    _, past = model._extend(tokens, [None] * model.num_layers, 0, places)
    return [x for layer in past for x in layer]


def _write(
    model: "GPT", datas: list, token: Any, position: Any, count: Any, uniform: Any, ended: Any, stop: Any,
    temperature: float | None, top_k: int | None, top_p: float | None, length: int | None,
) -> tuple[Any, list]:  # fmt: skip
    """Return `count` new tokens of each text, after `token` at `position`, and all keys and values.

    With a `length`, the loop runs that many times, and the tokens after the first `count` have no meaning: a GPU then
    does not wait for the decision whether to go on.
    """
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
    carry = zero, token, ended, tokens, datas
    with _cast_matrices(model):
        carry = m.while_loop(goes_on, advance, carry) if length is None else m.repeat_loop(length, advance, carry)
    *_, tokens, datas = carry
    return tokens, datas


@contextmanager
def _cast_matrices(model: "GPT") -> Iterator[None]:
    """Cast the matrices of a model to the precision of this context once, and not in each step of a loop."""
    held = [(p, p._data) for p in model.parameters() if modes.precision is not None and len(shape_of(p)) == 2]
    try:
        for p, data in held:
            p._data = data_of(cast_operands("generate", data)[0])
        yield
    finally:
        for p, data in held:
            p._data = data


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
