"""The names of `adjoint.files` that other packages use, each written once."""

from .checkpoints import (
    load as load,
    refuse_malformed as refuse_malformed,
    require_writable as require_writable,
    save as save,
)
from .tensors import open_tensors as open_tensors
