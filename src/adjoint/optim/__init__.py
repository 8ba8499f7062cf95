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

from adjoint.errors.public_names import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
