"""New array parameters. The weights of large models are drawn in float32, or not at all where others are assigned."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.backends import NUMPY
from adjoint.arrays.convert import as_data
from adjoint.errors.settings import Setting
from adjoint.nn.weight_limit import count_weights

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

_skipped = Setting(False)


def skip_draws() -> AbstractContextManager[None]:
    """Give new layers zeros in place of random weights, while the context lasts: the caller assigns others.

    >>> from adjoint import nn
    >>> with skip_draws():
    ...     nn.Linear(2, 1).weight.tolist()
    [[0.0, 0.0]]
    """
    return _skipped.to(True)


def draws_are_skipped() -> bool:
    """Return whether new layers get zeros in place of random weights."""
    return _skipped.get()


def parameter(shape: Sequence[int], bound: float, rng: np.random.Generator, dtype: object) -> "Tensor":
    """Return a new array parameter, uniform between ±bound, as `torch.nn` initializes most weights and all biases."""
    if draws_are_skipped():
        return undrawn(tuple(shape), dtype)
    count_weights(shape)
    return make_leaf(as_data(rng.uniform(-bound, bound, tuple(shape)), dtype))


def full_tensor(shape: int | Sequence[int], number: float, dtype: object) -> "Tensor":
    """Return a new array parameter or buffer whose elements are all the same number."""
    count_weights(shape)
    return make_leaf(as_data(np.full(shape, number), dtype))


def undrawn(shape: tuple[int, ...], dtype: object) -> "Tensor":
    """Return a new array parameter of zeros, for which the system gives no memory before it is used."""
    count_weights(shape)
    return make_leaf(np.zeros(shape, NUMPY.as_dtype(dtype)))


def draw_normal(weights: "Sequence[tuple[Tensor, float]]", rng: np.random.Generator) -> None:
    """Draw normally distributed numbers into new weights, each with its standard deviation.

    They are drawn in float32, unless the weights are float64, and in parts, each with a seed of its own, by several
    threads: the numbers do not depend on how many.
    """
    if draws_are_skipped():
        return
    flat = [(weight._data.reshape(-1), std) for weight, std in weights]
    parts = [(array[i : i + _PART], std) for array, std in flat for i in range(0, array.size, _PART)]
    seeds = np.random.SeedSequence(rng.integers(1 << 32, size=4, dtype=np.uint32).tolist()).spawn(len(parts))
    if sum(array.size for array, _ in flat) <= _PART:  # threads would take longer to start
        for part, seed in zip(parts, seeds):
            _draw_part(part, seed)
        return
    from concurrent.futures import ThreadPoolExecutor  # few models are as large

    with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1)) as threads:
        for _ in threads.map(_draw_part, parts, seeds):
            pass


def _draw_part(part: tuple[np.ndarray, float], seed: np.random.SeedSequence) -> None:
    array, std = part
    rng = np.random.default_rng(seed)
    if array.dtype in (np.float32, np.float64):
        rng.standard_normal(dtype=array.dtype, out=array)
        array *= std
    else:
        array[...] = rng.standard_normal(array.shape, np.float32) * std


_PART = 1 << 20  # numbers that are drawn at once
