"""Learning-rate schedules.

    schedule = CosineAnnealingLR(optimizer, T_max=100)
    for _ in range(100):
        …                     # a step of the optimizer
        schedule.step()       # a step of the schedule

The rates are those of the classes of the same names in `torch.optim.lr_scheduler`. Each is a formula of the number
of steps, so a schedule can start anywhere and one can follow another. A schedule may step inside a compiled function or
outside of it: the rate is an input of the program, so a new rate does not compile it again. Inside, the number of steps
is not known while the function is traced. The formulas therefore use `where` instead of `if`.
"""

import math
from collections.abc import Sequence
from typing import Any

from adjoint.arrays.functions.choosing import where
from adjoint.arrays.kinds import array_code
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, is_traced, whole
from adjoint.optim.optimizer import Optimizer


class Schedule:
    """The base class of schedules. They set the rate of each group on creation and at each step.

    >>> from adjoint import Value, optim
    >>> class Halving(optim.Schedule):
    ...     def rate(self, t, base):
    ...         return base / 2**t
    >>> optim.rates_of(Halving(optim.SGD([Value(1.0)], lr=8.0)), 4)
    [8.0, 4.0, 2.0, 1.0]
    """

    def __init__(self, optimizer: Optimizer):
        if not isinstance(optimizer, Optimizer):
            raise ArgumentError(f"{type(self).__name__} needs an optimizer, not {describe(optimizer)}")
        self.optimizer, self.count = optimizer, 0
        for group in optimizer.param_groups:
            if group.initial_lr is None:
                group.initial_lr = group["lr"]
        self._set_all()

    def rate(self, t: int, base: float) -> float:
        """Return the rate after `t` steps of a group that started with the rate `base`; subclasses override it."""
        return base

    def options_at(self, i: int, t: int) -> dict[str, Any]:
        """Return the options of a group that the schedule sets after `t` steps."""
        initial = self.optimizer.param_groups[i].initial_lr
        return {"lr": self.rate(t, 0.0 if initial is None else initial)}

    def _set_all(self) -> None:
        for i, group in enumerate(self.optimizer.param_groups):
            group.update(self.options_at(i, self.count))

    def step(self) -> None:
        """Set the next rate."""
        self.count += 1
        self._set_all()

    @property
    def rates(self) -> list[float]:
        """The current rate of each group."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_last_lr(self) -> list[float]:
        """Return the current rate of each group, as in PyTorch."""
        return self.rates

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the schedule as plain numbers. The initial rate is in the state of the optimizer."""
        return {"count": self.count}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Load the state of a schedule of the same class. Load the state of the optimizer first."""
        if not isinstance(state, dict) or state.keys() != self.state_dict().keys():
            raise ArgumentError(
                f"{type(self).__name__} needs a state with the keys {list(self.state_dict())}, not {describe(state)}"
            )
        for name, content in state.items():
            setattr(self, name, content)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(step {self.count}, {', '.join(f'lr={rate:g}' for rate in self.rates)})"


class ConstantLR(Schedule):
    """Multiplies the rate by `factor` for the first `total_iters` steps.

    >>> from adjoint import Value, optim
    >>> schedule = optim.ConstantLR(optim.SGD([Value(1.0)], lr=1.0), factor=0.5, total_iters=2)
    >>> optim.rates_of(schedule, 4)
    [0.5, 0.5, 1.0, 1.0]
    """

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5):
        self.factor, self.total_iters = positive("factor", factor), whole(total_iters, "total_iters")
        super().__init__(optimizer)

    def rate(self, t, base):
        return base * select(t < self.total_iters, self.factor, 1.0)


class StepLR(Schedule):
    """Multiplies the rate by `gamma` after every `step_size` steps.

    >>> from adjoint import Value, optim
    >>> optim.rates_of(optim.StepLR(optim.SGD([Value(1.0)], lr=1.0), step_size=2, gamma=0.5), 5)
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1):
        self.step_size, self.gamma = whole(step_size, "step_size"), positive("gamma", gamma)
        super().__init__(optimizer)

    def rate(self, t, base):
        return base * self.gamma ** (t // self.step_size)


class LinearLR(Schedule):
    """Multiplies the rate by a factor that changes linearly from `start_factor` to `end_factor` in `total_iters` steps.

    >>> from adjoint import Value, optim
    >>> optim.rates_of(optim.LinearLR(optim.SGD([Value(1.0)], lr=1.0), 1.0, 0.0, total_iters=4), 6)
    [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]
    """

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1 / 3, end_factor: float = 1.0, total_iters: int = 5
    ):
        self.start_factor = positive("start_factor", start_factor, or_zero=True)
        self.end_factor = positive("end_factor", end_factor, or_zero=True)
        self.total_iters = whole(total_iters, "total_iters")
        super().__init__(optimizer)

    def rate(self, t, base):
        progress = ops.minimum(t / self.total_iters, 1.0)
        return base * (self.start_factor + (self.end_factor - self.start_factor) * progress)


class WarmupLR(LinearLR):
    """Raises the rate linearly from `start_factor` times the rate to the rate; often followed by another schedule.

    >>> from adjoint import Value, optim
    >>> optim.rates_of(optim.WarmupLR(optim.SGD([Value(1.0)], lr=1.0), 2), 4)
    [0.0, 0.5, 1.0, 1.0]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int, start_factor: float = 0.0):
        super().__init__(optimizer, start_factor, 1.0, total_iters)


class CosineAnnealingLR(Schedule):
    """Lowers the rate to `eta_min` in `T_max` steps, as half a cosine.

    >>> from adjoint import Value, optim
    >>> schedule = optim.CosineAnnealingLR(optim.SGD([Value(1.0)], lr=1.0), T_max=4)
    >>> [round(rate, 3) for rate in optim.rates_of(schedule, 5)]
    [1.0, 0.854, 0.5, 0.146, 0.0]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0):
        self.T_max, self.eta_min = whole(T_max, "T_max"), positive("eta_min", eta_min, or_zero=True)
        super().__init__(optimizer)

    def rate(self, t, base):
        return self.eta_min + (base - self.eta_min) * (1 + ops.cos(math.pi * t / self.T_max)) / 2


class SequentialLR(Schedule):
    """Runs several schedules one after the other: at each milestone the next one starts.

    >>> from adjoint import Value, optim
    >>> optimizer = optim.SGD([Value(1.0)], lr=1.0)
    >>> warmup, cosine = optim.WarmupLR(optimizer, 2), optim.CosineAnnealingLR(optimizer, 4)
    >>> schedule = optim.SequentialLR(optimizer, [warmup, cosine], milestones=[2])
    >>> [round(rate, 3) for rate in optim.rates_of(schedule, 7)]
    [0.0, 0.5, 1.0, 0.854, 0.5, 0.146, 0.0]
    """

    def __init__(self, optimizer: Optimizer, schedulers: Sequence[Schedule], milestones: Sequence[int]):
        self.schedulers, self.milestones = list(schedulers), [whole(m, "a milestone") for m in milestones]
        if len(self.milestones) != len(self.schedulers) - 1 or self.milestones != sorted(set(self.milestones)):
            raise ArgumentError(
                f"{len(self.schedulers)} schedules need {len(self.schedulers) - 1} milestones in increasing order, not "
                f"{describe(milestones)}"
            )
        for schedule in self.schedulers:
            if not isinstance(schedule, Schedule) or isinstance(schedule, ReduceLROnPlateau):
                raise ArgumentError(f"SequentialLR cannot contain {describe(schedule)}; give schedules of steps")
            if schedule.optimizer is not optimizer:
                raise ArgumentError(f"{schedule!r} belongs to another optimizer; create it with the same one")
        super().__init__(optimizer)

    def options_at(self, i, t):
        starts = [0, *self.milestones]
        if isinstance(t, int):
            k = sum(t >= milestone for milestone in self.milestones)
            return self.schedulers[k].options_at(i, t - starts[k])
        group, found = self.optimizer.param_groups[i], self.schedulers[0].options_at(i, t)
        for schedule, start in zip(self.schedulers[1:], starts[1:]):
            later = schedule.options_at(i, t - start)
            names = dict.fromkeys([*found, *later])
            found = {
                name: select(t >= start, later.get(name, group[name]), found.get(name, group[name])) for name in names
            }
        return found


class OneCycleLR(Schedule):
    """Raises the rate from `max_lr / div_factor` to `max_lr`, then lowers it to nearly 0, in `total_steps` steps.

    With `cycle_momentum`, the momentum (or the first of the betas) changes in the opposite direction. The options are
    PyTorch's. A step beyond `total_steps` raises an error; inside a compiled function it keeps the last rate.

    >>> from adjoint import Value, optim
    >>> schedule = optim.OneCycleLR(optim.SGD([Value(1.0)], momentum=0.9), max_lr=1.0, total_steps=11)
    >>> [round(rate, 3) for rate in optim.rates_of(schedule, 11)]
    [0.04, 0.422, 0.96, 0.98, 0.884, 0.726, 0.531, 0.33, 0.157, 0.041, 0.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int,
        *,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
    ):
        given = list(max_lr) if isinstance(max_lr, Sequence) else [max_lr] * len(optimizer.param_groups)
        if len(given) != len(optimizer.param_groups):
            raise ArgumentError(f"max_lr has {len(given)} rates for {len(optimizer.param_groups)} parameter groups")
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(f"anneal_strategy must be 'cos' or 'linear', not {describe(anneal_strategy)}")
        if not 0 <= pct_start <= 1:
            raise ArgumentError(f"pct_start must be a fraction of all steps, from 0 to 1, not {describe(pct_start)}")
        self._momentum = next((name for name in ("momentum", "betas") if name in optimizer.param_groups[0]), "")
        if cycle_momentum and not self._momentum:
            raise ArgumentError(f"{type(optimizer).__name__} has no momentum to cycle; use cycle_momentum=False")
        self.total_steps, self.cycle_momentum = whole(total_steps, "total_steps"), cycle_momentum
        self._anneal = _cosine_between if anneal_strategy == "cos" else _linear_between
        up, last = pct_start * total_steps - 1, total_steps - 1
        self._ends = [up, 2 * up, last] if three_phase else [up, last]  # the last step of each phase
        self._rates = []  # for each group the rates at the ends of the phases
        for top in (positive("max_lr", rate) for rate in given):
            low = top / positive("div_factor", div_factor)
            between = [low, top, low] if three_phase else [low, top]
            self._rates.append([*between, low / positive("final_div_factor", final_div_factor)])
        self._momenta = [max_momentum, base_momentum, max_momentum, max_momentum]
        super().__init__(optimizer)

    def options_at(self, i, t):
        if isinstance(t, int) and t > self.total_steps:
            raise ArgumentError(f"the cycle has total_steps={self.total_steps}, but this would be step {t}")
        found: dict[str, Any] = {"lr": self._along(self._rates[i], t)}
        if self.cycle_momentum:
            momentum = self._along(self._momenta, t)
            betas = self.optimizer.param_groups[i].get("betas")
            found[self._momentum] = momentum if betas is None else (momentum, betas[1])
        return found

    def _along(self, between: list[float], t: int) -> Any:
        found = None
        for k in reversed(range(len(self._ends))):
            begin, end = self._ends[k - 1] if k else 0, self._ends[k]
            progress = ops.minimum((t - begin) / (end - begin), 1.0) if end > begin else 1.0
            here = self._anneal(between[k], between[k + 1], progress)
            found = here if found is None else select(t <= end, here, found)
        return found


def _cosine_between(start: float, end: float, progress: float) -> float:
    return end + (start - end) * (1 + ops.cos(math.pi * progress)) / 2


def _linear_between(start: float, end: float, progress: float) -> float:
    return start + (end - start) * progress


class ReduceLROnPlateau(Schedule):
    """Multiplies the rate by `factor` when a metric has not improved for more than `patience` steps.

    >>> from adjoint import Value, optim
    >>> schedule = optim.ReduceLROnPlateau(optim.SGD([Value(1.0)], lr=1.0), factor=0.5, patience=1)
    >>> for loss in [3.0, 2.0, 2.0, 2.0]:
    ...     schedule.step(loss)
    >>> schedule.rates
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        *,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0.0,
        eps: float = 1e-8,
    ):
        if mode not in ("min", "max"):
            raise ArgumentError(f"mode must be 'min' or 'max', not {describe(mode)}")
        if threshold_mode not in ("rel", "abs"):
            raise ArgumentError(f"threshold_mode must be 'rel' or 'abs', not {describe(threshold_mode)}")
        if not (is_number(factor) and 0 < factor < 1):
            raise ArgumentError(f"factor must be a number between 0 and 1, not {describe(factor)}")
        self.mode, self.factor, self.min_lr = mode, factor, positive("min_lr", min_lr, or_zero=True)
        self.patience, self.cooldown = whole(patience, "patience", 0), whole(cooldown, "cooldown", 0)
        self.threshold, self.threshold_mode, self.eps = threshold, threshold_mode, eps
        self._best = Value(math.inf if mode == "min" else -math.inf)  # a Value, so that jit updates it
        self.bad = self.cooling = 0
        super().__init__(optimizer)

    def _set_all(self) -> None:
        pass  # the rate depends on the metric, not on the number of steps

    def step(self, metric: float | Value | None = None) -> None:
        """Record the metric, a number or a Value, and lower the rate if it has stopped improving."""
        if metric is None:
            raise ArgumentError("ReduceLROnPlateau needs the metric: schedule.step(loss)")
        reached = _number(metric)
        self.count += 1
        is_better = self._is_better(reached)
        self.best = select(is_better, reached, self.best)
        is_cooling = self.cooling > 0
        bad = select(is_cooling, 0, select(is_better, 0, self.bad + 1))
        cooling = select(is_cooling, self.cooling - 1, self.cooling)
        is_stuck = bad > self.patience
        for group in self.optimizer.param_groups:
            lower = ops.maximum(group["lr"] * self.factor, self.min_lr)
            is_lowered = is_stuck & (group["lr"] - lower > self.eps)
            group["lr"] = select(is_lowered, lower, group["lr"])
        self.cooling, self.bad = select(is_stuck, self.cooldown, cooling), select(is_stuck, 0, bad)

    @property
    def best(self) -> float:
        """The best metric so far."""
        return self._best.data

    @best.setter
    def best(self, metric: float) -> None:
        self._best.data = metric

    def _is_better(self, metric: float) -> bool:
        margin = -self.threshold if self.mode == "min" else self.threshold
        bound = self.best * (1 + margin) if self.threshold_mode == "rel" else self.best + margin
        return metric < bound if self.mode == "min" else metric > bound

    def state_dict(self):
        return {"count": self.count, "best": self.best, "bad": self.bad, "cooling": self.cooling}


def rates_of(schedule: Schedule, steps: int) -> list[float]:
    """Return the rates of the first group for a number of steps, to plot a schedule. It advances the schedule.

    >>> from adjoint import Value, optim
    >>> optimizer = optim.SGD([Value(1.0)], lr=1.0)
    >>> optim.rates_of(optim.StepLR(optimizer, step_size=2, gamma=0.5), 5)
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """
    rates = []
    for _ in range(steps):
        rates.append(schedule.rates[0])
        schedule.step()
    return rates


def select(condition: Any, x: Any, z: Any) -> Any:
    """Return one of two settings, each a number or a pair of numbers."""
    if isinstance(x, tuple):
        return tuple(select(condition, a, b) for a, b in zip(x, z))
    return where(condition, x, z)


def _number(metric: Any) -> Any:
    """Return a metric as a float; as it is, if jit traces and its number is not known."""
    data = metric.data if isinstance(metric, Value) else metric
    if is_traced(data):
        return data
    if is_number(data):
        return float(data)

    m = array_code("backends").backend_of(data)
    return data if m is not None and m.is_traced(data) else float(metric)


def positive(name: str, given: float, or_zero: bool = False) -> float:
    """Return an option of a schedule as a float; raise if it is not above 0."""
    if not is_number(given) or not (given > 0 or (or_zero and given == 0)) or math.isinf(given):
        raise ArgumentError(f"{name} must be a number {'of at least' if or_zero else 'above'} 0, not {describe(given)}")
    return float(given)
