"""Rprop: Riedmiller and Braun, A direct adaptive method for faster backpropagation learning, 1993."""

from typing import Unpack

from adjoint.arrays.functions.choosing import where
from adjoint.arrays.scalars import mathematics_of
from adjoint.errors import ArgumentError
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import CommonOptions, Parameters


class Rprop(Optimizer):
    """Moves each parameter by a step of its own, which grows while its gradient keeps its sign. For full batches.

    The steps start at `lr`. They are multiplied by the second of the `etas` if the sign of the gradient is that of the
    last step, by the first if it changes, and stay between the two `step_sizes`.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, -100.0])
    >>> optimizer = optim.Rprop([w], lr=0.1)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (w * w).sum().backward()
    ...     optimizer.step()
    >>> w.data.round(6)
    array([  0.78, -99.78])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1e-2,
        *,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        **common: Unpack[CommonOptions],
    ):
        super().__init__(params, lr=lr, etas=etas, step_sizes=step_sizes, **common)
        for group in self.param_groups:
            if not 0 < group["etas"][0] < 1 < group["etas"][1]:
                raise ArgumentError(f"etas must be a factor below 1 and one above 1, not {group['etas']}")

    @staticmethod
    def buffers(options):
        return {"prev": 0.0, "step_size": 0.0}

    @staticmethod
    def update(p, g, *, t, lr, etas, step_sizes, prev, step_size):
        m = mathematics_of(p, "Rprop")
        sign = m.sign(g * prev)
        is_same, is_turned = (sign * sign + sign) / 2, (sign * sign - sign) / 2  # 0 or 1
        size = step_size + where(t > 1, 0.0, lr)
        size *= 1 + (etas[1] - 1) * is_same + (etas[0] - 1) * is_turned
        size = m.minimum(m.maximum(size, step_sizes[0]), step_sizes[1])
        g = g * (1 - is_turned)
        p -= m.sign(g) * size
        return p, {"prev": g, "step_size": size}
