"""Training: `fit`, its history, early stopping and resuming, and the recipes behind `adjoint train`.

This layer uses everything up to `files`. Start with `loop.py`, in which `fit` reads as a table of contents; each of
the other files is one of its parts.

The public names, for programs that train step by step in their own way, such as the lab, are in `__init__.pyi`. `fit`
and what belongs to it are public names of `adjoint`.
"""

from adjoint.errors.public_names import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
