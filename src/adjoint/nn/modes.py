"""Training mode and evaluation mode of a model, for the length of a `with` block."""

from collections.abc import Iterator
from contextlib import contextmanager

from adjoint.nn.module import Module


@contextmanager
def evaluation_mode(model: object) -> Iterator[None]:
    """Put a model into evaluation mode for the block. A model that is not a `Module` has no mode.

    >>> from adjoint import nn
    >>> model = nn.Sequential(nn.Dropout(0.5))
    >>> with evaluation_mode(model):
    ...     model.training, model[0].training
    (False, False)
    >>> model.training
    True
    """
    changed = [module for module in _modules(model) if module.training]
    try:
        for module in changed:
            module.training = False
        yield
    finally:
        for module in changed:
            vars(module).pop("training", None)  # the class attribute is True; jit recognizes the module again


@contextmanager
def training_mode(model: object) -> Iterator[None]:
    """Put a model that is in evaluation mode into training mode for the block.

    A model that is in training mode stays as it is, so layers that were frozen one by one stay frozen.
    """
    is_training = not isinstance(model, Module) or model.training
    changed = [] if is_training else [module for module in _modules(model) if not module.training]
    try:
        for module in changed:
            vars(module).pop("training", None)
        yield
    finally:
        for module in changed:
            module.training = False


def _modules(model: object) -> Iterator[Module]:
    return model.modules() if isinstance(model, Module) else iter(())
