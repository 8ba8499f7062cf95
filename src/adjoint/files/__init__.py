"""Files and exchange with other libraries: checkpoints, atomic writes, PyTorch models, and ONNX export.

This layer uses everything up to `nn`, `optim` and `data`. Start with `checkpoints.py`; `atomic.py` replaces a file
completely or not at all.
"""

from adjoint.errors.public_names import attach as _attach

__getattr__, __dir__, __all__ = _attach(__name__, __file__)
