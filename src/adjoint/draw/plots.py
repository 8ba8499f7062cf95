"""Pictures of training, with matplotlib: how the loss went, and where a model draws the line.

Each takes an `Axes` to draw on, or makes one, and returns it. matplotlib is the extra `plot`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjoint.draw.palette import CLASSES, GRID, INK, MARKERS, NEGATIVE, NEUTRAL, POSITIVE
from adjoint.errors import ArgumentError
from adjoint.extras import library
from adjoint.modes import no_grad
from adjoint.tensor import Tensor
from adjoint.training.history import History
from adjoint.training.objectives import plain

_FINE = 200  # points along each side of a boundary; a network of single Values gets fewer
_COARSE = 60


def figure(columns: int = 1, size: tuple[float, float] = (5.0, 4.0)) -> tuple[Any, list]:
    """Return a figure for pictures side by side, and its axes. No window is opened."""
    agg = library("matplotlib.backends.backend_agg", "a picture", "plot")
    made = library("matplotlib.figure", "a picture", "plot").Figure(
        figsize=(columns * size[0], size[1]), layout="constrained"
    )
    agg.FigureCanvasAgg(made)
    return made, list(made.subplots(1, columns, squeeze=False)[0])


def _axes(ax: Any) -> Any:
    """Return the axes that are given, or those of pyplot's current figure, so that notebooks show them."""
    return library("matplotlib.pyplot", "a picture", "plot").gca() if ax is None else ax


def _tidied(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(colors=INK, labelsize=9)


# --- how training went ---


def plot_history(history: History, ax: Any = None) -> Any:
    """Draw the loss over the epochs, dashed for validation; accuracy and other metrics on an axis to the right.

    >>> history = History("loss")
    >>> for loss, share in ((0.9, 0.5), (0.4, 0.8), (0.1, 1.0)):
    ...     history.add({"loss": loss, "accuracy": share, "lr": 0.1, "seconds": 0.01})
    >>> ax = plot_history(history, figure()[1][0])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('epoch', 'loss')
    """
    if not history.rows:
        raise ArgumentError("no epoch has ended yet, so there is nothing to plot")
    ax = _axes(ax)
    shown = [name for name in history.columns if name not in ("epoch", "lr", "seconds")]
    losses = [name for name in shown if _base(name) == "loss"]
    _plot_columns(ax, history, losses, CLASSES)
    numbers = [x for name in losses for x in history[name]]
    if min(numbers) > 0 and 20 * min(numbers) < max(numbers) < np.inf:
        ax.set_yscale("log")
    ax.set_xlabel("epoch", color=INK)
    ax.set_ylabel("loss", color=INK)
    ax.grid(True, color=GRID, linewidth=0.6)
    _tidied(ax)
    lines, others = list(ax.get_lines()), [name for name in shown if name not in losses]
    above = ax
    if others:
        above = ax.twinx()
        is_share = {_base(name) for name in others} == {"accuracy"}
        _plot_columns(above, history, others, CLASSES[1:], 100 if is_share else 1)
        above.set_ylabel("accuracy (%)" if is_share else ", ".join(dict.fromkeys(map(_base, others))), color=INK)
        if is_share:
            above.set_ylim(0, 103)
        _tidied(above)
        above.spines["right"].set_visible(True)
        lines += above.get_lines()
    above.legend(lines, [line.get_label() for line in lines], frameon=False, fontsize=9, loc="center right")
    ax.set_title(f"{history.epochs} epochs, {history.seconds:.1f} s", fontsize=10, color=INK)
    return ax


def _base(name: str) -> str:
    return name.removeprefix("validation_").replace("_", " ")


def _plot_columns(ax: Any, history: History, names: list[str], colours: Sequence[str], factor: float = 1) -> None:
    """Draw columns of a history: a colour for each, the same and dashed for its validation."""
    bases = list(dict.fromkeys(map(_base, names)))
    for name in names:
        i = bases.index(_base(name))
        ax.plot(
            history["epoch"],
            [factor * x for x in history[name]],
            "--" if name.startswith("validation_") else "-",
            color=colours[i % len(colours)],
            marker=MARKERS[i % len(MARKERS)] if history.epochs <= 30 else "",
            markersize=4,
            label=name.replace("_", " "),
        )


# --- where a model draws the line ---


def plot_boundary(model: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw what a model says of every point of the plane, and the points that it learned from.

    One output is a score, above 0 for the second class; several are the scores of as many classes. Points that it gets
    wrong have a ring.

    >>> from adjoint import data, nn
    >>> X, y = data.moons(40)
    >>> ax = plot_boundary(nn.Sequential(nn.Linear(2, 2, seed=0)), X, y, figure()[1][0])
    >>> len(ax.collections) > 2
    True
    """
    X, y = np.asarray(X, float), np.asarray(y).reshape(-1)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ArgumentError(f"a boundary is drawn in the plane: X has two columns, not the shape {X.shape}")
    if len(X) != len(y):
        raise ArgumentError(f"there are {len(X)} points and {len(y)} classes")
    ax = _axes(ax)
    classes = sorted(set(y.tolist()))
    is_array = any(isinstance(p, Tensor) for p in model.parameters())
    xs, ys = _grid(X, _FINE if is_array else _COARSE)
    points = np.stack([g.ravel() for g in np.meshgrid(xs, ys)], axis=1)
    scores, own = _scores(model, points, is_array), _scores(model, X, is_array)
    if scores.shape[1] == 1:
        _fill_by_sign(ax, xs, ys, scores)
        said = (own[:, 0] > 0).astype(int)
    else:
        _fill_by_class(ax, xs, ys, scores)
        said = own.argmax(1)
    place = {label: i for i, label in enumerate(classes)}
    for label, i in place.items():
        chosen = y == label
        style = {"color": CLASSES[i % len(CLASSES)], "marker": MARKERS[i % len(MARKERS)]}
        ax.scatter(*X[chosen].T, s=26, edgecolors="white", linewidths=0.7, zorder=3, label=f"class {label:g}", **style)
    wrong = said != np.array([place[label] for label in y.tolist()])
    if wrong.any():
        ax.scatter(*X[wrong].T, s=90, facecolors="none", edgecolors=INK, linewidths=1.0, zorder=4, label="wrong")
    ax.set(xlim=(xs[0], xs[-1]), ylim=(ys[0], ys[-1]), xticks=[], yticks=[])
    ax.set_title(f"{np.mean(~wrong):.1%} of {len(X)} points right", fontsize=10, color=INK)
    ax.legend(fontsize=8, loc="upper right", framealpha=0.85)
    return ax


def _grid(X: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    low, high = X.min(0), X.max(0)
    margin = 0.12 * np.maximum(high - low, 1e-9)
    xs, ys = (np.linspace(a, b, count) for a, b in zip(low - margin, high + margin))
    return xs, ys


def _scores(model: Any, points: np.ndarray, is_array: bool) -> np.ndarray:
    """Return what a model says of points: a row for each, with one score or one for each class."""
    with no_grad():
        if is_array:
            was_training = [module for module in model.modules() if module.training] if hasattr(model, "eval") else []
            if was_training:
                model.eval()
            try:
                dtype = next(p.dtype for p in model.parameters() if isinstance(p, Tensor))
                scores = np.asarray(model(points.astype(dtype)).numpy(), float)
            finally:
                for module in was_training:
                    module.__dict__.pop("training", None)
        else:
            scores = plain([model(row) for row in points.tolist()])
    return scores.reshape(len(points), -1)


def _fill_by_sign(ax: Any, xs: np.ndarray, ys: np.ndarray, scores: np.ndarray) -> None:
    """Colour the plane by a score: blue below 0, orange above, the line between them in ink."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("signs", [NEGATIVE, NEUTRAL, POSITIVE])
    z = np.tanh(scores[:, 0]).reshape(len(ys), len(xs))
    ax.contourf(xs, ys, z, levels=np.linspace(-1, 1, 21), cmap=shades, alpha=0.55, zorder=0)
    if z.min() < 0 < z.max():
        ax.contour(xs, ys, z, levels=[0.0], colors=INK, linewidths=1.2, zorder=1)


def _fill_by_class(ax: Any, xs: np.ndarray, ys: np.ndarray, scores: np.ndarray) -> None:
    """Colour the plane by the class with the largest score, paler where another comes close."""
    from matplotlib.colors import to_rgb

    e = np.exp(scores - scores.max(1, keepdims=True))
    shares = e / e.sum(1, keepdims=True)
    colours = np.array([to_rgb(CLASSES[i % len(CLASSES)]) for i in range(shares.shape[1])])
    winner = shares.argmax(1)
    sure = 0.5 * (shares.max(1) - 1 / shares.shape[1]) / (1 - 1 / shares.shape[1])
    paint = 1 - sure[:, None] * (1 - colours[winner])
    extent = (xs[0], xs[-1], ys[0], ys[-1])
    ax.imshow(paint.reshape(len(ys), len(xs), 3), extent=extent, origin="lower", aspect="auto", zorder=0)
    for i in range(shares.shape[1]):
        own = (winner == i).reshape(len(ys), len(xs)).astype(float)
        if own.min() < own.max():
            ax.contour(xs, ys, own, levels=[0.5], colors=INK, linewidths=0.8, zorder=1)
