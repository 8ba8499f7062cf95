"""Settings of the room Train: every field is validated, and errors say what to do."""

import re
from dataclasses import fields
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from adjoint.errors import AdjointError, LabError
from adjoint_lab.configurations import PRESETS, Change, Configuration, read_changes
from adjoint_lab.samples import DATASETS, MAX_INPUTS, MAX_SAMPLES, read_csv

LAB = Path(__file__).parents[2] / "docs" / "lab.md"


def test_missing_fields_are_those_of_the_preset_of_the_data_set():
    assert Configuration.read({"dataset": "xor"}) == PRESETS["xor"]
    assert Configuration.read({"dataset": "xor", "lr": 0.5}).hidden == PRESETS["xor"].hidden


@pytest.mark.parametrize("name", DATASETS)
def test_a_configuration_survives_a_round_trip(name):
    given = {"dataset": name, "hidden": [3, 2], "batch_size": 8, "lr": 0.125}
    if name != "four_points":
        given["points"] = [[0.5, 0.25, 1]]
    if name == "csv":
        given |= {"rows": [[0.0, 0.0, 0], [1.0, 1.0, 1]], "labels": ["no", "yes"]}
    configuration = Configuration.read(given)
    sent = configuration.as_json() | {"hidden": [3, 2]}
    for field in ("rows", "points", "labels"):
        sent[field] = [list(x) if isinstance(x, tuple) else x for x in sent[field]]
    assert Configuration.read(sent) == configuration


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"dataset": "mons"}, "did you mean 'moons'"),
        ({"hidden": [17]}, "neurons must be a whole number from 1 to 16"),
        ({"hidden": [4] * 7}, "a list of at most 6"),
        ({"hidden": "4,4"}, "hidden must be a list"),
        ({"samples": 501}, "samples must be a whole number from 4 to 500"),
        ({"samples": 3}, "samples must be"),
        ({"noise": -1}, "noise must be a number from 0 to 5"),
        ({"noise": True}, "noise must be"),
        ({"lr": 0}, "lr must be"),
        ({"lr": "fast"}, "lr must be a number"),
        ({"activation": "rellu"}, "did you mean 'relu'"),
        ({"optimizer": "adm"}, "did you mean 'adam'"),
        ({"engine": "gpu"}, "unknown engine"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"loss": "cross_entropy"}, "does not support 2 classes; choose hinge or"),
        ({"dataset": "blobs", "loss": "hinge"}, "does not support 3 classes; choose cross_entropy"),
        ({"points": [[0, 0, 2]]}, "class must be a whole number from 0 to 1"),
        ({"points": [[0, 0]]}, r"\[x1, x2, class\]"),
        ({"points": [[0, 1e300, 0]]}, "x2 must be"),
        (
            {"dataset": "csv", "rows": [[0, 1, 2, 0], [0, 1, 1]]},
            "2 to 16 inputs, as many as in the others",
        ),
        ({"dataset": "csv", "rows": [[1, 0]]}, "2 to 16 inputs"),
        ({"dataset": "four_points", "points": [[0, 0, 1]]}, "two inputs; these samples have 3 inputs"),
        ({"dataset": "four_points", "samples": 5}, "samples must be a whole number from 4 to 4"),
        ({"output": "relu"}, "unknown output 'relu'"),
        ({"init": "zeros"}, "unknown init 'zeros'"),
        ({"samples": 500, "points": [[0, 0, 0]]}, "501 samples, including added points; use at most 500"),
        ({"samples": 500, "batch_size": 500, "hidden": [16] * 6}, "batches of at most"),
    ],
)
def test_an_invalid_setting_is_an_error(given, error):
    with pytest.raises(LabError, match=error):
        Configuration.read(given)


def test_the_array_engine_supports_larger_networks():
    large = {"samples": 500, "batch_size": 500, "hidden": [16] * 6, "engine": "array"}
    assert Configuration.read(large).sizes == (2, 16, 16, 16, 16, 16, 16, 1)


def test_a_csv_file_becomes_samples_with_class_indices():
    found = read_csv("x1;x2;kind\n1;2;-1\n3;4;1\n5;6;-1", "a.csv")
    assert found == {"rows": [[1, 2, 0], [3, 4, 1], [5, 6, 0]], "labels": ["-1", "1"]}


def test_the_inputs_of_a_csv_file_are_those_of_the_network():
    configuration = Configuration.read({"dataset": "csv", **read_csv("a,b,c,kind\n1,2,3,0\n4,5,6,1", "a.csv")})
    assert configuration.sizes == (3, 8, 8, 1)
    assert configuration.data()[0] == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(("name", "classes"), [("xor", [0, 1, 1, 0]), ("and", [0, 0, 0, 1]), ("or", [0, 1, 1, 1])])
def test_a_truth_table_has_four_cases_and_can_be_repeated_with_noise(name, classes):
    X, y = PRESETS[name].data()
    assert (X, y) == ([[0, 0], [0, 1], [1, 0], [1, 1]], classes)
    X, y = Configuration.read({"dataset": name, "samples": 8, "noise": 0.1}).data()
    assert y == 2 * classes
    assert [[round(x) for x in place] for place in X] == [[0, 0], [0, 1], [1, 0], [1, 1]] * 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x1,x2,class\n0,1,0\n1,two,1", "a.csv, line 3, column 2 .x2.: 'two' is not a number"),
        ("0,0\n1,1", "1 input column; use 2 to 16"),
        (",".join(["1"] * (MAX_INPUTS + 2)) + "\n" + ",".join(["0"] * (MAX_INPUTS + 2)), "17 input columns"),
        ("0,1,0.5\n1,0,1", "the last column contains 0.5; classes must be whole numbers"),
        ("0,1,1\n1,0,1", "1 class; use 2 to 8"),
        ("\n".join(f"{i},0,{i}" for i in range(9)), "9 classes"),
        ("\n".join(f"{i},0,{i % 2}" for i in range(MAX_SAMPLES + 1)), "501 samples; the limit is 500"),
        ("", "is empty"),
    ],
)
def test_an_unusable_csv_file_is_an_error(text, error):
    with pytest.raises(AdjointError, match=error):
        read_csv(text, "a.csv")


def test_a_change_is_applied_to_a_configuration():
    initial = Configuration.read({"dataset": "moons"})
    added = Change(3, add=(0.5, 0.5, 1)).apply_to(initial)
    assert added.points == ((0.5, 0.5, 1),)
    assert Change(4, undo=True).apply_to(added) == initial
    assert Change(4, lr=0.5).apply_to(initial).lr == 0.5
    with pytest.raises(LabError, match="no point has been added"):
        Change(5, undo=True).apply_to(initial)


def test_the_documented_parameters_and_defaults_of_addresses_are_those_of_the_settings():
    section = LAB.read_text().partition("### Addresses of Train")[2].partition("\n## ")[0]
    tables = [part for part in section.split("\n\n") if part.startswith("|")]
    parameters = {name for row in tables[0].splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    known = {field.name for field in fields(Configuration)} - {"dataset"}
    assert parameters == known | {"data", "steps", "changes", "case"}
    head, _, *rows = [[cell.strip(" `") for cell in row.split("|")[1:-1]] for row in tables[1].splitlines()]
    documented = {name.strip(" `"): dict(zip(head[1:], row[1:])) for row in rows for name in row[0].split(",")}
    assert documented.keys() == PRESETS.keys()
    for name, shown in documented.items():
        preset = PRESETS[name]
        texts = {
            **{field: f"{getattr(preset, field):g}" for field in ("samples", "noise", "held_out", "lr", "l2")},
            **{field: getattr(preset, field) for field in ("activation", "loss", "optimizer")},
            "hidden": ",".join(map(str, preset.hidden)),
            "batch_size": str(preset.batch_size or "all"),
        }
        assert {field: text for field, text in shown.items() if text != "–"}.items() <= texts.items()
    for link in re.findall(r"    #train\?(\S+)", section):
        assert {name for name, _ in parse_qsl(link, keep_blank_values=True)} <= parameters


def test_changes_must_be_ordered_by_step():
    assert read_changes({"changes": [{"step": 1, "lr": 0.5}, {"step": 1, "undo": True}]}, 2)[0] == Change(1, lr=0.5)
    with pytest.raises(LabError, match="order of their steps"):
        read_changes({"changes": [{"step": 2, "lr": 0.5}, {"step": 1, "lr": 0.1}]}, 2)
    with pytest.raises(LabError, match="a change must be an object"):
        read_changes({"changes": [7]}, 2)
