"""Views of a computation: its steps as text, its graph as a picture, and plots of models and training.

This layer uses everything up to `training`. Start with `explanation/steps.py`, which describes a computation as data,
then read `drawing/scene.py`, which makes pictures of that data. `plots/` draws with matplotlib, and `expression.py`
parses expressions that users type.

The public names, for programs that show computations in their own way, such as the lab, are in `__init__.pyi`. `draw`
and `explain` are public names of `adjoint`.
"""

from adjoint.errors.public_names import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
