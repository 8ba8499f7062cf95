"""Array layers: linear, flatten and unflatten.

Names, layouts and initial distributions are those of `torch.nn`. Weights are float64 by default, like NumPy arrays;
`dtype="float32"` or `model.astype("float32")` makes them smaller and faster. The plain arrays that a layer is called
with are converted to the dtype of its weights.
"""

import math
from collections.abc import Sequence

from adjoint.arrays.axes import one_axis, shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions import arranging, products, shaping
from adjoint.arrays.random_generators import Seed, generator
from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.errors import ShapeError
from adjoint.errors.given import whole
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.module import Module
from adjoint.nn.weight_draws import parameter


class Linear(Module):
    """An affine map of the last axis: `x @ weight.T + bias`.

    `weight` has shape (out_features, in_features) and `bias` has shape (out_features,). Both are drawn uniformly
    between ±1/√in_features, as in PyTorch. `bias=False` leaves the bias out; the same `seed` draws the same numbers.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> layer = nn.Linear(3, 2, seed=0)
    >>> layer(np.ones((5, 3))).shape
    (5, 2)
    >>> layer
    Linear(3, 2), 8 parameters
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, *, seed: Seed = None, dtype="float64"):
        self.in_features = whole(in_features, "Linear: in_features")
        self.out_features = whole(out_features, "Linear: out_features")
        rng, bound = generator(seed), 1 / math.sqrt(self.in_features)
        self.weight = parameter((self.out_features, self.in_features), bound, rng, dtype)
        self.bias = parameter((self.out_features,), bound, rng, dtype) if bias else None

    def forward(self, x: "ArrayLike") -> Tensor:
        given = as_input(x, self.weight)
        shape = shape_of(given)
        if not shape or shape[-1] != self.in_features:
            raise ShapeError(f"expected an input of shape (…, {self.in_features}), not {shape}")
        return products.linear(given, self.weight, self.bias)


class Flatten(Module):
    """Merges the axes from `start_dim` to `end_dim` into one; the defaults keep the batch axis and merge the others.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Flatten()(np.zeros((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: "ArrayLike") -> Value:
        given = as_operand(x)
        shape = shape_of(given)
        start = one_axis(self.start_dim, len(shape), "Flatten")
        end = one_axis(self.end_dim, len(shape), "Flatten") + 1
        return shaping.reshape(given, (*shape[:start], math.prod(shape[start:end]), *shape[end:]))


class Unflatten(Module):
    """Replaces one axis by several: the inverse of `Flatten`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Unflatten(1, (3, 4))(np.zeros((2, 12))).shape
    (2, 3, 4)
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]):
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, x: "ArrayLike") -> Value:
        return arranging.unflatten(as_operand(x), self.dim, self.unflattened_size)
