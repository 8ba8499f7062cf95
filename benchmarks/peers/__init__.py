"""The same four training steps in the terms of each engine, side by side.

`problems.py` has the weights and the data as NumPy arrays; `with_adjoint.py`, `with_torch.py`, `with_jax.py`
and `with_mygrad.py` make of each a step: a function that trains once and returns the loss before.
"""
