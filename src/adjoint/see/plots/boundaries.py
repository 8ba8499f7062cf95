"""Where a model draws the line: what it says of every point of the plane, in colours."""

from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.engine.modes import no_grad
from adjoint.errors import ArgumentError
from adjoint.nn.descriptions import describe
from adjoint.nn.scalar import MLP
from adjoint.see.drawing.palette import CLASSES, INK, MARKERS, NEGATIVE, NEUTRAL, POSITIVE
from adjoint.see.plots.canvas import axes_of
from adjoint.training.objectives import evaluating, plain

FINE, COARSE = 200, 60  # points along each side; a model that takes them one by one gets fewer, for it is slow
_MOST_CLASSES = 50


def plot_boundary(model: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw what a model says of every point of the plane, and the points that it learned from.

    One output is a score, above 0 for the second class; several are the scores of as many classes. Points that it gets
    wrong have a ring.

    >>> from adjoint import data, nn
    >>> from adjoint.see.plots.canvas import figure
    >>> X, y = data.moons(40)
    >>> ax = plot_boundary(nn.Sequential(nn.Linear(2, 2, seed=0)), X, y, figure()[1][0])
    >>> len(ax.collections) > 2
    True
    """
    points = Points(X, y)
    ax = axes_of(ax)
    plane = points.plane(FINE if at_once(model) is not None else COARSE)
    fill(ax, plane, scores_of(model, plane.places))
    draw_points(ax, points)
    wrong = points.wrong(scores_of(model, points.X))
    if wrong.any():
        draw_rings(ax, points.X[wrong])
    frame(ax, plane)
    ax.set_title(f"{np.mean(~wrong):.1%} of {len(points.X)} points right", fontsize=10, color=INK)
    ax.legend(fontsize=8, loc="upper right", framealpha=0.85)
    return ax


class Plane(NamedTuple):
    """A grid over the plane: its columns and rows."""

    xs: np.ndarray
    ys: np.ndarray

    @property
    def places(self) -> np.ndarray:
        """All points of the grid, row by row."""
        return np.stack([g.ravel() for g in np.meshgrid(self.xs, self.ys)], axis=1)


class Points:
    """Points in the plane and their classes."""

    def __init__(self, X: Any, y: Any):
        self.X, self.y = np.asarray(X, float), np.asarray(y).reshape(-1)
        if self.X.ndim != 2 or self.X.shape[1] != 2:
            raise ArgumentError(f"a boundary is drawn in the plane: X has two columns, not the shape {self.X.shape}")
        if len(self.X) != len(self.y):
            raise ArgumentError(f"there are {len(self.X)} points and {len(self.y)} classes")
        if not len(self.X):
            raise ArgumentError("there are no points to draw a boundary between")
        self.classes = sorted(set(self.y.tolist()))
        if len(self.classes) > _MOST_CLASSES:
            raise ArgumentError(f"a boundary parts classes, and y has {len(self.classes)} different numbers")

    def plane(self, count: int) -> Plane:
        """Return a grid of so many rows and columns with all points in it."""
        low, high = self.X.min(0), self.X.max(0)
        margin = 0.12 * np.maximum(high - low, 1e-9)
        return Plane(*(np.linspace(a, b, count) for a, b in zip(low - margin, high + margin)))

    def wrong(self, scores: np.ndarray) -> np.ndarray:
        """Return for each point whether its scores are for another class."""
        said = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(1)
        return said != np.searchsorted(self.classes, self.y)


def at_once(model: Any) -> Any:
    """Return a model that takes all points at once: the same one, or a copy of a scalar MLP on arrays; else None."""
    if isinstance(model, MLP) and describe(model) is not None:  # with activations that are ours, and so take arrays
        return model.to_arrays()
    return model if any(isinstance(p, Tensor) for p in model.parameters()) else None


def scores_of(model: Any, points: np.ndarray) -> np.ndarray:
    """Return what a model says of points: a row for each, with one score or one for each class."""
    arrays = at_once(model)
    with evaluating(model), no_grad():
        if arrays is not None:
            model = arrays
            dtype = next(p.dtype for p in model.parameters() if isinstance(p, Tensor))
            scores = np.asarray(model(points.astype(dtype)).numpy(), float)
        else:
            scores = plain([model(row) for row in points.tolist()])
    return scores.reshape(len(points), -1)


# --- the parts of the picture ---


def draw_points(ax: Any, points: Points) -> None:
    """Draw the points, each class with its colour and marker."""
    for i, label in enumerate(points.classes):
        style = {"color": CLASSES[i % len(CLASSES)], "marker": MARKERS[i % len(MARKERS)], "label": f"class {label:g}"}
        ax.scatter(*points.X[points.y == label].T, s=26, edgecolors="white", linewidths=0.7, zorder=3, **style)


def draw_rings(ax: Any, places: np.ndarray) -> Any:
    """Draw rings around points that a model gets wrong; return them."""
    return ax.scatter(*places.T, s=90, facecolors="none", edgecolors=INK, linewidths=1.0, zorder=4, label="wrong")


def frame(ax: Any, plane: Plane) -> None:
    """Show all of the plane and no numbers: where a point is matters only beside the others."""
    ax.set(xlim=plane.xs[[0, -1]], ylim=plane.ys[[0, -1]], xticks=[], yticks=[])


def fill(ax: Any, plane: Plane, scores: np.ndarray) -> list:
    """Colour the plane by the scores of its points; return what was drawn."""
    return (_fill_by_sign if scores.shape[1] == 1 else _fill_by_class)(ax, *plane, scores)


def _fill_by_sign(ax: Any, xs: np.ndarray, ys: np.ndarray, scores: np.ndarray) -> list:
    """Colour the plane by a score: blue below 0, orange above, the line between them in ink."""
    from matplotlib.colors import LinearSegmentedColormap

    # Paler colours and not an alpha, with which the seams between the levels would show.
    shades = LinearSegmentedColormap.from_list("signs", [_paler(NEGATIVE), _paler(NEUTRAL), _paler(POSITIVE)])
    z = np.tanh(scores[:, 0]).reshape(len(ys), len(xs))
    drawn = [ax.contourf(xs, ys, z, levels=np.linspace(-1, 1, 21), cmap=shades, zorder=0)]
    if z.min() < 0 < z.max():
        drawn.append(ax.contour(xs, ys, z, levels=[0.0], colors=INK, linewidths=1.2, zorder=1))
    return drawn


def _paler(colour: str) -> np.ndarray:
    from matplotlib.colors import to_rgb

    return 1 - 0.55 * (1 - np.array(to_rgb(colour)))


def _fill_by_class(ax: Any, xs: np.ndarray, ys: np.ndarray, scores: np.ndarray) -> list:
    """Colour the plane by the class with the largest score, paler where another comes close."""
    from matplotlib.colors import to_rgb

    e = np.exp(scores - scores.max(1, keepdims=True))
    shares = e / e.sum(1, keepdims=True)
    colours = np.array([to_rgb(CLASSES[i % len(CLASSES)]) for i in range(shares.shape[1])])
    winner = shares.argmax(1)
    sure = 0.5 * (shares.max(1) - 1 / shares.shape[1]) / (1 - 1 / shares.shape[1])
    paint = 1 - sure[:, None] * (1 - colours[winner])
    extent = (xs[0], xs[-1], ys[0], ys[-1])
    drawn = [ax.imshow(paint.reshape(len(ys), len(xs), 3), extent=extent, origin="lower", aspect="auto", zorder=0)]
    for i in range(shares.shape[1]):
        ahead = (scores[:, i] - np.delete(scores, i, 1).max(1)).reshape(len(ys), len(xs))  # of the best of the others
        if ahead.min() < 0 < ahead.max():
            drawn.append(ax.contour(xs, ys, ahead, levels=[0.0], colors=INK, linewidths=0.8, zorder=1))
    return drawn
