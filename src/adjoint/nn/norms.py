"""Normalisation: activations brought to mean 0 and variance 1, along features or over a batch, then scaled again."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjoint.arrays.axes import as_shape, shape_of
from adjoint.arrays.functions import reductions
from adjoint.arrays.tensor import Tensor, data_of
from adjoint.engine import ops
from adjoint.errors import ShapeError
from adjoint.errors.given import whole
from adjoint.nn.layers import as_input
from adjoint.nn.module import Module


class LayerNorm(Module):
    """Each sample normalised over its last axes, those of `normalized_shape`.

    >>> import numpy as np
    >>> y = LayerNorm(4)(np.arange(8.0).reshape(2, 4))
    >>> np.allclose(y.data.mean(axis=-1), 0.0), np.allclose(y.data.std(axis=-1), 1.0, atol=1e-4)
    (True, True)
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        dtype="float64",
    ):
        self.normalized_shape, self.eps = as_shape(normalized_shape, "LayerNorm"), eps
        self.elementwise_affine = bool(elementwise_affine)
        self.weight = Tensor(np.ones(self.normalized_shape), dtype=dtype) if elementwise_affine else None
        self.bias = Tensor(np.zeros(self.normalized_shape), dtype=dtype) if elementwise_affine and bias else None

    def forward(self, x: Any) -> Any:
        x, axes = _last_axes(x, self.normalized_shape, self.weight)
        y = ops.sub(x, reductions.mean(x, axes, keepdims=True))
        y = y / ops.sqrt(reductions.var(x, axes, keepdims=True) + self.eps)
        return _scaled(y, self.weight, self.bias)


class RMSNorm(Module):
    """Each sample divided by the root of its mean square over the last axes, those of `normalized_shape`."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        *,
        dtype="float64",
    ):
        self.normalized_shape, self.eps = as_shape(normalized_shape, "RMSNorm"), eps
        self.elementwise_affine = bool(elementwise_affine)
        self.weight = Tensor(np.ones(self.normalized_shape), dtype=dtype) if elementwise_affine else None

    def forward(self, x: Any) -> Any:
        x, axes = _last_axes(x, self.normalized_shape, self.weight)
        eps = self.eps
        if eps is None:  # as in PyTorch: what the dtype can tell from 1
            eps = float(np.finfo(str(data_of(x).dtype).split(".")[-1]).eps)
        y = x / ops.sqrt(reductions.mean(ops.square(x), axes, keepdims=True) + eps)
        return _scaled(y, self.weight, None)


def _last_axes(x: Any, shape: tuple[int, ...], weight: Any) -> tuple[Any, tuple[int, ...]]:
    """Return an input whose last axes have the shape, and these axes."""
    x = as_input(x, weight) if weight is not None else x
    given = shape_of(x)
    if not shape or given[-len(shape) :] != shape:
        wanted = ", ".join(map(str, shape))
        raise ShapeError(f"an input of shape {given} does not fit: it needs the shape (…, {wanted})")
    return x, tuple(range(len(given) - len(shape), len(given)))


def _scaled(y: Any, weight: Any, bias: Any) -> Any:
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


class _BatchNorm(Module):
    """What the norms of vectors and of images have in common."""

    _shapes: tuple[tuple[str, ...], ...] = ()  # of inputs, by the names of their axes behind the channels
    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        dtype="float64",
    ):
        self.num_features = whole(num_features, f"{type(self).__name__}: num_features")
        self.eps, self.momentum, self.affine = eps, momentum, bool(affine)
        self.track_running_stats = bool(track_running_stats)
        self.weight = Tensor(np.ones(self.num_features), dtype=dtype) if affine else None
        self.bias = Tensor(np.zeros(self.num_features), dtype=dtype) if affine else None
        if track_running_stats:
            self.register_buffer("running_mean", Tensor(np.zeros(self.num_features), dtype=dtype))
            self.register_buffer("running_var", Tensor(np.ones(self.num_features), dtype=dtype))
            self.register_buffer("num_batches_tracked", 0)

    def forward(self, x: Any) -> Any:
        like = self.weight if self.weight is not None else vars(self).get("running_mean")
        x = as_input(x, like) if like is not None else x
        shape = shape_of(x)
        axes = (0, *range(2, len(shape)))
        along = (1, self.num_features) + (1,) * (len(shape) - 2)
        if len(shape) - 2 not in map(len, self._shapes) or shape[1] != self.num_features:
            wanted = " or ".join(f"({', '.join(('samples', str(self.num_features), *s))})" for s in self._shapes)
            raise ShapeError(f"an input of shape {shape} does not fit: it needs the shape {wanted}")
        if self.training or not self.track_running_stats:
            count = math.prod(shape) // self.num_features
            if self.training and count < 2:
                raise ShapeError(
                    f"an input of shape {shape} has one value for each channel, which has no variance; give larger "
                    "batches, or call eval() first"
                )
            mean = reductions.mean(x, axes, keepdims=True)
            var = reductions.var(x, axes, keepdims=True)
            if self.training and self.track_running_stats:
                self._track(data_of(mean), data_of(var), count)
        else:
            mean, var = (s.data.reshape(along) for s in (self.running_mean, self.running_var))
        scale = 1.0 / ops.sqrt(var + self.eps)
        if self.weight is not None:
            scale = self.weight.reshape(along) * scale
        y = ops.sub(x, mean) * scale
        return y if self.bias is None else y + self.bias.reshape(along)

    def _track(self, mean: Any, var: Any, count: int) -> None:
        """Move the running statistics towards those of a batch; the variance as an estimate for all data."""
        self.num_batches_tracked = self.num_batches_tracked + 1
        rate = 1 / self.num_batches_tracked if self.momentum is None else self.momentum
        var = var * (count / (count - 1))
        for running, new in ((self.running_mean, mean), (self.running_var, var)):
            running.data = (1 - rate) * running.data + rate * new.reshape(-1)


class BatchNorm1d(_BatchNorm):
    """Each feature normalised over the batch: (samples, features) or (samples, features, length).

    In evaluation the statistics are those that it kept from training; in `torch.nn` as here
    `momentum` is the share of the newest batch in them.

    >>> import numpy as np
    >>> norm = BatchNorm1d(2)
    >>> norm(np.array([[1.0, 10.0], [3.0, 30.0]])).data.round(3)
    array([[-1., -1.],
           [ 1.,  1.]])
    >>> norm.running_mean.data
    array([0.2, 2. ])
    """

    _shapes = (), ("length",)


class BatchNorm2d(_BatchNorm):
    """Each channel normalised over the batch and all places: (samples, channels, height, width)."""

    _shapes = (("height", "width"),)
