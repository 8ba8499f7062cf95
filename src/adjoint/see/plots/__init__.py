"""Plots with matplotlib, the extra `plot`: how training went, where a model draws the line, what is in its layers.

Each takes an `Axes` to draw on, or draws on pyplot's, and returns it. `figure` makes axes without a window.
"""

from adjoint.see.plots.boundaries import plot_boundary
from adjoint.see.plots.canvas import figure
from adjoint.see.plots.curves import plot_function, plot_loss
from adjoint.see.plots.distributions import plot_activations, plot_gradients

__all__ = ["figure", "plot_activations", "plot_boundary", "plot_function", "plot_gradients", "plot_loss"]
