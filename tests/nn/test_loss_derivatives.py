"""Losses of predictions and targets that both vary, to the third derivative, against PyTorch and differences."""

import numpy as np
import torch
import torch.nn.functional as F
from arrays import Problem, case
from claims import claims
from losses import their_hinge

from adjoint import nn

CASES: dict = {}
REDUCTIONS = ("mean", "sum", "none")
POINTWISE = {
    "mse": F.mse_loss,
    "l1": F.l1_loss,
    "hinge": their_hinge,
    "binary_cross_entropy": F.binary_cross_entropy,
    "binary_cross_entropy_with_logits": F.binary_cross_entropy_with_logits,
    "kl_div": F.kl_div,
}


@case(CASES, *POINTWISE)
def _(name, draw):
    shape, reduction = draw.shape(min_side=1), draw.one_of(*REDUCTIONS)
    first = (0.1, 0.9) if name == "binary_cross_entropy" else ()
    second = (0.1, 0.9) if "cross" in name or name == "kl_div" else ()
    return Problem(
        lambda p, t: getattr(nn, name)(p, t, reduction=reduction),
        lambda p, t: POINTWISE[name](p, t, reduction=reduction),
        [draw.array(shape, *first), draw.array(shape, *second)],
        f"{name}(reduction={reduction!r})",
        condition=30.0 if name == "binary_cross_entropy" else 1.0,  # PyTorch adds 1e-12 to p (1 - p), at least 0.09
    )


@case(CASES, "cross_entropy", "nll")
def _(name, draw):
    shape = draw.one_of((3, 4), (4,), (1, 2), (2, 3, 2))
    x, options = draw.array(shape), {"reduction": draw.one_of(*REDUCTIONS)}
    axis = min(len(shape) - 1, 1)
    labels = np.random.default_rng(draw.seed).integers(0, shape[axis], np.delete(shape, axis))
    theirs = F.nll_loss
    if name == "cross_entropy":
        theirs, options["label_smoothing"] = F.cross_entropy, draw.one_of(0.0, 0.25)

    def ours(p):
        is_torch = isinstance(p.data, torch.Tensor)
        return getattr(nn, name)(p, torch.tensor(labels) if is_torch else labels, **options)

    return Problem(ours, lambda p: theirs(p, torch.tensor(labels), **options), [x])


@case(CASES, "cross_entropy of probabilities")
def _(name, draw):
    shape, reduction = draw.one_of((3, 4), (4,), (1, 2), (2, 3, 2)), draw.one_of(*REDUCTIONS)
    return Problem(
        lambda p, t: nn.cross_entropy(p, t, reduction=reduction),
        lambda p, t: F.cross_entropy(p, t, reduction=reduction),
        [draw.array(shape), draw.array(shape, 0.1, 0.9)],
    )


# Results, dtypes and edges have tests of their own in test_losses.py.
globals().update(claims(CASES, without=["results", "ties_and_edges", "arrays_of_torch", "arrays_of_jax", "compiled"]))
