"""Line plots: the losses of a history, and functions with tangents compared with PyTorch."""

import sys

import numpy as np
import pytest
import torch
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.errors import ArgumentError, MissingExtraError, NumberError
from adjoint.see.plots import figure, plot_function, plot_loss
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


def test_losses_of_a_wide_range_have_a_logarithmic_axis():
    assert plot_loss(history_of(loss=[10.0, 1.0, 0.01]), axes()).get_yscale() == "log"
    assert plot_loss(history_of(loss=[10.0, 0.0, 0.01]), axes()).get_yscale() == "linear"


def test_an_empty_history_is_refused():
    with pytest.raises(ArgumentError, match="history has no epochs yet"):
        plot_loss(History("loss"), axes())


def test_a_list_of_losses_is_plotted():
    ax = plot_loss([3.0, Value(2.0), np.float64(1.0), Value(np.array(0.5))], axes())
    (line,) = ax.get_lines()
    assert line.get_ydata().tolist() == [3.0, 2.0, 1.0, 0.5]
    assert line.get_xdata().tolist() == [1, 2, 3, 4]
    assert (ax.get_xlabel(), ax.get_legend()) == ("step", None)


@pytest.mark.parametrize("losses", [[np.nan, np.nan], [1.0, np.inf, 2.0], [0.0]])
def test_a_diverged_training_is_plotted(losses):
    plot_loss(losses, axes()).figure.canvas.draw()


def test_anything_but_losses_is_refused():
    with pytest.raises(ArgumentError, match="list of losses is empty"):
        plot_loss([], axes())
    with pytest.raises(ArgumentError, match="a History or a list of losses, not str 'loss'"):
        plot_loss("loss", axes())
    with pytest.raises(NumberError, match="plot_loss needs a number, not str 'x'"):
        plot_loss(["x"], axes())


# --- functions ---


def lines_of(ax) -> dict:
    return {line.get_label(): line for line in ax.get_lines() if line.get_label()[0] != "_"}


def wave(x):
    return (x * x).sin() * x.exp()


@pytest.mark.parametrize("at", [-1.3, 0.4, 2])
def test_tangents_and_parabolas_have_the_derivatives_of_pytorch(at):
    x = torch.tensor(float(at), dtype=torch.float64, requires_grad=True)
    y = torch.sin(x * x) * torch.exp(x)
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    (bend,) = torch.autograd.grad(slope, x)
    ax = plot_function(wave, at=at, ax=axes(), second=True)
    curve, tangent, parabola = lines_of(ax).values()
    xs = curve.get_xdata()
    require_close(curve.get_ydata(), np.sin(xs**2) * np.exp(xs))
    line = y.item() + slope.item() * (xs - at)
    require_close(tangent.get_ydata(), line)
    require_close(parabola.get_ydata(), line + bend.item() / 2 * (xs - at) ** 2)
    assert tangent.get_label() == f"wave({at:.4g}) = {y.item():.4g}, slope {slope.item():.4g}"


def test_rising_tangents_are_orange_and_falling_ones_blue():
    ax = plot_function(lambda x: x * x, at=[-1.0, 1.0], ax=axes())
    _, falling, rising = lines_of(ax).values()
    assert (falling.get_color(), rising.get_color()) == ("#0072B2", "#E69F00")
    assert list(lines_of(ax)) == ["f(x)", "f(-1) = 1, slope -2", "f(1) = 1, slope 2"]


def test_the_axis_contains_the_points_or_is_given_by_between():
    assert plot_function(adjoint.tanh, ax=axes()).get_xlim() == (-3, 3)
    assert plot_function(adjoint.tanh, at=7, ax=axes()).get_xlim() == (-3, 8)
    assert plot_function(adjoint.log, ax=axes(), between=(0.1, 4)).get_xlim() == (0.1, 4)


def test_a_pole_leaves_a_gap_and_does_not_affect_the_range():
    ax = plot_function(lambda x: 1 / x, ax=axes())
    ys = lines_of(ax)["f(x)"].get_ydata()
    assert np.isnan(ys).any()
    assert ax.get_ylim()[1] < 50


def test_a_line_has_gaps_where_the_function_is_undefined():
    ys = lines_of(plot_function(adjoint.log, ax=axes()))["log(x)"].get_ydata()
    assert np.isnan(ys[:200]).all()
    assert np.isfinite(ys[200:]).all()
    with pytest.raises(ArgumentError, match="no finite value in this range"):
        plot_function(adjoint.log, ax=axes(), between=(-3, -1))


def test_a_constant_and_a_step_are_drawn():
    assert set(lines_of(plot_function(lambda x: 2.0, ax=axes()))["f(x)"].get_ydata()) == {2.0}
    assert set(lines_of(plot_function(adjoint.sign, ax=axes()))["sign(x)"].get_ydata()) == {-1.0, 1.0}


def test_functions_that_cannot_be_drawn_are_refused_with_a_reason():
    with pytest.raises(ArgumentError, match="a function of a Value, not float"):
        plot_function(3.0, ax=axes())
    with pytest.raises(ArgumentError, match="function that returns one Value"):
        plot_function(lambda x: [x], ax=axes())
    with pytest.raises(NumberError, match="at needs a number, not str 'a'"):
        plot_function(adjoint.tanh, at="a", ax=axes())
    for between in ((1, 1), (2, -2), (0, np.inf)):
        with pytest.raises(ArgumentError, match="the smaller one first"):
            plot_function(adjoint.tanh, ax=axes(), between=between)
    with pytest.raises(ArgumentError, match="two numbers"):
        plot_function(adjoint.tanh, ax=axes(), between=(1, 2, 3))


def test_the_axes_of_pyplot_are_the_default():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    ax = plot_loss([1.0, 0.5])
    assert ax is pyplot.gca()
    pyplot.close("all")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"adjoint-autograd\[plot\]"):
        figure()
    with pytest.raises(MissingExtraError, match=r"adjoint-autograd\[plot\]"):
        plot_loss([1.0])
