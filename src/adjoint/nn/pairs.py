"""Layers of pairs of inputs, bags of embeddings, and axes: names, layouts and initial distributions of `torch.nn`."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import arranging, reductions, shaping
from adjoint.arrays.functions.indexing import getitem
from adjoint.arrays.randomness import Seed, generator
from adjoint.engine.value import Value
from adjoint.errors import ShapeError
from adjoint.errors.given import whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn import functional
from adjoint.nn.function_modules import Functional
from adjoint.nn.indices import as_indices
from adjoint.nn.init import parameter
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.layers import Embedding
from adjoint.nn.module import Module


class Bilinear(Module):
    """A bilinear map of two inputs: `x1 @ weight[k] @ x2 + bias[k]` for each output k.

    >>> from adjoint import nn
    >>> nn.Bilinear(2, 3, 4, seed=0)([[1.0, 2.0]], [[1.0, 2.0, 3.0]]).shape
    (1, 4)
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        self.in1_features = whole(in1_features, "Bilinear: in1_features")
        self.in2_features = whole(in2_features, "Bilinear: in2_features")
        self.out_features = whole(out_features, "Bilinear: out_features")
        rng, bound = generator(seed), 1 / math.sqrt(self.in1_features)
        self.weight = parameter((self.out_features, self.in1_features, self.in2_features), bound, rng, dtype)
        self.bias = parameter((self.out_features,), bound, rng, dtype) if bias else None

    def forward(self, x1: "ArrayLike", x2: "ArrayLike") -> Value:
        a, b = as_input(x1, self.weight), as_input(x2, self.weight)
        shapes = shape_of(a), shape_of(b)
        wanted = self.in1_features, self.in2_features
        if tuple(shape[-1:] for shape in shapes) != tuple((size,) for size in wanted):
            raise ShapeError(
                f"expected inputs of shapes (…, {wanted[0]}) and (…, {wanted[1]}), not {shapes[0]} and {shapes[1]}"
            )
        return functional.bilinear(a, b, self.weight, self.bias)


class CosineSimilarity(Functional, function=functional.cosine_similarity):
    """The cosines of the angles between the vectors of two arrays, along an axis.

    >>> from adjoint import nn
    >>> nn.CosineSimilarity()([[3.0, 4.0]], [[4.0, 3.0]])
    array([0.96])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8):
        self.dim, self.eps = dim, eps


class PairwiseDistance(Functional, function=functional.pairwise_distance):
    """The distances between the vectors of two arrays, one by one.

    >>> from adjoint import nn
    >>> nn.PairwiseDistance(eps=0.0)([[3.0, 4.0]], [[0.0, 0.0]])
    array([5.])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False):
        self.p, self.eps, self.keepdim = p, eps, bool(keepdim)


class Softmax2d(Module):
    """The softmax over the channels of images: (samples, channels, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> bool((nn.Softmax2d()(np.zeros((1, 2, 3, 3))) == 0.5).all())
    True
    """

    def forward(self, x: "ArrayLike") -> Value:
        given = as_operand(x)
        if len(shape_of(given)) not in (3, 4):
            raise ShapeError(f"expected an input of shape (samples, channels, height, width), not {shape_of(given)}")
        return reductions.softmax(given, -3)


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


class EmbeddingBag(Embedding):
    """The means, sums or maxima of bags of embeddings: one bag per row of indices, or per offset in a flat list.

    >>> from adjoint import nn
    >>> nn.EmbeddingBag(10, 3, seed=0)([[1, 2], [4, 4]]).shape
    (2, 3)
    >>> nn.EmbeddingBag(10, 3, mode="sum", seed=0)([1, 2, 4, 4, 4], offsets=[0, 2]).shape
    (2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        mode: str = "mean",
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        super().__init__(num_embeddings, embedding_dim, seed=seed, dtype=dtype)
        if mode not in ("mean", "sum", "max"):
            raise unknown_name_error("mode", mode, ("mean", "sum", "max"))
        self.mode = mode

    def forward(self, indices: "ArrayLike", offsets: "ArrayLike | None" = None) -> Any:
        reduce = {"mean": reductions.mean, "sum": reductions.sum, "max": reductions.max}[self.mode]
        places = as_indices(indices, self.num_embeddings, "index", "embeddings")
        if offsets is None:
            if len(shape_of(places)) != 2:
                raise ShapeError(f"expected indices of shape (bags, size), or offsets, not {shape_of(places)}")
            return reduce(super().forward(places), 1)
        if len(shape_of(places)) != 1:
            raise ShapeError(f"with offsets, the indices must be one list, not of shape {shape_of(places)}")
        rows = super().forward(places)
        starts = [int(start) for start in np.asarray(data_of(offsets))]
        ends = [*starts[1:], shape_of(places)[0]]
        if starts[:1] != [0] or any(a > b for a, b in zip(starts, ends)):
            raise ShapeError(f"offsets must rise from 0 to at most {shape_of(places)[0]}, not {starts}")
        empty = np.zeros(self.embedding_dim)
        bags = [reduce(getitem(rows, slice(a, b)), 0) if a < b else empty for a, b in zip(starts, ends)]
        return shaping.stack(bags)
