"""Array layers: linear, embedding and flatten.

Names, layouts and initial distributions are those of `torch.nn`. Weights are float64 by default, like NumPy arrays;
`dtype="float32"` or `model.astype("float32")` makes them smaller and faster. The plain arrays that a layer is called
with are converted to the dtype of its weights.
"""

import math

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.axes import one_axis, shape_of
from adjoint.arrays.convert import as_data, as_operand
from adjoint.arrays.functions import products, shaping
from adjoint.arrays.functions.indexing import embedding
from adjoint.arrays.randomness import Seed, generator
from adjoint.arrays.tensor import Tensor
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, whole
from adjoint.nn.indices import as_indices
from adjoint.nn.init import parameter
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.module import Module
from adjoint.nn.weight_draws import draws_are_skipped, undrawn


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


class Embedding(Module):
    """A table of `num_embeddings` vectors that are looked up by index, for tokens such as words or characters.

    The row `padding_idx`, if it is given, is zero at first and receives no gradient.

    >>> from adjoint import nn
    >>> nn.Embedding(27, 10, seed=0)([[0, 5], [26, 5]]).shape
    (2, 2, 10)
    """

    padding_idx: int | None = None

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        self.num_embeddings = whole(num_embeddings, "Embedding: num_embeddings")
        self.embedding_dim = whole(embedding_dim, "Embedding: embedding_dim")
        shape = count, _ = self.num_embeddings, self.embedding_dim
        if padding_idx is not None:
            if not isinstance(padding_idx, int) or not -count <= padding_idx < count:
                raise ArgumentError(
                    f"Embedding: padding_idx must be within {count} embeddings, not {describe(padding_idx)}"
                )
            self.padding_idx = padding_idx % count
        if draws_are_skipped():
            self.weight = undrawn(shape, dtype)
            return
        numbers = generator(seed).normal(size=shape)
        if self.padding_idx is not None:
            numbers[self.padding_idx] = 0.0
        self.weight = make_leaf(as_data(numbers, dtype))

    def forward(self, indices: "ArrayLike") -> Tensor:
        if self.padding_idx is not None:
            from adjoint.nn import functional  # most programs do not need it

            return functional.embedding(indices, self.weight, self.padding_idx)
        return embedding(self.weight, as_indices(indices, self.num_embeddings, "index", "embeddings"))


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
