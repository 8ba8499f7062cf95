"""Neural networks: modules on arrays and on scalar Values, losses, and weight initialization.

This layer uses errors, engine, arrays, transforms and compile. Start with `module.py`, then `scalar.py` (networks of
scalar Values, as in the tutorials) and `layers.py`. The public names are in `__init__.pyi` and load on first use.
"""

from adjoint.errors.public_names import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
