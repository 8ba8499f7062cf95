"""JAX arrays as data. They never change, and inside a traced function their numbers are not known."""

from contextlib import AbstractContextManager

import numpy as np

from adjoint.arrays.backends import cudnn
from adjoint.arrays.backends.base import FEWEST_TILES, TILE_SIZES, Backend, each_entry, on_host, ranks
from adjoint.arrays.backends.deferred_checks import axes_of, check_axis_later
from adjoint.arrays.backends.jax_special import function_of
from adjoint.errors.settings import Setting

# Where the program will run that jit traces: the kind of its devices, None for JAX's default, and how many of them
# share the batch.
_placement: Setting[tuple[str | None, int]] = Setting((None, 1))
_differentiates = Setting(False)  # whether JAX may compute derivatives of the part that is recorded now


def placed_on(platform: str | None, devices: int) -> AbstractContextManager[None]:
    """Let operations know where the program will run that is traced in this context."""
    return _placement.to((platform, devices))


def differentiated() -> AbstractContextManager[None]:
    """Let the data that a program reads in this context be constants: JAX may differentiate what is recorded."""
    return _differentiates.to(True)


class _Convolution:
    """The three products of a convolution, by XLA, which compiles them for the current device."""

    def forward(self, m, x, w, bias, geometry):
        y = m.jax.lax.conv_general_dilated(
            x,
            w,
            geometry.stride,
            geometry.padding,
            rhs_dilation=geometry.dilation,
            feature_group_count=geometry.groups,
        )
        return y if bias is None else y + bias.reshape(-1, *[1] * len(geometry.size))

    def input(self, m, g, w, geometry):
        shape = (g.shape[0], w.shape[1] * geometry.groups, *geometry.size)
        x = m.jax.ShapeDtypeStruct(shape, g.dtype)
        return m.jax.linear_transpose(lambda x: self.forward(m, x, w, None, geometry), x)(g)[0]

    def weight(self, m, x, g, geometry):
        shape = (g.shape[1], x.shape[1] // geometry.groups, *geometry.kernel)
        w = m.jax.ShapeDtypeStruct(shape, g.dtype)
        return m.jax.linear_transpose(lambda w: self.forward(m, x, w, None, geometry), w)(g)[0]


class JAXBackend(Backend):
    name = "JAX"
    own_rows = frozenset({"sigmoid"})
    own_slopes = True
    own_convolution = _Convolution()
    has_wide_products = True
    compiles = True
    vectorizes = True

    def __init__(self, jax):
        super().__init__(jax.numpy)
        self.jax = jax

    def default_float(self):
        return self.xp.result_type(float)

    def astype(self, x, dtype):
        return x.astype(dtype)

    def array(self, x, dtype=None):
        return self.xp.asarray(x, dtype=dtype)  # JAX arrays are immutable: no copy is needed

    def without_gradient(self, x):
        return self.jax.lax.stop_gradient(x) if self.is_traced(x) else x

    def sigmoid(self, x):
        return self.jax.nn.sigmoid(x)

    def erf(self, x):
        return self.jax.scipy.special.erf(x)

    def special(self, name):
        return function_of(self.jax, name)

    def complex_of(self, real, imag):
        return self.jax.lax.complex(real, imag)

    def wide_matmul(self, x, z):
        return self.xp.matmul(x, z, preferred_element_type=self.xp.float32)

    def transposed_rows(self, x):
        x = self.xp.matrix_transpose(x)
        # on CPUs XLA's fast product takes rows; products with a folded transpose are slower
        if self.is_traced(x) and self.jax.default_backend() == "cpu":
            return self.jax.lax.optimization_barrier(x)
        return x

    def as_condition(self, condition):
        return condition

    def getitem(self, x, index):
        checked = self.checked_index(x, index)
        return x[checked] if self.is_sure(x.shape, index) else self.elements_or_nan(x, checked)

    def cumulative_prod(self, x, axis):
        return self.xp.cumulative_prod(x, axis=axis, dtype=self.xp.sum(x[:0]).dtype)  # of integers in 64 bits, as sums

    def elements_or_nan(self, x, index):
        """Return elements, and NaN for those that do not exist."""
        return self.xp.asarray(x).at[index].get(mode="fill", fill_value=_nothing(x.dtype))

    def is_sure(self, shape, index):
        entries = each_entry(index)
        axes = axes_of(entries, len(shape))
        unknown = [(i, axis) for i, axis in zip(entries, axes) if axis is not None and self.is_traced(i)]
        are_checked = [check_axis_later(i, axis, tuple(shape)) for i, axis in unknown]
        return all(are_checked)

    def scatter_add(self, x, index, values):
        if _is_whole(x, index):
            return x + self._in_place_of(x, index, values)
        place = self.xp.asarray(x).at[self.checked_index(x, index)]
        return place.max(values) if x.dtype == bool else place.add(values)  # JAX adds no truth values

    def scatter(self, like, index, values):
        widths = _margins(like.shape, each_entry(index))
        if widths is None or not like.shape:
            return super().scatter(like, index, values)
        # XLA fuses a margin of zeros with what is added to it, but not a scatter
        kept = tuple(
            len(range(size)[before : size - after : inner + 1])
            for size, (before, after, inner) in zip(like.shape, widths)
        )
        values = self.xp.reshape(self.xp.asarray(values, like.dtype), kept)
        return self.jax.lax.pad(values, self.xp.zeros((), like.dtype), widths)

    def scatter_set(self, x, index, values):
        if _is_whole(x, index):
            return self._in_place_of(x, index, values)
        return self.xp.asarray(x).at[self.checked_index(x, index)].set(values)

    def _in_place_of(self, x, index, values):
        """Return the values of an update of all elements in the shape and dtype of the array."""
        values = self.xp.broadcast_to(self.xp.asarray(values, x.dtype), x[index].shape)
        return values.reshape(x.shape)

    def put_slice(self, x, values, axis, start):
        return self.jax.lax.dynamic_update_slice_in_dim(x, values, start, axis)

    def while_loop(self, condition, body, carry):
        return self.jax.lax.while_loop(condition, body, carry)

    def repeat_loop(self, count: int, body, carry):
        """Return the last of `carry = body(carry)`, computed `count` times: no device waits for a decision."""
        return self.jax.lax.fori_loop(0, count, lambda _, carry: body(carry), carry)

    def cumulative_max(self, x, axis):
        if x.dtype == bool:  # which JAX's function does not take
            return self.xp.astype(self.jax.lax.cummax(self.xp.astype(x, "int8"), axis=axis), bool)
        return self.jax.lax.cummax(x, axis=axis)

    def vectorized(self, function, rows) -> list:
        """Return the arrays that a function returns for each row, stacked: all rows are computed at once."""
        return self.jax.vmap(lambda row: [self.xp.asarray(x) for x in function(row)])(rows)

    def scan(self, step, carry, xs):
        return self.jax.lax.scan(step, carry, xs)

    @property
    def differentiates(self) -> bool:
        return _differentiates.get()

    @property
    def devices(self) -> int:
        return _placement.get()[1]

    def tile_limits(self, x):
        kind = "cpu" if self.platform(x) == "cpu" else "gpu"
        return TILE_SIZES[kind] * _placement.get()[1], FEWEST_TILES[kind]

    def attention_kernel(self, arrays, mask, causal, scale, has_dropout, groups):
        return cudnn.attention_kernel(self, arrays, mask, causal, scale, has_dropout, groups)

    def mask_source(self, seed, draw):
        """Return a key: a generator would be used only while compiling, and give each call the same mask."""
        return {"key": self.jax.random.fold_in(self.jax.random.key(seed), draw)}

    def pad(self, x, width, value):
        x = self.xp.asarray(x)
        return self.jax.lax.pad(x, self.xp.asarray(value, x.dtype), [(before, after, 0) for before, after in width])

    def fold(self, parts, like, geometry):
        # arrays are immutable: add each part padded with zeros, which XLA does not store
        zero = self.xp.zeros((), like.dtype)
        total = self.xp.zeros((*like.shape[:2], *geometry.padded_size), like.dtype)
        for (_, where), part in zip(geometry.places, parts):
            margins = [(at.start, size - at.stop, at.step - 1) for at, size in zip(where, geometry.padded_size)]
            total += self.jax.lax.pad(part, zero, [(0, 0, 0), (0, 0, 0), *margins])
        return total[geometry.inside]

    def largest_at(self, size, places, values):
        return self.xp.zeros(size, dtype=values.dtype).at[places].max(values)

    def counts_at(self, size, places):
        return self.xp.bincount(places, length=size)

    def rank_table(self, size, places, longest):
        order, placed, rank = ranks(self.xp, places)
        longest = longest if self.is_traced(places) else int(rank.max()) + 1
        return self.xp.full((size, longest), -1).at[placed, rank].set(order)

    def is_traced(self, x):
        return isinstance(x, self.jax.core.Tracer)

    def is_number(self, x):
        if not self.is_traced(x):
            return isinstance(x, (float, int))
        return not x.shape and (x.aval.weak_type or x.dtype == bool)

    def optimization_barrier(self, arrays):
        return self.jax.lax.optimization_barrier(arrays)

    def checked_index(self, x, index):
        """Return an index; raise where NumPy would: JAX replaces an index out of range by the nearest one."""
        entries = each_entry(index)
        if not any(self.is_traced(entry) for entry in entries):
            np.broadcast_to(np.zeros(()), x.shape)[tuple(on_host(entry) for entry in entries)]
        return tuple(map(_widened, entries))

    def owns(self, x):
        return isinstance(x, self.jax.Array)

    def platform(self, x) -> str:
        """Return the kind of device that computes with an array: "cpu", "gpu" or "tpu"."""
        if not self.is_traced(x):
            return next(iter(x.devices())).platform
        device = _placement.get()[0] or self.jax.config.jax_default_device or self.jax.default_backend()
        return device if isinstance(device, str) else device.platform

    def is_writeable_alone(self, x):
        return True


def _nothing(dtype):
    """Return what stands for an element that does not exist: NaN, or JAX's default for integers."""
    return float("nan") if np.issubdtype(dtype, np.floating) else None


def _widened(entry):
    """Return an entry of an index; JAX computes with the size of the axis in its dtype, and 8 bits do not hold it."""
    is_small = getattr(entry, "dtype", None) in _SMALL and hasattr(entry, "astype")
    return entry.astype(np.int32) if is_small else entry


_SMALL = tuple(map(np.dtype, ("int8", "uint8", "int16", "uint16")))


def _margins(shape, entries) -> list[tuple[int, int, int]] | None:
    """Return how many zeros are before, after and between the elements that an index of integers and slices selects.

    None for other indices, such as arrays and slices that reverse an axis or select nothing.
    """
    entries = [entry for entry in entries if entry is not None]
    if not all(entry is ... or isinstance(entry, (slice, int, np.integer)) for entry in entries):
        return None
    if any(isinstance(entry, bool) for entry in entries):
        return None
    place = next((k for k, entry in enumerate(entries) if entry is ...), len(entries))
    after = entries[place + 1 :]
    between = [slice(None)] * (len(shape) - place - len(after))
    widths = []
    for entry, size in zip([*entries[:place], *between, *after], shape, strict=True):
        chosen = range(size)[entry] if isinstance(entry, slice) else range(size)[entry : entry + 1 or None]
        if not chosen or chosen.step < 1:
            return None
        widths.append((chosen[0], size - 1 - chosen[-1], chosen.step - 1))
    return widths


def _is_whole(x, index) -> bool:
    """Return whether an index selects all elements in their order.

    XLA 0.10 ends the process when it simplifies a scatter that covers an array and is then reversed.
    """
    entries = [entry for entry in each_entry(index) if entry is not None]
    if not all(entry is ... or isinstance(entry, slice) for entry in entries):
        return False
    place = next((k for k, entry in enumerate(entries) if entry is ...), len(entries))
    after = entries[place + 1 :]
    pairs = [*zip(entries[:place], x.shape), *zip(after, x.shape[len(x.shape) - len(after) :])]
    return all(range(*entry.indices(size)) == range(size) for entry, size in pairs)
