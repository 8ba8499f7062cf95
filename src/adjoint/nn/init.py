"""Weight initialization: distributions that preserve the scale of activations and gradients from layer to layer.

Each function changes a Value in place and returns it: `init.he_normal(layer.weight, seed=0)`. A seed is an integer, a
NumPy generator, or None. With None, it is drawn from the generator of `adjoint.manual_seed`. The names of PyTorch, such
as `kaiming_normal_`, are at the end.
"""

import math
import random
import sys
from typing import TYPE_CHECKING, Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import array_code, is_tensor
from adjoint.arrays.random_generators import Seed, generator, number_generator
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe
from adjoint.errors.suggest import unknown_name_error

if TYPE_CHECKING:
    import numpy as np


__all__ = [
    "calculate_gain", "constant", "constant_", "dirac", "dirac_", "eye", "eye_", "gain", "he_normal", "he_uniform",
    "kaiming_normal_", "kaiming_uniform_", "normal", "normal_", "ones", "ones_", "orthogonal", "orthogonal_",
    "trunc_normal", "trunc_normal_", "uniform", "uniform_", "xavier_normal", "xavier_normal_", "xavier_uniform",
    "xavier_uniform_", "zeros", "zeros_",
]  # fmt: skip

_GAINS = {
    "linear": 1.0,
    "sigmoid": 1.0,
    "tanh": 5 / 3,
    "relu": math.sqrt(2),
    "leaky_relu": math.sqrt(2),  # for a slope of 0; `gain` computes the others
    "selu": 0.75,
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), 1.0),
}


def gain(activation: str = "linear", slope: float = 0.01) -> float:
    """Return the factor by which weights are scaled to compensate for an activation, as PyTorch recommends it.

    >>> from adjoint import nn
    >>> round(nn.init.gain("relu"), 4)
    1.4142
    """
    if activation == "leaky_relu":
        return math.sqrt(2 / (1 + slope**2))
    if activation not in _GAINS:
        raise unknown_name_error("activation", activation, _GAINS)
    return _GAINS[activation]


def constant(value: Value, number: float) -> Value:
    """Set every element to one number.

    >>> from adjoint import Value, nn
    >>> nn.init.constant(Value([1.0, 2.0]), 3.0).data
    array([3., 3.])
    """
    return _assign(value, float(number))


def zeros(value: Value) -> Value:
    """Set every element to 0.

    >>> from adjoint import Value, nn
    >>> nn.init.zeros(Value([1.0, 2.0])).data
    array([0., 0.])
    """
    return constant(value, 0.0)


def ones(value: Value) -> Value:
    """Set every element to 1.

    >>> from adjoint import Value, nn
    >>> nn.init.ones(Value([0.0, 2.0])).data
    array([1., 1.])
    """
    return constant(value, 1.0)


def uniform(value: Value, low: float = 0.0, high: float = 1.0, *, seed: Seed = None) -> Value:
    """Draw each element from a uniform distribution.

    >>> import numpy as np
    >>> from adjoint import Value, nn
    >>> w = nn.init.uniform(Value(np.zeros(1000)), -0.5, 0.5, seed=0).data
    >>> bool(w.min() >= -0.5), bool(w.max() < 0.5)
    (True, True)
    """
    shape = _shape(value)
    rng = _generator(value, seed)
    return _assign(value, rng.uniform(low, high, shape) if is_tensor(value) else rng.uniform(low, high))


def normal(value: Value, mean: float = 0.0, std: float = 1.0, *, seed: Seed = None) -> Value:
    """Draw each element from a normal distribution.

    >>> import numpy as np
    >>> from adjoint import Value, nn
    >>> w = nn.init.normal(Value(np.zeros(10_000)), mean=1.0, std=0.5, seed=0).data
    >>> round(float(w.mean()), 1), round(float(w.std()), 1)
    (1.0, 0.5)
    """
    shape = _shape(value)
    rng = _generator(value, seed)
    if isinstance(rng, random.Random):
        return _assign(value, rng.normalvariate(mean, std))
    return _assign(value, rng.normal(mean, std, shape))


def xavier_uniform(value: Value, gain: float = 1.0, *, seed: Seed = None) -> Value:
    """Draw uniformly between ±gain·√(6 / (fan_in + fan_out)): Glorot and Bengio, for tanh and sigmoid.

    >>> from adjoint import Value, nn
    >>> w = nn.init.xavier_uniform(Value([[0.0, 0.0], [0.0, 0.0]]), seed=0)
    >>> bool(abs(w.data).max() < (6 / 4) ** 0.5)
    True
    """
    bound = gain * math.sqrt(6 / sum(_fans(value)))
    return uniform(value, -bound, bound, seed=seed)


def xavier_normal(value: Value, gain: float = 1.0, *, seed: Seed = None) -> Value:
    """Draw from a normal distribution of standard deviation gain·√(2 / (fan_in + fan_out)).

    >>> import math
    >>> from adjoint import nn
    >>> weight = nn.init.xavier_normal(nn.Linear(300, 100).weight, seed=0)
    >>> round(float(weight.data.std()), 3), round(math.sqrt(2 / 400), 3)
    (0.071, 0.071)
    """
    return normal(value, 0.0, gain * math.sqrt(2 / sum(_fans(value))), seed=seed)


def he_uniform(
    value: Value, activation: str = "relu", slope: float = 0.0, *, mode: str = "fan_in", seed: Seed = None
) -> Value:
    """Draw uniformly between ±gain·√(3 / fan_in): He and others, for ReLU; `mode="fan_out"` divides by fan_out.

    >>> import math
    >>> from adjoint import nn
    >>> weight = nn.init.he_uniform(nn.Linear(300, 100).weight, seed=0)
    >>> bool(abs(weight.data).max() <= math.sqrt(6 / 300))
    True
    """
    bound = gain(activation, slope) * math.sqrt(3 / _fan(value, mode))
    return uniform(value, -bound, bound, seed=seed)


def he_normal(
    value: Value, activation: str = "relu", slope: float = 0.0, *, mode: str = "fan_in", seed: Seed = None
) -> Value:
    """Draw from a normal distribution of standard deviation gain/√fan_in: He and others, for ReLU.

    >>> import math
    >>> from adjoint import nn
    >>> weight = nn.init.he_normal(nn.Linear(300, 100).weight, seed=0)
    >>> round(float(weight.data.std()), 2), round(math.sqrt(2 / 300), 2)
    (0.08, 0.08)
    """
    return normal(value, 0.0, gain(activation, slope) / math.sqrt(_fan(value, mode)), seed=seed)


def orthogonal(value: Value, gain: float = 1.0, *, seed: Seed = None) -> Value:
    """Make the rows (or the columns, if there are fewer) orthogonal and of norm `gain`.

    >>> import numpy as np
    >>> from adjoint import Value, nn
    >>> w = nn.init.orthogonal(Value(np.zeros((2, 3))), seed=0).data
    >>> np.allclose(w @ w.T, np.eye(2))
    True
    """
    shape = _shape(value)
    if len(shape) < 2:
        raise ShapeError(f"orthogonal needs a weight of shape (outputs, inputs, …), not {shape}")
    import numpy as np

    rows, columns = shape[0], math.prod(shape[1:])
    q, r = np.linalg.qr(generator(seed).normal(size=(max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))  # without the signs, some rotations would be more likely than others
    return _assign(value, gain * (q if rows >= columns else q.T).reshape(shape))


def trunc_normal(
    value: Value, mean: float = 0.0, std: float = 1.0, low: float = -2.0, high: float = 2.0, *, seed: Seed = None
) -> Value:
    """Draw each element from a normal distribution, restricted to the numbers from `low` to `high`.

    >>> import numpy as np
    >>> from adjoint import Value, nn
    >>> bool(abs(nn.init.trunc_normal(Value(np.zeros(1000)), seed=0).data).max() <= 2)
    True
    """
    if not std > 0 or not low < high:
        raise ArgumentError(f"trunc_normal needs std above 0 and low below high, not std={std}, low={low}, high={high}")
    shape = _shape(value)
    rng = _generator(value, seed)
    if isinstance(rng, random.Random):
        from statistics import NormalDist  # which loads decimal and fractions

        normal = NormalDist(mean, std)
        chance = rng.uniform(normal.cdf(low), normal.cdf(high))
        draw = normal.inv_cdf(min(max(chance, sys.float_info.min), 1 - sys.float_info.epsilon))
        return _assign(value, min(max(draw, low), high))
    import numpy as np

    first, last = (math.erf((x - mean) / (std * math.sqrt(2))) for x in (low, high))
    draws: Any = array_code("functions.special_functions").erfinv(rng.uniform(first, last, shape))
    return _assign(value, np.clip(mean + std * math.sqrt(2) * draws, low, high))


def eye(value: Value) -> Value:
    """Set a matrix to ones on the diagonal and zeros elsewhere.

    >>> from adjoint import Value, nn
    >>> nn.init.eye(Value([[0.0, 2.0], [3.0, 0.0]])).data
    array([[1., 0.],
           [0., 1.]])
    """
    shape = _shape(value)
    if len(shape) != 2:
        raise ShapeError(f"eye needs a matrix, not an array of shape {shape}")
    import numpy as np

    return _assign(value, np.eye(*shape))


def dirac(value: Value, groups: int = 1) -> Value:
    """Set the weight of a convolution such that each output channel is an input channel, unchanged.

    >>> from adjoint import nn
    >>> layer = nn.Conv1d(1, 1, 3, padding=1, bias=False)
    >>> nn.init.dirac(layer.weight).data
    array([[[0., 1., 0.]]])
    """
    shape = _shape(value)
    if not 3 <= len(shape) <= 5 or shape[0] % groups:
        raise ShapeError(f"dirac needs the weight of a convolution with a multiple of {groups} outputs, not {shape}")
    import numpy as np

    array = np.zeros(shape)
    middle, outputs = tuple(size // 2 for size in shape[2:]), shape[0] // groups
    for group in range(groups):
        for channel in range(min(outputs, shape[1])):
            array[(group * outputs + channel, channel, *middle)] = 1.0
    return _assign(value, array)


def _generator(value: Value, seed: Any) -> Any:
    """Return NumPy's generator for an array, Python's for a single number."""
    return generator(seed) if is_tensor(value) or hasattr(seed, "bit_generator") else number_generator(seed)


def _assign(value: Value, given: "np.ndarray | float") -> Value:
    """Assign an array, or one number to all elements."""
    shape = _shape(value)
    if is_tensor(value):
        import numpy as np

        m = array_code("backends").common_backend([value.data], "nn.init")
        value.data = m.from_numpy(np.full(shape, given, str(value.data.dtype).split(".")[-1]))
    else:
        value.data = float(given)
    return value


def _shape(value: Value) -> tuple[int, ...]:
    if not isinstance(value, Value):
        hint = "; pass the Value itself, not its .data" if hasattr(value, "dtype") else ""
        raise ArgumentError(f"nn.init changes Values, such as layer.weight, not {describe(value)}{hint}")
    return shape_of(value)


def _fans(value: Value) -> tuple[int, int]:
    """Return fan_in and fan_out: the number of inputs of an output, and of outputs of an input."""
    shape = _shape(value)
    if len(shape) < 2:
        raise ShapeError(f"this initialization needs a weight of shape (outputs, inputs, …), not {shape}")
    kernel = math.prod(shape[2:])
    return max(1, shape[1] * kernel), max(1, shape[0] * kernel)


def _fan(value: Value, mode: str) -> int:
    if mode not in ("fan_in", "fan_out"):
        raise unknown_name_error("mode", mode, ("fan_in", "fan_out"))
    return _fans(value)[mode == "fan_out"]


# --- the names and arguments of PyTorch --------------------------------------------------------------------

normal_ = normal
xavier_uniform_ = xavier_uniform
xavier_normal_ = xavier_normal
orthogonal_ = orthogonal
zeros_ = zeros
ones_ = ones
eye_ = eye
dirac_ = dirac


def uniform_(tensor: Value, a: float = 0.0, b: float = 1.0, *, seed: Seed = None) -> Value:
    """Draw each element from a uniform distribution from `a` to `b`.

    >>> from adjoint import Value, nn
    >>> 2 <= nn.init.uniform_(Value(0.0), a=2.0, b=3.0).data <= 3
    True
    """
    return uniform(tensor, a, b, seed=seed)


def constant_(tensor: Value, val: float) -> Value:
    """Set every element to one number.

    >>> from adjoint import Value, nn
    >>> nn.init.constant_(Value([1.0, 2.0]), val=3.0).data
    array([3., 3.])
    """
    return constant(tensor, val)


def trunc_normal_(
    tensor: Value, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, *, seed: Seed = None
) -> Value:
    """Draw each element from a normal distribution, restricted to the numbers from `a` to `b`.

    >>> from adjoint import Value, nn
    >>> 0 <= nn.init.trunc_normal_(Value(9.0), a=0.0, b=1.0).data <= 1
    True
    """
    return trunc_normal(tensor, mean, std, a, b, seed=seed)


def kaiming_uniform_(
    tensor: Value, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", *, seed: Seed = None
) -> Value:
    """Draw from the distribution of `he_uniform`; `a` is the slope of a leaky ReLU.

    >>> from adjoint import nn
    >>> weight = nn.init.kaiming_uniform_(nn.Linear(3, 8).weight, nonlinearity="relu")
    >>> bool(abs(weight.data).max() <= 2**0.5)
    True
    """
    return he_uniform(tensor, nonlinearity, a, mode=mode, seed=seed)


def kaiming_normal_(
    tensor: Value, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", *, seed: Seed = None
) -> Value:
    """Draw from the distribution of `he_normal`; `a` is the slope of a leaky ReLU.

    >>> from adjoint import nn
    >>> weight = nn.init.kaiming_normal_(nn.Linear(3, 8).weight, mode="fan_out", nonlinearity="relu")
    >>> weight.shape
    (8, 3)
    """
    return he_normal(tensor, nonlinearity, a, mode=mode, seed=seed)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the recommended gain of an activation; `param` is the slope of a leaky ReLU.

    >>> from adjoint import nn
    >>> nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    return gain(nonlinearity, 0.01 if param is None else param)


def __dir__() -> list[str]:
    return [*__all__]
