"""Module: the base class of everything that has parameters. A module may contain other modules.

    class Net(Module):
        def __init__(self):
            self.hidden, self.out = Linear(2, 16), Linear(16, 1)

        def forward(self, x):
            return self.out(self.hidden(x).tanh())

Parameters need no declaration. They are the Values among the attributes of a module, and in lists, tuples and dicts
among its attributes; the parameters of modules found in the same places are included. A Value with a history is a
result, not a parameter. Arrays that are saved but not trained, such as running means, are buffers: `register_buffer`.

Imports of NumPy are inside the functions that need it: networks of scalar Values run without it.
"""

import inspect
from collections.abc import Callable, Mapping
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, Self, TypeVar

from adjoint.arrays.kinds import array_code, is_tensor
from adjoint.compat.torch_modules import TorchMethods
from adjoint.engine import late
from adjoint.engine.hooks import Handle, changes
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError
from adjoint.errors.given import is_number
from adjoint.nn.members import Members, count_parameters, find_members, frozen_note, named_values, set_requires_grad
from adjoint.nn.state_entries import IncompatibleKeys, as_saved, entries, load_entries

if TYPE_CHECKING:
    import numpy as np

    from adjoint.nn.model_summaries import Summary

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class _HasForward(Protocol[P, R]):
    """Anything with `forward`: calling a module has the parameters and the result of its own `forward`."""

    def forward(self, *inputs: P.args, **options: P.kwargs) -> R: ...


_HOOKS = "_forward_hooks"
_NOT_SHOWN = (
    "self",
    "seed",
    "dtype",
)  # arguments that decide the initial weights, not the architecture


class Module(TorchMethods, Members):
    """An object with parameters that is called like a function. Subclasses define `forward`.

    >>> from adjoint import Value, nn
    >>> class Scale(nn.Module):
    ...     def __init__(self, factor):
    ...         self.factor = Value(factor)
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> model = Scale(3.0)
    >>> model(2.0)
    Value(data=6.0000, grad=0.0000)
    >>> model.state_dict()
    {'factor': 3.0}
    """

    training: bool = True  # a class attribute until eval(), so subclasses need not call super().__init__()
    _trained: bool = False  # whether the end of `fit` put it into evaluation mode, and not the user
    _forward_hooks: tuple[list[Callable[..., object]], ...] = ()

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Compute the output. Calling the module calls this method."""
        name = type(self).__name__
        raise ArgumentError(f"{name} has no forward; define `def forward(self, x)`, which {name}()(x) calls")

    if TYPE_CHECKING:

        def __call__(self: _HasForward[P, R], *inputs: P.args, **options: P.kwargs) -> R: ...
        def __getattr__(self, name: str) -> Any: ...  # what `register_buffer` and `setattr` have added

    else:

        def __call__(self, *inputs: Any, **options: Any) -> Any:
            try:
                output = self.forward(*inputs, **options)
            except (ShapeError, ArrayIndexError) as error:
                self._locate(error)
                raise
            except TypeError:
                if not inputs and not options:
                    self._require_input()
                raise
            if self._forward_hooks:
                self._run_forward_hooks(inputs, output)
            return output

    def _run_forward_hooks(self, inputs: tuple[Any, ...], output: Any) -> None:
        for (hook,) in self._forward_hooks:
            hook(self, inputs, output)

    def _require_input(self) -> None:
        """Raise if a call without an input lacks one."""
        needed = [x.name for x in inspect.signature(self.forward).parameters.values() if x.default is x.empty]
        if needed and needed[0] not in ("args", "inputs"):
            raise ArgumentError(
                f"{self._headline()} was called without an input: write layer({needed[0]}). If it is an attribute "
                "called `parameters`, or another method of Module, it hides that method; give it another name"
            ) from None

    def _locate(self, error: ShapeError | ArrayIndexError) -> None:
        """Add to an error the layer in which it was raised: its path from this module and its constructor call."""
        found: dict[str, Any] = vars(error)
        if "layer" not in found:
            found |= {"layer": self, "within": self, "path": "", "reason": str(error)}
        elif found["within"] is not self:
            name = next((name for name, x in find_members(self) if x is found["within"]), None)
            if name is None:
                return
            found |= {"within": self, "path": f"{name}.{found['path']}" if found["path"] else name}
        where = f"layer {found['path']}, " if found["path"] else ""
        error.args = (f"in {where}{found['layer']._headline()}: {found['reason']}",)

    def register_forward_hook(self, hook: Callable[..., object]) -> Handle:
        """Call `hook(module, inputs, output)` after each `forward`. `remove()` of the result removes the hook."""
        if not callable(hook):
            raise ArgumentError(f"a forward hook must be a function of the module, its inputs and output, not {hook!r}")
        entry = [hook]  # a new object, so that the same hook can be registered twice and removed once
        self._forward_hooks = (*self._forward_hooks, entry)

        def remove() -> None:
            self._forward_hooks = tuple(other for other in self._forward_hooks if other is not entry)
            if not self._forward_hooks:
                vars(self).pop(_HOOKS, None)

        return Handle(remove)

    # --- state ---

    def state_dict(self, *, transient: bool = False) -> "dict[str, np.ndarray | float]":
        """Return copies of all parameters and buffers by name, as NumPy arrays; a scalar Value becomes a float.

        Names and layouts are those of `torch.nn`. With `transient`, buffers that are not persistent are included: with
        the state of the random generators, interrupted training resumes exactly.

        >>> from adjoint import nn
        >>> {name: x.shape for name, x in nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).state_dict().items()}
        ... # doctest: +NORMALIZE_WHITESPACE
        {'0.weight': (3, 2), '0.bias': (3,), '1.weight': (3,), '1.bias': (3,), '1.running_mean': (3,),
         '1.running_var': (3,), '1.num_batches_tracked': ()}
        """
        return {
            entry.name: as_saved(entry.content) for entry in entries(self) if transient or entry.kind != "transient"
        }

    def load_state_dict(self, state: Mapping[str, object], strict: bool = True) -> IncompatibleKeys:
        """Assign the arrays of a `state_dict`, of adjoint or PyTorch. If any does not fit, nothing is changed.

        The error names each tensor that is missing, unexpected, or of another shape. With `strict=False`, names that
        only one side has are skipped and returned.
        """
        return load_entries(self, state, strict)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradient of every parameter to zero. PyTorch's argument `set_to_none` makes no difference here."""
        for parameter in self.parameters():
            parameter.zero_grad()

    def freeze(self, *names: "str | Module") -> Self:
        """Keep all parameters, or those of the named layers and parameters, as they are in training; return the module.

        A frozen parameter has `requires_grad` False: it receives no gradient, and optimizers skip it.

        >>> from adjoint import nn
        >>> model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).freeze("0")
        >>> [name for name, p in model.named_parameters() if p.requires_grad]
        ['2.weight', '2.bias']
        """
        set_requires_grad(self, names, False)
        return self

    def unfreeze(self, *names: "str | Module") -> Self:
        """Let all parameters, or those of the named layers and parameters, be trained again; return the module.

        >>> from adjoint import nn
        >>> model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)).freeze().unfreeze("1.bias")
        >>> [name for name, p in model.named_parameters() if p.requires_grad]
        ['1.bias']
        """
        set_requires_grad(self, names, True)
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of all parameters and return the module, as in PyTorch.

        >>> from adjoint import nn
        >>> any(p.requires_grad for p in nn.Linear(2, 3).requires_grad_(False).parameters())
        False
        """
        return self.unfreeze() if requires_grad else self.freeze()

    def astype(self, dtype: object) -> Self:
        """Convert all arrays among the parameters and buffers to another floating dtype, in place; return the module.

        >>> from adjoint import nn
        >>> nn.Linear(2, 3).astype("float32").weight.dtype
        dtype('float32')
        """
        for _, x in [*named_values(self), *self.named_buffers()]:
            if is_tensor(x):
                x._data, x._grad = array_code("convert").as_data(x.data, dtype), None
        changes.count += 1  # a compiled function was recorded with the dtypes of its time
        return self

    def train(self, mode: bool = True) -> Self:
        """Put this module and all submodules into training mode, or with `mode=False` into evaluation mode."""
        for module in self.modules():
            vars(module).pop("_trained", None)
            if mode:
                vars(module).pop("training", None)  # the class attribute is True; jit recognizes the module again
            else:
                module.training = False
        return self

    def eval(self) -> Self:
        """Put this module and all submodules into evaluation mode: no dropout, and running statistics in norms."""
        return self.train(False)

    def apply(self, function: Callable[["Module"], object]) -> Self:
        """Call `function` on all submodules, then on this module; return this module.

        >>> from adjoint import nn
        >>> def init(module):
        ...     if isinstance(module, nn.Linear):
        ...         nn.init.zeros(module.bias)
        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU()).apply(init)
        """
        for module in [*self.modules()][::-1]:
            function(module)
        return self

    # --- display ---

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the constructor that are kept as attributes of the same name.

        >>> from adjoint import nn
        >>> nn.Linear(2, 3).arguments()
        {'in_features': 2, 'out_features': 3, 'bias': True}
        """
        found = {}
        for name, parameter in inspect.signature(type(self).__init__).parameters.items():
            x = getattr(self, name, self)
            if name not in _NOT_SHOWN and x is not self and not inspect.ismethod(x):
                is_switch = isinstance(parameter.default, bool) and (x is None or isinstance(x, Value))
                found[name] = x is not None if is_switch else x
        return found

    def _headline(self) -> str:
        """Return the constructor call of the module, in one line."""
        shown, given = [], self.arguments()
        for name, parameter in inspect.signature(type(self).__init__).parameters.items():
            x = given.get(name, parameter.default)
            is_plain = is_number(x) or isinstance(x, (str, bool, tuple))
            if name in given and is_plain and parameter.default is parameter.empty:
                shown.append(repr(x))
            elif name in given and (is_plain or x is None) and x != parameter.default:
                shown.append(f"{name}={x!r}")
        return f"{type(self).__name__}({', '.join(shown)})"

    @recursive_repr("…")  # a submodule may refer back to this module
    def __repr__(self) -> str:
        children = list(self.named_children())
        count = count_parameters(self)
        total = f", {count:,} parameter{'s' if count != 1 else ''}{frozen_note(self.parameters())}" if count else ""
        if not children:
            return self._headline() + total
        shown = self._group([(name, repr(child)) for name, child in children])
        inside = "".join(f"  ({name}): {text}".replace("\n", "\n  ") + "\n" for name, text in shown)
        return f"{self._headline()[:-1]}\n{inside}){total}"

    def _group(self, children: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the names and texts of submodules as `repr` shows them."""
        return children

    def __rich__(self) -> object:
        return late.module_drawing().as_tree(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the display of a notebook: a collapsible table of the layers, or text."""
        return {"text/plain": repr(self), "text/html": late.module_drawing().as_html(self)}

    def summary(self, sample: object = None) -> "Summary":
        """Return a table of all layers and their parameter counts; with a sample batch, also their output shapes.

        It is text, and notebooks display it as a table. If some parameters are frozen, a column counts the others.

        >>> from adjoint import nn
        >>> nn.Sequential(nn.Linear(2, 3), nn.ReLU()).summary([[1.0, 2.0]])
        name  layer         output  parameters
        ──────────────────────────────────────
        0     Linear(2, 3)  (1, 3)           9
        1     ReLU()        (1, 3)           0
              Sequential()  (1, 3)           9
        9 parameters, all trainable, 72 bytes
        """
        from adjoint.nn.model_summaries import summary_of

        return summary_of(self, sample)


class Functional(Module):
    """The base class of modules that apply a function to their inputs.

    The arguments of the constructor are kept as attributes, and become options of the function; except `inplace`.
    """

    _function: Callable[..., Value]
    _options: tuple[str, ...]

    def __init_subclass__(cls, function: Callable[..., Value] | None = None, **options):
        super().__init_subclass__(**options)
        if function is not None:
            cls._function, cls._options = staticmethod(function), options_of(cls)

    def forward(self, *inputs: Any, **named: Any) -> Value:
        return self._function(*inputs, **named, **{name: getattr(self, name) for name in self._options})


def options_of(module: type[Module]) -> tuple[str, ...]:
    """Return the arguments of a constructor that change a result; PyTorch's `inplace` has no effect."""
    return tuple(name for name in inspect.signature(module).parameters if name != "inplace")
