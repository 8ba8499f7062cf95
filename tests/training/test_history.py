"""The history of a training run: as data, as text, as JSON, and as a picture."""

import json
import math

import pytest

from adjoint import History, errors


def history(losses=(0.5, 0.25, 0.375), **options) -> History:
    found = History("loss", **options)
    for loss in losses:
        found.add({"loss": loss, "accuracy": 1 - loss, "lr": 0.1, "seconds": 0.5})
    return found


def test_columns_are_lists_and_rows_are_dicts():
    found = history()
    assert found["loss"] == [0.5, 0.25, 0.375]
    assert found["epoch"] == [1, 2, 3]
    assert found.columns == ["epoch", "loss", "accuracy", "lr", "seconds"]
    assert [row["accuracy"] for row in found] == [0.5, 0.75, 0.625]
    assert (len(found), found.epochs, found.seconds) == (3, 3, 1.5)
    assert "accuracy" in found
    assert "f1" not in found


def test_the_best_epoch_has_the_smallest_or_largest_value_and_never_nan():
    assert history().best["epoch"] == 2
    assert history(largest_is_best=True).best["epoch"] == 1
    assert history([math.nan, 2.0, 2.0]).best["epoch"] == 2


def test_an_unknown_column_gives_a_suggestion():
    with pytest.raises(errors.ArgumentError, match=r"unknown column 'los' \(did you mean 'loss'\?\)"):
        history()["los"]
    with pytest.raises(errors.ArgumentError, match="no epoch has ended yet, so there is no column 'loss'"):
        History("loss")["loss"]
    with pytest.raises(errors.ArgumentError, match="so there is no best epoch"):
        _ = History("loss").best


def test_json_has_every_row_and_null_for_nan():
    found = history([0.5, math.nan])
    found.stopped = "diverged"
    document = json.loads(found.to_json())
    assert document["stopped"] == "diverged"
    assert [row["loss"] for row in document["rows"]] == [0.5, None]
    assert document["rows"][0] == {"epoch": 1, "loss": 0.5, "accuracy": 0.5, "lr": 0.1, "seconds": 0.5}


def test_as_text_it_is_a_table_and_a_summary():
    assert str(history()).splitlines() == [
        "epoch    loss  accuracy   lr  seconds",
        "─────────────────────────────────────",
        "    1  0.5000     50.0%  0.1   0.5000",
        "    2  0.2500     75.0%  0.1   0.5000",
        "    3  0.3750     62.5%  0.1   0.5000",
        "finished after 3 epochs in 1.5 s; best: epoch 2, loss 0.2500",
    ]
    assert repr(history()) == "History(3 epochs, loss, accuracy, lr, seconds; finished)"
    assert str(History("loss")) == "finished before the first epoch had ended"


def test_a_long_table_leaves_out_the_middle():
    lines = str(history([1.0] * 100)).splitlines()
    assert len(lines) == 2 + 20 + 1 + 1
    assert lines[12] == "… 80 more …"
    assert lines[13].split()[0] == "91"


def test_a_plot_has_a_line_for_each_loss_and_metric():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    found = History("validation_loss")
    for loss in (0.5, 0.25):
        found.add({"loss": loss, "accuracy": 0.9, "validation_loss": loss, "lr": 0.1, "seconds": 0.5})
    axes = found.plot()
    assert axes.get_xlabel() == "epoch"
    legend = next(each.get_legend() for each in axes.figure.axes if each.get_legend())
    assert [text.get_text() for text in legend.get_texts()] == ["loss", "validation loss", "accuracy"]
    assert list(axes.get_lines()[0].get_ydata()) == [0.5, 0.25]
    same = found.plot(axes)
    assert same is axes
    pyplot.close(axes.figure)
