"""Dropout layers: of elements and of whole channels, and for networks with SELU. Names are those of `torch.nn`."""

from typing import Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import regularization
from adjoint.arrays.random_generators import Seed, generator
from adjoint.engine.checkpoint_draws import drawn
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.module import Module
from adjoint.nn.spatial import Spatial


class Dropout(Module):
    """In training mode, sets each element to zero with probability `p` and divides the others by 1 - p.

    With `p=1` all elements are zero. The elements to drop are determined by the seed and the number of calls so far.
    Both are in `state_dict(transient=True)`. Under `jit`, other elements are dropped than without it. `inplace` has no
    effect.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> layer = nn.Dropout(0.5, seed=0)
    >>> sorted({float(x) for x in layer(np.ones(100))})
    [0.0, 2.0]
    >>> sorted({float(x) for x in layer.eval()(np.ones(100))})
    [1.0]
    """

    draw_seed: int
    draws: int

    def __init__(self, p: float = 0.5, inplace: bool = False, *, seed: Seed = None):
        if not is_number(p) or not 0 <= p <= 1:
            raise ArgumentError(f"Dropout: p must be a probability from 0 to 1, not {describe(p)}")
        self.p = p
        self.register_buffer("draw_seed", int(generator(seed).integers(1 << 31)), persistent=False)
        self.register_buffer("draws", 0, persistent=False)

    def forward(self, x: "ArrayLike") -> Value:
        given = as_operand(x)
        if not self.training or not self.p:
            return given
        m = common_backend([data_of(given)], "dropout")
        draw = drawn(self._next_draw)
        return self._drop(given, **m.mask_source(self.draw_seed, draw))

    def _next_draw(self) -> int:
        draw, self.draws = self.draws, self.draws + 1
        return draw

    def _drop(self, x: Any, **randomness: Any) -> Value:
        return regularization.dropout(x, self.p, **randomness)


class _ChannelDropout(Spatial, Dropout):
    """The base class of dropout of whole channels."""

    def _drop(self, x: Any, **randomness: Any) -> Value:
        self._require_axes(shape_of(x))
        return regularization.dropout(x, self.p, **randomness, broadcast_axes=tuple(range(-self._ndim, 0)))


class Dropout1d(_ChannelDropout, ndim=1):
    """In training mode, sets whole channels of (samples, channels, length) to zero with probability `p`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> nn.Dropout1d(0.5, seed=0)(np.ones((1, 4, 2))).tolist()
    [[[0.0, 0.0], [0.0, 0.0], [2.0, 2.0], [2.0, 2.0]]]
    """


class Dropout2d(_ChannelDropout, ndim=2):
    """In training mode, sets whole channels of (samples, channels, height, width) to zero with probability `p`.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> sorted({float(x) for x in nn.Dropout2d(0.5, seed=0)(np.ones((8, 8, 3, 3))).sum(axis=(2, 3)).ravel()})
    [0.0, 18.0]
    """


class Dropout3d(_ChannelDropout, ndim=3):
    """In training mode, sets whole channels of (samples, channels, depth, height, width) to zero.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> sorted({float(x) for x in nn.Dropout3d(0.5, seed=0)(np.ones((8, 8, 1, 2, 2))).sum(axis=(2, 3, 4)).ravel()})
    [0.0, 8.0]
    """


class AlphaDropout(Dropout):
    """Dropout for networks with SELU: it keeps the mean and the variance.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> len(set(nn.AlphaDropout(0.5, seed=0)(np.zeros(100)).tolist()))
    2
    """

    def _drop(self, x: Any, **randomness: Any) -> Value:
        return regularization.alpha_dropout(x, self.p, **randomness)
