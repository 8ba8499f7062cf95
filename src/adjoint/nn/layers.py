"""The linear layer.

Names, layouts and initial distributions are those of `torch.nn`. Weights are float64 by default, like NumPy arrays;
`dtype="float32"` or `model.astype("float32")` makes them smaller and faster. The plain arrays that a layer is called
with are converted to the dtype of its weights.
"""

import math

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions import products
from adjoint.arrays.random_generators import Seed, generator
from adjoint.arrays.tensor import Tensor
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
