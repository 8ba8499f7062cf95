"""Tensors of files and folders: read by name where they are needed, in the layout of Hugging Face."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

from adjoint import errors
from adjoint.files.tensors import open_tensors

STATE = {
    "wte.weight": torch.arange(12.0).reshape(3, 4),
    "ln.bias": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
    "ids": torch.tensor([1, 2], dtype=torch.int64),
    "half": torch.ones(2, 2, dtype=torch.float16),
}
FILES = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]


@pytest.fixture
def folder(tmp_path) -> Path:
    """A checkpoint in two files, as Hugging Face writes it."""
    names = list(STATE)
    for file, part in zip(FILES, (names[:2], names[2:])):
        safetensors.torch.save_file({name: STATE[name] for name in part}, tmp_path / file, {"format": "pt"})
    index = {
        "metadata": {"total_size": sum(x.nbytes for x in STATE.values())},
        "weight_map": {name: FILES[i // 2] for i, name in enumerate(names)},
    }
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    return tmp_path


def require_state(tensors) -> None:
    assert sorted(tensors) == sorted(STATE)
    for name, x in STATE.items():
        assert tensors.shape(name) == tuple(x.shape)
        assert tensors[name].dtype == tensors.dtype(name)
        assert tensors[name].dtype.name == str(x.dtype).removeprefix("torch.")
        np.testing.assert_array_equal(tensors[name].astype(np.float64), x.double().numpy())


def test_a_folder_with_an_index_is_read(folder):
    require_state(open_tensors(folder))
    require_state(open_tensors(str(folder) + "/"))
    require_state(open_tensors(folder / "model.safetensors.index.json"))


@pytest.mark.parametrize("name", ["model.safetensors", "other.safetensors"])
def test_a_file_and_a_folder_with_one_file_are_read(tmp_path, name):
    safetensors.torch.save_file(STATE, tmp_path / name)
    require_state(open_tensors(tmp_path / name))
    require_state(open_tensors(tmp_path))
    require_state(open_tensors(tmp_path))


def test_a_tensor_is_mapped_and_changing_it_does_not_change_the_file(folder):
    found = open_tensors(folder)["wte.weight"]
    assert not found.flags.owndata
    found[:] = 0.0
    require_state(open_tensors(folder))


def test_only_the_files_of_the_tensors_that_are_read_need_their_numbers(folder):
    content = bytearray((folder / FILES[1]).read_bytes())
    content[-1] ^= 255
    (folder / FILES[1]).write_bytes(content)
    np.testing.assert_array_equal(open_tensors(folder)["wte.weight"], STATE["wte.weight"].numpy())


def test_a_missing_part_is_named(folder):
    (folder / FILES[1]).unlink()
    with pytest.raises(errors.FileError, match=r"model-00002-of-00002.*the file is missing, and .* has tensors in it"):
        open_tensors(folder)


def test_a_truncated_part_is_named_with_its_tensor(folder):
    os.truncate(folder / FILES[1], (folder / FILES[1]).stat().st_size - 1)
    with pytest.raises(errors.CheckpointError, match=r"model-00002-of-00002.*truncated: tensor '.*' is incomplete"):
        open_tensors(folder)


def test_a_tensor_that_is_not_in_its_file_is_named(folder):
    path = folder / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    index["weight_map"]["wte.weight"] = FILES[1]
    path.write_text(json.dumps(index))
    with pytest.raises(errors.CheckpointError, match=r"it has the tensor 'wte.weight' in 'model-00002-of-00002"):
        open_tensors(folder)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"weight_map": 3}', '{"weight_map": {"a": 3}}', "\x00"])
def test_an_index_that_is_something_else_is_refused(folder, content):
    (folder / "model.safetensors.index.json").write_text(content)
    with pytest.raises(errors.CheckpointError, match="is corrupt: it is not an index of safetensors files"):
        open_tensors(folder)


def test_a_part_outside_of_the_folder_is_not_read(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "model.safetensors"
    safetensors.torch.save_file(STATE, outside)
    index = {"weight_map": {name: str(outside) for name in STATE}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(errors.FileError, match="the file is missing"):
        open_tensors(folder)


def test_a_folder_that_is_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(errors.CheckpointError, match=r"is not a checkpoint: it has neither .* nor 'model.safetensors'"):
        open_tensors(tmp_path)
    for file in FILES:
        safetensors.torch.save_file(STATE, tmp_path / file)
    with pytest.raises(errors.CheckpointError, match=r"2 safetensors files, .* but no index"):
        open_tensors(tmp_path)
    with pytest.raises(errors.FileError, match="does not exist"):
        open_tensors(tmp_path / "nowhere")
