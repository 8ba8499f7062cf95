"""Normalization layers: mean 0 and variance 1 over the features or over the batch, then a learned scale.

The formulas are in `normalizations.py`.
"""

from collections.abc import Sequence
from typing import Any

from adjoint.arrays.axes import as_shape, shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions import shaping
from adjoint.arrays.functions.windows import axis_names
from adjoint.arrays.tensor import Tensor
from adjoint.engine.checkpoint_draws import is_second_run
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import whole
from adjoint.nn import normalizations
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.module import Module
from adjoint.nn.spatial import Spatial
from adjoint.nn.weight_draws import full_tensor


class LayerNorm(Module):
    """Normalizes each sample over its last axes, whose sizes are `normalized_shape`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> y = nn.LayerNorm(4)(np.arange(8.0).reshape(2, 4))
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

    def forward(self, x: "ArrayLike") -> Value:
        return normalizations.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(Module):
    """Divides each sample by its root mean square over the last axes, whose sizes are `normalized_shape`.

    >>> from adjoint import nn
    >>> nn.RMSNorm(2, eps=0.0)([[1.0, 7.0]]).data.round(6)
    array([[0.2, 1.4]])
    """

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

    def forward(self, x: "ArrayLike") -> Value:
        return normalizations.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class _Affine(Module):
    """The base class of norms whose weights and biases are optional: `affine` and `bias`."""

    affine: bool

    def arguments(self) -> dict[str, Any]:
        found = super().arguments()
        if not self.affine:
            del found["bias"]  # which says nothing without a weight
        return found


class _BatchNorm(Spatial, _Affine):
    """The base class of batch normalization of vectors, sequences, images and volumes."""

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
        bias: bool = True,
        dtype="float64",
    ):
        self.num_features = whole(num_features, f"{type(self).__name__}: num_features")
        self.eps, self.momentum, self.affine = eps, momentum, bool(affine)
        self.track_running_stats = bool(track_running_stats)
        self.weight = full_tensor(self.num_features, 1.0, dtype) if affine else None
        self.bias = full_tensor(self.num_features, 0.0, dtype) if affine and bias else None
        if track_running_stats:
            self.register_buffer("running_mean", full_tensor(self.num_features, 0.0, dtype))
            self.register_buffer("running_var", full_tensor(self.num_features, 1.0, dtype))
            self.register_buffer("num_batches_tracked", 0)

    def forward(self, x: "ArrayLike") -> Value:
        given = as_operand(x)
        shape = shape_of(given)
        axes = [(), axis_names(1)] if self._ndim == 1 else [axis_names(self._ndim)]
        if len(shape) - 2 not in map(len, axes) or shape[1] != self.num_features:
            wanted = " or ".join(f"({', '.join(('samples', str(self.num_features), *names))})" for names in axes)
            raise ShapeError(f"expected an input of shape {wanted}, not {shape}")
        rate = self.momentum
        if rate is None:  # the mean of all batches
            rate = 1 / (self.num_batches_tracked + 1) if self.training and self.track_running_stats else 0.0
        mean, var = (self.running_mean, self.running_var) if self.track_running_stats else (None, None)
        found = normalizations.batch_norm(given, mean, var, self.weight, self.bias, self.training, rate, self.eps)
        if self.training and self.track_running_stats and not is_second_run():
            self.num_batches_tracked = self.num_batches_tracked + 1
        return found


class BatchNorm1d(_BatchNorm, ndim=1):
    """Normalizes each feature over the batch: (samples, features) or (samples, features, length).

    In evaluation mode it uses the running statistics that it kept in training mode. As in `torch.nn`, `momentum` is
    the weight of the newest batch in them, and `bias=False` leaves only the learned scale.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> norm = nn.BatchNorm1d(2)
    >>> norm(np.array([[1.0, 10.0], [3.0, 30.0]])).data.round(3)
    array([[-1., -1.],
           [ 1.,  1.]])
    >>> norm.running_mean.data
    array([0.2, 2. ])
    """


class BatchNorm2d(_BatchNorm, ndim=2):
    """Normalizes each channel over the batch and all positions: (samples, channels, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> x = np.random.default_rng(0).normal(3.0, 2.0, size=(8, 4, 5, 5))
    >>> y = nn.BatchNorm2d(4)(x).data
    >>> y.mean(axis=(0, 2, 3)).round(6) + 0.0, y.std(axis=(0, 2, 3)).round(4)
    (array([0., 0., 0., 0.]), array([1., 1., 1., 1.]))
    """


class BatchNorm3d(_BatchNorm, ndim=3):
    """Normalizes each channel over the batch and all positions: (samples, channels, depth, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> layer = nn.BatchNorm3d(2)
    >>> layer(np.zeros((3, 2, 2, 2, 2))).shape
    (3, 2, 2, 2, 2)
    """


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
        bias: bool = True,
        dtype="float64",
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, bias=bias, dtype=dtype)

    def forward(self, x: "ArrayLike") -> Value:
        given = as_operand(x)
        shape = shape_of(given)
        self._require_axes(shape, self.num_features)
        if len(shape) == self._ndim + 1:
            return shaping.squeeze(self._normalize_batch(shaping.expand_dims(given, 0)), 0)
        return self._normalize_batch(given)

    def _normalize_batch(self, given) -> Value:
        mean, var = (self.running_mean, self.running_var) if self.track_running_stats else (None, None)
        rate = self.momentum or 0.0  # as in PyTorch, which does not count the batches here
        return normalizations.instance_norm(given, mean, var, self.weight, self.bias, self.training, rate, self.eps)


class InstanceNorm1d(_InstanceNorm, ndim=1):
    """Normalizes each channel of each sample over the positions: (samples, channels, length).

    >>> from adjoint import nn
    >>> nn.InstanceNorm1d(1)([[[1.0, 3.0]], [[10.0, 30.0]]]).ravel().round(4)
    array([-1.,  1., -1.,  1.])
    """


class InstanceNorm2d(_InstanceNorm, ndim=2):
    """Normalizes each channel of each sample over the positions: (samples, channels, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> y = nn.InstanceNorm2d(3)(np.random.default_rng(0).normal(size=(2, 3, 8, 8)))
    >>> np.allclose(y.mean(axis=(2, 3)), 0.0), np.allclose(y.std(axis=(2, 3)), 1.0, atol=1e-4)
    (True, True)
    """


class InstanceNorm3d(_InstanceNorm, ndim=3):
    """Normalizes each channel of each sample over the positions: (samples, channels, depth, height, width).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.InstanceNorm3d(2)(np.zeros((3, 2, 2, 2, 2))).shape
    (3, 2, 2, 2, 2)
    """


class GroupNorm(_Affine):
    """Normalizes the channels of each sample in `num_groups` groups: (samples, channels, …).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> y = nn.GroupNorm(2, 4)(np.arange(8.0).reshape(1, 4, 2))
    >>> np.allclose(y.data[0, :2].mean(), 0.0), np.allclose(y.data[0, :2].std(), 1.0, atol=1e-4)
    (True, True)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        *,
        bias: bool = True,
        dtype="float64",
    ):
        self.num_groups = whole(num_groups, "GroupNorm: num_groups")
        self.num_channels = whole(num_channels, "GroupNorm: num_channels")
        if self.num_channels % self.num_groups:
            raise ArgumentError(f"GroupNorm: num_channels={num_channels} must be a multiple of num_groups={num_groups}")
        self.eps, self.affine = eps, bool(affine)
        self.weight = full_tensor(self.num_channels, 1.0, dtype) if affine else None
        self.bias = full_tensor(self.num_channels, 0.0, dtype) if affine and bias else None

    def forward(self, x: "ArrayLike") -> Value:
        given = as_operand(x)
        shape = shape_of(given)
        if len(shape) < 2 or shape[1] != self.num_channels:
            raise ShapeError(f"expected an input of shape (samples, {self.num_channels}, …), not {shape}")
        return normalizations.group_norm(given, self.num_groups, self.weight, self.bias, self.eps)


class LocalResponseNorm(Module):
    """Divides each element by a power of the mean square of `size` channels around it: (samples, channels, …).

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.LocalResponseNorm(size=1, alpha=3.0, beta=0.5)(np.ones((1, 2, 1)))
    array([[[0.5],
            [0.5]]])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0):
        self.size, self.alpha, self.beta, self.k = whole(size, "LocalResponseNorm: size"), alpha, beta, k

    def forward(self, x: "ArrayLike") -> Value:
        return normalizations.local_response_norm(x, self.size, self.alpha, self.beta, self.k)
