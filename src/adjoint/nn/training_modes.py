"""Training mode and evaluation mode of a model, for the length of a `with` block."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from adjoint.nn.members import Members

if TYPE_CHECKING:
    from adjoint.nn.module import Module

_MODES = ("training", "_trained")  # attributes of a module only where they differ from those of the class


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
    """Put a model into training mode for the block, and into evaluation mode after it.

    Layers that were put into evaluation mode one by one, to freeze their statistics, stay in it. They do so in the next
    block too, in which the others are trained again.

    >>> from adjoint import nn
    >>> model = nn.Sequential(nn.Dropout(0.5), nn.BatchNorm1d(2).eval())
    >>> for _ in range(2):
    ...     with training_mode(model):
    ...         model[0].training, model[1].training
    (True, False)
    (True, False)
    >>> model.training
    False
    """
    modules = list(_modules(model))
    changed = [module for module in modules if module.training]
    if not getattr(model, "training", True):
        changed = [module for module in modules if module._trained] or modules
    try:
        for module in changed:
            _clear(module)
        yield
    finally:
        for module in changed:
            module.training, module._trained = False, True


@contextmanager
def restored_modes(model: object) -> Iterator[None]:
    """Give each module the mode back that it has now, after a block that may change it.

    >>> from adjoint import nn
    >>> model = nn.Dropout(0.5)
    >>> with restored_modes(model), training_mode(model):
    ...     pass
    >>> model.training
    True
    """
    before = [
        (module, {name: vars(module)[name] for name in _MODES if name in vars(module)}) for module in _modules(model)
    ]
    try:
        yield
    finally:
        for module, modes in before:
            _clear(module)
            vars(module).update(modes)


def _modules(model: object) -> "Iterator[Module]":
    return model.modules() if isinstance(model, Members) else iter(())


def _clear(module: "Module") -> None:
    """Put a module into training mode. Without attributes of its own, jit recognizes it again."""
    for name in _MODES:
        vars(module).pop(name, None)
