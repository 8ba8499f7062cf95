"""Histograms for each layer of a network: its outputs, and the gradients of its weights."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from adjoint.arrays.convert import as_operand
from adjoint.engine.modes import no_grad
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.errors.optional import library
from adjoint.nn.module import Module
from adjoint.nn.observation import as_plain, observe, own_parameters
from adjoint.nn.scalar import MLP
from adjoint.see.drawing.palette import GRID, INK, NEGATIVE, POSITIVE
from adjoint.see.plots.canvas import tidy
from adjoint.training.ingredients import evaluation_source, parameters_to_train
from adjoint.training.objectives import Objective

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

_BINS = 80  # bins for outputs; gradients have half as many
_HEIGHT = 0.9  # the height of a histogram relative to the row of its layer
_DECADES = 12  # powers of ten below the largest gradient; smaller gradients are in the first bin


class LayerNumbers(NamedTuple):
    """The name of a layer and its numbers."""

    name: str
    numbers: np.ndarray


def plot_activations(
    model: Module,
    X: "ArrayLike",
    ax: "Axes | None" = None,
    *,
    layers: type[Module] | tuple[type[Module], ...] | None = None,
) -> "Axes":
    """Draw a histogram of the outputs of each layer, the first layer at the top.

    Negative numbers are blue, positive ones orange. The mean, the standard deviation and the share of exact zeros are
    on the right. `layers` selects layers by class, as in `layers=nn.Tanh`; by default all layers without sublayers are
    shown.

    >>> import numpy as np
    >>> from adjoint import nn, plots
    >>> from adjoint.see.plots.canvas import figure
    >>> model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 1, seed=1))
    >>> ax = plots.plot_activations(model, np.ones((4, 2)), figure()[1][0])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['0  Linear(2, 8)', '1  Tanh()', '2  Linear(8, 1)']
    """
    model = _of_arrays(model, "plot_activations")
    outputs: dict[int, list[np.ndarray]] = {}  # in the order of the calls

    def note(module, inputs, output):
        if isinstance(module, layers) if layers else next(module.named_children(), None) is None:
            first = output[0] if isinstance(output, tuple) else output  # the outputs of a recurrent layer
            outputs.setdefault(id(module), []).append(np.asarray(as_plain(first), float).ravel())

    with observe(model, note), no_grad():
        model(as_operand(X))
    names = {id(module): _name(name, module) for name, module in model.named_modules()}
    found = [LayerNumbers(names[key], np.concatenate(arrays)) for key, arrays in outputs.items()]
    if not found:
        kind = "layer of the class in `layers`" if layers else "layer"
        raise ArgumentError(f"plot_activations: no {kind} was called in {type(model).__name__}")
    ax = _axes_for(found, ax)
    edges = _edges([_finite(layer) for layer in found])
    for place, layer in enumerate(found):
        numbers = _finite(layer)
        heights = np.histogram(numbers[numbers != 0].clip(edges[0], edges[-1]), edges)[0]
        _draw_ridge(ax, place, edges, np.where(edges[1:] <= 0, heights, 0), heights.max(), NEGATIVE)
        _draw_ridge(ax, place, edges, np.where(edges[:-1] >= 0, heights, 0), heights.max(), POSITIVE)
        text = f"{numbers.mean():.2g} ± {numbers.std():.2g}" if len(numbers) else ""
        _annotate(ax, place, text, layer)
    ax.axvline(0, color=GRID, linewidth=0.8, zorder=0)
    ax.set(xlim=(edges[0], edges[-1]))
    _head(ax, "outputs (blue: negative, orange: positive)", "mean ± std")
    return ax


def plot_gradients(
    model: Module,
    X: "ArrayLike",
    y: "ArrayLike",
    loss: str | Callable[[Any, Any], Any],
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a histogram of the gradients of the weights of each layer, the first layer at the top.

    The axis is logarithmic because gradients vanish or explode by factors. Negative gradients are blue; positive ones
    are stacked on them in orange. The root mean square and the share of exact zeros are on the right. `loss` is a name
    or a function, as in `fit`. The model is not changed.

    >>> from adjoint import data, nn, plots
    >>> from adjoint.see.plots.canvas import figure
    >>> X, y = data.moons(20)
    >>> model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 2, seed=1))
    >>> ax = plots.plot_gradients(model, X, y, "cross_entropy", figure()[1][0])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['0  Linear(2, 8)', '2  Linear(8, 2)']
    """
    model = _of_arrays(model, "plot_gradients")
    objective = Objective(model, loss, 0.0, parameters_to_train(model))
    source = evaluation_source((X, y), None)
    objective.require_targets(source)
    with observe(model, lambda module, inputs, output: None):
        objective(*source.sample())[0].backward()
        found = [
            LayerNumbers(
                _name(name, module), np.concatenate([np.asarray(as_plain(p.grad), float).ravel() for p in own])
            )
            for name, module in model.named_modules()
            if (own := own_parameters(module))
        ]
    ax = _axes_for(found, ax)
    sizes = np.concatenate([np.abs(_finite(layer)) for layer in found])
    sizes = sizes[sizes > 0]
    largest = np.log10(sizes.max()) if len(sizes) else 0.0
    least = max(np.log10(sizes.min()), largest - _DECADES) if len(sizes) else -1.0
    edges = np.linspace(np.floor(least), np.ceil(largest + 1e-9), _BINS // 2 + 1)
    for place, layer in enumerate(found):
        numbers = _finite(layer)
        counts = [_log_histogram(numbers[sign * numbers > 0], edges) for sign in (-1, 1)]
        most = max(counts[0] + counts[1])
        _draw_ridge(ax, place, 10.0**edges, counts[0], most, NEGATIVE)
        _draw_ridge(ax, place, 10.0**edges, counts[1], most, POSITIVE, above=counts[0])
        _annotate(ax, place, f"{np.sqrt(np.mean(numbers**2)):.1e}" if len(numbers) else "", layer)
    ax.set_xscale("log")
    ax.set(xlim=(10.0 ** edges[0], 10.0 ** edges[-1]))
    _head(ax, "absolute value of the gradients (blue: negative, orange: positive)", "root mean square")
    return ax


def _of_arrays(model: object, who: str) -> Module:
    if isinstance(model, MLP):
        return model.to_arrays()
    if not isinstance(model, Module):
        raise ArgumentError(f"{who} needs a Module, not {describe(model)}")
    return model


def _name(path: str, module: Module) -> str:
    shown = module._headline()
    return f"{path}  {shown}" if path else shown


def _finite(layer: LayerNumbers) -> np.ndarray:
    return layer.numbers[np.isfinite(layer.numbers)]


def _edges(arrays: list[np.ndarray]) -> np.ndarray:
    """Return the edges of bins for 99% of the numbers. 0 is an edge, so that the numbers of a bin have one sign."""
    low = min([0.0, *(np.percentile(x, 0.5) for x in arrays if len(x))])
    high = max([0.0, *(np.percentile(x, 99.5) for x in arrays if len(x))])
    if low == high:
        low, high = -1.0, 1.0
    width = (high - low) / _BINS
    return width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)


def _log_histogram(numbers: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.histogram(np.log10(np.abs(numbers)).clip(edges[0], edges[-1]), edges)[0]


# --- ridges ---


def _axes_for(layers: list[LayerNumbers], ax: "Axes | None") -> "Axes":
    """Return axes with a row for each layer, the first at the top. By default they are in a new figure."""
    ax = _new_axes(len(layers)) if ax is None else ax
    size = 9 if len(layers) <= 14 else 7 if len(layers) <= 24 else 5
    ax.set(ylim=(len(layers) - 0.4, -1.0))
    tidy(ax)
    ax.spines["left"].set_visible(False)
    ax.set_yticks(range(len(layers)), [_shorten(layer.name) for layer in layers], fontsize=size)
    ax.tick_params(axis="y", length=0)
    ax.hlines(range(len(layers)), 0, 1, transform=ax.get_yaxis_transform(), color=GRID, linewidth=0.8, zorder=1)
    return ax


def _new_axes(rows: int) -> "Axes":
    pyplot = library("matplotlib.pyplot", "a picture", "plot")
    return pyplot.subplots(figsize=(6.4, 1.2 + 0.36 * rows), layout="constrained")[1]


def _shorten(name: str) -> str:
    name = name.replace("$", r"\$")  # a dollar sign would start a formula in matplotlib
    return name if len(name) <= 40 else f"{name[:38]}…"


def _draw_ridge(
    ax: "Axes",
    place: int,
    edges: np.ndarray,
    counts: np.ndarray,
    most: float,
    color: str,
    above: "np.ndarray | float" = 0.0,
) -> None:
    """Draw a histogram in the row of its layer, or on top of another one; `most` is the count of the full height."""
    unit = _HEIGHT / max(most, 1)
    base = np.broadcast_to(place - unit * np.asarray(above, float), counts.shape)
    ax.stairs(base - unit * counts, edges, baseline=base, fill=True, color=color, alpha=0.65, linewidth=0, zorder=2)


def _annotate(ax: "Axes", place: int, text: str, layer: LayerNumbers) -> None:
    """Write a text to the right of a histogram, with the shares of zeros and of non-finite numbers."""
    count = max(len(layer.numbers), 1)
    zero, lost = np.sum(layer.numbers == 0) / count, 1 - len(_finite(layer)) / count
    parts = [text, f"{zero:.0%} zero" if zero >= 0.005 else "", f"{lost:.0%} not finite" if lost else ""]
    size = ax.get_yticklabels()[0].get_fontsize()
    _write(ax, place, "  ".join(part for part in parts if part), size)


def _head(ax: "Axes", below: str, beside: str) -> None:
    """Label the x axis and the column of numbers on the right."""
    ax.set_xlabel(below, color=INK)
    _write(ax, -0.75, beside, 8, style="italic")


def _write(ax: "Axes", place: float, text: str, size: float | str, **style: Any) -> None:
    ax.text(1.01, place, text, transform=ax.get_yaxis_transform(), fontsize=size, color=INK, va="center", **style)
