"""Decision boundaries: the plot shows the predictions of the model."""

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, data, nn
from adjoint.errors import ArgumentError
from adjoint.see.drawing.palette import CLASSES, MARKERS
from adjoint.see.plots import figure, plot_boundary


def axes():
    return figure()[1][0]


@pytest.mark.parametrize("kind", ["arrays", "single Values", "single Values, one by one"])
def test_a_boundary_shows_each_class_and_the_misclassified_points(kind):
    own = (lambda v: v + 0.0) if "one by one" in kind else None  # a function of the user may not accept arrays
    model = nn.MLP(2, [1], own, seed=0)
    for p, x in zip(model.parameters(), (1.0, 0.0, -0.5)):
        p.data = x  # to the right of x1 = 0.5 is class 1
    X, y = np.array([[0.0, 0.0], [0.2, 1.0], [1.0, 0.0], [0.9, 1.0]]), np.array([0, 0, 1, 0])
    ax = plot_boundary(model.to_arrays() if kind == "arrays" else model, X, y, axes())
    points = {c.get_label(): c.get_offsets().tolist() for c in ax.collections if c.get_label()[0] != "_"}
    assert points["class 0"] == [[0.0, 0.0], [0.2, 1.0], [0.9, 1.0]]
    assert points["class 1"] == [[1.0, 0.0]]
    assert points["wrong"] == [[0.9, 1.0]]
    assert ax.get_title() == "75.0% of 4 points correct"
    line = next(c for c in ax.collections if c.get_label()[0] == "_" and len(c.get_paths()) == 1)
    edge = line.get_paths()[0].vertices[:, 0]
    require_close(edge, np.full(edge.shape, 0.5))


def test_classes_differ_in_color_and_marker():
    X, y = data.blobs(60, classes=3, noise=0.3)
    model = nn.Sequential(nn.Linear(2, 3, seed=0)).eval()
    ax = plot_boundary(model, X, y, axes())
    assert not model.training
    assert len(ax.images) == 1
    assert len(set(CLASSES)) == len(CLASSES) == len(set(MARKERS)) == len(MARKERS)


def test_points_outside_the_plane_are_refused():
    model = nn.Sequential(nn.Linear(3, 1, seed=0))
    with pytest.raises(ArgumentError, match=r"two columns, not shape \(4, 3\)"):
        plot_boundary(model, np.zeros((4, 3)), np.zeros(4), axes())
    with pytest.raises(ArgumentError, match="4 points and y has 3 classes"):
        plot_boundary(model, np.zeros((4, 2)), np.zeros(3), axes())


def test_lines_between_classes_run_where_their_scores_are_equal():
    model = nn.Sequential(nn.Linear(2, 3, seed=0))
    model[0].weight.data = [[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]
    model[0].bias.data = [0.0, 0.0, -9.0]  # class 0 to the right of x1 = 0, class 1 to the left, class 2 nowhere
    ax = plot_boundary(model, np.array([[1.0, 0.0], [-0.9, 1.0], [0.3, 0.4]]), np.array([0, 1, 2]), axes())
    lines = [path for c in ax.collections if c.get_label()[0] == "_" for path in c.get_paths()]
    assert len(lines) == 2  # the boundaries of classes 0 and 1 coincide
    for line in lines:
        require_close(line.vertices[:, 0], np.zeros(len(line.vertices)), scale=1.0)
    assert [c.get_offsets().tolist() for c in ax.collections if c.get_label() == "wrong"] == [[[0.3, 0.4]]]


def test_continuous_targets_are_refused():
    model = nn.Sequential(nn.Linear(2, 1, seed=0))
    with pytest.raises(ArgumentError, match="at most 50 classes, not 60 different numbers"):
        plot_boundary(model, np.zeros((60, 2)), np.linspace(0, 1, 60), axes())
    with pytest.raises(ArgumentError, match="no points"):
        plot_boundary(model, np.zeros((0, 2)), np.zeros(0), axes())


def test_a_model_in_training_mode_is_evaluated_in_evaluation_mode_and_stays_in_training_mode():
    model = nn.Sequential(nn.Linear(2, 4, seed=0), nn.BatchNorm1d(4), nn.Dropout(0.5, seed=0), nn.Linear(4, 1, seed=1))
    before = model.state_dict(transient=True)
    pictures = [plot_boundary(model, *data.moons(20), axes()).get_title() for _ in range(2)]
    assert pictures[0] == pictures[1]
    assert all(module.training for module in model.modules())
    after = model.state_dict(transient=True)
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_a_diverged_model_is_drawn():
    for outputs in (1, 3):
        model = nn.Sequential(nn.Linear(2, outputs, seed=0))
        model[0].weight.data = np.full((outputs, 2), np.nan)
        plot_boundary(model, *data.moons(20), axes()).figure.canvas.draw()


def test_any_model_with_parameters_is_drawn():
    class Bare:
        def __init__(self):
            self.w = Value(1.0)

        def parameters(self):
            return [self.w]

        def __call__(self, x):
            return self.w * x[0]

    ax = plot_boundary(Bare(), np.array([[1.0, 0.0], [-1.0, 1.0]]), np.array([1, 0]), axes())
    assert ax.get_title() == "100.0% of 2 points correct"
