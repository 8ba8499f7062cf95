"""Plots: what is in the picture is what the model and the history say."""

import sys

import numpy as np
import pytest

from adjoint import data, nn
from adjoint.draw.palette import CLASSES, MARKERS
from adjoint.draw.plots import figure, plot_boundary, plot_loss
from adjoint.errors import ArgumentError, MissingExtraError
from adjoint.training.history import History


def axes():
    return figure()[1][0]


def history_of(**columns) -> History:
    history = History("loss")
    for i in range(len(columns["loss"])):
        history.add({name: column[i] for name, column in columns.items()} | {"lr": 0.1, "seconds": 0.5})
    return history


def test_losses_and_accuracies_are_lines_over_the_epochs():
    history = history_of(loss=[0.9, 0.5, 0.4], validation_loss=[1.0, 0.6, 0.5], accuracy=[0.2, 0.5, 1.0])
    ax = history.plot(axes())
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert lines["loss"].get_ydata().tolist() == [0.9, 0.5, 0.4]
    assert lines["validation loss"].get_ydata().tolist() == [1.0, 0.6, 0.5]
    assert lines["loss"].get_xdata().tolist() == [1, 2, 3]
    right = next(other for other in ax.figure.axes if other is not ax)
    assert right.get_lines()[0].get_ydata().tolist() == [20.0, 50.0, 100.0]
    assert ax.get_title() == "3 epochs, 1.5 s"
    assert ax.get_yscale() == "linear"


def test_a_loss_that_falls_far_is_drawn_on_a_logarithmic_axis():
    assert plot_loss(history_of(loss=[10.0, 1.0, 0.01]), axes()).get_yscale() == "log"
    assert plot_loss(history_of(loss=[10.0, 0.0, 0.01]), axes()).get_yscale() == "linear"


def test_a_history_without_rows_has_nothing_to_plot():
    with pytest.raises(ArgumentError, match="no epoch has ended"):
        plot_loss(History("loss"), axes())


@pytest.mark.parametrize("kind", ["arrays", "single Values"])
def test_a_boundary_shows_each_class_and_what_is_wrong(kind):
    model = nn.MLP(2, [1], None, seed=0)
    for p, x in zip(model.parameters(), (1.0, 0.0, -0.5)):
        p.data = x  # to the right of x1 = 0.5 is class 1
    X, y = np.array([[0.0, 0.0], [0.2, 1.0], [1.0, 0.0], [0.9, 1.0]]), np.array([0, 0, 1, 0])
    ax = plot_boundary(model.to_arrays() if kind == "arrays" else model, X, y, axes())
    drawn = {c.get_label(): c.get_offsets().tolist() for c in ax.collections if c.get_label()[0] != "_"}
    assert drawn["class 0"] == [[0.0, 0.0], [0.2, 1.0], [0.9, 1.0]]
    assert drawn["class 1"] == [[1.0, 0.0]]
    assert drawn["wrong"] == [[0.9, 1.0]]
    assert ax.get_title() == "75.0% of 4 points right"
    line = next(c for c in ax.collections if c.get_label()[0] == "_" and len(c.get_paths()) == 1)
    assert np.allclose(line.get_paths()[0].vertices[:, 0], 0.5, atol=1e-6)


def test_several_classes_are_told_apart_by_colour_and_marker():
    X, y = data.blobs(60, classes=3, noise=0.3)
    model = nn.Sequential(nn.Linear(2, 3, seed=0)).eval()
    ax = plot_boundary(model, X, y, axes())
    assert not model.training
    assert len(ax.images) == 1
    assert len(set(CLASSES)) == len(CLASSES) == len(set(MARKERS)) == len(MARKERS)


def test_what_is_not_in_the_plane_is_refused():
    model = nn.Sequential(nn.Linear(3, 1, seed=0))
    with pytest.raises(ArgumentError, match=r"two columns, not the shape \(4, 3\)"):
        plot_boundary(model, np.zeros((4, 3)), np.zeros(4), axes())
    with pytest.raises(ArgumentError, match="4 points and 3 classes"):
        plot_boundary(model, np.zeros((4, 2)), np.zeros(3), axes())


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"adjoint\[plot\]"):
        figure()
    with pytest.raises(MissingExtraError, match=r"adjoint\[plot\]"):
        plot_loss(history_of(loss=[1.0]))
