"""Plots with matplotlib (extra `plot`): losses, decision boundaries, functions, activations and gradients.

Each function draws on the given `Axes`, or on the current axes of pyplot, and returns the axes. `figure` creates axes
without a window.
"""

from adjoint.see.plots.boundaries import plot_boundary
from adjoint.see.plots.canvas import figure
from adjoint.see.plots.curves import plot_function, plot_loss
from adjoint.see.plots.distributions import plot_activations, plot_gradients

__all__ = ["figure", "plot_activations", "plot_boundary", "plot_function", "plot_gradients", "plot_loss"]


def __dir__() -> list[str]:
    return [*__all__]
