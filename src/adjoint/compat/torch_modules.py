"""Methods of `nn.Module` under PyTorch's names."""

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from adjoint.arrays.kinds import is_tensor
from adjoint.compat.names import KERAS_METHODS

Self = TypeVar("Self", bound="TorchMethods")


class _Elsewhere:
    """A name that modules of other libraries have: reading it raises an error that says what to write.

    Unlike a `__getattr__`, it does not make every other attribute slower.
    """

    def __init__(self, hint: str):
        self.hint = hint

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, module: object, owner: type) -> NoReturn:
        raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}; {self.hint}", name=self.name)


class TorchMethods:
    """A base class of `Module`: dtypes and devices as in PyTorch, and hints for methods that modules of others have."""

    def float(self: Self) -> Self:
        """Convert all arrays to float32, in place; return the module.

        >>> from adjoint import nn
        >>> nn.Linear(2, 3).float().weight.dtype
        dtype('float32')
        """
        return self._astype("float32")

    def double(self: Self) -> Self:
        """Convert all arrays to float64, in place; return the module.

        >>> from adjoint import nn
        >>> nn.Linear(2, 3, dtype="float32").double().weight.dtype
        dtype('float64')
        """
        return self._astype("float64")

    def half(self: Self) -> Self:
        """Convert all arrays to float16, in place; return the module.

        >>> from adjoint import nn
        >>> nn.Linear(2, 3).half().weight.dtype
        dtype('float16')
        """
        return self._astype("float16")

    def bfloat16(self: Self) -> Self:
        """Convert all arrays to bfloat16, in place; return the module. It needs the library ml_dtypes, as JAX does.

        >>> from adjoint import nn
        >>> nn.Linear(2, 3).bfloat16().weight.dtype
        dtype(bfloat16)
        """
        return self._astype("bfloat16")

    def _astype(self: Self, dtype: object) -> Self:
        cast(Any, self).astype(dtype)
        return self

    def to(self: Self, *target: Any, device: object = None, dtype: object = None, **ignored: object) -> Self:
        """Convert all arrays to another dtype, in place; return the module. A device must be that of its arrays.

        >>> from adjoint import nn
        >>> nn.Linear(2, 3).to("cpu").to("float32").weight.dtype
        dtype('float32')
        """
        for p in cast(Any, self).parameters():
            if is_tensor(p):
                return self._astype(p.to(*target, device=device, dtype=dtype).dtype)
        return self

    def cpu(self: Self) -> Self:
        """Return the module, if its arrays are in the memory of the CPU.

        >>> from adjoint import nn
        >>> nn.Linear(2, 3).cpu()
        Linear(2, 3), 9 parameters
        """
        return self.to("cpu")

    def cuda(self: Self, device: object = None) -> Self:
        """Return the module, if its arrays are on a GPU; otherwise explain how arrays get there."""
        return self.to("cuda")

    if not TYPE_CHECKING:  # type checkers report unknown attributes themselves
        fit, compile, evaluate, predict, predict_proba, score = (_Elsewhere(hint) for hint in KERAS_METHODS.values())
        register_full_backward_hook = _Elsewhere(
            "Values have backward hooks: value.register_hook(f), of a parameter or an output, calls f with its gradient"
        )
        register_forward_pre_hook = _Elsewhere(
            "register_forward_hook(f) calls f with the module, its inputs and its output"
        )
