"""Variants of Adam: with Nesterov's momentum, with a rectified variance, and with the infinity norm.

Dozat, Incorporating Nesterov momentum into Adam, 2016. Liu and others, On the variance of the adaptive learning rate
and beyond, 2020. Kingma and Ba, Adam: a method for stochastic optimization, 2015, section 7.
"""

from typing import Unpack

from adjoint.arrays.functions.choosing import where
from adjoint.arrays.scalars import mathematics_of
from adjoint.engine import ops
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import CommonOptions, Parameters


class NAdam(Optimizer):
    """Adam with Nesterov's momentum. With `decoupled_weight_decay`, the decay shrinks the parameters directly.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, -100.0])
    >>> optimizer = optim.NAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.data.round(3)
    array([  0.894, -99.894])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 2e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(
            params,
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            momentum_decay=momentum_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            **common,
        )

    @staticmethod
    def buffers(options):
        return {"mu_product": 1.0, "exp_avg": 0.0, "exp_avg_sq": 0.0}

    @staticmethod
    def update(
        p,
        g,
        *,
        t,
        lr,
        betas,
        eps,
        weight_decay,
        momentum_decay,
        decoupled_weight_decay,
        mu_product,
        exp_avg,
        exp_avg_sq,
    ):
        (b1, b2), m, v = betas, exp_avg, exp_avg_sq
        p, g = _decay(p, g, lr, weight_decay, decoupled_weight_decay)
        mu, next_mu = (b1 * (1 - 0.5 * 0.96 ** (k * momentum_decay)) for k in (t, t + 1))
        mu_product *= mu
        m *= b1
        m += (1 - b1) * g
        v *= b2
        v += (1 - b2) * g * g
        root = (v / (1 - b2**t)) ** 0.5
        root += eps
        p -= lr * (1 - mu) / (1 - mu_product) * g / root
        p -= lr * next_mu / (1 - mu_product * next_mu) * m / root
        return p, {"mu_product": mu_product, "exp_avg": m, "exp_avg_sq": v}


class RAdam(Optimizer):
    """Adam that divides by the root of the mean square only once enough steps have made it reliable.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, -100.0])
    >>> optimizer = optim.RAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()  # the first steps are those of gradient descent with momentum
    >>> w.data.round(6)
    array([  0.8, -80. ])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(
            params,
            lr=lr,
            betas=betas,
            eps=eps,
            weight_decay=weight_decay,
            decoupled_weight_decay=decoupled_weight_decay,
            **common,
        )

    @staticmethod
    def buffers(options):
        return {"exp_avg": 0.0, "exp_avg_sq": 0.0}

    @staticmethod
    def update(p, g, *, t, lr, betas, eps, weight_decay, decoupled_weight_decay, exp_avg, exp_avg_sq):
        (b1, b2), m, v = betas, exp_avg, exp_avg_sq
        p, g = _decay(p, g, lr, weight_decay, decoupled_weight_decay)
        m *= b1
        m += (1 - b1) * g
        v *= b2
        v += (1 - b2) * g * g
        most = 2 / (1 - b2) - 1
        length = most - 2 * t * b2**t / (1 - b2**t)  # of the moving average
        square = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
        is_reliable = length > 5
        rectified = where(is_reliable, (ops.maximum(square, 0.0) * (1 - b2**t)) ** 0.5, 0.0)
        root = v**0.5
        root += eps
        p -= lr / (1 - b1**t) * m * (rectified / root + where(is_reliable, 0.0, 1.0))
        return p, {"exp_avg": m, "exp_avg_sq": v}


class Adamax(Optimizer):
    """Adam with the largest recent gradient instead of the root of the mean square.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, -100.0])
    >>> optimizer = optim.Adamax([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.data.round(6)
    array([  0.9, -99.9])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 2e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, **common)

    @staticmethod
    def buffers(options):
        return {"exp_avg": 0.0, "exp_inf": 0.0}

    @staticmethod
    def update(p, g, *, t, lr, betas, eps, weight_decay, exp_avg, exp_inf):
        (b1, b2), m = betas, exp_avg
        p, g = _decay(p, g, lr, weight_decay)
        m *= b1
        m += (1 - b1) * g
        largest = mathematics_of(p, "Adamax").maximum(b2 * exp_inf, abs(g) + eps)
        p -= lr / (1 - b1**t) * m / largest
        return p, {"exp_avg": m, "exp_inf": largest}


def _decay(p, g, lr, weight_decay, is_decoupled=False):
    """Return the parameters and the gradient after weight decay."""
    if weight_decay and is_decoupled:
        p *= 1 - lr * weight_decay
    elif weight_decay:
        g = g + weight_decay * p
    return p, g
