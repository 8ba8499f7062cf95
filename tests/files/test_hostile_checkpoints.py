"""Checkpoints with a valid checksum and a content that makes no sense: refused, before they take memory."""

import contextlib
import copy
import json

import numpy as np
import pytest
import safetensors
from fuzzing import examples
from hypothesis import given, strategies as st

from adjoint import errors, fit, load, nn
from adjoint.cli.command_line import main
from adjoint.files.checkpoints import load_state, save_state
from adjoint.files.tensor_files import TensorFile

# In place of anything that adjoint writes.
HOSTILE = [None, True, -1, 0, 10**6, 10**18, 10**40, 1e308, "", "MLP", [], [0], [[-1, "x"]], {}, {"class": "MLP"}]


def places(node, path=()):
    """Yield the path of every part of a JSON object."""
    yield path
    if isinstance(node, (dict, list)):
        for key, part in node.items() if isinstance(node, dict) else enumerate(node):
            yield from places(part, (*path, key))


def replaced(node, path, new):
    """Return a JSON object with another part at a path."""
    if not path:
        return new
    changed = copy.copy(node)
    changed[path[0]] = replaced(node[path[0]], path[1:], new)
    return changed


def train(path, **options):
    X = np.random.default_rng(0).normal(size=(8, 2))
    fit(
        nn.MLP(2, [3, 1], seed=0).to_arrays(),
        (X, X[:, :1]),
        loss="mse",
        epochs=2,
        progress=False,
        checkpoint=path,
        **options,
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The path and the content of checkpoints that `adjoint train --save` and `fit` wrote."""
    folder = tmp_path_factory.mktemp("hostile")
    paths = folder / "trained.safetensors", folder / "fitted.safetensors"
    assert main(["train", "moons", "--epochs", "1", "--quiet", "--hidden", "3", "--save", str(paths[0])]) == 0
    train(paths[1])
    return [(path, *load_state(path)) for path in paths]


@pytest.mark.full
@given(st.data())
def test_a_checkpoint_with_a_part_replaced_loads_or_is_refused(saved, data):
    path, tensors, about = saved[data.draw(st.integers(0, 1))]
    where = data.draw(st.sampled_from([place for place in places(about) if place]))
    save_state(path, tensors, replaced(about, where, data.draw(st.sampled_from(HOSTILE))))
    with contextlib.suppress(errors.AdjointError):
        load(path)
    assert main(["predict", str(path), "0.5", "0.2"]) in (0, 2)
    with contextlib.suppress(errors.AdjointError):
        train(path, resume=True)


@pytest.mark.parametrize(
    "description",
    [
        {"class": "Linear", "arguments": {"in_features": 2**17, "out_features": 2**16}},
        {"class": "Embedding", "arguments": {"num_embeddings": 2**33, "embedding_dim": 1}},
        {"class": "MLP", "arguments": {"nin": 10**12, "nouts": [10**12]}},
        {
            "class": "Sequential",
            "layers": {str(i): {"class": "LayerNorm", "arguments": {"normalized_shape": 2**20}} for i in "ab"},
        },
        {"class": "LSTM", "arguments": {"input_size": 1, "hidden_size": 2**30}},
    ],
)
def test_a_small_file_that_describes_a_large_model_is_refused_before_it_takes_memory(tmp_path, description):
    path = tmp_path / "model.safetensors"
    save_state(path, {"weight": np.zeros(2)}, {"class": "Linear", "description": description, "extra": {}})
    assert path.stat().st_size < 2048
    with pytest.raises(errors.CheckpointError, match="is corrupt"):
        load(path)


@pytest.mark.parametrize("about", [[], "x", 3, None, {"extra": []}, {"extra": {"a": {"__tensor__": "b"}}}])
def test_a_record_of_the_wrong_kind_is_refused(tmp_path, monkeypatch, about):
    path = tmp_path / "model.safetensors"
    monkeypatch.setattr("adjoint.files.checkpoints._as_json", lambda given: about)
    save_state(path, {"weight": np.zeros(2)})
    with pytest.raises((errors.CheckpointError, errors.StateError)):
        load(path)


@pytest.mark.parametrize("shape", [[2**62], [2**62, 4], [2**62, 0], [0, 2**64], [0] + [1] * 64])
def test_a_tensor_with_a_shape_that_no_array_has_is_refused(tmp_path, shape):
    path = tmp_path / "model.safetensors"
    header = json.dumps({"a": {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]}}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(errors.CheckpointError, match=r"is corrupt: tensor 'a' has the shape \("):
        load(path)


SMALL = st.integers(0, 9)
ENTRY = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["U8", "BOOL", "F16", "BF16", "F32", "I64", "F8_E4M3"]),
        "shape": st.lists(SMALL, max_size=2),
        "data_offsets": st.tuples(SMALL, SMALL).map(sorted),
    }
)


def repaired(entries: dict) -> dict:
    """Return entries with the offsets that their shapes need, so that many files are right but for one change."""
    end, found = 0, {}
    for name, entry in entries.items():
        size = int(np.prod(entry["shape"])) * {"U8": 1, "BOOL": 1, "F8_E4M3": 1, "F32": 4, "I64": 8}.get(
            entry["dtype"], 2
        )
        found[name] = {**entry, "data_offsets": [end, end + size]}
        end += size
    return found


@given(st.dictionaries(st.sampled_from("abc"), ENTRY, min_size=1), st.booleans(), st.integers(-1, 1), st.data())
@examples(200)
def test_tensors_with_gaps_overlaps_or_wrong_sizes_are_refused_as_the_library_refuses_them(
    tmp_path_factory, entries, whole, more, data
):
    entries = repaired(entries)
    size = max(entry["data_offsets"][1] for entry in entries.values())
    if not whole:
        name = data.draw(st.sampled_from(sorted(entries)))
        key = data.draw(st.sampled_from(["dtype", "shape", "data_offsets"]))
        entries[name] = {**entries[name], key: data.draw(ENTRY)[key]}
    header = json.dumps(entries).encode()
    path = tmp_path_factory.mktemp("offsets") / "m.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(max(size + (0 if whole else more), 0)))
    try:
        with safetensors.safe_open(path, framework="np"):
            refused = False
    except safetensors.SafetensorError:
        refused = True
    if refused:
        with pytest.raises(errors.CheckpointError, match=r"corrupt|truncated"):
            TensorFile(path)
    else:
        assert set(TensorFile(path)) == set(entries)


@pytest.mark.parametrize("offsets", [[0], [0, 4, 8], [0.0, 4.0], ["0", "4"], [-4, 0], None, 4, [True, 4]])
def test_offsets_that_are_no_two_numbers_are_refused(tmp_path, offsets):
    header = json.dumps({"a": {"dtype": "F32", "shape": [1], "data_offsets": offsets}}).encode()
    (tmp_path / "m.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(errors.CheckpointError, match="corrupt"):
        TensorFile(tmp_path / "m.safetensors")
