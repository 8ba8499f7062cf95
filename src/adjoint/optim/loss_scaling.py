"""LossScaler: training in float16, whose smallest gradients would be rounded to zero."""

from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any

from adjoint.arrays.backends import common_backend
from adjoint.arrays.scalars import mathematics_of, quietly
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.update_units import UpdateUnit


class LossScaler:
    """Multiplies the loss before the backward pass, and divides the gradients again before the step of the optimizer.

    Products in float16 round gradients below 6e-8 to zero; a scale moves them into its range. A scale that is too large
    makes gradients infinite: then `step` changes nothing, and `update` multiplies the scale by `backoff_factor`. After
    `growth_interval` finite steps in a row, `update` multiplies it by `growth_factor`. Names and defaults are those of
    PyTorch's `GradScaler`. bfloat16, with the range of float32, needs no scale.

    >>> import numpy as np
    >>> from adjoint import Value, jit, optim
    >>> w = Value(np.ones((2, 1), np.float32))
    >>> optimizer, scaler = optim.SGD([w], lr=0.1), optim.LossScaler()
    >>> @jit(precision="float16")
    ... def step(x):
    ...     loss = (x @ w).astype("float32").square().mean()
    ...     optimizer.zero_grad()
    ...     scaler.scale(loss).backward()
    ...     scaler.step(optimizer)
    ...     scaler.update()
    ...     return loss
    >>> losses = [float(step(np.ones((4, 2), np.float32))) for _ in range(5)]
    >>> losses[:4], round(losses[4], 2), scaler
    ([4.0, 4.0, 4.0, 4.0], 1.44, LossScaler(scale 8192, 3 steps skipped))

    Three steps were skipped, because the gradient of `w`, 4, times the scale was more than the largest float16, 65504.
    """

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
    ):
        if not is_number(init_scale) or not 0 < init_scale < float("inf"):
            raise ArgumentError(f"LossScaler: init_scale must be a number above 0, not {describe(init_scale)}")
        if not is_number(growth_factor) or not growth_factor >= 1:
            raise ArgumentError(f"LossScaler: growth_factor must be at least 1, not {describe(growth_factor)}")
        if not is_number(backoff_factor) or not 0 < backoff_factor < 1:
            raise ArgumentError(f"LossScaler: backoff_factor must be between 0 and 1, not {describe(backoff_factor)}")
        self.growth_factor, self.backoff_factor = float(growth_factor), float(backoff_factor)
        self.growth_interval = whole(growth_interval, "LossScaler: growth_interval")
        # Values, so that jit updates them: the scale, the finite steps since it changed, and the skipped steps
        self._scale, self._finite_steps, self._skipped = Value(float(init_scale)), Value(0.0), Value(0.0)
        self._divided: list[_Divided] = []  # since the last update

    def scale(self, loss: Value) -> Value:
        """Return the loss times the scale, for its backward pass."""
        return loss * self._scale.data

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of an optimizer by the scale, once in each step: for instance before clipping them."""
        if self._find(optimizer) is not None:
            raise ArgumentError(
                "LossScaler.unscale_: the gradients of this optimizer were divided already since the last update(); "
                "call unscale_ at most once, before step, and call update() after the steps of all optimizers"
            )
        self._divide(optimizer)

    def step(self, optimizer: Optimizer) -> None:
        """Call `optimizer.step()` if its gradients are finite; they are divided by the scale if they were not yet."""
        divided = self._find(optimizer) or self._divide(optimizer)
        if divided.has_stepped:
            raise ArgumentError(
                "LossScaler.step was called twice for this optimizer since the last update(); call update() after the "
                "steps of all optimizers"
            )
        if _is_traced(divided.is_finite):
            _step_if(divided.is_finite, optimizer)
        elif divided.is_finite:
            optimizer.step()
        divided.has_stepped = True

    def _find(self, optimizer: Optimizer) -> "_Divided | None":
        return next((divided for divided in self._divided if divided.optimizer is optimizer), None)

    def _divide(self, optimizer: Optimizer) -> "_Divided":
        if optimizer.needs_closure:
            raise ArgumentError("LossScaler cannot be used with LBFGS, which computes several gradients in a step")
        total = quietly(_unscale, _units(optimizer), 1.0 / self._scale.data)
        self._divided.append(_Divided(optimizer, total == 0.0))
        return self._divided[-1]

    def update(self) -> None:
        """Change the scale as the last gradients demand; call it after the steps of all optimizers."""
        if not self._divided:
            raise ArgumentError("LossScaler.update() needs the gradients of a step; call step(optimizer) before it")
        finite = reduce(and_, [divided.is_finite for divided in self._divided])
        scale, steps = self._scale.data, self._finite_steps.data + 1.0
        self._divided.clear()
        grown = _choose(scale < _LARGEST / self.growth_factor, scale * self.growth_factor, scale)
        is_due = steps >= self.growth_interval
        self._scale.data = _choose(finite, _choose(is_due, grown, scale), scale * self.backoff_factor)
        self._finite_steps.data = _choose(finite, _choose(is_due, 0.0, steps), 0.0)
        self._skipped.data = self._skipped.data + _choose(finite, 0.0, 1.0)

    def get_scale(self) -> float:
        """Return the scale."""
        return float(self._scale.data)

    @property
    def skipped(self) -> int:
        """The number of steps that were skipped because of gradients that were not finite."""
        return int(self._skipped.data)

    def state_dict(self) -> dict[str, float]:
        """Return the state as numbers.

        >>> from adjoint import optim
        >>> optim.LossScaler(init_scale=1024.0).state_dict()
        {'scale': 1024.0, 'finite_steps': 0.0, 'skipped': 0.0}
        """
        state = {"scale": self._scale, "finite_steps": self._finite_steps, "skipped": self._skipped}
        return {name: float(value.data) for name, value in state.items()}

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        """Load the state of another scaler."""
        if not isinstance(state, Mapping) or not {"scale", "finite_steps", "skipped"} <= state.keys():
            raise ArgumentError(f"LossScaler needs a state as state_dict() returns it, not {describe(state)}")
        self._scale.data, self._finite_steps.data = float(state["scale"]), float(state["finite_steps"])
        self._skipped.data = float(state["skipped"])

    def __repr__(self) -> str:
        return f"LossScaler(scale {self.get_scale():g}, {self.skipped} step{'s' * (self.skipped != 1)} skipped)"


class _Divided:
    """An optimizer whose gradients were divided: whether they are all finite, and whether its step was called."""

    def __init__(self, optimizer: Optimizer, is_finite: Any):
        self.optimizer, self.is_finite, self.has_stepped = optimizer, is_finite, False


_LARGEST = 2.0**100  # a scale that float32 holds together with the losses that it multiplies


def _units(optimizer: Optimizer) -> list[UpdateUnit]:
    return [unit for group in optimizer.param_groups for unit in group.units]


def _unscale(units: list[UpdateUnit], factor: Any) -> Any:
    """Multiply all gradients by a factor; return 0.0 if all of them are finite, and NaN otherwise."""
    total = 0.0
    for unit in units:
        g = unit.gradient()
        if g is not None:
            total = total + mathematics_of(g, "LossScaler").sum(g * 0.0)
            unit.write_gradient(g * factor)
    return total if _is_traced(total) else float(total)


def _step_if(condition: Any, optimizer: Optimizer) -> None:
    """Call `optimizer.step()`, and take it back if a condition that is unknown while jit traces does not hold."""
    units, clock = _units(optimizer), optimizer._clock.data
    before = [(unit.data(), {name: unit.buffer(name) for name in unit.buffers}) for unit in units]
    optimizer.step()
    optimizer._clock.data = _choose(condition, optimizer._clock.data, clock)
    for unit, (data, buffers) in zip(units, before):
        unit.write(_choose(condition, unit.data(), data))
        for name, old in buffers.items():
            unit.write_buffer(name, _choose(condition, unit.buffer(name), old))


def _is_traced(x: Any) -> bool:
    return not isinstance(x, (bool, float)) and common_backend([x], "LossScaler").is_traced(x)


def _choose(condition: Any, x: Any, z: Any) -> Any:
    """Return `x` if a condition holds, which may be unknown while jit traces, and `z` otherwise."""
    if isinstance(condition, bool):
        return x if condition else z
    return common_backend([condition], "LossScaler").xp.where(condition, x, z)
