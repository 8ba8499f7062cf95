"""Neural networks: modules on arrays and on scalar Values, losses, and weight initialization.

This layer uses errors, engine, arrays, transforms and compile. Start with `module.py`, then `scalar.py` (networks of
scalar Values, as in the tutorials) and `layers.py`. The public names are in `__init__.pyi` and load on first use.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
