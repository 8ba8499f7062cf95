"""Adam, and Adam with decoupled weight decay.

Kingma and Ba, Adam: a method for stochastic optimization, 2015. Loshchilov and Hutter, Decoupled weight decay
regularization, 2019. Reddi, Kale and Kumar, On the convergence of Adam and beyond, 2018: `amsgrad`.
"""

from typing import Unpack

from adjoint.arrays.scalars import mathematics_of
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import CommonOptions, Parameters


class Adam(Optimizer):
    """Moves by a running mean of the gradient, divided by the root of a running mean of its square.

    The first step moves each parameter by about `lr`, whatever the size of its gradient. `betas` are the decay rates of
    the two means, and `eps` is added to the root. `weight_decay` adds that multiple of a parameter to its gradient;
    `AdamW` shrinks the parameter instead. With `amsgrad`, the largest mean square so far takes the place of the newest.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, -100.0])
    >>> optimizer = optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.data.round(6)
    array([  0.9, -99.9])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, **common)

    @staticmethod
    def buffers(options):
        return {"exp_avg": 0.0, "exp_avg_sq": 0.0} | ({"max_exp_avg_sq": 0.0} if options["amsgrad"] else {})

    @staticmethod
    def update(p, g, *, t, lr, betas, eps, weight_decay, amsgrad, exp_avg, exp_avg_sq, max_exp_avg_sq=None):
        (b1, b2), m, v = betas, exp_avg, exp_avg_sq
        if weight_decay:
            g = g + weight_decay * p
        m *= b1
        m += (1 - b1) * g
        v *= b2
        v += (1 - b2) * g * g
        # Both means start at zero. The bias correction, m / (1 - b1^t) and v / (1 - b2^t), is one number each: it is
        # applied to the rate and to eps rather than to the arrays.
        unbias = (1 - b2**t) ** 0.5
        largest = mathematics_of(p, "Adam").maximum(max_exp_avg_sq, v) if amsgrad else v
        root = largest**0.5
        root += eps * unbias
        change = m / root
        change *= lr * unbias / (1 - b1**t)
        p -= change
        return p, {"exp_avg": m, "exp_avg_sq": v} | ({"max_exp_avg_sq": largest} if amsgrad else {})


class AdamW(Adam):
    """Adam with decoupled weight decay: each step first multiplies the parameters by `1 - lr * weight_decay`.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, -100.0])
    >>> optimizer = optim.AdamW([w], lr=0.1, weight_decay=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.data.round(6)
    array([  0.85, -94.9 ])
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, **common)

    @staticmethod
    def update(p, g, *, lr, weight_decay, **rest):
        p *= 1 - lr * weight_decay
        return Adam.update(p, g, lr=lr, weight_decay=0.0, **rest)
