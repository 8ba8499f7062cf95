"""Seeing a computation: as a list of steps, as a picture of its graph, as plots of a training run.

This layer uses everything up to `training`. Start with `explanation/` (a computation as data), then `drawing/`
(pictures of that data); `plots/` draws with matplotlib, and `expression.py` reads an expression that somebody typed.
"""

import lazy_loader as _lazy

# The public name `adjoint.plots` is this submodule, which is loaded when it is first used.
__getattr__, __dir__, _ = _lazy.attach(__name__, submodules=["plots"])
