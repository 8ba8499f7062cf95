"""How the weights of large models are drawn: in float32, and not at all where they are loaded or drawn afterward."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np

from adjoint.arrays.convert import as_data

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

_skipped: ContextVar[bool] = ContextVar("adjoint_draws_skipped", default=False)


@contextmanager
def skip_draws() -> Iterator[None]:
    """Give new layers zeros in place of random weights, while the context lasts: the caller assigns others.

    >>> from adjoint import nn
    >>> with skip_draws():
    ...     nn.Linear(2, 1).weight.tolist()
    [[0.0, 0.0]]
    """
    token = _skipped.set(True)
    try:
        yield
    finally:
        _skipped.reset(token)


def draws_are_skipped() -> bool:
    """Return whether new layers get zeros in place of random weights."""
    return _skipped.get()


def draw_normal(weight: "Tensor", std: float, rng: np.random.Generator) -> None:
    """Assign normally distributed numbers. They are drawn in float32 unless the weights are float64: twice as fast."""
    if draws_are_skipped():
        return
    dtype = weight._data.dtype
    numbers = rng.standard_normal(weight.shape, np.float64 if dtype == np.float64 else np.float32)
    numbers *= std
    weight.data = as_data(numbers, dtype)
