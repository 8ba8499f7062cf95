"""Observing a network while it runs: forward hooks on all of its modules, and a model that is restored afterward."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from adjoint.arrays.kinds import data_of, is_tensor
from adjoint.engine.value import Value

if TYPE_CHECKING:
    import numpy as np

    from adjoint.nn.module import Module

    Hook = Callable[[Module, tuple, object], object]


@contextmanager
def forward_hooks(model: "Module", hook: "Hook") -> Iterator[None]:
    """Call `hook(module, inputs, output)` after each module of the model has run, inside the block."""
    removals = [module.register_forward_hook(hook) for module in model.modules()]
    try:
        yield
    finally:
        for remove in removals:
            remove()


@contextmanager
def observe(model: "Module", hook: "Hook") -> Iterator[None]:
    """Call `hook(module, inputs, output)` after each module of the model has run; gradients start at zero.

    Weights, buffers, the state of random numbers and gradients are restored after the block.

    >>> from adjoint import nn
    >>> model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh())
    >>> with observe(model, lambda module, inputs, output: print(type(module).__name__, output.shape)):
    ...     output = model([[1.0, 2.0]])
    Linear (1, 3)
    Tanh (1, 3)
    Sequential (1, 3)
    """
    kept = model.state_dict(transient=True)
    gradients = [(p, p.grad) for p in model.parameters()]
    try:
        with forward_hooks(model, hook):
            model.zero_grad()
            yield
    finally:
        for p, gradient in gradients:
            p.grad = gradient
        model.load_state_dict(kept)


def own_parameters(module: "Module") -> list[Value]:
    """Return the parameters that are attributes of the module itself, without those of its submodules."""
    buffers = module.buffers()
    found = [x for x in list(vars(module).values()) if isinstance(x, Value) and not x.parents]
    return [x for x in found if not any(x is buffer for buffer in buffers)]


def as_plain(x: object) -> "np.ndarray":
    """Return the data of a Value or a gradient as a NumPy array."""
    import numpy as np

    return np.asarray(x.numpy() if is_tensor(x) else data_of(x))
