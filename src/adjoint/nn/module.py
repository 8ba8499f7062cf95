"""Module: something with parameters, which may be made of other modules.

    class Net(Module):
        def __init__(self):
            self.hidden, self.out = Linear(2, 16), Linear(16, 1)

        def forward(self, x):
            return self.out(self.hidden(x).tanh())

Nothing is declared. The parameters of a module are the Values among its attributes, and among the lists, tuples and
dicts there; those of the modules found in the same places are its parameters too. A Value with a history is a
result and no parameter. What is saved but not trained, such as running means, is a buffer: `register_buffer`.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from reprlib import recursive_repr
from types import MappingProxyType
from typing import Any, NamedTuple

from adjoint.engine import late
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ArrayIndexError, ShapeError, StateError
from adjoint.errors.given import described, is_number
from adjoint.errors.text_table import table

_HOOKS = "_forward_hooks"
_CONTAINERS = (list, tuple, dict)
_NOT_SHOWN = ("self", "seed", "dtype")  # of a constructor: where the weights came from is no part of what a layer is


class Names(NamedTuple):
    """What `load_state_dict(strict=False)` passed over: names without a tensor, and tensors without a name."""

    missing: list[str]
    unexpected: list[str]


class Module:
    """Something with parameters, called as a function. A subclass has a `forward`.

    >>> from adjoint import Value
    >>> class Scale(Module):
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

    training: bool = True  # of the class, until eval(): so no subclass need call super().__init__()
    _buffers: Mapping[str, bool] = MappingProxyType({})  # their names, and whether they are saved
    _forward_hooks: tuple = ()

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Compute the output; what calling the module does."""
        name = type(self).__name__
        raise ArgumentError(f"{name} has no forward: define `def forward(self, x)`, which {name}()(x) then calls")

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        try:
            output = self.forward(*inputs, **options)
        except (ShapeError, ArrayIndexError) as error:
            self._locate(error)
            raise
        for (hook,) in self._forward_hooks:
            hook(self, inputs, output)
        return output

    def _locate(self, error: Any) -> None:
        """Let an error say in which layer it arose: by its path from here, and as it is shown."""
        if not hasattr(error, "layer"):
            error.layer = error.within = self
            error.path, error.reason = "", str(error)
        elif error.within is not self:
            name = next((name for name, x in _members(self) if x is error.within), None)
            if name is None:
                return
            error.within, error.path = self, f"{name}.{error.path}" if error.path else name
        where = f"layer {error.path}, " if error.path else ""
        error.args = (f"in {where}{error.layer._headline()}: {error.reason}",)

    def register_forward_hook(self, hook: Callable) -> Callable[[], None]:
        """Call `hook(module, inputs, output)` after each `forward`. Returns a function that takes it off again."""
        if not callable(hook):
            raise ArgumentError(f"a forward hook is a function of the module, its inputs and output, not {hook!r}")
        entry = [hook]  # its identity tells it from the same hook put on twice
        self._forward_hooks = (*self._forward_hooks, entry)

        def remove() -> None:
            self._forward_hooks = tuple(other for other in self._forward_hooks if other is not entry)
            if not self._forward_hooks:
                vars(self).pop(_HOOKS, None)

        return remove

    # --- what it is made of ---

    def parameters(self) -> list[Value]:
        """Return all Values that training adjusts, each once."""
        return list({id(p): p for _, p in _named_values(self, overridden=False)}.values())

    def named_parameters(self) -> Iterator[tuple[str, Value]]:
        """Yield the parameters with their names, such as "layers.0.weight"; one that is shared, once."""
        seen = set()
        for name, p in _named_values(self):
            if id(p) not in seen:
                seen.add(id(p))
                yield name, p

    def modules(self) -> Iterator["Module"]:
        """Yield this module and all that it is made of, each once."""
        return (module for _, module in self.named_modules())

    def named_modules(self) -> Iterator[tuple[str, "Module"]]:
        """Yield this module under the name "" and all that it is made of, each once, with their names."""
        seen, waiting = set(), [("", self)]
        while waiting:
            name, module = waiting.pop()
            if id(module) not in seen:
                seen.add(id(module))
                yield name, module
                prefix = f"{name}." if name else ""
                waiting += [(prefix + part, child) for part, child in module.named_children()][::-1]

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """Yield the modules that are attributes of this one, or in a list, tuple or dict there."""
        return ((name, x) for name, x in _members(self) if isinstance(x, Module))

    def register_buffer(self, name: str, data: Any, persistent: bool = True) -> None:
        """Make an attribute that is saved but not trained: a Value, an array or a whole number.

        Assign to the `data` of a Value, or to the attribute itself. What is not `persistent` is saved only by
        `state_dict(transient=True)`: it is no part of the model, as the state of random numbers.
        """
        self._buffers = {**self._buffers, name: bool(persistent)}
        setattr(self, name, data)

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """Yield the buffers of this module and all that it is made of, with their names."""
        for prefix, module in self.named_modules():
            for name in module._buffers:
                yield f"{prefix}.{name}" if prefix else name, getattr(module, name)

    def buffers(self) -> list[Any]:
        """Return what is saved but not trained."""
        return [buffer for _, buffer in self.named_buffers()]

    # --- its state ---

    def state_dict(self, *, transient: bool = False) -> dict[str, Any]:
        """Return all parameters and buffers by name: copies, as NumPy arrays; a Value of one number as a float.

        Names and layouts are those of `torch.nn`. With `transient` the state of random numbers comes along, so
        that training goes on as if it had not been interrupted.

        >>> from adjoint import nn
        >>> {name: x.shape for name, x in nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).state_dict().items()}
        ... # doctest: +NORMALIZE_WHITESPACE
        {'0.weight': (3, 2), '0.bias': (3,), '1.weight': (3,), '1.bias': (3,), '1.running_mean': (3,),
         '1.running_var': (3,), '1.num_batches_tracked': ()}
        """
        from adjoint.nn.state import as_saved  # with NumPy

        return {
            entry.name: as_saved(entry.content) for entry in _entries(self) if transient or entry.kind != "transient"
        }

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> Names:
        """Take the numbers of a `state_dict`, of adjoint or PyTorch: all of them, or none and an error.

        The error names each tensor that is missing, unexpected, or of another shape. Without `strict` names that
        only one side has are passed over, and returned.
        """
        from adjoint.nn.state import as_array

        if not isinstance(state, Mapping):
            raise StateError(f"a state is a dict of names and arrays, as state_dict() gives it, not {described(state)}")
        entries = _entries(self)
        missing = [e.name for e in entries if e.name not in state and e.kind != "transient"]
        unexpected = sorted(set(state) - {entry.name for entry in entries})
        wrong, found = [], []
        for entry in entries:
            if entry.name in state:
                array = as_array(state[entry.name])
                if array is None:
                    wrong.append(f"{entry.name} is {described(state[entry.name])}, and no array of numbers")
                elif array.shape != entry.shape:
                    wrong.append(f"{entry.name} has the shape {array.shape}, and the model's {entry.shape}")
                found.append((entry, array))
        if strict:
            wrong += [f"{name} is missing" for name in missing]
            wrong += [f"{name} is not in the model" for name in unexpected]
        if wrong:
            raise StateError(f"the state does not fit {self._headline()}: {'; '.join(wrong)}")
        for entry, array in found:
            entry.assign(array)
        return Names(missing, unexpected)

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to zero."""
        for parameter in self.parameters():
            parameter.zero_grad()

    def astype(self, dtype: Any) -> "Module":
        """Give all parameters and buffers that are arrays another floating dtype, in place; return the module.

        >>> from adjoint import nn
        >>> nn.Linear(2, 3).astype("float32").weight.dtype
        dtype('float32')
        """
        from adjoint.arrays.tensor import Tensor, as_data

        for _, x in [*_named_values(self), *self.named_buffers()]:
            if isinstance(x, Tensor):
                x._data, x._grad = as_data(x.data, dtype), None
        return self

    def train(self, mode: bool = True) -> "Module":
        """Set this module and all that it is made of to training, or with False to evaluation."""
        for module in self.modules():
            if mode:
                vars(module).pop("training", None)  # as it was made: compiled programs know it again
            else:
                module.training = False
        return self

    def eval(self) -> "Module":
        """Set this module and all that it is made of to evaluation: no dropout, running statistics in norms."""
        return self.train(False)

    def apply(self, function: Callable[["Module"], Any]) -> "Module":
        """Call `function` on all modules that this one is made of, then on itself; return it.

        >>> from adjoint import nn
        >>> def init(module):
        ...     if isinstance(module, nn.Linear):
        ...         nn.init.zeros(module.bias)
        >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU()).apply(init)
        """
        for module in [*self.modules()][::-1]:
            function(module)
        return self

    # --- how it is shown ---

    def arguments(self) -> dict[str, Any]:
        """Return what the constructor was given, as far as the attributes tell: one of the same name holds it.

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
        """Return the module in one line, as its constructor is called."""
        shown, given = [], self.arguments()
        for name, parameter in inspect.signature(type(self).__init__).parameters.items():
            x = given.get(name, parameter.default)
            is_plain = is_number(x) or isinstance(x, (str, bool, tuple))
            if name in given and is_plain and parameter.default is parameter.empty:
                shown.append(repr(x))
            elif name in given and (is_plain or x is None) and x != parameter.default:
                shown.append(f"{name}={x!r}")
        return f"{type(self).__name__}({', '.join(shown)})"

    @recursive_repr("…")  # where a part holds the whole
    def __repr__(self) -> str:
        children = list(self.named_children())
        count = _count(self)
        total = f", {count:,} parameter{'s' if count != 1 else ''}" if count else ""
        if not children:
            return self._headline() + total
        inside = "".join(f"  ({name}): {child!r}".replace("\n", "\n  ") + "\n" for name, child in children)
        return f"{self._headline()[:-1]}\n{inside}){total}"

    def __rich__(self) -> Any:
        return late.module_drawing().as_tree(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what a notebook shows: the layers as a table that can be folded, or as text."""
        return {"text/plain": repr(self), "text/html": late.module_drawing().as_html(self)}

    def summary(self, sample: Any = None) -> str:
        """Return a table of all layers: what they are, how many parameters they have and, given a sample batch,
        the shapes of their outputs.

        >>> from adjoint import nn
        >>> print(nn.Sequential(nn.Linear(2, 3), nn.ReLU()).summary([[1.0, 2.0]]))
        name  layer         output  parameters
        ──────────────────────────────────────
        0     Linear(2, 3)  (1, 3)           9
        1     ReLU()        (1, 3)           0
              Sequential()  (1, 3)           9
        """
        from adjoint.engine.modes import no_grad

        outputs: dict[int, str] = {}
        named = list(self.named_modules())
        if sample is not None:

            def note(module, inputs, output):
                outputs[id(module)] = _shapes(output)

            removals = [module.register_forward_hook(note) for _, module in named]
            was_training = [module for _, module in named if module.training]
            try:
                with no_grad():
                    self.eval()(sample)
            finally:
                for remove in removals:
                    remove()
                for module in was_training:
                    vars(module).pop("training", None)
        rows = [
            [name, module._headline(), outputs.get(id(module), "–"), f"{_count(module):,}"]
            for name, module in [*named[1:], named[0]]
        ]
        headings = ["name", "layer", "output", "parameters"]
        if sample is None:
            rows, headings = [[row[0], row[1], row[3]] for row in rows], ["name", "layer", "parameters"]
        return table(headings, rows, " " * (len(headings) - 1) + "r")


# --- finding what a module holds ---------------------------------------------------------------------------


def _members(module: Module) -> list[tuple[str, Any]]:
    """Return the Values and modules among the attributes of a module, and in the lists, tuples and dicts there."""
    found: list[tuple[str, Any]] = []
    for name, x in vars(module).items():
        if isinstance(x, (Value, Module)):
            if name not in module._buffers:
                found.append((name, x))
        elif isinstance(x, _CONTAINERS) or hasattr(x, "parameters"):
            _add_members(name, x, found, (x,))
    return found


def _add_members(name: str, x: Any, found: list[tuple[str, Any]], within: tuple) -> None:
    items, parameters = (), getattr(x, "parameters", None)
    if isinstance(x, dict):
        items = x.items()
    elif isinstance(x, (list, tuple)):
        items = enumerate(x)
    elif callable(parameters) and not isinstance(x, type):  # a neuron of a class that is no Module
        items = enumerate(parameters())  # pyright: ignore[reportArgumentType]
    for key, item in items:
        if isinstance(item, (Value, Module)):
            found.append((f"{name}.{key}", item))
        elif (isinstance(item, _CONTAINERS) or hasattr(item, "parameters")) and all(item is not y for y in within):
            _add_members(f"{name}.{key}", item, found, (*within, item))


def _named_values(module: Module, prefix: str = "", overridden: bool = True, within: tuple = ()) -> list:
    """Return all parameters with their names; one that has several, with each of them.

    A class that defines `parameters()` itself, as those of the tutorials do, decides what they are.
    """
    if overridden and type(module).parameters is not Module.parameters:
        names = {id(p): name for name, p in _named_values(module, prefix, False, within)}
        return [(names.get(id(p), f"{prefix}{i}"), p) for i, p in enumerate(module.parameters())]
    if any(module is other for other in within):
        return []
    members = _members(module)
    found = [(prefix + name, x) for name, x in members if isinstance(x, Value) and not x.parents]
    for name, x in members:
        if isinstance(x, Module):
            found += _named_values(x, f"{prefix}{name}.", True, (*within, module))
    return found


def _count(module: Module) -> int:
    """Return how many numbers there are to train."""
    return sum(getattr(p, "size", 1) for _, p in module.named_parameters())


def _entries(root: Module) -> list[Any]:
    """Return all that a state has: the parameters, then the buffers."""
    from adjoint.nn.state import Entry

    found = [Entry(name, "parameter", p) for name, p in _named_values(root)]
    for prefix, module in root.named_modules():
        for name, persistent in module._buffers.items():
            path = f"{prefix}.{name}" if prefix else name
            kind = "buffer" if persistent else "transient"
            if getattr(module, name) is not None:
                found.append(Entry(path, kind, getattr(module, name), module, name))
    return found


def _shapes(output: Any) -> str:
    if isinstance(output, (list, tuple)):
        return ", ".join(_shapes(x) for x in output)
    return str(tuple(getattr(output, "shape", ())))
