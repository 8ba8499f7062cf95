"""Logs of training: CSV, JSON lines and TensorBoard's files, each read by another library."""

import json

import numpy as np
import pandas as pd
import pytest
from closeness import require_close
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from adjoint import CSVLogger, JSONLogger, TensorBoardLogger, data, fit, nn
from adjoint.errors import AdjointError

X, Y = data.blobs(60, classes=3, seed=0)


def train(callbacks, epochs=3, **options):
    model = nn.Sequential(nn.Linear(2, 3, seed=0))
    history = fit(
        model, X, Y, loss="cross_entropy", epochs=epochs, batch_size=20, metrics="f1", validation=(X, Y),
        callbacks=callbacks, progress=False, **options,
    )  # fmt: skip
    return model, history


def test_the_csv_file_and_the_data_frame_are_the_history(tmp_path):
    _, history = train(CSVLogger(tmp_path / "run.csv"))
    written, frame = pd.read_csv(tmp_path / "run.csv"), history.to_dataframe()
    assert list(written.columns) == list(frame.columns) == history.columns
    for name in history.columns:
        assert written[name].tolist() == frame[name].tolist() == history[name]


def test_resumed_training_writes_each_epoch_once(tmp_path):
    checkpoint = tmp_path / "model.safetensors"
    train(CSVLogger(tmp_path / "run.csv"), 2, checkpoint=checkpoint)
    log = JSONLogger(tmp_path / "run.jsonl")
    train([CSVLogger(tmp_path / "run.csv"), log], 4, checkpoint=checkpoint, resume=True)
    assert pd.read_csv(tmp_path / "run.csv")["epoch"].tolist() == [1, 2, 3, 4]
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2, 3, 4]


def test_json_lines_hold_steps_and_epochs(tmp_path):
    _, history = train(JSONLogger(tmp_path / "run.jsonl", steps=True))
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines] == ["step", "step", "step", "epoch"] * 3
    assert [line["step"] for line in lines if line["event"] == "step"] == list(range(1, 10))
    epochs = [line for line in lines if line["event"] == "epoch"]
    assert [line["validation_f1"] for line in epochs] == history["validation_f1"]
    steps = [line["loss"] for line in lines if line["event"] == "step"]
    require_close(np.mean(steps[:3]), history["loss"][0])


def test_a_number_that_is_not_finite_is_null(tmp_path):
    log = JSONLogger(tmp_path / "run.jsonl")
    fit(
        nn.Sequential(nn.Linear(2, 3, seed=0)), X, Y, loss="cross_entropy", epochs=1, callbacks=log, progress=False,
        metrics={"nothing": lambda p, y: float("nan")},
    )  # fmt: skip
    assert json.loads((tmp_path / "run.jsonl").read_text())["nothing"] is None


def test_tensorboards_own_reader_reads_the_log(tmp_path):
    log = TensorBoardLogger(tmp_path / "run", histograms=True, parameters={"lr": 0.001, "kind": "linear"})
    model, history = train(log)
    found = EventAccumulator(str(tmp_path / "run"))
    found.Reload()
    tags = found.Tags()
    assert {f"epoch/{name}" for name in history.columns[1:]} | {"step/loss", "step/lr"} == set(tags["scalars"])
    for name in history.columns[1:]:
        events = found.Scalars(f"epoch/{name}")
        assert [event.step for event in events] == [1, 2, 3]
        require_close([event.value for event in events], history[name], dtype="float32")
    assert [event.step for event in found.Scalars("step/loss")] == list(range(1, 10))
    assert set(tags["histograms"]) == {"parameters/0.weight", "parameters/0.bias"}
    last = found.Histograms("parameters/0.weight")[-1]
    assert (last.step, last.histogram_value.num) == (3, 6)
    require_close(last.histogram_value.sum, model[0].weight.data.sum())
    assert "_hparams_/session_start_info" in found.summary_metadata


def test_scalar_networks_have_histograms_too(tmp_path):
    model = nn.MLP(2, [1], seed=0)
    log = TensorBoardLogger(tmp_path, histograms=True, steps=False)
    fit(model, X[:6], X[:6, 0], loss="mse", epochs=1, callbacks=log, progress=False)
    found = EventAccumulator(str(tmp_path))
    found.Reload()
    assert len(found.Tags()["histograms"]) == 3
    assert "step/loss" not in found.Tags()["scalars"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CSVLogger("no/such/folder/run.csv"), "the folder 'no/such/folder' does not exist; create it first"),
        (lambda: JSONLogger(3), "expected the path of a file"),
        (lambda: TensorBoardLogger("runs", parameters={"sizes": [1, 2]}), "but 'sizes' is list [1, 2]"),
    ],
)
def test_invalid_logs_are_refused(make, message):
    with pytest.raises(AdjointError) as error:
        make()
    assert message in str(error.value)
