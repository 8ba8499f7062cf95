"""Optimizer: what every optimiser shares. A kind of optimiser is an update rule and the names of its buffers."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adjoint.backends import NUMPY, backend_of
from adjoint.errors import ArgumentError, ShapeError
from adjoint.floats import described
from adjoint.optim.groups import ParameterGroup, groups_of
from adjoint.optim.lots import Lot
from adjoint.optim.watching import Watch, watches
from adjoint.value import Value


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
        first, steps = 0, max([float(held.get("step", 0.0)) for held in state.values()], default=0.0)
        index: dict[int, int] = {}
        for group, saved in zip(self.param_groups, groups):
            for name, given in saved.items():
                if name in group and name != "params":
                    group[name] = given
            group.initial_lr = saved.get("initial_lr")
            index |= {id(p): first + i for i, p in enumerate(group.parameters)}
            first += len(group.parameters)
        self._clock.data = steps
        for group in self.param_groups:
            for lot in group.lots:
                self._load_lot(lot, group, [state.get(index[id(p)], {}) for p in lot.values])

    def _load_lot(self, lot: Lot, group: ParameterGroup, saved: list[Mapping[str, Any]]) -> None:
        steps = self._clock.data
        lot.missed = int(steps - float(saved[0].get("step", steps if saved[0] else 0.0)))
        data = lot.data()
        m: Any = backend_of(data)
        for name, start in self.buffers(group).items():
            empty = np.full(np.shape(lot.split(data)[0]), start)
            joined = lot.join([_plain(held.get(name, empty)) for held in saved])
            if joined.shape != tuple(data.shape):
                raise ShapeError(
                    f"the state of {self._name} does not fit: {name} has the shape {joined.shape}, the parameter "
                    f"{tuple(data.shape)}"
                )
            lot.buffers[name].data = m.astype(m.from_numpy(joined), data.dtype)

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
        return groups, {int(i): held for i, held in state_dict["state"].items()}


_TORCH_ONLY = ("initial_lr", "decoupled_weight_decay")


def _plain(x: Any) -> Any:
    """Return a number or an array of any library as NumPy's."""
    m = backend_of(x)
    return x if m is None else m.to_numpy(x)
