"""Embeddings: tables of vectors that are looked up by index, one by one or in bags. Names are those of `torch.nn`."""

from typing import Any

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.axes import shape_of
from adjoint.arrays.convert import as_data, data_of
from adjoint.arrays.functions import reductions, shaping
from adjoint.arrays.functions.indexing import embedding, getitem
from adjoint.arrays.random_generators import Seed, generator
from adjoint.arrays.tensor import Tensor
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.indices import as_indices
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.module import Module
from adjoint.nn.weight_draws import draws_are_skipped, undrawn


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
