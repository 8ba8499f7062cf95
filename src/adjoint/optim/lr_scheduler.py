"""The schedules of `adjoint.optim` under PyTorch's path: `from adjoint.optim.lr_scheduler import StepLR`.

>>> from adjoint import Value, optim
>>> optimizer = optim.SGD([Value(1.0)], lr=0.1)
>>> scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
>>> scheduler.step()
>>> scheduler.get_last_lr()
[0.05]
"""

from typing import TYPE_CHECKING

from adjoint.errors.public_names import explain_unknown
from adjoint.optim.more_schedules import (
    ChainedScheduler as ChainedScheduler,
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
    ExponentialLR as ExponentialLR,
    LambdaLR as LambdaLR,
    MultiStepLR as MultiStepLR,
    PolynomialLR as PolynomialLR,
)
from adjoint.optim.schedules import (
    ConstantLR as ConstantLR,
    CosineAnnealingLR as CosineAnnealingLR,
    LinearLR as LinearLR,
    OneCycleLR as OneCycleLR,
    ReduceLROnPlateau as ReduceLROnPlateau,
    Schedule as LRScheduler,
    SequentialLR as SequentialLR,
    StepLR as StepLR,
    WarmupLR as WarmupLR,
)

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
    "WarmupLR",
]


if not TYPE_CHECKING:  # type checkers report unknown names themselves
    __getattr__ = explain_unknown(__name__)
