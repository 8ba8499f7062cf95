"""Optimizer: the base class of all optimizers. A subclass is an update rule and the names of its buffers."""

from collections.abc import Callable, Mapping
from typing import Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import array_code
from adjoint.arrays.scalars import quietly
from adjoint.engine.non_finite import has_warned, noted, warn_of_noted
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_number
from adjoint.optim.parameter_groups import (
    Options,
    ParameterGroup,
    Parameters,
    groups_of,
    ignore_options_of_speed,
    require_options,
)
from adjoint.optim.stale_gradients import GradientWatch, is_compiled, watches
from adjoint.optim.update_units import UpdateUnit


class Optimizer:
    """Updates parameters by their gradients.

    `parameters` is a list of Values, a model that has `parameters()`, or a list of groups. A group is a dictionary with
    "params" and the options that differ from the common ones. With `maximize`, steps increase the loss. `foreach`,
    `fused` and `capturable` select kernels in PyTorch: they are accepted and ignored, because they change no result.
    A subclass defines its options, buffers and rule:

    >>> from adjoint import Value, optim
    >>> class Descent(optim.Optimizer):
    ...     def __init__(self, params, lr=0.1):
    ...         super().__init__(params, lr=lr)
    ...
    ...     @staticmethod
    ...     def update(p, g, *, t, lr):
    ...         p -= lr * g
    ...         return p, {}
    >>> w = Value(1.0)
    >>> optimizer = Descent([w])
    >>> (w * w).backward()
    >>> optimizer.step()
    >>> w.data
    0.8
    """

    needs_closure = False  # whether a step computes the loss several times, by a function that is passed to `step`

    def __new__(cls, *arguments: Any, **options: Any) -> "Optimizer":
        require_options(cls, options)
        return super().__new__(cls)

    def __init__(
        self,
        parameters: Parameters,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        fused: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        **options: Any,
    ):
        self._name, options = type(self).__name__, options | {"maximize": maximize}
        ignore_options_of_speed(self._name, foreach, fused, capturable, differentiable)
        self._defaults = options | {"lr": None}
        self.param_groups = groups_of(parameters, options, self.buffers, self._name)
        self._default_lr = Value(float(options["lr"]))  # a Value, as each group has one
        self._require_distinct()
        self._clock = Value(0.0)  # the number of steps; a Value, so that jit updates it
        watches[self] = GradientWatch(self)
        has_warned.set(False)

    # --- defined by subclasses ---

    @staticmethod
    def buffers(options: Options) -> dict[str, float]:
        """Return the name and the initial value of each array that is kept for a parameter."""
        return {}

    # The rule returns new parameters and buffers, given the parameters, the gradient, the number of this step, and by
    # name the buffers and options. It may update all arrays except the gradient in place, such as by `-=`. For
    # arrays that are immutable, such as those that jit traces, the same code creates new ones.
    update: Callable[..., tuple[Any, dict[str, Any]]]

    # --- steps ---

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update all parameters by their gradients; arrays without a gradient stay unchanged.

        A `closure` is called first: a function that computes the gradients and returns the loss, which is returned.
        """
        loss = None if closure is None else closure()
        watch = watches.get(self)
        if watch:
            watch.before_step(self)
        if noted.get():
            units = [] if is_compiled(self) else [unit for group in self.param_groups for unit in group.units]
            warn_of_noted(self._name, [unit.gradient() for unit in units])
        self._clock.data += 1.0
        quietly(self._update_all)
        if watch:
            watch.after_step(self)
        return loss

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradient of every parameter to zero. PyTorch's argument `set_to_none` makes no difference here."""
        for group in self.param_groups:
            for parameter in group.parameters:
                parameter.zero_grad()

    def add_param_group(self, group: Options) -> None:
        """Add parameters: a dictionary with "params" and the options that differ from the common ones."""
        new = groups_of([group], self._defaults | {"lr": self._default_lr.data}, self.buffers, self._name)
        for unit in new[0].units:
            unit.missed = int(self._clock.data)
        self.param_groups += new
        try:
            self._require_distinct()
        except ArgumentError:
            del self.param_groups[-1]
            raise

    @property
    def lr(self) -> float:
        """The learning rate of the first group. Assigning sets it for all groups."""
        return self.param_groups[0]["lr"]

    @lr.setter
    def lr(self, rate: float) -> None:
        for group in self.param_groups:
            group["lr"] = rate

    def _update_all(self) -> None:
        for group in self.param_groups:
            options = group.options()
            is_uphill = options.pop("maximize")
            for unit in group.units:
                g = unit.gradient()
                if g is None:
                    unit.missed += 1
                    continue
                g = -g if is_uphill else g
                buffers = {name: unit.buffer(name) for name in unit.buffers}
                t = self._clock.data - unit.missed
                p, changed = self.update(unit.data(), g, t=t, **buffers, **options)
                unit.write(p)
                for name, array in changed.items():
                    unit.write_buffer(name, array)

    def _require_distinct(self) -> None:
        seen: dict[int, str] = {}
        for i, group in enumerate(self.param_groups):
            for j, p in enumerate(group.parameters):
                place = f"parameter {j} of group {i}" if len(self.param_groups) > 1 else f"parameter {j}"
                if id(p) in seen:
                    raise ArgumentError(
                        f"{self._name} got the same Value twice, as {seen[id(p)]} and as {place}, and would update it "
                        "twice in each step; give it once"
                    )
                seen[id(p)] = place

    def __repr__(self) -> str:
        return f"{self._name}({'; '.join(map(repr, self.param_groups))})"

    # --- saving and resuming ---

    def state_dict(self) -> dict[str, Any]:
        """Return the options and buffers as plain numbers and NumPy arrays.

        The structure is PyTorch's: parameters are numbered across all groups.

        >>> from adjoint.optim import SGD
        >>> w = Value(3.0)
        >>> optimizer = SGD([w], lr=0.1, momentum=0.9)
        >>> (w * w).backward()
        >>> optimizer.step()
        >>> optimizer.state_dict()["state"]
        {0: {'step': 1.0, 'momentum_buffer': 6.0}}
        """
        state: dict[int, dict[str, Any]] = {}
        groups, first = [], 0
        for group in self.param_groups:
            index = {id(p): first + i for i, p in enumerate(group.parameters)}
            first += len(index)
            groups.append({**group.options(), "params": list(index.values())})
            if group.initial_lr is not None:
                groups[-1]["initial_lr"] = group.initial_lr
            for unit in group.units:
                parts = {name: unit.saved_buffer(name) for name in unit.buffers}
                for i, p in enumerate(unit.values):
                    held = {name: part[i] for name, part in parts.items()}
                    state[index[id(p)]] = {"step": self._clock.data - unit.missed} | held
        return {"state": dict(sorted(state.items())), "param_groups": groups}

    def load_state_dict(self, state_dict: Options) -> None:
        """Load the state of an optimizer of the same class and with the same parameters.

        A `state_dict` of PyTorch's optimizer of the same name is accepted too.
        """
        groups, state = self._check_state(state_dict)
        for group, saved in zip(self.param_groups, groups):
            for name, given in saved.items():
                if name in group and name != "params":
                    group[name] = given
            group.initial_lr = saved.get("initial_lr")
        index = {id(p): i for i, p in enumerate(self._parameters())}
        self._clock.data = max(map(_steps, state.values()), default=0.0)
        for group in self.param_groups:
            for unit in group.units:
                self._load_unit(unit, group, [state.get(index[id(p)], {}) for p in unit.values])

    def _load_unit(self, unit: UpdateUnit, group: ParameterGroup, saved: list[Options]) -> None:
        unit.missed = int(self._clock.data - _steps(saved[0]))
        for name, start in self.buffers(group).items():
            found = [held.get(name) for held in saved]
            unit.load_buffer(name, [start if part is None else _plain(part) for part in found])

    def _parameters(self) -> list[Value]:
        return [p for group in self.param_groups for p in group.parameters]

    def _check_state(self, state_dict: object) -> tuple[list[Options], dict[int, Options]]:
        if not isinstance(state_dict, Mapping) or not {"state", "param_groups"} <= state_dict.keys():
            raise ArgumentError(
                f"{self._name} needs a state with 'state' and 'param_groups', as state_dict() returns it, not "
                f"{describe(state_dict)}"
            )
        groups = list(state_dict["param_groups"])
        sizes, saved = [len(g.parameters) for g in self.param_groups], [len(g["params"]) for g in groups]
        if sizes != saved:
            raise ArgumentError(
                f"the state has groups of {saved} parameters, but this {self._name} has {sizes}; use the same model"
            )
        for group in groups:
            for name, given in group.items():
                if name not in self.param_groups[0] and name not in _TORCH_ONLY and given not in (None, False):
                    raise ArgumentError(f"the state has the option {name}={given!r}, which {self._name} does not have")
        state = {int(i): held for i, held in state_dict["state"].items()}
        self._require_fitting(state)
        return groups, state

    def _require_fitting(self, state: Mapping[int, Options]) -> None:
        shapes = [tuple(getattr(p, "shape", ())) for p in self._parameters()]
        for i, held in state.items():
            if not 0 <= i < len(shapes):
                raise ArgumentError(
                    f"the state has an entry for parameter {i}, but this {self._name} has {len(shapes)} parameters"
                )
            for name, x in held.items():
                # PyTorch keeps some buffers, such as those of NAdam, as one number for a whole array.
                if name != "step" and x is not None and shape_of(_plain(x)) not in ((), shapes[i]):
                    raise ShapeError(
                        f"the state does not fit: {name} of parameter {i} has shape {shape_of(_plain(x))}, but the "
                        f"parameter has {shapes[i]}"
                    )
        numbers = {_steps(state.get(i, {})) for i, p in enumerate(self._parameters()) if not p._is_array}
        if len(numbers) > 1:
            raise ArgumentError(
                "the state has scalar parameters with different numbers of steps, but adjoint updates them together"
            )


_TORCH_ONLY = ("initial_lr", "decoupled_weight_decay", "foreach", "fused", "capturable")


def _steps(held: Options) -> float:
    """Return the number of steps of a parameter; PyTorch's SGD does not count beyond the first."""
    return float(held.get("step", 1.0 if held else 0.0))


def _plain(x: object) -> Any:
    """Return an array of any library as a NumPy array, and a number or a tensor of a file unchanged."""
    if is_number(x) or getattr(x, "is_stored", False):
        return x

    m = array_code("backends").backend_of(x)
    return x if m is None else m.to_numpy(x)
