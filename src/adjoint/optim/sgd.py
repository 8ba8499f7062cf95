"""Stochastic gradient descent, with momentum."""

from typing import Unpack

from adjoint.errors import ArgumentError
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import CommonOptions, Parameters


class SGD(Optimizer):
    """Gradient descent, with momentum, Nesterov's momentum and weight decay.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, -2.0])
    >>> optimizer = optim.SGD([w], lr=0.25, momentum=0.9)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.data
    array([ 0.5, -1. ])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1e-3,
        *,
        momentum: float = 0.0,
        dampening: float = 0.0,
        nesterov: bool = False,
        weight_decay: float = 0.0,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(
            params,
            lr=lr,
            momentum=momentum,
            dampening=dampening,
            nesterov=nesterov,
            weight_decay=weight_decay,
            **common,
        )
        for group in self.param_groups:
            if group["nesterov"] and (group["momentum"] == 0 or group["dampening"] != 0):
                raise ArgumentError("nesterov=True needs a momentum above 0 and dampening=0")

    @staticmethod
    def buffers(options):
        return {"momentum_buffer": 0.0} if options["momentum"] else {}

    @staticmethod
    def update(p, g, *, t, lr, momentum, dampening, nesterov, weight_decay, momentum_buffer=None):
        velocity = momentum_buffer
        if weight_decay:
            g = g + weight_decay * p
        if velocity is not None:
            velocity *= momentum
            velocity += (1 - dampening * (t > 1)) * g  # the first gradient is not dampened
            g = g + momentum * velocity if nesterov else velocity
        p -= lr * g
        return p, {} if velocity is None else {"momentum_buffer": velocity}
