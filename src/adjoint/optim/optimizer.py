"""Optimizer: what every optimiser shares. A kind of optimiser is an update rule and the names of its buffers."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adjoint.arrays.backends import NUMPY, backend_of
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import described
from adjoint.optim.groups import ParameterGroup, groups_of
from adjoint.optim.parameter_arrays import Lot
from adjoint.optim.stale_gradients import Watch, watches


class Optimizer:
    """Updates parameters by their gradients.

    `parameters` are a list of Values, a model that has `parameters()`, or a list of groups, each a dictionary with
    "params" and options of its own. A subclass gives its options, its buffers and its rule:

    >>> class Descent(Optimizer):
    ...     def __init__(self, parameters, lr=0.1):
    ...         super().__init__(parameters, lr=lr)
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

    def __init__(self, parameters: Any, **options: Any):
        self._name, self._defaults = type(self).__name__, options
        self.param_groups = groups_of(parameters, options, self.buffers, self._name)
        self._require_distinct()
        self._clock = Value(0.0)  # a Value, so that jit carries it on
        watches[self] = Watch(self)

    # --- what a kind of optimiser is ---

    @staticmethod
    def buffers(options: Mapping[str, Any]) -> dict[str, float]:
        """Return the names of the arrays that are kept beside each parameter, and what they begin with."""
        return {}

    # The rule: returns new parameters and buffers, given parameters, gradient, the number of this step, and by name the
    # buffers and options. Arrays, except the gradient, may be changed in place by `-=` and the like; where they cannot
    # be, as while jit traces, the same text makes new ones.
    update: Callable[..., tuple[Any, dict[str, Any]]]

    # --- what a user does with it ---

    def step(self) -> None:
        """Update all parameters by their gradients; arrays that no `backward()` has reached stay as they are."""
        watch = watches.get(self)
        if watch:
            watch.before_step(self)
        self._clock.data += 1.0
        NUMPY.quietly(self._update_all)
        if watch:
            watch.after_step(self)

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to zero."""
        for group in self.param_groups:
            for parameter in group.parameters:
                parameter.zero_grad()

    def add_param_group(self, group: Mapping[str, Any]) -> None:
        """Update more parameters from now on: a dictionary with "params" and, where they differ, options."""
        new = groups_of([group], self._defaults, self.buffers, self._name)
        for lot in new[0].lots:
            lot.missed = int(self._clock.data)
        self.param_groups += new
        try:
            self._require_distinct()
        except ArgumentError:
            del self.param_groups[-1]
            raise

    @property
    def lr(self) -> float:
        """The learning rate: of the first group, if they differ. Assigning sets it for all groups."""
        return self.param_groups[0]["lr"]

    @lr.setter
    def lr(self, rate: float) -> None:
        for group in self.param_groups:
            group["lr"] = rate

    def _update_all(self) -> None:
        for group in self.param_groups:
            options = group.options()
            for lot in group.lots:
                g = lot.gradient()
                if g is None:
                    lot.missed += 1
                    continue
                buffers = {name: buffer.data for name, buffer in lot.buffers.items()}
                t = self._clock.data - lot.missed
                p, changed = self.update(lot.data(), g, t=t, **buffers, **options)
                lot.write(p)
                for name, array in changed.items():
                    if array is not buffers[name]:
                        lot.buffers[name].data = array

    def _require_distinct(self) -> None:
        seen: dict[int, str] = {}
        for i, group in enumerate(self.param_groups):
            for j, p in enumerate(group.parameters):
                place = f"parameter {j} of group {i}" if len(self.param_groups) > 1 else f"parameter {j}"
                if id(p) in seen:
                    raise ArgumentError(
                        f"{self._name} was given the same Value twice, as {seen[id(p)]} and as {place}: it would be "
                        "updated twice in each step; give it once"
                    )
                seen[id(p)] = place

    def __repr__(self) -> str:
        return f"{self._name}({'; '.join(map(repr, self.param_groups))})"

    # --- saving and resuming ---

    def state_dict(self) -> dict[str, Any]:
        """Return the options and all that is remembered, as plain numbers and NumPy arrays.

        The form is PyTorch's: parameters are counted through all groups.

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
            for lot in group.lots:
                parts = {name: lot.split(buffer.data) for name, buffer in lot.buffers.items()}
                for i, p in enumerate(lot.values):
                    held = {name: part[i] for name, part in parts.items()}
                    state[index[id(p)]] = {"step": self._clock.data - lot.missed} | held
        return {"state": dict(sorted(state.items())), "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on where another optimiser of the same kind and with the same parameters stood.

        A `state_dict` of PyTorch's optimiser of that name is understood as well.
        """
        groups, state = self._checked_state(state_dict)
        for group, saved in zip(self.param_groups, groups):
            for name, given in saved.items():
                if name in group and name != "params":
                    group[name] = given
            group.initial_lr = saved.get("initial_lr")
        index = {id(p): i for i, p in enumerate(self._parameters())}
        self._clock.data = max(map(_steps, state.values()), default=0.0)
        for group in self.param_groups:
            for lot in group.lots:
                self._load_lot(lot, group, [state.get(index[id(p)], {}) for p in lot.values])

    def _load_lot(self, lot: Lot, group: ParameterGroup, saved: list[Mapping[str, Any]]) -> None:
        lot.missed = int(self._clock.data - _steps(saved[0]))
        data = lot.data()
        m: Any = backend_of(data)
        for name, start in self.buffers(group).items():
            begin = [np.full(np.shape(part), start) for part in lot.split(data)]
            found = [held.get(name) for held in saved]
            joined = lot.join([x if part is None else _plain(part) for x, part in zip(begin, found)])
            lot.buffers[name].data = m.astype(m.from_numpy(joined), data.dtype)

    def _parameters(self) -> list[Any]:
        return [p for group in self.param_groups for p in group.parameters]

    def _checked_state(self, state_dict: Any) -> tuple[list[Mapping[str, Any]], dict[int, Mapping[str, Any]]]:
        if not isinstance(state_dict, Mapping) or not {"state", "param_groups"} <= state_dict.keys():
            raise ArgumentError(
                f"a state of {self._name} is a dictionary with 'state' and 'param_groups', as state_dict() gives it, "
                f"not {described(state_dict)}"
            )
        groups = list(state_dict["param_groups"])
        sizes, saved = [len(g.parameters) for g in self.param_groups], [len(g["params"]) for g in groups]
        if sizes != saved:
            raise ArgumentError(
                f"the state is of an optimiser with groups of {saved} parameters; this {self._name} has {sizes}"
            )
        for group in groups:
            for name, given in group.items():
                if name not in self.param_groups[0] and name not in _TORCH_ONLY and given not in (None, False):
                    raise ArgumentError(f"the state has the option {name}={given!r}, which {self._name} does not know")
        state = {int(i): held for i, held in state_dict["state"].items()}
        self._require_fitting(state)
        return groups, state

    def _require_fitting(self, state: Mapping[int, Mapping[str, Any]]) -> None:
        shapes = [tuple(getattr(p, "shape", ())) for p in self._parameters()]
        for i, held in state.items():
            if not 0 <= i < len(shapes):
                raise ArgumentError(f"the state has an entry for parameter {i}; this {self._name} has {len(shapes)}")
            for name, x in held.items():
                if name != "step" and x is not None and np.shape(_plain(x)) != shapes[i]:
                    raise ShapeError(
                        f"the state does not fit: {name} of parameter {i} has the shape {np.shape(_plain(x))}, the "
                        f"parameter {shapes[i]}"
                    )
        numbers = {_steps(state.get(i, {})) for i, p in enumerate(self._parameters()) if not hasattr(p, "shape")}
        if len(numbers) > 1:
            raise ArgumentError("the state has numbers after different counts of steps; here they are updated together")


_TORCH_ONLY = ("initial_lr", "decoupled_weight_decay")


def _steps(held: Mapping[str, Any]) -> float:
    """Return how many steps a parameter has seen; PyTorch's SGD does not count beyond the first."""
    return float(held.get("step", 1.0 if held else 0.0))


def _plain(x: Any) -> Any:
    """Return a number or an array of any library as NumPy's."""
    m = backend_of(x)
    return x if m is None else m.to_numpy(x)
