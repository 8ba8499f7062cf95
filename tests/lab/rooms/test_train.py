"""The room Train, without a server."""

import math
import threading

import pytest
from closeness import require_close, require_shown
from rooms import Page

from adjoint.engine.graph import leaves_of
from adjoint.engine.value import Value
from adjoint.errors import AdjointError, LabError
from adjoint.nn import MLP
from adjoint_lab import player
from adjoint_lab.rooms.train import Train


@pytest.fixture
def page():
    with Page(Train) as page:
        yield page


def scores_of(state, snapshot):
    """Return the score of each sample, from the weights of a snapshot."""
    *hidden, output = state["network"]["activations"]
    network = MLP(state["sizes"][0], state["sizes"][1:], *hidden[:1] or ["linear"], output)
    for layer, numbers in zip(network.layers, snapshot["weights"], strict=True):
        for neuron, w, b in zip(layer.neurons, numbers["w"], numbers["b"], strict=True):
            for parameter, x in zip(neuron.parameters(), [*w, b], strict=True):
                parameter.data = x
    return [network(sample["inputs"]).data for sample in state["samples"]]


SMALL = {"dataset": "moons", "samples": 12, "hidden": [3], "batch_size": 4}


def test_the_room_starts_with_xor_and_learns_it(page):
    assert page.ask("state")["configuration"]["dataset"] == "xor"
    page.ask("play")
    while page.wait()["accuracy"]["train"] < 1:
        pass
    page.ask("pause")
    assert page.wait(playing=False)["accuracy"] == {"train": 1.0, "test": None}


def test_all_choices_are_listed(page):
    choices = page.ask("choices")
    assert [preset["dataset"] for preset in choices["presets"]] == [
        "xor",
        "and",
        "or",
        "four_points",
        "circles",
        "moons",
        "spirals",
        "blobs",
        "points",
    ]
    assert {"relu", "tanh"} <= {*choices["activations"]}
    assert {"sgd", "adam", "lion"} <= {*choices["optimizers"]}
    assert len(choices["thumbnails"]["xor"]) == 4
    for preset in choices["presets"]:
        assert page.ask("set", configuration=preset)["configuration"] == preset


def test_a_snapshot_has_everything_that_is_drawn(page):
    page.ask("set", configuration={**SMALL, "hidden": [3, 2]})
    page.ask("step")
    found = page.wait(step=1, playing=False)
    assert [(len(layer["w"]), len(layer["w"][0]), len(layer["b"])) for layer in found["weights"]] == [
        (3, 2, 3), (2, 3, 2), (1, 2, 1),
    ]  # fmt: skip
    assert [len(layer["b"]) for layer in found["gradients"]] == [3, 2, 1]
    assert len(found["gradient_norms"]) == 3
    assert all(norm > 0 for norm in found["gradient_norms"])
    assert found["rate"] > 0
    curves = page.wait("curves", run=found["run"])
    assert curves["steps"] == [0, 1]
    assert curves["train_loss"][1] == found["loss"]["train"]
    assert len(curves["test_accuracy"]) == 2


def test_the_room_counts_steps_and_epochs(page):
    assert page.ask("set", configuration={**SMALL, "held_out": 0})["steps_in_epoch"] == 3
    page.ask("step")
    page.wait(step=1, playing=False)
    assert page.ask("epoch") == {"until": 3}
    assert page.wait(step=3, playing=False)["epoch"] == 1
    page.ask("epoch")
    assert page.wait(step=6, playing=False)["epoch"] == 2


def test_a_shared_run_is_restored_bit_for_bit(page):
    page.ask("set", configuration=SMALL)
    assert [page.ask("step")["step"] for _ in range(3)] == [1, 2, 3]
    page.ask("tune", lr=0.25)
    page.ask("add", x1=0.5, x2=0.5, **{"class": 1})
    page.ask("epoch")
    while page.ask("state")["playing"]:
        pass
    state = page.ask("state")
    last = page.wait(step=state["step"], playing=False)
    with Page(Train) as other:
        restored = other.ask(
            "set", configuration=state["configuration"], steps=state["step"], changes=state["changes"], playing=False
        )
        assert other.wait("state")["samples"] == state["samples"]
        found = other.wait(step=state["step"], playing=False)
        assert {name: found[name] for name in ("weights", "gradients", "loss")} == {
            name: last[name] for name in ("weights", "gradients", "loss")
        }
        assert other.ask("state")["changes"] == state["changes"]
        assert other.ask("state")["samples"] == state["samples"]
        assert restored["configuration"] == state["configuration"]


def test_a_new_configuration_keeps_playing_and_reset_pauses(page):
    page.ask("play")
    assert page.ask("set", configuration=SMALL)["playing"]
    assert page.ask("reset")["playing"] is False
    assert page.ask("state")["step"] == 0


def test_reset_keeps_the_changes(page):
    page.ask("set", configuration=SMALL)
    page.ask("step")
    page.wait(step=1, playing=False)
    page.ask("add", x1=0.5, x2=0.5, **{"class": 1})
    page.ask("tune", l2=0.5)
    state = page.ask("reset")
    assert state["configuration"]["points"] == [[0.5, 0.5, 1]]
    assert state["configuration"]["l2"] == 0.5
    assert state["changes"] == []


def test_a_point_is_added_and_removed_during_training(page):
    count = len(page.ask("set", configuration=SMALL)["samples"])
    page.ask("play")
    assert page.ask("add", x1=0.5, x2=0.25, **{"class": 0})["samples"][-1] == {
        "inputs": [0.5, 0.25],
        "label": 0,
        "target": -1,
        "is_test": False,
    }
    assert len(page.ask("undo")["samples"]) == count
    assert page.ask("state")["playing"]
    with pytest.raises(LabError, match="no point has been added"):
        page.ask("undo")
    with pytest.raises(LabError, match="outside the plane; x1 must be from"):
        page.ask("add", x1=50, x2=0, **{"class": 0})


def test_the_user_can_train_on_added_points_alone(page):
    page.ask("set", configuration={"dataset": "points"})
    with pytest.raises(LabError, match="there are no training samples"):
        page.ask("play")
    page.ask("add", x1=-0.5, x2=0, **{"class": 0})
    page.ask("add", x1=0.5, x2=0, **{"class": 1})
    page.ask("play")
    while page.wait()["accuracy"]["train"] != 1:
        pass


def test_the_user_can_train_on_a_csv_file(page):
    state = page.ask("csv", name="a.csv", text="a,b,c\n0,100,3\n1,200,7\n2,300,3\n", configuration={"hidden": [2]})
    assert state["labels"] == ["3", "7"]
    samples = [(sample["inputs"], sample["label"]) for sample in state["samples"]]
    assert samples == [([0, 100], 0), ([1, 200], 1), ([2, 300], 0)]
    page.ask("step")
    page.wait(step=1)
    with pytest.raises(AdjointError, match=r"a\.csv, line 2, column 1"):
        page.ask("csv", name="a.csv", text="a,b,c\nx,1,0\n")


def test_the_graph_of_a_sample_has_its_inputs_and_weights(page):
    loss, groups = page.room.graph_of(2)
    assert {"x1", "x2", "w1_1_1", "b2_1"} <= {leaf.label for leaf in leaves_of(loss)}
    assert groups.titles["layers.0"] == "Layer(2, 4, tanh)"


def test_the_cases_of_a_small_data_set_are_listed(page):
    state = page.ask("set", configuration={"dataset": "xor"}, steps=300, playing=False)
    assert [(sample["inputs"], sample["target"]) for sample in state["samples"]] == [
        ([0, 0], 0), ([0, 1], 1), ([1, 0], 1), ([1, 1], 0),
    ]  # fmt: skip
    assert state["is_probability"]
    found = page.wait(step=300, playing=False)
    scores = scores_of(state, found)
    assert state["cases"] == 4
    assert [score > 0 for score in scores] == [sample["target"] == 1 for sample in state["samples"]]
    losses = [
        -math.log(1 / (1 + math.exp(score if sample["target"] == 0 else -score)))
        for score, sample in zip(scores, state["samples"])
    ]
    require_close(found["loss"]["train"], sum(losses) / 4)
    assert page.ask("set", configuration={**SMALL, "samples": 17})["cases"] == 0
    rows = [[i, -i, i * i, i % 2] for i in range(20)]
    assert page.ask("set", configuration={"dataset": "csv", "rows": rows, "hidden": [2]})["cases"] == 16


@pytest.mark.parametrize("engine", ["scalar", "compiled", "array"])
def test_the_four_points_train_as_in_the_example(page, engine):
    points = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
    targets = [1.0, -1.0, -1.0, 1.0]
    model = MLP(3, [4, 4, 1], seed=1)
    for _ in range(40):
        loss = sum(((model(x) - y) ** 2 for x, y in zip(points, targets)), Value(0))
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= 0.05 * p.grad

    state = page.ask("set", configuration={"dataset": "four_points", "engine": engine}, steps=40, playing=False)
    assert [sample["inputs"] for sample in state["samples"]] == points
    assert [sample["target"] for sample in state["samples"]] == targets
    assert (state["sizes"], state["parameters"], state["is_plane"]) == ([3, 4, 4, 1], 41, False)
    found = page.wait(step=40, playing=False)
    require_close(scores_of(state, found), [model(x).data for x in points])
    for layer, numbers in zip(model.layers, found["weights"], strict=True):
        for neuron, w, b in zip(layer.neurons, numbers["w"], numbers["b"], strict=True):
            require_close([*w, b], [p.data for p in neuron.parameters()])
    curve = page.wait("curves", run=found["run"])["train_loss"]
    require_shown(6.2443, curve[0], 5)
    require_close(curve[39], loss.data)
    assert page.ask("sample", index=3)["scene"]["nodes"]


def test_requests_about_the_plane_need_two_inputs(page):
    page.ask("set", configuration={"dataset": "four_points"})
    with pytest.raises(LabError, match="only data with two inputs has a plane; these samples have 3 inputs"):
        page.ask("add", x1=0, x2=0, **{"class": 1})
    with pytest.raises(LabError, match="these samples have 3 inputs"):
        page.ask("set", configuration={"dataset": "four_points"}, changes=[{"step": 0, "add": [0, 0, 1]}])


def test_accuracy_counts_the_cases_that_are_correct_also_if_all_are_of_one_class(page):
    points = [[0.5, 0.25, 1], [-1, 0.5, 1], [0.25, -1, 1]]
    state = page.ask("set", configuration={"dataset": "points", "points": points, "loss": "mse", "seed": 3})
    found = page.wait(step=0, run=2)
    scores = scores_of(state, found)
    assert all(score < 0.5 for score in scores)
    correct = sum(score > 0 for score in scores)
    assert correct > 0
    assert found["accuracy"]["train"] == correct / 3


def test_all_engines_are_measured(page):
    page.ask("set", configuration=SMALL)
    page.ask("compare")
    rates = page.wait("rates")["rates"]
    assert list(rates) == ["scalar", "compiled", "array"]
    assert all(speed["rate"] > 0 for speed in rates.values())
    assert {name: speed["compile_seconds"] > 0 for name, speed in rates.items()} == {
        "scalar": False,
        "compiled": True,
        "array": False,
    }


def test_the_engine_changes_during_training_and_the_change_is_part_of_the_run(page):
    page.ask("set", configuration=SMALL)
    page.ask("step")
    before = page.wait(step=1)
    state = page.ask("tune", engine="compiled")
    assert (state["engine"], state["configuration"]["engine"]) == ("compiled", "scalar")
    assert state["changes"] == [{"step": 1, "engine": "compiled"}]
    assert page.wait(step=1)["weights"] == before["weights"]
    page.ask("step")
    last = page.wait(step=2)
    assert last["compile_seconds"] > 0
    assert page.ask("tune", engine="array")["engine"] == "array"
    assert page.wait(step=2)["weights"] == last["weights"]
    page.ask("set", configuration=SMALL, steps=2, changes=state["changes"])
    assert page.wait(step=2, restoring=False)["weights"] == last["weights"]
    with pytest.raises(LabError, match="unknown engine 'gpu'"):
        page.ask("tune", engine="gpu")


def test_the_slow_pace_waits_after_each_step(page, monkeypatch):
    monkeypatch.setattr(player, "perf_counter", lambda: 0.0)  # no time passes: the second step is never due
    page.ask("pace", pace="slow")
    page.ask("play")
    page.wait(step=1)
    assert page.ask("state")["step"] == 1
    monkeypatch.undo()
    page.ask("pace", pace="full")
    page.wait(playing=True)
    with pytest.raises(LabError, match="unknown pace"):
        page.ask("pace", pace="warp")


def test_a_run_that_diverges_says_why(page):
    page.ask("set", configuration={**SMALL, "loss": "mse", "optimizer": "sgd", "lr": 1e6, "activation": "relu"})
    page.ask("play")
    found = page.wait(playing=False)
    while not found["stopped"]:
        found = page.wait(playing=False)
    assert found["stopped"].startswith("the loss became ")
    with pytest.raises(LabError, match="training has stopped"):
        page.ask("play")
    assert page.ask("reset")["step"] == 0


@pytest.mark.parametrize(
    ("do", "fields", "error"),
    [
        ("fly", {}, "unknown request to the room train 'fly'"),
        ("set", {}, "configuration is missing"),
        ("set", {"configuration": 3}, "configuration must be an object"),
        ("set", {"configuration": {"lr": -1}}, "lr must be"),
        ("set", {"configuration": {}, "steps": -1}, "steps must be"),
        ("set", {"configuration": {}, "changes": [{"step": 0, "undo": True}]}, "no point has been added"),
        ("set", {"configuration": {"dataset": "points"}, "steps": 5}, "there are no training samples"),
        ("add", {"x1": 0}, "x2 must be"),
        ("tune", {"lr": "x"}, "lr must be"),
        ("sample", {"index": 99}, "index must be"),
        ("csv", {"name": "a.csv"}, "text is missing"),
    ],
)
def test_an_invalid_request_is_an_error_and_changes_nothing(page, do, fields, error):
    before = page.ask("state")
    with pytest.raises(LabError, match=error):
        page.ask(do, **fields)
    assert page.ask("state") == before


def test_closing_ends_the_thread_during_training():
    before = set(threading.enumerate())
    page = Page(Train)
    page.ask("play")
    page.wait()
    page.room.close()
    assert set(threading.enumerate()) == before


def test_the_graph_of_a_sample_is_a_scene_for_explore(page):
    scene = page.ask("sample", index=1)["scene"]
    assert {"x1", "x2", "w1_1_1", "loss"} <= {node["name"] for node in scene["nodes"]}
    assert scene["nodes"][scene["root"]]["name"] == "loss"
    assert {step["phase"] for step in scene["steps"]} == {"forward", "seed", "backward"}
    page.ask("set", configuration={"dataset": "moons", "hidden": [8, 8]})
    found = page.ask("sample", index=1)
    assert (found["of"], found["step"]) == ("layers", 0)
    assert "<title>One of two &lt; three</title>" in page.ask("export", index=1, title="One of two < three")["html"]
    assert {"x", "W1", "b3", "score", "loss"} <= {node["name"] for node in found["scene"]["nodes"]}
    assert page.ask("sample", index=1, of="neurons")["of"] == "neurons"
    page.ask("set", configuration={"dataset": "moons", "hidden": [16, 16]})
    with pytest.raises(LabError, match="the network has 304 weights, and the graph of its neurons is limited to 160"):
        page.ask("sample", index=1, of="neurons")
