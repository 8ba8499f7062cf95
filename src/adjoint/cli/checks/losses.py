"""Losses, for `adjoint check`: functions of the predictions, an array of 3 by 4."""

import numpy as np

import adjoint
from adjoint import nn
from adjoint.cli.checks import Groups

_LABELS, _ROWS = np.array([0, 3, 1]), np.array([[3, 0, -1, 1], [2, -1, 1, 1], [1, 2, -1, 0]])
_T = np.linspace(0.1, 0.9, 12).reshape(3, 4)
_SIGNS = np.array([[1.0, -1.0, 1.0, -1.0], [-1.0, 1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])

GROUPS: Groups = {
    "losses": {
        "nn.mse": lambda x: nn.mse(x, _T),
        "nn.l1": lambda x: nn.l1(x, _T),
        "nn.huber": lambda x: nn.huber(x, _T, delta=0.7),
        "nn.smooth_l1": lambda x: nn.smooth_l1(x, _T, beta=0.5),
        "nn.hinge": lambda x: nn.hinge(x, _SIGNS),
        "nn.binary_cross_entropy": lambda x: nn.binary_cross_entropy(x.sigmoid(), _T),
        "nn.binary_cross_entropy_with_logits": lambda x: nn.binary_cross_entropy_with_logits(x, _T, pos_weight=2.0),
        "nn.kl_div": lambda x: nn.kl_div(x, _T),
        "nn.cross_entropy": lambda x: nn.cross_entropy(x, _LABELS, label_smoothing=0.1),
        "nn.nll": lambda x: nn.nll(adjoint.log_softmax(x, -1), _LABELS),
        "nn.poisson_nll": lambda x: nn.poisson_nll(x, _T),
        "nn.gaussian_nll": lambda x: nn.gaussian_nll(x, _T, adjoint.exp(x)),
        "nn.focal": lambda x: nn.focal(x, _T),
        "nn.soft_margin": lambda x: nn.soft_margin(x, _SIGNS),
        "nn.hinge_embedding": lambda x: nn.hinge_embedding(x, _SIGNS),
        "nn.margin_ranking": lambda x: nn.margin_ranking(x, x[::-1] * 2.0, _SIGNS),
        "nn.cosine_embedding": lambda x: nn.cosine_embedding(x, x[::-1] * x, _SIGNS[0, :3]),
        "nn.triplet_margin": lambda x: nn.triplet_margin(x, x[::-1], x * x, margin=3.0),
        "nn.multi_margin": lambda x: nn.multi_margin(x, _LABELS, p=2),
        "nn.multilabel_margin": lambda x: nn.multilabel_margin(x, _ROWS),
        "nn.multilabel_soft_margin": lambda x: nn.multilabel_soft_margin(x, _T),
        "nn.ctc": lambda x: nn.ctc(adjoint.log_softmax(x, -1), [1, 3], 3, 2),
    },
}
