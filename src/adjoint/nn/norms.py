"""Normalization layers: mean 0 and variance 1 over the features or over the batch, then a learned scale."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjoint.arrays.axes import as_shape, shape_of
from adjoint.arrays.convert import data_of
from adjoint.arrays.functions import pooling, reductions, shaping
from adjoint.arrays.tensor import Tensor
from adjoint.engine import ops
from adjoint.engine.mathematics.protocol import Array
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import whole
from adjoint.nn.init import full_tensor
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.module import Module


class LayerNorm(Module):
    """Normalizes each sample over its last axes, whose sizes are `normalized_shape`.

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
        self.weight = full_tensor(self.normalized_shape, 1.0, dtype) if elementwise_affine else None
        self.bias = full_tensor(self.normalized_shape, 0.0, dtype) if elementwise_affine and bias else None

    def forward(self, x: ArrayLike) -> Value | Array:
        given, axes = _last_axes(x, self.normalized_shape, self.weight)
        wide = shaping.widen(given)
        y = ops.sub(wide, reductions.mean(wide, axes, keepdims=True))
        y = y / ops.sqrt(reductions.var(wide, axes, keepdims=True) + self.eps)
        return shaping.narrow(_scale(y, self.weight, self.bias), given)


class RMSNorm(Module):
    """Divides each sample by its root mean square over the last axes, whose sizes are `normalized_shape`."""

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
        self.weight = full_tensor(self.normalized_shape, 1.0, dtype) if elementwise_affine else None

    def forward(self, x: ArrayLike) -> Value | Array:
        given, axes = _last_axes(x, self.normalized_shape, self.weight)
        eps = self.eps
        if eps is None:  # as in PyTorch: the machine epsilon of the dtype
            dtype = str(data_of(given).dtype).split(".")[-1]
            eps = float(np.finfo(dtype if "float" in dtype else "float64").eps)
        wide = shaping.widen(given)
        y = wide / ops.sqrt(reductions.mean(ops.square(wide), axes, keepdims=True) + eps)
        return shaping.narrow(_scale(y, self.weight, None), given)


def _input(x: ArrayLike, weight: Tensor | None) -> Any:
    """Return the input of a layer, in the dtype of its weights if it has any."""
    return as_input(x, Value(0.0) if weight is None else weight)


def _last_axes(x: ArrayLike, shape: tuple[int, ...], weight: Tensor | None) -> tuple[Any, tuple[int, ...]]:
    """Return an input whose last axes have the given sizes, and these axes."""
    given = _input(x, weight)
    found = shape_of(given)
    if not shape or found[-len(shape) :] != shape:
        raise ShapeError(f"expected an input of shape (…, {', '.join(map(str, shape))}), not {found}")
    return given, tuple(range(len(found) - len(shape), len(found)))


def _scale(y: Value, weight: Tensor | None, bias: Tensor | None) -> Value:
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


class _BatchNorm(Module):
    """The base class of batch normalization of vectors, sequences, images and volumes."""

    _shapes: tuple[tuple[str, ...], ...] = ()  # the input shapes, as the names of the axes after the channels
    weight: Tensor | None
    bias: Tensor | None
    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: int

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
        self.weight = full_tensor(self.num_features, 1.0, dtype) if affine else None
        self.bias = full_tensor(self.num_features, 0.0, dtype) if affine else None
        if track_running_stats:
            self.register_buffer("running_mean", full_tensor(self.num_features, 0.0, dtype))
            self.register_buffer("running_var", full_tensor(self.num_features, 1.0, dtype))
            self.register_buffer("num_batches_tracked", 0)

    def forward(self, x: ArrayLike) -> Value | Array:
        like = self.weight if self.weight is not None else vars(self).get("running_mean")
        given = _input(x, like)
        shape = shape_of(given)
        axes = (0, *range(2, len(shape)))
        along = (1, self.num_features) + (1,) * (len(shape) - 2)
        if len(shape) - 2 not in map(len, self._shapes) or shape[1] != self.num_features:
            wanted = " or ".join(f"({', '.join(('samples', str(self.num_features), *s))})" for s in self._shapes)
            raise ShapeError(f"expected an input of shape {wanted}, not {shape}")
        if self.training or not self.track_running_stats:
            count = math.prod(shape) // self.num_features
            if self.training and count < 2:
                raise ShapeError(
                    f"an input of shape {shape} has one value per channel, which has no variance; use larger batches, "
                    "or call eval() first"
                )
            wide = shaping.widen(given)
            mean, var = reductions.mean(wide, axes, keepdims=True), reductions.var(wide, axes, keepdims=True)
            if self.training and self.track_running_stats:
                self._track(data_of(mean), data_of(var), count)
        else:
            mean, var = (s.data.reshape(along) for s in (self.running_mean, self.running_var))
        return self._normalize(given, mean, var, along)

    def _normalize(self, given, mean, var, along: tuple[int, ...]) -> Value | Array:
        wide, mean, var = map(shaping.widen, (given, mean, var))
        scale = 1.0 / ops.sqrt(ops.add(var, self.eps))
        if self.weight is not None:
            scale = shaping.reshape(self.weight, along) * scale
        y = ops.sub(wide, mean) * scale
        return shaping.narrow(y if self.bias is None else y + shaping.reshape(self.bias, along), given)

    def _track(self, mean: Array, var: Array, count: int) -> None:
        """Move the running statistics toward those of a batch; the variance with Bessel's correction."""
        self.num_batches_tracked = self.num_batches_tracked + 1
        rate = 1 / self.num_batches_tracked if self.momentum is None else self.momentum
        self._move(mean, var * (count / (count - 1)), rate)

    def _move(self, mean, var, rate: float) -> None:
        for running, new in ((self.running_mean, mean), (self.running_var, var)):
            running.data = (1 - rate) * running.data + rate * new.reshape(-1)


class BatchNorm1d(_BatchNorm):
    """Normalizes each feature over the batch: (samples, features) or (samples, features, length).

    In evaluation mode it uses the running statistics that it kept in training mode. As in `torch.nn`, `momentum` is
    the weight of the newest batch in them.

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
    """Normalizes each channel over the batch and all positions: (samples, channels, height, width)."""

    _shapes = (("height", "width"),)


class BatchNorm3d(_BatchNorm):
    """Normalizes each channel over the batch and all positions: (samples, channels, depth, height, width)."""

    _shapes = (("depth", "height", "width"),)


class _InstanceNorm(_BatchNorm):
    """The base class of instance normalization of sequences, images and volumes."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        *,
        dtype="float64",
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype=dtype)

    def forward(self, x: ArrayLike) -> Value | Array:
        like = self.weight if self.weight is not None else vars(self).get("running_mean")
        given = _input(x, like)
        shape, ndim = shape_of(given), len(self._shapes[0])
        if len(shape) not in (ndim + 1, ndim + 2) or shape[-ndim - 1] != self.num_features:
            wanted = ", ".join((str(self.num_features), *self._shapes[0]))
            raise ShapeError(f"expected an input of shape (samples, {wanted}) or ({wanted}), not {shape}")
        if len(shape) == ndim + 1:
            return shaping.squeeze(self._normalize_batch(shaping.expand_dims(given, 0)), 0)
        return self._normalize_batch(given)

    def _normalize_batch(self, given) -> Value | Array:
        shape = shape_of(given)
        axes, along = tuple(range(2, len(shape))), (1, self.num_features) + (1,) * (len(shape) - 2)
        if not self.training and self.track_running_stats:
            mean, var = (s.data.reshape(along) for s in (self.running_mean, self.running_var))
            return self._normalize(given, mean, var, along)
        count = math.prod(shape[2:])
        if self.training and count < 2:
            raise ShapeError(f"an input of shape {shape} has one value per channel, which has no variance")
        wide = shaping.widen(given)
        mean, var = reductions.mean(wide, axes, keepdims=True), reductions.var(wide, axes, keepdims=True)
        if self.training and self.track_running_stats:  # as in PyTorch, which does not count the batches here
            means, variances = (data_of(part).mean(0) for part in (mean, var))
            self._move(means, variances * (count / (count - 1)), self.momentum or 0.0)
        return self._normalize(given, mean, var, along)


class InstanceNorm1d(_InstanceNorm):
    """Normalizes each channel of each sample over the positions: (samples, channels, length)."""

    _shapes = (("length",),)


class InstanceNorm2d(_InstanceNorm):
    """Normalizes each channel of each sample over the positions: (samples, channels, height, width).

    >>> import numpy as np
    >>> y = InstanceNorm2d(3)(np.random.default_rng(0).normal(size=(2, 3, 8, 8)))
    >>> np.allclose(y.mean(axis=(2, 3)), 0.0), np.allclose(y.std(axis=(2, 3)), 1.0, atol=1e-4)
    (True, True)
    """

    _shapes = (("height", "width"),)


class InstanceNorm3d(_InstanceNorm):
    """Normalizes each channel of each sample over the positions: (samples, channels, depth, height, width)."""

    _shapes = (("depth", "height", "width"),)


class GroupNorm(Module):
    """Normalizes the channels of each sample in `num_groups` groups: (samples, channels, …).

    >>> import numpy as np
    >>> y = GroupNorm(2, 4)(np.arange(8.0).reshape(1, 4, 2))
    >>> np.allclose(y.data[0, :2].mean(), 0.0), np.allclose(y.data[0, :2].std(), 1.0, atol=1e-4)
    (True, True)
    """

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, *, dtype="float64"):
        self.num_groups = whole(num_groups, "GroupNorm: num_groups")
        self.num_channels = whole(num_channels, "GroupNorm: num_channels")
        if self.num_channels % self.num_groups:
            raise ArgumentError(f"GroupNorm: num_channels={num_channels} must be a multiple of num_groups={num_groups}")
        self.eps, self.affine = eps, bool(affine)
        self.weight = full_tensor(self.num_channels, 1.0, dtype) if affine else None
        self.bias = full_tensor(self.num_channels, 0.0, dtype) if affine else None

    def forward(self, x: ArrayLike) -> Value | Array:
        given = _input(x, self.weight)
        shape = shape_of(given)
        if len(shape) < 2 or shape[1] != self.num_channels:
            raise ShapeError(f"expected an input of shape (samples, {self.num_channels}, …), not {shape}")
        wide = shaping.widen(given)
        y = shaping.reshape(wide, (shape[0], self.num_groups, math.prod(shape[1:]) // self.num_groups))
        y = ops.sub(y, reductions.mean(y, -1, keepdims=True)) / ops.sqrt(
            reductions.var(y, -1, keepdims=True) + self.eps
        )
        y, along = shaping.reshape(y, shape), (self.num_channels,) + (1,) * (len(shape) - 2)
        weight, bias = (None if p is None else shaping.reshape(p, along) for p in (self.weight, self.bias))
        return shaping.narrow(_scale(y, weight, bias), given)


class LocalResponseNorm(Module):
    """Divides each element by a power of the mean square of `size` channels around it: (samples, channels, …)."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0):
        self.size, self.alpha, self.beta, self.k = whole(size, "LocalResponseNorm: size"), alpha, beta, k

    def forward(self, x: ArrayLike) -> Value | Array:
        given = _input(x, None)
        shape = shape_of(given)
        if len(shape) < 3:
            raise ShapeError(f"expected an input of shape (samples, channels, …) with at least 3 axes, not {shape}")
        wide = shaping.widen(given)
        squares = shaping.reshape(ops.square(wide), (shape[0], 1, shape[1], math.prod(shape[2:])))
        squares = shaping.pad_constant(squares, [(0, 0), (0, 0), (self.size // 2, (self.size - 1) // 2), (0, 0)])
        means = shaping.reshape(pooling.avg_pool2d(squares, (self.size, 1), 1), shape)
        return shaping.narrow(wide / (means * self.alpha + self.k) ** self.beta, given)
