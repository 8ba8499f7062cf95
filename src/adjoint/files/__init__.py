"""Files and exchange with other libraries: checkpoints, atomic writes, PyTorch models, and ONNX export.

This layer uses everything up to `nn`, `optim` and `data`. Start with `checkpoints.py`; `atomic.py` replaces a file
completely or not at all.
"""
