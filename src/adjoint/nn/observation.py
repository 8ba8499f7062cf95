"""Looking at a network at work: its outputs and gradients are seen, and it stays as it was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from adjoint.arrays.tensor import Tensor, data_of
from adjoint.engine.value import Value
from adjoint.nn.module import Module


@contextmanager
def observing(model: Module, note: Callable[[Module, Any, Any], Any]) -> Iterator[None]:
    """Call `note(module, inputs, output)` whenever a part of the model has run; all gradients begin with zero.

    Then weights, buffers, the state of random numbers and gradients are as they were before.

    >>> from adjoint import nn
    >>> model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh())
    >>> with observing(model, lambda module, inputs, output: print(type(module).__name__, output.shape)):
    ...     output = model([[1.0, 2.0]])
    Linear (1, 3)
    Tanh (1, 3)
    Sequential (1, 3)
    """
    kept = model.state_dict(transient=True)
    gradients = [(p, p.grad) for p in model.parameters()]
    removals = [module.register_forward_hook(note) for module in model.modules()]
    try:
        model.zero_grad()
        yield
    finally:
        for remove in removals:
            remove()
        for p, gradient in gradients:
            p.grad = gradient
        model.load_state_dict(kept)


def own_parameters(module: Module) -> list[Value]:
    """Return the parameters that a module has itself, without those of its parts."""
    buffers = module.buffers()
    found = [x for x in vars(module).values() if isinstance(x, Value) and not x.parents]
    return [x for x in found if not any(x is buffer for buffer in buffers)]


def as_plain(x: Any) -> Any:
    """Return the numbers of a Value or a gradient, arrays as those of NumPy."""
    return x.numpy() if isinstance(x, Tensor) else data_of(x)
