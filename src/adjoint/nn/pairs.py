"""Layers of two inputs: bilinear maps, cosines and distances. Names are those of `torch.nn`."""

import math

from adjoint.arrays.axes import shape_of
from adjoint.arrays.random_generators import Seed, generator
from adjoint.engine.value import Value
from adjoint.errors import ShapeError
from adjoint.errors.given import whole
from adjoint.nn import functional
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.module import Functional, Module
from adjoint.nn.weight_draws import parameter


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
