"""Optimizers, learning-rate schedules and gradient clipping.

    optimizer = Adam(model.parameters(), lr=0.01)
    for x, y in batches:
        loss = loss_of(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

Optimizers accept scalar and array parameters, also mixed, and work inside `adjoint.jit`. This layer uses everything up
to `nn`. Start with `optimizer.py`, then read one update rule, such as `adam.py`.
"""

from typing import Any

from adjoint.errors.suggest import unknown_name_error
from adjoint.optim.adagrad import Adagrad
from adjoint.optim.adam import Adam, AdamW
from adjoint.optim.clipping import clip_grad_norm, clip_grad_value
from adjoint.optim.groups import Parameters
from adjoint.optim.lion import Lion
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.rmsprop import RMSprop
from adjoint.optim.schedules import (
    ConstantLR,
    CosineAnnealingLR,
    LinearLR,
    OneCycleLR,
    ReduceLROnPlateau,
    Schedule,
    SequentialLR,
    StepLR,
    WarmupLR,
    rates_of,
)
from adjoint.optim.sgd import SGD

OPTIMIZERS: dict[str, type[Optimizer]] = {
    "sgd": SGD, "adam": Adam, "adamw": AdamW, "rmsprop": RMSprop, "adagrad": Adagrad, "lion": Lion,
}  # fmt: skip


def make(name: str, parameters: Parameters, **options: Any) -> Optimizer:
    """Return the optimizer of that name.

    >>> from adjoint import Value
    >>> make("adam", [Value(1.0)], lr=0.1)
    Adam(lr=0.1, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0, 1 parameter)
    """
    kind = OPTIMIZERS.get(name.lower()) if isinstance(name, str) else None
    if kind is None:
        raise unknown_name_error("optimizer", name, OPTIMIZERS)
    return kind(parameters, **options)


__all__ = [
    "OPTIMIZERS", "SGD", "Adagrad", "Adam", "AdamW", "ConstantLR", "CosineAnnealingLR", "LinearLR", "Lion",
    "OneCycleLR", "Optimizer", "RMSprop", "ReduceLROnPlateau", "Schedule", "SequentialLR", "StepLR", "WarmupLR",
    "clip_grad_norm", "clip_grad_value", "make", "rates_of",
]  # fmt: skip
