"""The same four training steps, written for each library.

`problems.py` has the weights and the data as NumPy arrays. `with_adjoint.py`, `with_torch.py`, `with_jax.py` and
`with_mygrad.py` turn each into a step: a function that trains once and returns the loss before the update.
"""
