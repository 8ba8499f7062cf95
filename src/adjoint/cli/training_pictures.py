"""The pictures that `adjoint train` draws: plots of a trained network, and films of the training."""

import os
from collections.abc import Callable
from io import BytesIO

import numpy as np

from adjoint.errors import ArgumentError
from adjoint.errors.optional import library
from adjoint.files import atomic
from adjoint.nn.module import Module
from adjoint.see.plots import figure, plot_boundary, plot_loss
from adjoint.see.plots.film import Film, require_film
from adjoint.training.history import History


def load_matplotlib() -> None:
    """Import matplotlib without the user's choice of a backend: pictures go to files, and a bad choice would raise."""
    chosen = os.environ.pop("MPLBACKEND", None)
    try:
        library("matplotlib", "a picture", "plot")
    finally:
        if chosen is not None:
            os.environ["MPLBACKEND"] = chosen


def film(path: str, X: np.ndarray, y: np.ndarray, task: str) -> Film:
    """Return the recorder of a film; raise now if the film cannot be written later."""
    require_film(path)
    if not _is_in_the_plane(X, task):
        raise ArgumentError("a film needs data with two inputs and classes")
    return Film(X, y)


def _is_in_the_plane(X: np.ndarray, task: str) -> bool:
    return X.ndim == 2 and X.shape[1] == 2 and task != "numbers"


def plot(path: str, X: np.ndarray, task: str) -> Callable[..., None]:
    """Return a function that plots a trained network to a file; raise now if it cannot be written later."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in (".png", ".pdf", ".svg"):
        raise ArgumentError(f"--plot needs a .png, .pdf or .svg file, not {path!r}")
    atomic.require_writable(path)
    in_the_plane = _is_in_the_plane(X, task)
    drawn, axes = figure(2 if in_the_plane else 1)

    def draw(model: Module, X: np.ndarray, y: np.ndarray, history: History) -> None:
        if in_the_plane:
            plot_boundary(model, X, y, axes[0])
        plot_loss(history, axes[-1])
        content = BytesIO()
        drawn.savefig(content, format=ending[1:], dpi=150)
        atomic.write(path, content.getvalue())

    return draw
