"""Parameter groups: the Values that an optimizer updates, and the options of their updates."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from math import inf
from typing import Any, Protocol, TypedDict, Unpack

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_array, is_number, is_traced, number, switch, whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.optim.update_units import UpdateUnit, units_of

Options = Mapping[str, Any]  # by name: numbers, pairs of numbers and switches
Buffers = Callable[[Options], dict[str, float]]


class HasParameters(Protocol):
    """A model: an `nn.Module`, or any object with `parameters()`."""

    def parameters(self) -> Iterable[Value]: ...


Parameters = Iterable[Value] | Iterable[Options] | HasParameters


class CommonOptions(TypedDict, total=False):
    """The options of every optimizer but LBFGS; the last four are accepted for PyTorch's sake, see `Optimizer`."""

    maximize: bool
    foreach: bool | None
    fused: bool | None
    capturable: bool
    differentiable: bool


class ParameterGroup(MutableMapping[str, Any]):
    """A mapping of the options of some parameters: `group["lr"] = 0.01`, `group["params"]`.

    >>> from adjoint.optim import SGD
    >>> group, = SGD([Value(1.0)], lr=0.1).param_groups
    >>> group["lr"] = 0.05
    >>> group["lr"], group["momentum"]
    (0.05, 0.0)
    """

    def __init__(self, parameters: list[Value], options: Options, buffers: Buffers):
        self.parameters, self._buffers = parameters, buffers
        self.units: list[UpdateUnit] = units_of(parameters)
        options = {name: check_option(name, given) for name, given in options.items()}
        # Values, so that a compiled program takes the rates as inputs, and is not compiled again for a new rate.
        self._lr = Value(options["lr"])
        self._initial_lr: Value | None = None
        self._options = {name: given for name, given in options.items() if name != "lr"}
        self._add_buffers()

    def _add_buffers(self) -> None:
        # An option that jit traces is not zero: a rule that needs it needs its buffers.
        options = {name: 1.0 if _is_unknown(given) else given for name, given in self._options.items()}
        for name, start in self._buffers(options).items():
            for unit in self.units:
                unit.add_buffer(name, start)

    @property
    def initial_lr(self) -> float | None:
        """The rate at which a schedule starts; None before the first schedule."""
        return None if self._initial_lr is None else self._initial_lr.data

    @initial_lr.setter
    def initial_lr(self, rate: float | None) -> None:
        self._initial_lr = None if rate is None else Value(rate)

    def options(self) -> dict[str, Any]:
        """Return the current options."""
        return {"lr": self._lr.data, **self._options}

    def __getitem__(self, name: str) -> Any:
        if name == "lr":
            return self._lr.data
        return self.parameters if name == "params" else self._options[name]

    def __setitem__(self, name: str, given: Any) -> None:
        if name == "lr":
            self._lr.data = check_option(name, given)
            return
        if name not in self._options:
            raise unknown_name_error("option", name, ["lr", *self._options])
        self._options[name] = check_option(name, given)
        self._add_buffers()

    def __delitem__(self, name: str) -> None:
        raise ArgumentError(f"cannot delete the option {name!r} of a parameter group; assign to it instead")

    def __iter__(self) -> Iterator[str]:
        yield from ("params", "lr", *self._options)

    def __len__(self) -> int:
        return 2 + len(self._options)

    def __repr__(self) -> str:
        seldom = ("maximize", "amsgrad")  # shown only where they are used
        options = {name: given for name, given in self.options().items() if given or name not in seldom}
        shown = ", ".join(f"{name}={given!r}" for name, given in options.items())
        count = len(self.parameters)
        return f"{shown}, {count} parameter{'s' * (count != 1)}"


# --- options ---

_RANGES = {  # the minimum, and the bound that the option must stay below
    "lr": (0.0, inf),
    "momentum": (0.0, inf),
    "dampening": (-inf, inf),
    "weight_decay": (0.0, inf),
    "eps": (0.0, inf),
    "betas": (0.0, 1.0),
    "rho": (0.0, 1.0),
    "momentum_decay": (0.0, inf),
    "etas": (0.0, inf),
    "step_sizes": (0.0, inf),
    "ns_coefficients": (-inf, inf),
    "tolerance_grad": (0.0, inf),
    "tolerance_change": (0.0, inf),
    "alpha": (0.0, 1.0),
    "lr_decay": (0.0, inf),
    "initial_accumulator_value": (0.0, inf),
}
_TUPLES = {  # an example of each option that is a tuple of numbers
    "betas": (0.9, 0.999),
    "etas": (0.5, 1.2),
    "step_sizes": (1e-6, 50.0),
    "ns_coefficients": (3.4445, -4.775, 2.0315),
}
_COUNTS = ("ns_steps", "max_iter", "max_eval", "history_size")
_CHOICES: dict[str, tuple[str | None, ...]] = {
    "adjust_lr_fn": ("original", "match_rms_adamw", None),
    "line_search_fn": ("strong_wolfe", None),
}


def check_option(name: str, given: Any) -> Any:
    """Return an option as floats; raise if its value is not allowed."""
    if name in _COUNTS:
        return whole(given, name)
    if name in _CHOICES:
        if given not in _CHOICES[name]:
            raise ArgumentError(f"{name} must be {' or '.join(map(repr, _CHOICES[name]))}, not {describe(given)}")
        return given
    if name not in _RANGES:
        return switch(given, name)
    if name in _TUPLES:
        size = len(_TUPLES[name])
        if not isinstance(given, (tuple, list)) or len(given) != size:
            what = "a pair" if size == 2 else f"{size} numbers"
            raise ArgumentError(f"{name} must be {what} such as {_TUPLES[name]}, not {describe(given)}")
        return tuple(_number(f"each of {name}", part, *_RANGES[name]) for part in given)
    return _number("the learning rate lr" if name == "lr" else name, given, *_RANGES[name])


_OTHER_NAMES = {  # of other libraries
    "learning_rate": "lr",
    "beta_1": "betas",
    "beta_2": "betas",
    "beta1": "betas",
    "beta2": "betas",
    "b1": "betas",
    "b2": "betas",
    "epsilon": "eps",
    "rho": "alpha",
    "decay": "weight_decay",
    "l2": "weight_decay",
    "parameters": "params",
}


def require_options(kind: type, options: Options) -> None:
    """Raise an error for an option that an optimizer does not have: it names ours."""
    parameters = inspect.signature(kind.__init__).parameters
    known = [name for name, parameter in parameters.items() if parameter.kind is not parameter.VAR_KEYWORD]
    for parameter in parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            if parameter.annotation != Unpack[CommonOptions]:
                return  # of a subclass that passes on what it is given
            known += CommonOptions.__annotations__
    for name in options:
        if name not in known:
            if _OTHER_NAMES.get(name) in known:
                raise ArgumentError(f"{kind.__name__} has no option {name!r}; here it is called {_OTHER_NAMES[name]!r}")
            raise unknown_name_error(f"option of {kind.__name__}", name, known[2:])


def ignore_options_of_speed(who: str, foreach: Any, fused: Any, capturable: Any, differentiable: Any) -> None:
    """Check options of PyTorch that change no result, and the one that does: `differentiable=True` is refused."""
    for name, given in {"foreach": foreach, "fused": fused, "capturable": capturable}.items():
        if given is not None:
            switch(given, name)
    if differentiable:
        raise ArgumentError(
            f"{who} does not differentiate its steps, as differentiable=True asks; write the update as a function of "
            "the parameters, and take its gradient with adjoint.grad"
        )


def _is_unknown(given: object) -> bool:
    """Return whether an option was computed inside jit, so that its number is not known."""
    return is_traced(given) or (is_array(given) and not isinstance(given, Value))


def _number(name: str, given: Any, least: float, bound: float) -> Any:
    if _is_unknown(given) and not getattr(given, "shape", ()):
        return given
    if not is_number(given) or isinstance(given, bool):
        raise ArgumentError(f"{name} must be a number, not {describe(given)}")
    given = number(given, name)
    if not (least <= given < bound and -inf < given):
        wanted = "finite" if bound == inf else f"below {bound:g}"
        wanted = wanted if least == -inf else f"at least {least:g} and {wanted}"
        raise ArgumentError(f"{name} must be {wanted}, not {given}")
    return given


# --- parameters ---


def parameters_of(given: Any, who: str) -> list[Value]:
    """Return the Values of a list, or of a model that has `parameters()`; raise if they are not leaves."""
    if isinstance(given, Value):
        raise ArgumentError(f"{who} needs a list of parameters; for a single one write [{given.label or 'w'}]")
    if isinstance(given, type):
        raise ArgumentError(f"{who} got the class {given.__name__}; create an object of it: {given.__name__}(…)")
    if hasattr(given, "parameters"):
        if "parameters" in getattr(given, "__dict__", ()) and hasattr(type(given), "parameters"):
            raise ArgumentError(
                f"{type(given).__name__} has an attribute `parameters`, which hides the method parameters() of its "
                "class; give it another name, such as `layers`, in __init__"
            )
        given = given.parameters()
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise ArgumentError(
            f"{who} needs a list of Values, a list of parameter groups, or a model, not {describe(given)}"
        )
    parameters = list(given)
    for i, p in enumerate(parameters):
        if not isinstance(p, Value):
            raise ArgumentError(f"parameter {i} of {who} must be a Value, not {describe(p)}; write Value(…)")
        if p.parents:
            raise ArgumentError(
                f"parameter {i} of {who}, {p!r}, was computed by {p.op!r}, but parameters must be leaves; use .detach()"
            )
    return parameters


def groups_of(given: Parameters, defaults: Options, buffers: Buffers, who: str) -> list[ParameterGroup]:
    """Return the parameter groups of an optimizer; options that a group does not set are the common ones."""
    entries: list[Any] = list(given) if isinstance(given, (list, tuple)) else [given]
    if not (entries and all(isinstance(entry, Mapping) for entry in entries)):
        if any(isinstance(entry, Mapping) for entry in entries):
            raise ArgumentError(f"{who} cannot mix parameter groups and Values; put the Values into a group")
        entries = [{"params": given}]
    groups = []
    for entry in entries:
        if "params" not in entry:
            raise ArgumentError(f"a parameter group of {who} needs 'params', a list of Values, not only {list(entry)}")
        for name in entry:
            if name not in ("params", *defaults):
                raise unknown_name_error(f"option of {who}", name, defaults)
        options = dict(defaults) | {name: x for name, x in entry.items() if name != "params"}
        parameters = parameters_of(entry["params"], who)
        if not parameters:
            raise ArgumentError(
                f"{who} got no parameters; check that the layers of the model are in attributes of self"
            )
        groups.append(ParameterGroup(parameters, options, buffers))
    return groups
