"""Neural networks. For now the scalar ones of the tutorials: every weight is a Value of its own."""

from adjoint.nn.scalar import MLP, Layer, Module, Neuron

__all__ = ["MLP", "Layer", "Module", "Neuron"]
