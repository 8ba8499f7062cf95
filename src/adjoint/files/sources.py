"""The tensors that a checkpoint holds: arrays of any library, read where they are when they are written."""

from adjoint.files.tensor_files import Source, require_savable
from adjoint.nn.state import array_as_held


def source_of(name: str, x: object) -> Source:
    """Return an array or a number as a tensor to write; raise if it is neither."""
    array = array_as_held(x)
    require_savable(name, None if array is None else array.dtype, x)
    assert array is not None
    return Source(name, array.dtype, array.shape, lambda: array)
