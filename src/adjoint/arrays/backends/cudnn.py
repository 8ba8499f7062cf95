"""Attention by cuDNN, which JAX calls on NVIDIA GPUs: kernels that never store the weights of all pairs."""

import math
from typing import TYPE_CHECKING

import numpy as np

from adjoint.engine.modes import modes
from adjoint.engine.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adjoint.arrays.backends.jax import JAXBackend

# The tests change these, so that a CPU runs the same code.
IMPLEMENTATION, PLATFORM, DTYPES = "cudnn", "gpu", ("bfloat16", "float16")
_WIDEST = 128  # the largest head that every generation of GPUs supports
_FEW = 16  # queries for which all weights are small enough


def attention_kernel(
    m: "JAXBackend", arrays: "Sequence", mask, causal: bool, scale: float, has_dropout: bool, groups: int
) -> "AttentionKernel | str | None":
    """Return the kernel for attention, why it does not fit, or None.

    It is None if the reason is the device, the dtype, or few queries.
    """
    q = arrays[0]
    if any(str(x.dtype) not in DTYPES or x.dtype != q.dtype for x in arrays) or m.platform(q) != PLATFORM:
        return None
    shapes = [x.shape for x in arrays]
    if shapes[0][-2] < _FEW or any(0 in shape for shape in shapes):
        return None
    if reason := _reason_against(shapes, mask, causal, has_dropout, groups):
        return reason
    if not _has_kernels(m.jax):
        return "its kernels need an NVIDIA GPU of compute capability 8.0 or more"
    return AttentionKernel(m, shapes, mask, causal, scale)


def _has_kernels(jax) -> bool:
    if IMPLEMENTATION != "cudnn":
        return True
    try:
        return float(jax.local_devices(backend="gpu")[0].compute_capability) >= 8.0
    except (AttributeError, RuntimeError, ValueError):  # no GPU, or one of AMD, whose names are no numbers
        return False


def _reason_against(shapes: list[tuple], mask, causal: bool, has_dropout: bool, groups: int) -> str:
    """Return why cuDNN cannot compute attention of these shapes; nothing if it can."""
    q, k, v = shapes
    if has_dropout:
        return "dropout is applied to the attention weights"
    if isinstance(mask, Value) or (mask is not None and "bool" not in str(getattr(mask, "dtype", ""))):
        return "the mask is not boolean; pass one that is True where a query may attend, or causal=True"
    if q[-1] > _WIDEST or q[-1] % 8:
        return f"heads have the width {q[-1]}, which must be a multiple of 8 of at most {_WIDEST}"
    if v[-1] != q[-1]:
        return f"values have the width {v[-1]}, and queries {q[-1]}"
    heads = slice(-3 if groups > 1 else -2)
    if not (len(q) == len(k) == len(v) and q[heads] == k[heads] == v[heads] and k[:-2] == v[:-2]):
        return f"the axes before the last two differ, {q[:-2]}, {k[:-2]} and {v[:-2]}, and would broadcast"
    if causal and q[-2] != k[-2]:
        return f"causal attention has {q[-2]} queries but {k[-2]} keys"
    return ""


class AttentionKernel:
    """Attention of JAX arrays of the shape (…, heads, positions, width).

    With gradients, cuDNN needs even numbers of positions. One is added to an odd number, and no query attends to it.
    """

    def __init__(self, m: "JAXBackend", shapes: list[tuple], mask, causal: bool, scale: float):
        self.jax, self.causal, self.scale = m.jax, causal, scale
        *self.before, queries, _ = shapes[0]
        keys = shapes[1][-2]
        self.extends = modes.recording and bool(queries % 2 or keys % 2)
        if self.extends and mask is None and not causal:
            mask = np.ones((queries, keys), bool)
        self.mask = None if mask is None else self._four_axes_of_mask(m.xp.asarray(mask), queries, keys)

    def compute(self, *arrays):
        return self._attend(IMPLEMENTATION, *arrays)

    @staticmethod
    def reason_of(error: BaseException | None) -> str:
        """Return why JAX refused the kernel, for instance that cuDNN is missing, or too old; "" for other errors."""
        return " ".join(str(error).split()) if isinstance(error, (NotImplementedError, RuntimeError)) else ""

    def compute_with_pullback(self, *arrays):
        """Return the result and its pullback. The forward kernel runs once and keeps a number for each query."""
        jax = self.jax
        # JAX may also differentiate the program around, when a gradient enters a compiled function from outside. The
        # kernel that stands there already is that of a forward pass with residuals, which has no derivative.
        hidden = [jax.lax.stop_gradient(x) for x in arrays]
        y, pullback = jax.vjp(self.compute, *hidden)
        result = jax.custom_jvp(lambda y, *arrays: y)

        @result.defjvp
        def push(primals, tangents):
            _, *xs = primals
            _, *ts = tangents
            moved = jax.jvp(lambda *xs: self._attend("xla", *xs), xs, ts)[1]
            return result(*primals), moved  # not primals[0], which would be a constant for the next derivative

        return result(y, *arrays), pullback

    def _attend(self, implementation: str, *arrays):
        q, k, v = map(self._four_axes, arrays)
        y = self.jax.nn.dot_product_attention(
            q, k, v, mask=self.mask, is_causal=self.causal, scale=self.scale, implementation=implementation
        )
        y = y.swapaxes(-3, -2)
        if self.mask is not None:  # a query that may attend to nothing receives zeros; JAX gives it the mean of all
            allowed = self.jax.numpy.tril(self.mask) if self.causal else self.mask
            y = self.jax.numpy.where(allowed.any(-1, keepdims=True), y, 0)
        return y[:, :, : arrays[0].shape[-2]].reshape(arrays[0].shape)

    def _four_axes(self, x):
        """Return an array in the layout of JAX, (batch, positions, heads, width)."""
        *before, heads, positions, width = (1, *x.shape) if x.ndim == 2 else x.shape
        x = self._even(x.reshape(math.prod(before), heads, positions, width), [-2])
        return x.swapaxes(-3, -2)

    def _four_axes_of_mask(self, mask, queries: int, keys: int):
        before = list(mask.shape[:-2])
        if len(before) > 1 and len(self.before) > 2:  # several axes become the one of samples
            before = [*self.before[:-1], before[-1]]
        mask = self.jax.numpy.broadcast_to(mask, (*before, queries, keys))
        heads = before[-1] if before else 1
        return self._even(mask.reshape(math.prod(before[:-1]), heads, queries, keys), [-2, -1])

    def _even(self, x, axes: list[int]):
        """Return an array with zeros added to make the sizes along some axes even."""
        if not self.extends:
            return x
        widths = [(0, 0)] * x.ndim
        for axis in axes:
            widths[axis] = (0, x.shape[axis] % 2)
        return self.jax.numpy.pad(x, widths)
