"""Muon: Jordan and others, Muon: an optimizer for hidden layers in neural networks, 2024."""

from math import sqrt
from typing import Unpack

from adjoint.arrays.axes import shape_of
from adjoint.arrays.scalars import mathematics_of
from adjoint.errors import ArgumentError
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import CommonOptions, Options, Parameters


class Muon(Optimizer):
    """Momentum whose update of each weight matrix is made nearly orthogonal.

    It is for the weight matrices of hidden layers: give biases, embeddings, convolutions and single numbers to AdamW.
    The update is computed in the dtype of the parameters; PyTorch's `Muon` computes it in bfloat16. With
    `adjust_lr_fn="match_rms_adamw"`, updates are as large as those of AdamW, so its learning rates fit.

    >>> from adjoint import Value, optim
    >>> w = Value([[1.0, 2.0], [0.0, 3.0]])
    >>> optimizer = optim.Muon([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.data.shape
    (2, 2)
    """

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1e-3,
        *,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
        **common: Unpack[CommonOptions],
    ):
        super().__init__(
            params,
            lr=lr,
            weight_decay=weight_decay,
            momentum=momentum,
            nesterov=nesterov,
            ns_coefficients=ns_coefficients,
            eps=eps,
            ns_steps=ns_steps,
            adjust_lr_fn=adjust_lr_fn,
            **common,
        )
        self._require_matrices()

    def add_param_group(self, group: Options) -> None:
        super().add_param_group(group)
        try:
            self._require_matrices()
        except ArgumentError:
            del self.param_groups[-1]
            raise

    def _require_matrices(self) -> None:
        for i, p in enumerate(self._parameters()):
            if len(shape_of(p)) != 2:
                kind = f"has shape {shape_of(p)}" if p._is_array else "is a single number"
                raise ArgumentError(
                    f"Muon updates matrices, but parameter {i} {kind}; give biases, embeddings and numbers to AdamW, "
                    "and call step() of both optimizers"
                )

    @staticmethod
    def buffers(options):
        return {"momentum_buffer": 0.0}

    @staticmethod
    def update(
        p,
        g,
        *,
        t,
        lr,
        weight_decay,
        momentum,
        nesterov,
        ns_coefficients,
        eps,
        ns_steps,
        adjust_lr_fn,
        momentum_buffer,
    ):
        mean = momentum_buffer
        mean *= momentum
        mean += (1 - momentum) * g
        update = (1 - momentum) * g + momentum * mean if nesterov else mean
        update = _orthogonal(update, ns_coefficients, ns_steps, eps)
        rows, columns = p.shape
        is_matched = adjust_lr_fn == "match_rms_adamw"
        factor = 0.2 * sqrt(max(rows, columns)) if is_matched else sqrt(max(1.0, rows / columns))
        p *= 1 - lr * weight_decay
        p -= lr * factor * update
        return p, {"momentum_buffer": mean}


def _orthogonal(g, coefficients, steps, eps):
    """Return a matrix with the singular vectors of `g` and singular values near 1, by the Newton-Schulz iteration."""
    (a, b, c), is_tall = coefficients, g.shape[0] > g.shape[1]
    m = mathematics_of(g, "Muon")
    x = g.T if is_tall else g
    x = x / m.maximum(m.sum(x * x) ** 0.5, eps)
    for _ in range(int(steps)):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x.T if is_tall else x
