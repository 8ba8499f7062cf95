"""Files and other formats: checkpoints, atomic writing, models to and from PyTorch, and ONNX export.

This layer uses everything up to `nn`, `optim` and `data`. Start with `checkpoints.py`; `atomic.py` writes a file
completely or not at all.
"""
