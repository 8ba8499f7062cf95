"""The methods of arrays that a number has too: a number answers like an array without axes.

`Value(2.0).sum()` and `Value([2.0, 3.0]).sum()` are the same function of `adjoint.arrays`, which is loaded when one of
its methods is first used. The names are listed here; their types are in `array_methods.pyi`.
"""

from types import MethodType
from typing import Any

from adjoint.compat.names import METHODS, ForeignMethod
from adjoint.engine import late
from adjoint.engine.sizes import Size
from adjoint.errors.given import Operand

NAMES = """
    amax amin argmax argmin argpartition argsort astype at bmm broadcast_to chunk clamp clamp_max clamp_min clip
    clone contiguous cpu cross cuda cummax cummin cumprod cumsum deg2rad device diag diagonal diff digamma dim div
    dot double dsplit erfc erfinv expand expand_as expand_dims flatten flip fliplr flipud float fmax fmin gather
    half heaviside hsplit i0 index_select inner int kron lerp lgamma log_softmax logaddexp2 logcumsumexp logit
    logsumexp long mT masked_fill masked_select matmul matrix_transpose max mean median min mm mod moveaxis mv
    nan_to_num nanmean nanmedian nanquantile nansum ndimension nelement norm numel numpy outer pad partition permute
    permute_dims positive prod quantile rad2deg ravel reciprocal repeat repeat_interleave reshape reshape_as
    retain_grad roll rot90 rsqrt scatter scatter_add scatter_reduce sinc softmax sort split squeeze std sum swapaxes
    t take take_along_axis take_along_dim tensordot tile to tolist topk trace transpose tril triu type_as unbind
    unflatten unfold unsqueeze unstack var vdot view view_as vsplit xlogy
"""


class _ArrayMethod:
    """A method or property of `Tensor` under its name: `help` shows its text and signature."""

    def __init__(self, name: str):
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        found = getattr(late.tensor().Tensor, self._name)
        if instance is None:
            return found
        return found.__get__(instance, owner) if isinstance(found, property) else MethodType(found, instance)


class ArrayMethods(Operand):
    """A base class of `Value` with the attributes and methods of arrays."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis: a number has none."""
        return ()

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return 0

    @property
    def size(self) -> Size:
        """The number of elements."""
        return Size.of(())

    @property
    def dtype(self) -> Any:
        """The type of the elements, as the array library names it: float64 for a number."""
        return late.float64()

    @property
    def T(self) -> Any:
        """The array with its axes reversed."""
        return self

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in METHODS]

    __getitem__ = _ArrayMethod("__getitem__")
    __iter__ = None  # otherwise Python would iterate by indices, and a number would look like an empty sequence


for _name in NAMES.split():
    setattr(ArrayMethods, _name, _ArrayMethod(_name))
for _name in METHODS:
    setattr(ArrayMethods, _name, ForeignMethod(_name))
