"""Lion: Chen and others, Symbolic discovery of optimization algorithms, 2023."""

from typing import Unpack

from adjoint.arrays.scalars import mathematics_of
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import CommonOptions, Parameters


class Lion(Optimizer):
    """Moves by the sign of a running mean of the gradient: every parameter moves by the learning rate.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, -100.0])
    >>> optimizer = optim.Lion([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.data
    array([  0.9, -99.9])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1e-4,
        *,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(params, lr=lr, betas=betas, weight_decay=weight_decay, **common)

    @staticmethod
    def buffers(options):
        return {"exp_avg": 0.0}

    @staticmethod
    def update(p, g, *, t, lr, betas, weight_decay, exp_avg):
        (b1, b2), m = betas, exp_avg
        direction = mathematics_of(p, "Lion").sign(b1 * m + (1 - b1) * g)
        m *= b2
        m += (1 - b2) * g
        p *= 1 - lr * weight_decay
        p -= lr * direction
        return p, {"exp_avg": m}
