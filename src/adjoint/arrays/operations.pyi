"""The types of the operations of a Tensor are those of a Value: see `engine/array_methods.pyi`."""

from adjoint.engine.value import Value

class Operations(Value): ...
