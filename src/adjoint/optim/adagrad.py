"""Adagrad: Duchi, Hazan and Singer, Adaptive subgradient methods for online learning, 2011."""

from typing import Unpack

from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import CommonOptions, Parameters


class Adagrad(Optimizer):
    """Divides the gradient by the root of the sum of all past squared gradients.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, -100.0])
    >>> optimizer = optim.Adagrad([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.data.round(6)
    array([  0.9, -99.9])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1e-2,
        *,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(
            params,
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
            **common,
        )

    @staticmethod
    def buffers(options):
        return {"sum": options["initial_accumulator_value"]}

    @staticmethod
    def update(p, g, *, t, lr, lr_decay, weight_decay, initial_accumulator_value, eps, sum):
        if weight_decay:
            g = g + weight_decay * p
        sum += g * g
        root = sum**0.5
        root += eps
        p -= lr / (1 + (t - 1) * lr_decay) * g / root
        return p, {"sum": sum}
