"""adjoint: an autograd engine that people can read, see and scale.

The public names are in `__init__.pyi`, and each is loaded when it is first used, so `import adjoint` is instant.
The packages are the layers, and each imports only packages to its left:

    errors <- engine <- arrays <- compat, linalg, special, fft <- stats <- transforms, distributed <- compile
           <- nn <- optim, data, metrics <- files <- training <- see, sklearn <- cli

The course and the lab are packages beside this one, adjoint_learn and adjoint_lab. Start with `engine/value.py`.
"""

import builtins as _builtins
import sys as _sys

from adjoint.bindings import install as _install_bindings
from adjoint.errors.public_names import MovedModules as _MovedModules, attach as _attach

__version__ = "0.1.0"
_install_bindings()
_sys.meta_path.append(_MovedModules)

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
# `from adjoint import *` leaves Python's own functions alone: abs, divmod, max, min, pow, round and sum.
__all__ = [_name for _name in __all__ if not hasattr(_builtins, _name)]  # pyright: ignore[reportUnsupportedDunderAll]
