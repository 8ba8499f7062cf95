"""What a training can be set to: every field checked, and errors that say what to do."""

import pytest

from adjoint.errors import AdjointError, LabError
from adjoint.lab.configurations import DATASETS, MOST_SAMPLES, PRESETS, Change, Configuration, read_changes, read_csv


def test_what_a_message_leaves_out_is_as_in_the_preset_of_its_data():
    assert Configuration.read({"dataset": "xor"}) == PRESETS["xor"]
    assert Configuration.read({"dataset": "xor", "lr": 0.5}).hidden == PRESETS["xor"].hidden


@pytest.mark.parametrize("name", DATASETS)
def test_a_configuration_that_is_sent_and_read_again_is_the_same(name):
    given = {"dataset": name, "points": [[0.5, 0.25, 1]], "hidden": [3, 2], "batch_size": 8, "lr": 0.125}
    if name == "csv":
        given |= {"rows": [[0.0, 0.0, 0], [1.0, 1.0, 1]], "labels": ["no", "yes"]}
    configuration = Configuration.read(given)
    sent = configuration.as_json() | {"hidden": [3, 2]}
    for field in ("rows", "points", "labels"):
        sent[field] = [list(x) if isinstance(x, tuple) else x for x in sent[field]]
    assert Configuration.read(sent) == configuration


@pytest.mark.parametrize(
    ("given", "said"),
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
        ({"loss": "cross_entropy"}, "does not fit 2 classes; choose hinge or"),
        ({"dataset": "blobs", "loss": "hinge"}, "does not fit 3 classes; choose cross_entropy"),
        ({"points": [[0, 0, 2]]}, "class must be a whole number from 0 to 1"),
        ({"points": [[0, 0]]}, r"\[x1, x2, class\]"),
        ({"points": [[0, 1e300, 0]]}, "x2 must be"),
        ({"samples": 500, "points": [[0, 0, 0]]}, "501 samples; 500 are the most"),
        ({"samples": 500, "batch_size": 500, "hidden": [16] * 6}, "batches of at most"),
    ],
)
def test_what_cannot_be_says_what_can(given, said):
    with pytest.raises(LabError, match=said):
        Configuration.read(given)


def test_the_array_engine_takes_what_is_too_much_for_single_values():
    large = {"samples": 500, "batch_size": 500, "hidden": [16] * 6, "engine": "array"}
    assert Configuration.read(large).sizes == (2, 16, 16, 16, 16, 16, 16, 1)


def test_a_table_becomes_samples_with_classes_from_0():
    found = read_csv("x1;x2;kind\n1;2;-1\n3;4;1\n5;6;-1", "a.csv")
    assert found == {"rows": [[1, 2, 0], [3, 4, 1], [5, 6, 0]], "labels": ["-1", "1"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x1,x2,class\n0,1,0\n1,two,1", "a.csv, line 3, column 2 .x2.: 'two' is not a number"),
        ("0,1,2,0\n1,0,2,1", "3 columns of inputs; to be drawn in the plane there must be two"),
        ("0,1,0.5\n1,0,1", "numbers such as 0.5; classes are whole numbers"),
        ("0,1,1\n1,0,1", "1 class; there may be 2 to 8"),
        ("\n".join(f"{i},0,{i}" for i in range(9)), "9 classes"),
        ("\n".join(f"{i},0,{i % 2}" for i in range(MOST_SAMPLES + 1)), "501 samples; 500 are the most"),
        ("", "is empty"),
    ],
)
def test_a_table_that_cannot_be_learned_from_says_where(text, said):
    with pytest.raises(AdjointError, match=said):
        read_csv(text, "a.csv")


def test_a_change_gives_the_configuration_to_go_on_with():
    begun = Configuration.read({"dataset": "moons"})
    added = Change(3, add=(0.5, 0.5, 1)).applied(begun)
    assert added.points == ((0.5, 0.5, 1),)
    assert Change(4, undo=True).applied(added) == begun
    assert Change(4, lr=0.5).applied(begun).lr == 0.5
    with pytest.raises(LabError, match="no added point"):
        Change(5, undo=True).applied(begun)


def test_changes_come_in_the_order_of_their_steps():
    assert read_changes({"changes": [{"step": 1, "lr": 0.5}, {"step": 1, "undo": True}]}, 2)[0] == Change(1, lr=0.5)
    with pytest.raises(LabError, match="order of their steps"):
        read_changes({"changes": [{"step": 2, "lr": 0.5}, {"step": 1, "lr": 0.1}]}, 2)
    with pytest.raises(LabError, match="a change is an object"):
        read_changes({"changes": [7]}, 2)
