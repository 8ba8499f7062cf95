"""Initial weights: distributions that keep the size of signals, and of gradients, from layer to layer.

Each function gives a Value new numbers, in place, and returns it: `init.he_normal(layer.weight, seed=0)`. A seed is a
whole number, a NumPy generator that goes on, or None: then Python's `random` decides, so that `random.seed(0)` makes
scalar and array networks alike repeatable.
"""

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjoint.arrays.backends import backend_of
from adjoint.arrays.tensor import Tensor
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import described, is_number
from adjoint.errors.suggest import unknown

Seed = int | np.random.Generator | random.Random | None

_GAINS = {
    "linear": 1.0,
    "sigmoid": 1.0,
    "tanh": 5 / 3,
    "relu": math.sqrt(2),
    "leaky_relu": math.sqrt(2),  # with a slope of 0; else it takes one
    "selu": 0.75,
}


def generator(seed: Seed) -> np.random.Generator:
    """Return the generator of random numbers that a seed stands for.

    >>> int(generator(0).integers(100)) == int(generator(0).integers(100))
    True
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None or isinstance(seed, random.Random):
        return np.random.default_rng((seed or random).getrandbits(128))
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or seed < 0:
        raise ArgumentError(
            f"a seed is a whole number from 0 up, numpy.random.default_rng(…) or None, not {described(seed)}"
        )
    return np.random.default_rng(int(seed))


def gain(activation: str = "linear", slope: float = 0.01) -> float:
    """Return by how much weights are enlarged to make up for what an activation takes away.

    >>> gain("relu") == math.sqrt(2)
    True
    """
    if activation == "leaky_relu":
        return math.sqrt(2 / (1 + slope**2))
    if activation not in _GAINS:
        raise unknown("activation", activation, _GAINS)
    return _GAINS[activation]


def constant(value: Any, number: float) -> Any:
    """Set every element to one number."""
    return _assign(value, np.full(_shape(value), float(number)))


def zeros(value: Any) -> Any:
    """Set every element to 0."""
    return constant(value, 0.0)


def ones(value: Any) -> Any:
    """Set every element to 1."""
    return constant(value, 1.0)


def uniform(value: Any, low: float = 0.0, high: float = 1.0, *, seed: Seed = None) -> Any:
    """Draw each element between two bounds, all equally likely."""
    return _assign(value, generator(seed).uniform(low, high, _shape(value)))


def normal(value: Any, mean: float = 0.0, std: float = 1.0, *, seed: Seed = None) -> Any:
    """Draw each element from a normal distribution."""
    return _assign(value, generator(seed).normal(mean, std, _shape(value)))


def xavier_uniform(value: Any, gain: float = 1.0, *, seed: Seed = None) -> Any:
    """Draw between ±gain·√(6 / (inputs + outputs)): Glorot and Bengio's, for tanh and sigmoid.

    >>> from adjoint import Value, nn
    >>> w = nn.init.xavier_uniform(Value([[0.0, 0.0], [0.0, 0.0]]), seed=0)
    >>> bool(abs(w.data).max() < (6 / 4) ** 0.5)
    True
    """
    bound = gain * math.sqrt(6 / sum(_fans(value)))
    return uniform(value, -bound, bound, seed=seed)


def xavier_normal(value: Any, gain: float = 1.0, *, seed: Seed = None) -> Any:
    """Draw from a normal distribution of standard deviation gain·√(2 / (inputs + outputs))."""
    return normal(value, 0.0, gain * math.sqrt(2 / sum(_fans(value))), seed=seed)


def he_uniform(
    value: Any, activation: str = "relu", slope: float = 0.0, *, mode: str = "fan_in", seed: Seed = None
) -> Any:
    """Draw between ±gain·√(3 / inputs): He's, for relu and its kin; `mode="fan_out"` counts the outputs instead."""
    bound = gain(activation, slope) * math.sqrt(3 / _fan(value, mode))
    return uniform(value, -bound, bound, seed=seed)


def he_normal(
    value: Any, activation: str = "relu", slope: float = 0.0, *, mode: str = "fan_in", seed: Seed = None
) -> Any:
    """Draw from a normal distribution of standard deviation gain·√(1 / inputs): He's, for relu and its kin."""
    return normal(value, 0.0, gain(activation, slope) / math.sqrt(_fan(value, mode)), seed=seed)


def orthogonal(value: Any, gain: float = 1.0, *, seed: Seed = None) -> Any:
    """Make the rows, or the columns if there are fewer, orthogonal and of length `gain`.

    >>> import numpy as np
    >>> from adjoint import Value, nn
    >>> w = nn.init.orthogonal(Value(np.zeros((2, 3))), seed=0).data
    >>> np.allclose(w @ w.T, np.eye(2))
    True
    """
    shape = _shape(value)
    if len(shape) < 2:
        raise ShapeError(f"orthogonal needs a matrix, (outputs, inputs, …), not an array of shape {shape}")
    rows, columns = shape[0], math.prod(shape[1:])
    drawn = generator(seed).normal(size=(max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(drawn)
    q = q * np.sign(np.diag(r))  # else some rotations would be more likely than others
    return _assign(value, gain * (q if rows >= columns else q.T).reshape(shape))


def parameter(shape: Sequence[int], bound: float, rng: np.random.Generator, dtype: Any) -> Any:
    """Return a new Value of numbers between ±bound: how `torch.nn` begins with most weights, and with all biases."""
    return Tensor(rng.uniform(-bound, bound, tuple(shape)), dtype=dtype)


def _assign(value: Any, array: np.ndarray) -> Any:
    m = backend_of(value.data)
    if m is None:
        value.data = float(array)
    else:
        value.data = m.from_numpy(array.astype(str(value.data.dtype).split(".")[-1]))
    return value


def _shape(value: Any) -> tuple[int, ...]:
    if not hasattr(value, "_apply"):
        raise ArgumentError(f"init gives a Value new numbers, not {described(value)}")
    return () if is_number(value.data) else tuple(value.data.shape)


def _fans(value: Any) -> tuple[int, int]:
    """Return how many inputs an output has, and how many outputs an input."""
    shape = _shape(value)
    if len(shape) < 2:
        raise ShapeError(f"a weight has the shape (outputs, inputs, …), not {shape}: inputs cannot be counted")
    field = math.prod(shape[2:])
    return max(1, shape[1] * field), max(1, shape[0] * field)


def _fan(value: Any, mode: str) -> int:
    if mode not in ("fan_in", "fan_out"):
        raise unknown("mode", mode, ("fan_in", "fan_out"))
    return _fans(value)[mode == "fan_out"]
