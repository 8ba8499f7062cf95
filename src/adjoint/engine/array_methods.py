"""The methods of arrays that a number has too: a number answers like an array without axes.

`Value(2.0).sum()` and `Value([2.0, 3.0]).sum()` are the same function of `adjoint.arrays`, which is loaded when one of
its methods is first used. The names are listed here; their types are in `array_methods.pyi`.
"""

from types import MethodType
from typing import Any

from adjoint.compat.methods import METHODS, ForeignMethod
from adjoint.engine import late
from adjoint.engine.sizes import Size
from adjoint.errors.given import Operand

# Methods that compute with each element by itself.
ELEMENTWISE = """
    clamp clamp_max clamp_min clip deg2rad digamma div erfc erfinv fmax fmin heaviside i0 lerp lgamma
    logaddexp2 logit mod nan_to_num positive rad2deg reciprocal rsqrt sinc xlogy
"""
# Methods about axes, types and devices. A number has them as well, and `dir` does not list them.
OF_AXES = """
    amax amin argmax argmin argpartition argsort astype at bmm broadcast_to chunk clone contiguous cpu cross
    cuda cummax cummin cumprod cumsum device diag diagonal diff dim dot double dsplit expand expand_as
    expand_dims flatten flip fliplr flipud float gather half hsplit index_select inner int kron log_softmax
    logcumsumexp logsumexp long mT masked_fill masked_select matmul matrix_transpose max mean median min mm
    moveaxis mv nanmean nanmedian nanquantile nansum ndimension nelement norm numel numpy outer pad partition
    permute permute_dims prod quantile ravel repeat repeat_interleave reshape reshape_as retain_grad roll
    rot90 scatter scatter_add scatter_reduce softmax sort split squeeze std sum swapaxes t take
    take_along_axis take_along_dim tensordot tile to tolist topk trace transpose tril triu type_as unbind
    unflatten unfold unsqueeze unstack var vdot view view_as vsplit
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
    _is_array = False  # True in `Tensor`

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
        hidden = {*METHODS} if self._is_array else {*METHODS, *OF_AXES.split()}
        return [name for name in super().__dir__() if name not in hidden]

    __getitem__ = _ArrayMethod("__getitem__")
    __iter__ = None  # otherwise Python would iterate by indices, and a number would look like an empty sequence


for _name in (*ELEMENTWISE.split(), *OF_AXES.split()):
    setattr(ArrayMethods, _name, _ArrayMethod(_name))
for _name in METHODS:
    setattr(ArrayMethods, _name, ForeignMethod(_name))
