"""Histograms of layers: the numbers are those of PyTorch, and the model is not changed."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from closeness import require_close

import adjoint
from adjoint import data, nn
from adjoint.errors import ArgumentError, DataError
from adjoint.see.drawing.palette import NEGATIVE, POSITIVE
from adjoint.see.plots import figure, plot_activations, plot_gradients

X, Y = data.moons(60, noise=0.1, seed=1)


def axes():
    return figure()[1][0]


def network(depth: int = 3, activation=nn.Tanh) -> nn.Sequential:
    sizes = [2, *[8] * (depth - 1)]
    hidden = [layer for i, size in enumerate(sizes[:-1]) for layer in (nn.Linear(size, 8, seed=i), activation())]
    return nn.Sequential(*hidden, nn.Linear(8, 2, seed=99))


def rows(ax) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def ridge_texts(ax) -> list[str]:
    """Return the texts next to the ridges, without the heading."""
    return [text.get_text() for text in ax.texts if text.get_position()[1] >= 0]


def areas(ax, place: int) -> dict[str, float]:
    """The area of the ridges of a layer, by their color, in bins times height."""
    from matplotlib.colors import to_hex

    found = {}
    for patch in ax.patches:
        heights, _, base = patch.get_data()
        if np.max(base) > place - 1 and np.max(base) <= place:
            found[to_hex(patch.get_facecolor()).upper()] = float(np.sum(base - heights))
    return found


def test_the_activations_of_each_layer_agree_with_pytorch():
    model = network(3)
    ax = plot_activations(model, X, axes())
    assert rows(ax) == ["0  Linear(2, 8)", "1  Tanh()", "2  Linear(8, 8)", "3  Tanh()", "4  Linear(8, 2)"]
    x = torch.tensor(X)
    with torch.no_grad():
        for place, layer in enumerate(adjoint.to_torch(model)):
            x = layer(x)
            assert ridge_texts(ax)[place] == f"{x.mean().item():.2g} ± {x.std(correction=0).item():.2g}"
            area = areas(ax, place)
            share = (x < 0).double().mean().item()
            require_close(area[NEGATIVE] / (area[NEGATIVE] + area[POSITIVE]), share)


def test_the_gradients_of_each_layer_agree_with_pytorch():
    model = network(3)
    ax = plot_gradients(model, X, Y, "cross_entropy", axes())
    assert rows(ax) == ["0  Linear(2, 8)", "2  Linear(8, 8)", "4  Linear(8, 2)"]
    theirs = adjoint.to_torch(model)
    torch.nn.functional.cross_entropy(theirs(torch.tensor(X)), torch.tensor(Y)).backward()
    for place, layer in enumerate(theirs[::2]):
        g = torch.cat([p.grad.ravel() for p in layer.parameters()])
        assert ridge_texts(ax)[place] == f"{g.square().mean().sqrt().item():.1e}"
        area = areas(ax, place)
        require_close(area[NEGATIVE] / (area[NEGATIVE] + area[POSITIVE]), (g < 0).double().mean().item())
    assert ax.get_xscale() == "log"


def test_layers_can_be_selected_by_class():
    assert rows(plot_activations(network(4), X, axes(), layers=nn.Tanh)) == ["1  Tanh()", "3  Tanh()", "5  Tanh()"]
    with pytest.raises(ArgumentError, match="no layer of the class in `layers`"):
        plot_activations(network(4), X, axes(), layers=nn.GELU)


def test_dead_units_are_counted():
    model = network(3, nn.ReLU)
    model[0].bias.data = np.full(8, -100.0)
    assert ridge_texts(plot_activations(model, X, axes()))[1] == "0 ± 0  100% zero"
    assert ridge_texts(plot_gradients(model, X, Y, "cross_entropy", axes()))[0] == "0.0e+00  100% zero"


def test_non_finite_numbers_are_counted_and_left_out():
    model = network(2)
    model[0].bias.data = np.array([np.nan, *[0.0] * 7])
    assert ridge_texts(plot_activations(model, X, axes()))[0].endswith("  12% not finite")
    plot_gradients(model, X, Y, "cross_entropy", axes()).figure.canvas.draw()


@pytest.mark.parametrize("count", [3, 12])
def test_every_layer_has_a_row_and_the_names_do_not_overlap(count):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    model = network(count)
    for ax in (plot_activations(model, X), plot_gradients(model, X, Y, "cross_entropy")):
        ax.figure.draw_without_rendering()
        boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
        assert len(boxes) in (count, 2 * count - 1)
        assert all(above.y0 >= below.y1 for above, below in pairwise(boxes))
    pyplot.close("all")


def test_a_plot_does_not_change_the_model():
    model = nn.Sequential(nn.Linear(2, 4, seed=0), nn.BatchNorm1d(4), nn.Dropout(0.5, seed=0), nn.Linear(4, 2, seed=1))
    nn.cross_entropy(model(X), Y).backward()
    before, gradients = model.state_dict(transient=True), [p.grad.copy() for p in model.parameters()]
    plot_activations(model, X, axes())
    plot_gradients(model, X, Y, "cross_entropy", axes())
    after = model.state_dict(transient=True)
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert all(np.array_equal(p.grad, g) for p, g in zip(model.parameters(), gradients))
    assert "_forward_hooks" not in vars(model[0])


def test_scalar_and_recurrent_networks_are_shown():
    scalar = nn.MLP(2, [4, 1], seed=0)
    assert rows(plot_activations(scalar, X, axes())) == ["0  Linear(2, 4)", "1  Tanh()", "2  Linear(4, 1)", "3  Tanh()"]
    assert len(rows(plot_gradients(scalar, X, 2 * Y - 1, "hinge", axes()))) == 2
    assert rows(plot_activations(nn.LSTM(2, 3, seed=0), np.ones((5, 4, 2)), axes())) == ["LSTM(2, 3)"]


def test_a_layer_that_is_used_twice_has_one_row():
    class Twice(nn.Module):
        def __init__(self):
            self.inner = nn.Linear(2, 2, seed=0)

        def forward(self, x):
            return self.inner(self.inner(x))

    model = Twice()
    first = model.inner(X)
    both = np.concatenate([first.numpy().ravel(), model.inner(first).numpy().ravel()])
    assert ridge_texts(plot_activations(model, X, axes())) == [f"{both.mean():.2g} ± {both.std():.2g}"]


class Unused(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(2, 2, seed=0)

    def forward(self, x):
        return x


def test_invalid_models_and_data_are_refused():
    with pytest.raises(ArgumentError, match="plot_activations needs a Module, not float"):
        plot_activations(3.0, X, axes())
    with pytest.raises(ArgumentError, match="did you mean 'cross_entropy'"):
        plot_gradients(network(), X, Y, "cross_entrpy", axes())
    with pytest.raises(DataError, match="hinge needs the labels -1 and 1"):
        plot_gradients(nn.Sequential(nn.Linear(2, 1, seed=0)), X, Y, "hinge", axes())
    with pytest.raises(ArgumentError, match="no layer was called in Unused"):
        plot_activations(Unused(), X, axes())
    with pytest.raises(ArgumentError, match="no parameters"):
        plot_gradients(nn.Sequential(nn.Tanh()), X, Y, "mse", axes())


def test_an_empty_network_shows_its_input():
    assert ridge_texts(plot_activations(nn.Sequential(), X, axes())) == [f"{X.mean():.2g} ± {X.std():.2g}"]


def test_names_with_dollar_signs_are_shown_literally():
    model = nn.Sequential({"cost$": nn.Linear(2, 1, seed=0), "$": nn.Tanh()})
    ax = plot_activations(model, X, axes())
    ax.figure.canvas.draw()
    assert rows(ax) == [r"cost\$  Linear(2, 1)", r"\$  Tanh()"]
