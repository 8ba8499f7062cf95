"""More learning-rate schedules: functions of the user, decays, and a cosine that starts again and again.

As in `schedules.py`, the rates are PyTorch's, and each is a formula of the number of steps.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from adjoint.engine import ops
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.schedules import ReduceLROnPlateau, Schedule, positive, select


class LambdaLR(Schedule):
    """Multiplies the rate by a function of the number of steps; a list has a function for each parameter group.

    >>> from adjoint import Value, optim
    >>> optim.rates_of(optim.LambdaLR(optim.SGD([Value(1.0)], lr=1.0), lambda step: 1 / (1 + step)), 3)
    [1.0, 0.5, 0.3333333333333333]
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]]):
        groups = len(getattr(optimizer, "param_groups", ()))
        given: Any = [lr_lambda] * groups if callable(lr_lambda) else lr_lambda
        if not isinstance(given, list) or not all(map(callable, given)) or len(given) != groups:
            raise ArgumentError(
                f"lr_lambda must be a function of the number of steps, or one for each of the {groups} groups, not "
                f"{describe(lr_lambda)}"
            )
        self.functions = given
        super().__init__(optimizer)

    def options_at(self, i, t):
        factor = self.functions[i](t)
        if isinstance(t, int) and not is_number(factor):
            raise ArgumentError(f"lr_lambda must return a factor of the rate, a number, not {describe(factor)}")
        initial = self.optimizer.param_groups[i].initial_lr
        return {"lr": (0.0 if initial is None else initial) * factor}


class ExponentialLR(Schedule):
    """Multiplies the rate by `gamma` after every step.

    >>> from adjoint import Value, optim
    >>> optim.rates_of(optim.ExponentialLR(optim.SGD([Value(1.0)], lr=1.0), gamma=0.5), 4)
    [1.0, 0.5, 0.25, 0.125]
    """

    def __init__(self, optimizer: Optimizer, gamma: float):
        self.gamma = positive("gamma", gamma)
        super().__init__(optimizer)

    def rate(self, t, base):
        return base * self.gamma**t


class MultiStepLR(Schedule):
    """Multiplies the rate by `gamma` at each of the milestones, which are numbers of steps.

    >>> from adjoint import Value, optim
    >>> optim.rates_of(optim.MultiStepLR(optim.SGD([Value(1.0)], lr=1.0), milestones=[1, 3], gamma=0.5), 5)
    [1.0, 0.5, 0.5, 0.25, 0.25]
    """

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1):
        self.milestones = [whole(milestone, "a milestone", 0) for milestone in milestones]
        self.gamma = positive("gamma", gamma)
        super().__init__(optimizer)

    def rate(self, t, base):
        for milestone in self.milestones:
            base = base * select(t >= milestone, self.gamma, 1.0)
        return base


class PolynomialLR(Schedule):
    """Lowers the rate to 0 in `total_iters` steps, as a power of the fraction that is left.

    >>> from adjoint import Value, optim
    >>> optim.rates_of(optim.PolynomialLR(optim.SGD([Value(1.0)], lr=1.0), total_iters=4, power=2.0), 6)
    [1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0):
        self.total_iters, self.power = whole(total_iters, "total_iters"), positive("power", power, or_zero=True)
        super().__init__(optimizer)

    def rate(self, t, base):
        return base * (1 - ops.minimum(t / self.total_iters, 1.0)) ** self.power


class CosineAnnealingWarmRestarts(Schedule):
    """Lowers the rate to `eta_min` as half a cosine, and starts again: after `T_0` steps, then `T_mult` times as many.

    >>> from adjoint import Value, optim
    >>> schedule = optim.CosineAnnealingWarmRestarts(optim.SGD([Value(1.0)], lr=1.0), T_0=2, T_mult=2)
    >>> [round(rate, 3) for rate in optim.rates_of(schedule, 7)]
    [1.0, 0.5, 1.0, 0.854, 0.5, 0.146, 1.0]
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0):
        self.T_0, self.T_mult = whole(T_0, "T_0"), whole(T_mult, "T_mult")
        self.eta_min = positive("eta_min", eta_min, or_zero=True)
        super().__init__(optimizer)

    def rate(self, t, base):
        length, begin = self.T_0, self.T_0 * (t // self.T_0)
        if self.T_mult > 1:
            # The number of restarts, from a geometric series; a tiny number keeps the rounding of log from missing one.
            parts = t / self.T_0 * (self.T_mult - 1) + 1
            power = self.T_mult ** ops.floor(ops.log(parts) / math.log(self.T_mult) + 1e-9)
            length, begin = self.T_0 * power, self.T_0 * (power - 1) / (self.T_mult - 1)
        return self.eta_min + (base - self.eta_min) * (1 + ops.cos(math.pi * (t - begin) / length)) / 2


class ChainedScheduler(Schedule):
    """Runs several schedules at the same time: their factors of the rate are multiplied.

    >>> from adjoint import Value, optim
    >>> optimizer = optim.SGD([Value(1.0)], lr=1.0)
    >>> parts = [optim.ConstantLR(optimizer, factor=0.1, total_iters=2), optim.ExponentialLR(optimizer, gamma=0.5)]
    >>> optim.rates_of(optim.ChainedScheduler(parts), 4)
    [0.1, 0.05, 0.25, 0.125]
    """

    def __init__(self, schedulers: Sequence[Schedule], optimizer: Optimizer | None = None):
        self.schedulers = list(schedulers)
        if not self.schedulers:
            raise ArgumentError("ChainedScheduler needs at least one schedule")
        for schedule in self.schedulers:
            if not isinstance(schedule, Schedule) or isinstance(schedule, ReduceLROnPlateau):
                raise ArgumentError(f"ChainedScheduler cannot contain {describe(schedule)}; give schedules of steps")
        owner = self.schedulers[0].optimizer if optimizer is None else optimizer
        for schedule in self.schedulers:
            if schedule.optimizer is not owner:
                raise ArgumentError(f"{schedule!r} belongs to another optimizer; create it with the same one")
        super().__init__(owner)

    def options_at(self, i, t):
        base: Any = self.optimizer.param_groups[i].initial_lr
        found: dict[str, Any] = {"lr": base}
        divisor = select(base > 0, base, 1.0)
        for schedule in self.schedulers:
            options = schedule.options_at(i, t)
            found |= options | {"lr": found["lr"] * options["lr"] / divisor}
        return found
