"""adjoint: an autograd engine that people can read, see and scale."""

from adjoint.value import Value
