"""Methods of a module under PyTorch's names."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from adjoint.arrays.kinds import array_code, is_tensor
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.members import Members

if TYPE_CHECKING:
    from adjoint.nn.module import Module

Self = TypeVar("Self", bound="TorchNames")


# Methods of models in Keras and scikit-learn, and what to write here.
_KERAS = {
    "fit": "adjoint.fit(model, X, y, loss=…) trains a model",
    "compile": "pass the loss, the optimizer and the metrics to adjoint.fit(model, X, y, …); jit=True compiles",
    "evaluate": "adjoint.evaluate(model, X, y, loss=…) returns the loss and the metrics",
    "predict": "call the model: model(X)",
    "predict_proba": "call the model and apply a softmax: model(X).softmax(axis=1)",
    "score": "adjoint.evaluate(model, X, y, loss=…, metrics='accuracy') returns the loss and the metrics",
}


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


class TorchNames:
    """A base class of `Module`."""

    def children(self) -> "Iterator[Module]":
        """Yield the modules that are attributes of this one, or in lists, tuples and dicts among its attributes.

        >>> from adjoint import nn
        >>> [type(child).__name__ for child in nn.Sequential(nn.Linear(2, 3), nn.ReLU()).children()]
        ['Linear', 'ReLU']
        """
        return (child for _, child in cast("Module", self).named_children())

    def add_module(self, name: str, module: "Module | None") -> None:
        """Add a submodule under a name: the same as assigning an attribute.

        >>> from adjoint import nn
        >>> model = nn.Module()
        >>> model.add_module("hidden", nn.Linear(2, 3))
        >>> model.hidden
        Linear(2, 3), 9 parameters
        """
        if module is not None and not isinstance(module, Members):
            raise ArgumentError(f"add_module({name!r}, …) needs a module, not {describe(module)}")
        self._add_member(name, module)

    register_module = add_module

    def register_parameter(self, name: str, parameter: Value | None) -> None:
        """Add a parameter under a name: the same as assigning an attribute.

        >>> from adjoint import Value, nn
        >>> model = nn.Module()
        >>> model.register_parameter("scale", Value(2.0))
        >>> model.state_dict()
        {'scale': 2.0}
        """
        if parameter is not None and (not isinstance(parameter, Value) or parameter.parents):
            raise ArgumentError(
                f"register_parameter({name!r}, …) needs a Value without history, not {describe(parameter)}"
            )
        self._add_member(name, parameter)

    def _add_member(self, name: str, member: object) -> None:
        if not isinstance(name, str) or not name or "." in name or hasattr(type(self), name):
            raise ArgumentError(f"{name!r} cannot name a member; use a name without dots that Module does not define")
        setattr(self, name, member)

    def get_submodule(self, target: str) -> "Module":
        """Return a submodule by its path, such as "layers.0.attention"; "" is the module itself.

        >>> from adjoint import nn
        >>> nn.Sequential(nn.Sequential(nn.Linear(2, 3))).get_submodule("0.0")
        Linear(2, 3), 9 parameters
        """
        return self._get("submodule", target, dict(cast("Module", self).named_modules()))

    def get_parameter(self, target: str) -> Value:
        """Return a parameter by its path, such as "layers.0.weight".

        >>> from adjoint import nn
        >>> nn.Sequential(nn.Linear(2, 3)).get_parameter("0.weight").shape
        (3, 2)
        """
        return self._get("parameter", target, dict(cast("Module", self).named_parameters()))

    def _get(self, what: str, target: str, known: dict[str, Any]) -> Any:
        if target not in known:
            raise unknown_name_error(what, target, known)
        return known[target]

    # --- dtypes and devices ---

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
        cast("Module", self).astype(dtype)
        return self

    def to(self: Self, *target: Any, device: object = None, dtype: object = None, **ignored: object) -> Self:
        """Convert all arrays to another dtype, in place; return the module. A device must be that of its arrays.

        >>> from adjoint import nn
        >>> nn.Linear(2, 3).to("cpu").to("float32").weight.dtype
        dtype('float32')
        """
        for p in cast("Module", self).parameters():
            if is_tensor(p):
                return self._astype(
                    array_code("functions.torch_forms").to(p, *target, device=device, dtype=dtype).dtype
                )
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
        fit, compile, evaluate, predict, predict_proba, score = (_Elsewhere(hint) for hint in _KERAS.values())
        register_full_backward_hook = _Elsewhere(
            "Values have backward hooks: value.register_hook(f), of a parameter or an output, calls f with its gradient"
        )
        register_forward_pre_hook = _Elsewhere(
            "register_forward_hook(f) calls f with the module, its inputs and its output"
        )
