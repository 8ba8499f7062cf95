"""Damaged checkpoints in several files are refused with an error that says what was found, and nothing is changed."""

import contextlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from checkpoint_folders import INDEX, names_in, network, require_same
from hypothesis import given, settings, strategies as st

from adjoint import errors, load, nn, save
from adjoint.files.parts import split_by, write_folder
from adjoint.files.tensor_files import checksum
from adjoint.files.tensors import open_tensors


@pytest.fixture
def saved(folder) -> Path:
    save(folder, nn.Sequential(nn.Linear(2, 3, seed=0), nn.Linear(3, 2, seed=1)), x=np.arange(3.0), parts=2)
    return folder


def test_a_missing_part_is_named(saved):
    (saved / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(errors.FileError, match=r"00002-of-00002.*the file is missing, .*; copy all files"):
        load(saved)


def test_a_truncated_part_is_named_with_its_tensor(saved):
    path = saved / "model-00002-of-00002.safetensors"
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(errors.CheckpointError, match=r"00002-of-00002.* is truncated: tensor '1\..*' is incomplete"):
        load(saved)


def test_a_part_of_another_save_is_named(saved, tmp_path):
    other = tmp_path / "other"
    save(other, nn.Sequential(nn.Linear(2, 3, seed=3), nn.Linear(3, 2, seed=4)), x=np.arange(3.0), parts=2)
    shutil.copy(other / "model-00002-of-00002.safetensors", saved)
    with pytest.raises(errors.CheckpointError, match=r"00002-of-00002.* does not belong .*: it was written by another"):
        load(saved)


def test_a_changed_number_names_its_part_and_tensor_and_changes_no_model(saved):
    path = saved / "model-00002-of-00002.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    model = nn.Sequential(nn.Linear(2, 3, seed=5), nn.Linear(3, 2, seed=6))
    before = model.state_dict()
    with pytest.raises(errors.CheckpointError, match=r"00002-of-00002.*the numbers of tensor '1\..*' have changed"):
        load(saved, model)
    require_same(model.state_dict(), before)


def test_a_changed_index_is_refused(saved):
    path = saved / INDEX
    text = path.read_text()
    index = json.loads(text)
    index["weight_map"]["0.weight"] = "model-00002-of-00002.safetensors"
    path.write_text(json.dumps(index))
    with pytest.raises(errors.CheckpointError, match=r"it has the tensor '0.weight' in .*, but that file does not"):
        load(saved)
    path.write_text(text.replace('"x"', '"y"'))
    with pytest.raises(errors.CheckpointError, match="is corrupt: it has changed"):
        load(saved)
    path.write_text(text[:50])
    with pytest.raises(errors.FileError, match="cannot write"):
        save(saved, network(), parts=2)


@settings(max_examples=25)
@given(st.data())
def test_an_index_with_flipped_bits_never_loads_wrong_numbers(scratch, data):
    model = {"a": np.arange(3.0), "b": np.arange(4.0)}
    shutil.rmtree(scratch, ignore_errors=True)
    write_folder(scratch, model, {"c": np.ones(1)}, {"k": 1}, split_by(2, None))
    content = bytearray((scratch / INDEX).read_bytes())
    for bit in data.draw(st.lists(st.integers(0, 8 * len(content) - 1), min_size=1, max_size=3)):
        content[bit // 8] ^= 1 << bit % 8
    (scratch / INDEX).write_bytes(content)
    try:
        found = open_tensors(scratch)
        for name, x in found.items():
            np.testing.assert_array_equal(x, {**model, "c": np.ones(1)}[name])
    except errors.AdjointError:
        pass


def test_a_model_of_other_shapes_is_named_and_not_changed(saved):
    model = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 2))
    before = model.state_dict()
    with pytest.raises(errors.StateError, match=r"checkpoint.*0.weight has shape \(3, 2\), but the model's has"):
        load(saved, model)
    require_same(model.state_dict(), before)


def test_a_folder_with_other_files_is_written_only_if_that_is_asked_for(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(errors.FileError, match=r"it is a folder with other files, such as 'notes\.txt'; give the name"):
        save(tmp_path, network())
    assert names_in(tmp_path) == ["notes.txt"]
    save(f"{tmp_path}/", network())
    save(tmp_path, network())  # it has a checkpoint now
    assert len(names_in(tmp_path)) == 3
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_folders_that_cannot_be_written_are_explained(tmp_path):
    (tmp_path / "file").write_text("")
    for path, message in [
        (tmp_path / "no" / "where", r"the folder '.*no' does not exist; create it first"),
        (tmp_path / "file", "it is a file; give the name of a folder"),
    ]:
        with pytest.raises(errors.FileError, match=message):
            save(path, network(), parts=2)
    save(tmp_path / "model.safetensors", network())
    with pytest.raises(errors.FileError, match=r"it has a file 'model\.safetensors', which other programs would read"):
        save(tmp_path, network(), parts=2)


HOSTILE = [None, True, -1, 10**18, 1e308, "", "x", [], [0], [[-1, "x"]], {}, {"x": 3}, {"x": [[3], {"x": [0]}]}]


@pytest.mark.parametrize("key", ["about", "save", "extra", "split", "version"])
def test_an_index_whose_content_makes_no_sense_is_refused(saved, key):
    path = saved / INDEX
    index = json.loads(path.read_text())
    content = index["adjoint"]["content"]
    for hostile in HOSTILE:
        changed = {**content, key: hostile}
        record = {"checksum": checksum(json.dumps(changed).encode()), "content": changed}
        path.write_text(json.dumps({**index, "adjoint": record}))
        with contextlib.suppress(errors.AdjointError):
            load(saved)
