"""Adadelta: Zeiler, ADADELTA: an adaptive learning rate method, 2012."""

from typing import Unpack

from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import CommonOptions, Parameters


class Adadelta(Optimizer):
    """Divides the gradient by the root of its mean square, and multiplies it by that of the past changes.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0])
    >>> optimizer = optim.Adadelta([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.data.round(6)
    array([0.996838])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1.0,
        *,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(params, lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, **common)

    @staticmethod
    def buffers(options):
        return {"square_avg": 0.0, "acc_delta": 0.0}

    @staticmethod
    def update(p, g, *, t, lr, rho, eps, weight_decay, square_avg, acc_delta):
        square, changes = square_avg, acc_delta
        if weight_decay:
            g = g + weight_decay * p
        square *= rho
        square += (1 - rho) * g * g
        change = (changes + eps) ** 0.5 / (square + eps) ** 0.5 * g
        changes *= rho
        changes += (1 - rho) * change * change
        p -= lr * change
        return p, {"square_avg": square, "acc_delta": changes}
