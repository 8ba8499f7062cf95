"""Histograms, layer above layer: what comes out of each layer of a network, and the gradients of its weights."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.convert import as_operand
from adjoint.engine.modes import no_grad
from adjoint.errors import ArgumentError
from adjoint.errors.given import described
from adjoint.errors.optional import library
from adjoint.nn.module import Module
from adjoint.nn.observation import as_plain, observe, own_parameters
from adjoint.nn.scalar import MLP
from adjoint.see.drawing.palette import GRID, INK, NEGATIVE, POSITIVE
from adjoint.see.plots.canvas import tidy
from adjoint.training.ingredients import loader_to_judge, parameters_to_train
from adjoint.training.objectives import Objective

_BINS = 80  # of outputs; weights are fewer
_TALL = 0.9  # of the room that a layer has
_DECADES = 12  # powers of ten below the largest gradient; what is smaller yet is as good as 0


class Layer(NamedTuple):
    """The numbers of one layer, and how it is called."""

    name: str
    numbers: np.ndarray


def plot_activations(
    model: Module, X: Any, ax: Any = None, *, layers: type[Module] | tuple[type[Module], ...] | None = None
) -> Any:
    """Draw for each layer of a network a histogram of what comes out of it, the first layer at the top.

    Negative numbers are blue, positive ones orange. To the right stand the mean and the spread, and how many are
    exactly 0 where some are. `layers` chooses by class, as in `layers=nn.Tanh`; without it all that have no
    layers inside are shown.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> from adjoint.see.plots.canvas import figure
    >>> model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 1, seed=1))
    >>> ax = plot_activations(model, np.ones((4, 2)), figure()[1][0])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['0  Linear(2, 8)', '1  Tanh()', '2  Linear(8, 1)']
    """
    model = _of_arrays(model, "plot_activations")
    outputs: dict[int, list[np.ndarray]] = {}  # in the order in which the layers are called

    def note(module, inputs, output):
        if isinstance(module, layers) if layers else next(module.named_children(), None) is None:
            first = output[0] if isinstance(output, tuple) else output  # of a recurrent layer: the outputs
            outputs.setdefault(id(module), []).append(np.asarray(as_plain(first), float).ravel())

    with observe(model, note), no_grad():
        model(as_operand(X))
    names = {id(module): _name(name, module) for name, module in model.named_modules()}
    found = [Layer(names[key], np.concatenate(arrays)) for key, arrays in outputs.items()]
    if not found:
        wanted = f"no layer of the class that `layers` names was called in {type(model).__name__}"
        raise ArgumentError(wanted if layers else f"no layer was called in {type(model).__name__}")
    ax = _axes_for(found, ax)
    edges = _edges([_finite(layer) for layer in found])
    for place, layer in enumerate(found):
        numbers = _finite(layer)
        heights = np.histogram(numbers[numbers != 0].clip(edges[0], edges[-1]), edges)[0]
        _draw_ridge(ax, place, edges, np.where(edges[1:] <= 0, heights, 0), heights.max(), NEGATIVE)
        _draw_ridge(ax, place, edges, np.where(edges[:-1] >= 0, heights, 0), heights.max(), POSITIVE)
        said = f"{numbers.mean():.2g} ± {numbers.std():.2g}" if len(numbers) else ""
        _annotate(ax, place, said, layer)
    ax.axvline(0, color=GRID, linewidth=0.8, zorder=0)
    ax.set(xlim=(edges[0], edges[-1]))
    _head(ax, "what comes out (blue: negative, orange: positive)", "mean ± spread")
    return ax


def plot_gradients(model: Module, X: Any, y: Any, loss: str | Callable[[Any, Any], Any], ax: Any = None) -> Any:
    """Draw for each layer of a network a histogram of the gradients of its weights, the first layer at the top.

    The axis counts powers of ten, for gradients that vanish or explode do so by factors: blue are the negative ones,
    and on them, in orange, stand the positive ones. Beside them are the root mean square, and how many are exactly 0
    where some are. `loss` is a name or a function, as `fit` takes it. The model stays as it was.

    >>> from adjoint import data, nn
    >>> from adjoint.see.plots.canvas import figure
    >>> X, y = data.moons(20)
    >>> model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 2, seed=1))
    >>> ax = plot_gradients(model, X, y, "cross_entropy", figure()[1][0])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['0  Linear(2, 8)', '2  Linear(8, 2)']
    """
    model = _of_arrays(model, "plot_gradients")
    objective = Objective(model, loss, 0.0, parameters_to_train(model))
    loader = loader_to_judge((X, y), None)
    objective.require_targets(loader)
    with observe(model, lambda module, inputs, output: None):
        objective(*loader.arrays)[0].backward()
        found = [
            Layer(_name(name, module), np.concatenate([np.asarray(as_plain(p.grad), float).ravel() for p in own]))
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
    _head(ax, "size of the gradients (blue: negative, orange: positive)", "root mean square")
    return ax


def _of_arrays(model: Any, who: str) -> Module:
    if isinstance(model, MLP):
        return model.to_arrays()
    if not isinstance(model, Module):
        raise ArgumentError(f"{who} looks at a Module, not {described(model)}")
    return model


def _name(path: str, module: Module) -> str:
    shown = module._headline()
    return f"{path}  {shown}" if path else shown


def _finite(layer: Layer) -> np.ndarray:
    return layer.numbers[np.isfinite(layer.numbers)]


def _edges(arrays: list[np.ndarray]) -> np.ndarray:
    """Return bins for nearly all of the numbers; 0 is an edge, exactly, so that each bin has one sign."""
    low = min([0.0, *(np.percentile(x, 0.5) for x in arrays if len(x))])
    high = max([0.0, *(np.percentile(x, 99.5) for x in arrays if len(x))])
    if low == high:
        low, high = -1.0, 1.0
    width = (high - low) / _BINS
    return width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)


def _log_histogram(numbers: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.histogram(np.log10(np.abs(numbers)).clip(edges[0], edges[-1]), edges)[0]


# --- ridges ---


def _axes_for(layers: list[Layer], ax: Any) -> Any:
    """Return axes with a row for each layer, the first at the top: those given, or a new figure of fitting height."""
    if ax is None:
        pyplot = library("matplotlib.pyplot", "a picture", "plot")
        ax = pyplot.subplots(figsize=(6.4, 1.2 + 0.36 * len(layers)), layout="constrained")[1]
    size = 9 if len(layers) <= 14 else 7 if len(layers) <= 24 else 5
    ax.set(ylim=(len(layers) - 0.4, -1.0))
    tidy(ax)
    ax.spines["left"].set_visible(False)
    ax.set_yticks(range(len(layers)), [_shortened(layer.name) for layer in layers], fontsize=size)
    ax.tick_params(axis="y", length=0)
    ax.hlines(range(len(layers)), 0, 1, transform=ax.get_yaxis_transform(), color=GRID, linewidth=0.8, zorder=1)
    return ax


def _shortened(name: str) -> str:
    name = name.replace("$", r"\$")  # matplotlib would read mathematics
    return name if len(name) <= 40 else f"{name[:38]}…"


def _draw_ridge(
    ax: Any, place: int, edges: np.ndarray, counts: np.ndarray, most: float, colour: str, above: Any = 0
) -> None:
    """Draw a histogram on the line of its layer, or above another; the highest of all fills the room of the layer."""
    unit = _TALL / max(most, 1)
    base = np.broadcast_to(place - unit * np.asarray(above, float), counts.shape)
    ax.stairs(base - unit * counts, edges, baseline=base, fill=True, color=colour, alpha=0.65, linewidth=0, zorder=2)


def _annotate(ax: Any, place: int, said: str, layer: Layer) -> None:
    """Write to the right of a ridge what its numbers are in a word, and what a histogram does not show of them."""
    count = max(len(layer.numbers), 1)
    zero, lost = np.sum(layer.numbers == 0) / count, 1 - len(_finite(layer)) / count
    parts = [said, f"{zero:.0%} zero" if zero >= 0.005 else "", f"{lost:.0%} not finite" if lost else ""]
    size = ax.get_yticklabels()[0].get_fontsize()
    _write(ax, place, "  ".join(part for part in parts if part), size)


def _head(ax: Any, below: str, beside: str) -> None:
    """Write what the axis counts, and what the words beside the ridges are."""
    ax.set_xlabel(below, color=INK)
    _write(ax, -0.75, beside, 8, style="italic")


def _write(ax: Any, place: float, text: str, size: float, **style: Any) -> None:
    ax.text(1.01, place, text, transform=ax.get_yaxis_transform(), fontsize=size, color=INK, va="center", **style)
