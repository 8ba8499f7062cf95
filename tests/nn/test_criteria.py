"""Loss modules agree with PyTorch's of the same name."""

import numpy as np
import pytest
import torch
from losses import probabilities, require_loss, signs, their_hinge
from torch_reference import normal

from adjoint import nn


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides")
@pytest.mark.parametrize(
    ("ours", "theirs", "prediction", "target"),
    [
        (nn.MSELoss("sum"), torch.nn.MSELoss(reduction="sum"), normal(4, 3), normal(4, 3, seed=1)),
        (nn.L1Loss(), torch.nn.L1Loss(), normal(4, 3), normal(4, 3, seed=1)),
        (nn.HuberLoss(delta=0.5), torch.nn.HuberLoss(delta=0.5), normal(4, 3), normal(4, 3, seed=1)),
        (nn.HingeLoss(margin=0.5), lambda p, t: their_hinge(p, t, 0.5), normal(4, 3), signs(4, 3, seed=1)),
        (nn.BCELoss(), torch.nn.BCELoss(), probabilities(4, 3), probabilities(4, 3, seed=1)),
        (
            nn.BCEWithLogitsLoss(pos_weight=2.0),
            torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0)),
            normal(4, 3),
            probabilities(4, 3, seed=1),
        ),
        (
            nn.CrossEntropyLoss(label_smoothing=0.1, ignore_index=1),
            torch.nn.CrossEntropyLoss(label_smoothing=0.1, ignore_index=1),
            normal(4, 3),
            np.array([0, 1, 2, 0]),
        ),
        (nn.NLLLoss(reduction="none"), torch.nn.NLLLoss(reduction="none"), normal(4, 3), np.array([0, 1, 2, 0])),
        (nn.KLDivLoss("batchmean"), torch.nn.KLDivLoss(reduction="batchmean"), normal(4, 3), probabilities(4, 3)),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, nn.Module) else "",
)
def test_a_loss_as_a_module_agrees_with_pytorch(ours, theirs, prediction, target):
    require_loss(ours, theirs, prediction, target)
