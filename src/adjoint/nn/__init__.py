"""Neural networks: modules of arrays and of single Values, losses, and weight initialization.

This layer uses errors, engine, arrays, transforms and compile. Start with `module.py`, then `scalar.py` (the networks
of the tutorials) and `layers.py`. The public names are in `__init__.pyi`; each is loaded when it is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
