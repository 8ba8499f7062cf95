"""PyTorch tensors as data, without PyTorch's own gradients."""

import math

import numpy as np

from adjoint.arrays.backends.base import Backend, each_entry, on_host
from adjoint.errors.optional import library


def _goes_back(entry) -> bool:
    return isinstance(entry, slice) and entry.step is not None and entry.step < 0


class _Convolution:
    """The three products of a convolution, by PyTorch's own functions."""

    def _options(self, geometry) -> dict:
        return {"stride": geometry.stride, "dilation": geometry.dilation, "groups": geometry.groups}

    def forward(self, m, x, w, bias, geometry):
        function = getattr(m.torch.nn.functional, f"conv{len(geometry.size)}d")
        return function(geometry.pad(m, x), w, bias, **self._options(geometry))

    def input(self, m, g, w, geometry):
        function = getattr(m.torch.nn.grad, f"conv{len(geometry.size)}d_input")
        shape = (g.shape[0], w.shape[1] * geometry.groups, *geometry.padded_size)
        return function(shape, w, g, **self._options(geometry))[geometry.inside]

    def weight(self, m, x, g, geometry):
        function = getattr(m.torch.nn.grad, f"conv{len(geometry.size)}d_weight")
        shape = (g.shape[1], x.shape[1] // geometry.groups, *geometry.kernel)
        return function(geometry.pad(m, x), shape, g, **self._options(geometry))


class TorchBackend(Backend):
    name = "PyTorch"
    own_convolution = _Convolution()

    def __init__(self, torch):
        super().__init__(library("array_api_compat.torch", "data of PyTorch", "torch"))
        self.torch = torch

    def array(self, x, dtype=None):
        if isinstance(x, self.torch.Tensor):
            return x.detach().clone() if dtype is None else x.detach().clone().to(dtype)
        return self.torch.tensor(x, dtype=dtype)

    def owns(self, x):
        return isinstance(x, self.torch.Tensor)

    def to_numpy(self, x):
        return x.detach().cpu().numpy()

    def _tensors(self, *operands):
        """Return numbers as tensors like the others, for the functions that take nothing else."""
        like = next(x for x in operands if isinstance(x, self.torch.Tensor))
        return [
            x if isinstance(x, self.torch.Tensor) else self.torch.tensor(x, dtype=like.dtype, device=like.device)
            for x in operands
        ]

    def expm1(self, x):
        return self.torch.expm1(x) if isinstance(x, self.torch.Tensor) else math.expm1(x)

    def maximum(self, x, z):
        return self.torch.maximum(*self._tensors(x, z))

    def minimum(self, x, z):
        return self.torch.minimum(*self._tensors(x, z))

    def atan2(self, x, z):
        return self.torch.atan2(*self._tensors(x, z))

    def hypot(self, x, z):
        return self.torch.hypot(*self._tensors(x, z))

    def copysign(self, x, z):
        if not isinstance(x, self.torch.Tensor) and not isinstance(z, self.torch.Tensor):
            return math.copysign(x, z)
        return self.torch.copysign(*self._tensors(x, z))

    def fmod(self, x, z):
        return self.torch.fmod(*self._tensors(x, z))

    def cbrt(self, x):
        root = self.torch.copysign(x.abs().pow(1 / 3), x)
        better = root - (root * root * root - x) / (3 * root * root)  # a step of Newton, for the last bits
        return self.torch.where(better.isfinite(), better, root)

    def pow(self, x, z):
        return self.torch.pow(x, z)

    def erf(self, x):
        return self.torch.erf(x) if isinstance(x, self.torch.Tensor) else math.erf(x)

    def special(self, name):
        found = getattr(self.torch.special, name, None)
        if name == "polygamma":  # PyTorch's own has 9 digits for n = 1
            return lambda n, x: (-1) ** (n + 1) * math.gamma(n + 1) * self.torch.special.zeta(n + 1, x)
        if found is not None:
            return lambda *xs: found(*self._tensors(*xs))
        computed = super().special(name)
        return lambda *xs: computed(*xs).to(self._tensors(*xs)[-1].device)

    def einsum(self, subscripts, *operands):
        return self.torch.einsum(subscripts, *self._tensors(*operands))

    def argsort(self, x, axis, descending):
        return self.torch.argsort(x, dim=axis, descending=descending, stable=True)

    def cumulative_max(self, x, axis):
        return self.torch.cummax(x, dim=axis).values

    def arange(self, n, like):
        return self.torch.arange(n, device=like.device)

    def mask_source(self, seed, draw):
        return {"generator": int(super().mask_source(seed, draw)["generator"].integers(1 << 62))}

    def zeros(self, shape, like):
        return self.torch.zeros(shape, dtype=like.dtype, device=like.device)

    def complex_of(self, real, imag):
        return self.torch.complex(real, imag)

    def constant(self, x, like):
        return self.torch.as_tensor(x, dtype=like.dtype, device=like.device)

    def eye(self, n, like):
        return self.torch.eye(n, dtype=like.dtype, device=like.device)

    def select(self, condition, x, z, like):
        if isinstance(condition, bool):
            return x if condition else z
        return self.torch.where(condition, *self._tensors(x, z, like)[:2])

    def where(self, condition, x, z):
        if isinstance(condition, bool):
            return x if condition else z
        if not isinstance(x, self.torch.Tensor) and not isinstance(z, self.torch.Tensor):
            x, z = (
                self.torch.tensor(x, dtype=self.torch.float64),
                float(z),
            )  # so that no precision is lost
        return self.torch.where(condition, x, z)

    def getitem(self, x, index):
        if any(isinstance(entry, np.ndarray) or _goes_back(entry) for entry in each_entry(index)):
            return x.reshape(-1)[self._positions(x, index)]
        return x[tuple(map(self._index, each_entry(index))) if isinstance(index, tuple) else self._index(index)]

    def _index(self, entry):
        """Return an entry of an index; PyTorch takes 8-bit integers for a mask, and refuses some other dtypes."""
        if not isinstance(entry, self.torch.Tensor) or entry.dtype in (self.torch.bool, self.torch.int64):
            return entry
        return entry.to(self.torch.int64)

    def _positions(self, x, index):
        """Return which elements an index names, in an array laid out in one row."""
        everything = np.arange(math.prod(x.shape)).reshape(tuple(x.shape))
        named = everything[tuple(on_host(entry) for entry in each_entry(index))]
        return self.torch.as_tensor(np.array(named), device=x.device)

    def scatter_add(self, x, index, values):
        positions = self._positions(x, index)
        values = self.torch.as_tensor(values, dtype=x.dtype, device=x.device).broadcast_to(positions.shape)
        return x.reshape(-1).index_add(0, positions.reshape(-1), values.reshape(-1)).reshape(x.shape)

    def scatter_set(self, x, index, values):
        positions = self._positions(x, index)
        values = self.torch.as_tensor(values, dtype=x.dtype, device=x.device).broadcast_to(positions.shape)
        changed = x.reshape(-1).clone()
        changed[positions.reshape(-1)] = values.reshape(-1)
        return changed.reshape(x.shape)
