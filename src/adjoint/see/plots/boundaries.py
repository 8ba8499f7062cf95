"""Decision boundaries: the predictions of a model over the plane, in colors."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from adjoint.arrays.functions.reductions import softmax
from adjoint.errors import ArgumentError
from adjoint.see.drawing.palette import CLASSES, INK, MARKERS, NEGATIVE, NEUTRAL, POSITIVE
from adjoint.see.plots.canvas import axes_of
from adjoint.training.scores import as_batch_model, scores_of

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from numpy.typing import ArrayLike

    from adjoint.nn.module import Module

FINE, COARSE = 200, 60  # points along each side; fewer for a model of single Values, which takes them one by one
_MOST_CLASSES = 50


def plot_boundary(model: "Module", X: "ArrayLike", y: "ArrayLike", ax: "Axes | None" = None) -> "Axes":
    """Draw the predictions of a model over the plane, and the data.

    A model with one output gives a score, positive for the second class; a model with several outputs gives a score for
    each class. Misclassified points have a ring.

    >>> from adjoint import data, nn, plots
    >>> from adjoint.see.plots.canvas import figure
    >>> X, y = data.moons(40)
    >>> ax = plots.plot_boundary(nn.Sequential(nn.Linear(2, 2, seed=0)), X, y, figure()[1][0])
    >>> len(ax.collections) > 2
    True
    """
    points = Points(X, y)
    ax = axes_of(ax)
    plane = points.plane(FINE if as_batch_model(model) is not None else COARSE)
    fill(ax, plane, scores_of(model, plane.places))
    draw_points(ax, points)
    wrong = points.wrong(scores_of(model, points.X))
    if wrong.any():
        draw_rings(ax, points.X[wrong])
    frame(ax, plane)
    ax.set_title(f"{np.mean(~wrong):.1%} of {len(points.X)} points correct", fontsize=10, color=INK)
    ax.legend(fontsize=8, loc="upper right", framealpha=0.85)
    return ax


class Plane(NamedTuple):
    """A grid over the plane: its x and y coordinates."""

    xs: np.ndarray
    ys: np.ndarray

    @property
    def places(self) -> np.ndarray:
        """All points of the grid, row by row."""
        return np.stack([g.ravel() for g in np.meshgrid(self.xs, self.ys)], axis=1)


class Points:
    """Points in the plane and their classes."""

    def __init__(self, X: "ArrayLike", y: "ArrayLike"):
        self.X, self.y = np.asarray(X, float), np.asarray(y).reshape(-1)
        if self.X.ndim != 2 or self.X.shape[1] != 2:
            raise ArgumentError(f"a decision boundary needs an X with two columns, not shape {self.X.shape}")
        if len(self.X) != len(self.y):
            raise ArgumentError(
                f"X has {len(self.X)} points and y has {len(self.y)} classes; give a class for each point"
            )
        if not len(self.X):
            raise ArgumentError("X has no points; a decision boundary needs at least one")
        self.classes = sorted(set(self.y.tolist()))
        if len(self.classes) > _MOST_CLASSES:
            raise ArgumentError(
                f"y must have at most {_MOST_CLASSES} classes, not {len(self.classes)} different numbers"
            )

    def plane(self, count: int) -> Plane:
        """Return a grid with `count` rows and columns that contains all points."""
        low, high = self.X.min(0), self.X.max(0)
        margin = 0.12 * np.maximum(high - low, 1e-9)
        return Plane(*(np.linspace(a, b, count) for a, b in zip(low - margin, high + margin)))

    def wrong(self, scores: np.ndarray) -> np.ndarray:
        """Return for each point whether its scores predict another class."""
        predicted = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(1)
        return predicted != np.searchsorted(self.classes, self.y)


# --- the parts of the picture ---


def draw_points(ax: "Axes", points: Points) -> None:
    """Draw the points, each class with its color and marker."""
    for i, label in enumerate(points.classes):
        style = {"color": CLASSES[i % len(CLASSES)], "marker": MARKERS[i % len(MARKERS)], "label": f"class {label:g}"}
        ax.scatter(*points.X[points.y == label].T, s=26, edgecolors="white", linewidths=0.7, zorder=3, **style)


def draw_rings(ax: "Axes", places: np.ndarray) -> "PathCollection":
    """Draw rings around misclassified points, and return them."""
    return ax.scatter(*places.T, s=90, facecolors="none", edgecolors=INK, linewidths=1.0, zorder=4, label="wrong")


def frame(ax: "Axes", plane: Plane) -> None:
    """Set the limits of the axes to the plane, without ticks: only relative positions matter."""
    ax.set(xlim=plane.xs[[0, -1]], ylim=plane.ys[[0, -1]], xticks=[], yticks=[])


def fill(ax: "Axes", plane: Plane, scores: np.ndarray) -> "list[Artist]":
    """Color the plane by the scores of its points, and return the artists."""
    return (_fill_by_sign if scores.shape[1] == 1 else _fill_by_class)(ax, *plane, scores)


def _fill_by_sign(ax: "Axes", xs: np.ndarray, ys: np.ndarray, scores: np.ndarray) -> "list[Artist]":
    """Color the plane by a score: blue below 0, orange above, with a dark line between them."""
    from matplotlib.colors import LinearSegmentedColormap

    # Pale colors instead of an alpha value, which would show seams between the levels.
    shades = LinearSegmentedColormap.from_list("signs", [_paler(NEGATIVE), _paler(NEUTRAL), _paler(POSITIVE)])
    z = np.tanh(scores[:, 0]).reshape(len(ys), len(xs))
    drawn: list[Artist] = [ax.contourf(xs, ys, z, levels=np.linspace(-1, 1, 21), cmap=shades, zorder=0)]
    if z.min() < 0 < z.max():
        drawn.append(ax.contour(xs, ys, z, levels=[0.0], colors=INK, linewidths=1.2, zorder=1))
    return drawn


def _paler(color: str) -> np.ndarray:
    from matplotlib.colors import to_rgb

    return 1 - 0.55 * (1 - np.array(to_rgb(color)))


def _fill_by_class(ax: "Axes", xs: np.ndarray, ys: np.ndarray, scores: np.ndarray) -> "list[Artist]":
    """Color the plane by the predicted class, paler where another class is almost as likely."""
    from matplotlib.colors import to_rgb

    probabilities = np.asarray(softmax(scores))
    count = probabilities.shape[1]
    colors = np.array([to_rgb(CLASSES[i % len(CLASSES)]) for i in range(count)])
    certainty = 0.5 * (probabilities.max(1) - 1 / count) / (1 - 1 / count)
    paint = 1 - certainty[:, None] * (1 - colors[probabilities.argmax(1)])
    extent = (xs[0], xs[-1], ys[0], ys[-1])
    paint = paint.reshape(len(ys), len(xs), 3)
    drawn: list[Artist] = [ax.imshow(paint, extent=extent, origin="lower", aspect="auto", zorder=0)]
    for i in range(count):
        ahead = (scores[:, i] - np.delete(scores, i, 1).max(1)).reshape(len(ys), len(xs))  # of the best other class
        if ahead.min() < 0 < ahead.max():
            drawn.append(ax.contour(xs, ys, ahead, levels=[0.0], colors=INK, linewidths=0.8, zorder=1))
    return drawn
