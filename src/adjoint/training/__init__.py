"""Training: `fit`, its history, early stopping and resuming, and the recipes behind `adjoint train`.

This layer uses everything up to `files`. Start with `loop.py`, in which `fit` reads as a table of contents; each of
the other files is one of its parts.
"""
