"""RMSprop: Tieleman and Hinton, Divide the gradient by a running average of its recent magnitude, 2012."""

from typing import Unpack

from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import CommonOptions, Parameters


class RMSprop(Optimizer):
    """Divides the gradient by the root of a running mean of its square; with `centered`, by its standard deviation.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, -100.0])
    >>> optimizer = optim.RMSprop([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.data.round(6)
    array([  0., -99.])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1e-2,
        *,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(
            params,
            lr=lr,
            alpha=alpha,
            eps=eps,
            weight_decay=weight_decay,
            momentum=momentum,
            centered=centered,
            **common,
        )

    @staticmethod
    def buffers(options):
        named = {"square_avg": 0.0}
        if options["momentum"]:
            named["momentum_buffer"] = 0.0
        if options["centered"]:
            named["grad_avg"] = 0.0
        return named

    @staticmethod
    def update(
        p, g, *, t, lr, alpha, eps, weight_decay, momentum, centered, square_avg, momentum_buffer=None, grad_avg=None
    ):
        square, mean, velocity = square_avg, grad_avg, momentum_buffer
        if weight_decay:
            g = g + weight_decay * p
        square *= alpha
        square += (1 - alpha) * g * g
        if mean is None:
            root = square**0.5
        else:
            mean *= alpha
            mean += (1 - alpha) * g
            root = (square - mean * mean) ** 0.5
        root += eps
        if velocity is None:
            p -= lr * g / root
        else:
            velocity *= momentum
            velocity += g / root
            p -= lr * velocity
        kept = {"square_avg": square, "grad_avg": mean, "momentum_buffer": velocity}
        return p, {name: array for name, array in kept.items() if array is not None}
