"""Views of a computation: its steps as text, its graph as a picture, and plots of models and training.

This layer uses everything up to `training`. Start with `explanation/steps.py`, which describes a computation as data,
then read `drawing/scene.py`, which makes pictures of that data. `plots/` draws with matplotlib, and `expression.py`
parses expressions that users type.
"""

import lazy_loader as _lazy

# The public name `adjoint.plots` is this submodule, which is loaded when it is first used.
__getattr__, __dir__, _ = _lazy.attach(__name__, submodules=["plots"])
