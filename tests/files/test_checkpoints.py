"""Checkpoints: everything saved is loaded again, and damaged files are refused with an error that names the tensor."""

import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch
from closeness import require_close
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

import adjoint
from adjoint import Value, errors, load, nn, optim, save
from adjoint.files.checkpoints import load_state, save_state

OUTSIDE = Path(__file__).parents[1] / "outside"


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "model.safetensors"


@pytest.fixture(scope="module")
def scratch(tmp_path_factory) -> Path:
    """A file for tests that write it many times."""
    return tmp_path_factory.mktemp("checkpoints") / "scratch.safetensors"


def require_same(found: dict, expected: dict) -> None:
    assert list(found) == list(expected)
    for name, x in expected.items():
        assert found[name].dtype == np.asarray(x).dtype, name
        np.testing.assert_array_equal(found[name], x, err_msg=name, strict=True)


# --- states ----------------------------------------------------------------------------------------------

dtypes = st.sampled_from(["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", ">f4", ">f8"])
tensors = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter("__metadata__".__ne__),
    dtypes.flatmap(lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0))),
    max_size=4,
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(tensors, st.dictionaries(texts, json_values, max_size=3))
def test_states_are_loaded_as_they_were_saved(scratch, state, about):
    save_state(scratch, state, about)
    found, said = load_state(scratch)
    require_same(found, {name: x.astype(x.dtype.newbyteorder("=")) for name, x in state.items()})
    assert said == about


def test_equal_states_give_equal_bytes(path):
    written = []
    for _ in range(2):
        save_state(path, {"b": [1.0], "a": 2}, {"x": 1, "y": [None]})
        written.append(path.read_bytes())
    assert written[0] == written[1]


def test_nan_infinity_and_negative_zero_survive(path):
    numbers = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324])
    save_state(path, {"x": numbers}, {"losses": [1.0, float("nan"), float("inf")]})
    found, about = load_state(path)
    assert found["x"].tobytes() == numbers.tobytes()
    assert about["losses"][0] == 1.0
    assert np.isnan(about["losses"][1])
    assert about["losses"][2] == float("inf")


@pytest.mark.parametrize(
    "x",
    [
        Value([1.0, 2.0]),
        torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True),
        jnp.array([1.0, 2.0]),
        [1.0, 2.0],
        np.array([[1.0, 0.0], [2.0, 0.0]])[:, 0],
    ],
    ids=lambda x: type(x).__module__,
)
def test_arrays_of_every_library_are_saved(path, x):
    save_state(path, {"x": x, "one": Value(3.0), "three": 3})
    found, about = load_state(path)
    assert (found["x"].tolist(), found["one"], found["three"], about) == ([1.0, 2.0], 3.0, 3, {})


@pytest.mark.parametrize(
    ("state", "about", "message"),
    [
        ({"w": "text"}, {}, "cannot save tensor 'w': it is str 'text', not an array of numbers"),
        ({"w": np.zeros(2, complex)}, {}, "cannot save tensor 'w'"),
        ({"w": np.array([{}])}, {}, "cannot save tensor 'w'"),
        ({"w": [[1.0], [2.0, 3.0]]}, {}, "cannot save tensor 'w'"),
        ({"w": np.zeros(2, np.longdouble)}, {}, "cannot save tensor 'w': it is an array of float128"),
        ({3: [1.0]}, {}, "a tensor needs a name such as 'layers.0.weight', not int 3"),
        ({"__metadata__": [1.0]}, {}, "not str '__metadata__'"),
        ({}, {"f": print}, "cannot save builtin_function_or_method"),
        ({}, {"f": {1, 2}}, r"cannot save set \{1, 2\}"),
        ({}, {(1, 2): 3}, "cannot save .* as JSON"),
    ],
)
def test_an_object_that_cannot_be_saved_is_named_and_no_file_is_written(path, state, about, message):
    with pytest.raises(errors.StateError, match=message):
        save_state(path, state, about)
    assert not path.exists()


def test_numbers_of_numpy_and_tuples_become_json(path):
    save_state(path, {}, {"n": np.int64(3), "x": np.float32(0.5), "t": (1, 2), "flag": np.True_})
    assert load_state(path)[1] == {"n": 3, "x": 0.5, "t": [1, 2], "flag": True}


def test_a_cyclic_structure_is_refused(path):
    about: dict = {}
    about["self"] = about
    with pytest.raises(errors.StateError, match="as JSON"):
        save_state(path, {}, about)


# --- damaged files ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole() -> tuple[dict, dict]:
    return nn.Sequential(nn.Linear(3, 4, seed=0), nn.BatchNorm1d(4)).state_dict(), {"epoch": 3, "losses": [0.5, 0.25]}


@pytest.fixture(scope="module")
def content(scratch, whole) -> bytes:
    """The bytes of a file with a complete state."""
    save_state(scratch, *whole)
    return scratch.read_bytes()


@given(st.data())
def test_a_truncated_file_is_refused(scratch, content, data):
    scratch.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(errors.CheckpointError, match=r"scratch\.safetensors' is truncated"):
        load_state(scratch)


def test_a_truncated_file_names_the_first_incomplete_tensor(path, whole):
    save_state(path, *whole)
    content = path.read_bytes()
    header, start = header_of(content)
    for name, entry in header.items():
        if name != "__metadata__":
            for end in entry["data_offsets"][0], entry["data_offsets"][1] - 1:
                path.write_bytes(content[: start + end])
                with pytest.raises(errors.CheckpointError, match=f"truncated: tensor '{name}' is incomplete"):
                    load_state(path)


def require_refused_or_same(path: Path, whole: tuple) -> None:
    """Require that a changed file is refused, unless the change has no meaning, as in spaces."""
    try:
        state, about = load_state(path)
    except errors.CheckpointError:
        return
    require_same(state, whole[0])
    assert about == whole[1]


@given(st.data())
def test_a_file_with_flipped_bits_never_loads_wrong_numbers(scratch, whole, content, data):
    changed = bytearray(content)
    for bit in data.draw(st.lists(st.integers(0, 8 * len(content) - 1), min_size=1, max_size=20)):
        changed[bit // 8] ^= 1 << bit % 8
    scratch.write_bytes(changed)
    require_refused_or_same(scratch, whole)


@given(st.data())
def test_a_partly_overwritten_file_never_loads_wrong_numbers(scratch, whole, content, data):
    changed = bytearray(content)
    start = data.draw(st.integers(0, len(content) - 1))
    part = data.draw(st.binary(min_size=1, max_size=64) | st.just(bytes(64)) | st.just(content[:64]))
    changed[start : start + len(part)] = part
    scratch.write_bytes(changed)
    require_refused_or_same(scratch, whole)


@given(st.binary(max_size=200))
def test_a_file_that_is_not_a_checkpoint_is_refused(scratch, content):
    scratch.write_bytes(content)
    with pytest.raises(errors.CheckpointError, match=r"not a checkpoint|truncated|corrupt"):
        load_state(scratch)


@pytest.mark.parametrize(
    "header",
    ["{", "[]", "3", '{"w": 3}', '{"w": {"data_offsets": [0, 1e999]}}', '{"w": {"data_offsets": [0, 0]}}', "[" * 5000],
)
def test_an_invalid_header_is_refused(path, header):
    path.write_bytes(struct.pack("<Q", len(header)) + header.encode())
    with pytest.raises(errors.CheckpointError, match=r"corrupt|not a checkpoint|truncated"):
        load_state(path)


def header_of(content: bytes) -> tuple[dict, int]:
    """Return the header of a file, and where the tensors begin."""
    size = 8 + struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8:size]), size


def test_a_changed_number_names_its_tensor(path, whole):
    save_state(path, *whole)
    content = path.read_bytes()
    header, start = header_of(content)
    for name in whole[0]:
        changed = bytearray(content)
        changed[start + header[name]["data_offsets"][0]] ^= 1
        path.write_bytes(changed)
        with pytest.raises(errors.CheckpointError, match=f"the numbers of tensor '{name}' have changed"):
            load_state(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.pop("0.bias"), "tensor '0.bias' is missing"),
        (lambda state: state.update(more=np.zeros(2)), "unexpected tensor 'more'"),
        (
            lambda state: state.update({"0.bias": np.zeros(4, np.int64)}),
            "dtype or shape of tensor '0.bias' has changed",
        ),
        (lambda state: state.update({"0.bias": np.zeros((2, 2))}), "dtype or shape of tensor '0.bias' has changed"),
        (lambda state: state.update({"1.bias": state["1.weight"]}), "the numbers of tensor '1.bias'"),
    ],
)
def test_tensors_that_have_changed_are_named(path, whole, change, message):
    save_state(path, *whole)
    metadata = header_of(path.read_bytes())[0]["__metadata__"]
    state = dict(whole[0])
    change(state)
    safetensors.numpy.save_file(state, path, metadata)
    with pytest.raises(errors.CheckpointError, match=message):
        load_state(path)


def test_a_file_of_a_later_version_is_refused(path):
    save_state(path, {}, {})
    later = json.loads(header_of(path.read_bytes())[0]["__metadata__"]["adjoint"])
    later["content"]["version"] = 2
    later["checksum"] = f"{zlib.crc32(json.dumps(later['content']).encode()):08x}"
    safetensors.numpy.save_file({}, path, {"adjoint": json.dumps(later)})
    with pytest.raises(errors.CheckpointError, match="has format 2, but this adjoint reads format 1"):
        load_state(path)


def test_a_pickle_is_refused_and_never_run(path):
    torch.save({"w": torch.zeros(2)}, path)
    with pytest.raises(errors.CheckpointError, match="is not a checkpoint"):
        load_state(path)


# --- a process that is killed ----------------------------------------------------------------------------


@pytest.mark.full
def test_kills_at_200_random_moments_never_leave_an_unreadable_file(tmp_path):
    command = [sys.executable, str(OUTSIDE / "killing.py"), str(tmp_path), "200", "file"]
    finished = subprocess.run(command, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    kills, within_a_save, saved = map(int, finished.stdout.split())
    assert kills == 200
    assert within_a_save > 0
    assert saved > 0


# --- models ----------------------------------------------------------------------------------------------


class Net(nn.Module):
    def __init__(self, width=3):
        self.hidden, self.out = nn.Linear(2, width), nn.Linear(width, 1)

    def forward(self, x):
        return self.out(self.hidden(x).tanh())


X = np.random.default_rng(0).normal(size=(5, 2))


def test_a_model_is_loaded_with_its_weights_and_statistics(path):
    model = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), adjoint.tanh, nn.Linear(4, 1))
    for _ in range(3):
        model(X)
    save(path, model)
    again, extra = load(path)
    require_same(again.state_dict(transient=True), model.state_dict(transient=True))
    np.testing.assert_array_equal(again(X).data, model(X).data)  # the same elements are dropped
    np.testing.assert_array_equal(again.eval()(X).data, model.eval()(X).data)
    assert extra == {}


def test_a_network_of_scalar_values_is_loaded(path):
    model = nn.MLP(2, [3, 1], "relu", "linear")
    save(path, model)
    again = load(path).model
    assert repr(again) == repr(model)
    assert again([0.5, -1.0]).data == model([0.5, -1.0]).data


def test_the_dtype_of_weights_is_restored(path):
    model = nn.Sequential(nn.Linear(2, 3, dtype="float32"), nn.Linear(3, 1))
    save(path, model)
    assert [p.dtype for p in load(path).model.parameters()] == [p.dtype for p in model.parameters()]


def test_extra_entries_are_loaded(path):
    model = Net()
    optimizer = optim.Adam(model, lr=0.01)
    (model(X) ** 2).mean().backward()
    optimizer.step()
    extra = {"epoch": 3, "history": {"loss": [1.0, 0.5]}, "key": np.arange(4, dtype=np.uint32), "w": Value([1.0])}
    save(path, model, optimizer=optimizer, number=Value(2.0), **extra)
    other = Net()
    model_again, found = load(path, other)
    assert model_again is other
    assert found["epoch"] == 3
    assert found["history"] == extra["history"]
    assert found["number"] == 2.0
    np.testing.assert_array_equal(found["key"], extra["key"], strict=True)
    np.testing.assert_array_equal(found["w"], [1.0])
    resumed = optim.Adam(other, lr=0.5)
    resumed.load_state_dict(found["optimizer"])
    for m, o in ((model, optimizer), (other, resumed)):
        m.zero_grad()
        (m(X) ** 2).mean().backward()
        o.step()
    require_same(other.state_dict(), model.state_dict())


def test_a_model_of_a_user_class_is_passed_to_load(path):
    model = Net()
    save(path, model)
    with pytest.raises(errors.StateError, match=r"of Net, which is not a class of adjoint\.nn; pass a model"):
        load(path)
    other = Net()
    assert load(path, other).model is other
    np.testing.assert_array_equal(other(X).data, model(X).data)


def test_shared_weights_stay_shared(path):
    layer = nn.Linear(2, 2)
    model = nn.Sequential(layer, nn.Tanh(), layer)
    save(path, model)
    with pytest.raises(errors.StateError, match="pass a model"):
        load(path)
    fresh = nn.Linear(2, 2)
    other = nn.Sequential(fresh, nn.Tanh(), fresh)
    load(path, other)
    np.testing.assert_array_equal(other(X).data, model(X).data)
    assert len(other.parameters()) == 2


def test_a_checkpoint_of_another_architecture_is_refused_and_nothing_changed(path):
    save(path, Net(4))
    model = Net(3)
    before = model.state_dict()
    with pytest.raises(errors.StateError) as caught:
        load(path, model)
    message = str(caught.value)
    assert message.startswith(repr(str(path)))
    for part in ("hidden.weight has shape (4, 2), but the model's has (3, 2)", "hidden.bias", "out.weight"):
        assert part in message
    assert "out.bias" not in message
    require_same(model.state_dict(), before)


def test_missing_and_unexpected_tensors_are_named(path):
    save(path, nn.Sequential(nn.Linear(2, 3), nn.ReLU()))
    with pytest.raises(errors.StateError, match=r"2\.weight is missing; 2\.bias is missing"):
        load(path, nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)))
    with pytest.raises(errors.StateError, match=r"0\.bias is not in the model"):
        load(path, nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU()))


def test_the_arguments_of_save_may_be_in_the_order_of_pytorch(path):
    model = nn.Linear(2, 3, seed=0)
    save(path, model, epoch=3)
    first = path.read_bytes()
    save(model, path, epoch=3)
    assert path.read_bytes() == first
    with pytest.raises(errors.ArgumentError, match=r"save\(path, model\), not Linear\(2, 3\)"):
        save(model, model)


def test_a_state_dict_is_saved_and_loaded_as_in_pytorch(path):
    model, other = nn.Linear(2, 3, seed=0), nn.Linear(2, 3, seed=1)
    save(model.state_dict(), path)
    assert other.load_state_dict(load(path)) == ([], [])
    require_same(other.state_dict(), model.state_dict())
    fresh = nn.Linear(2, 3, seed=2)
    assert load(path, fresh).model is fresh
    require_same(fresh.state_dict(), model.state_dict())
    assert sorted(safetensors.numpy.load_file(path)) == ["bias", "weight"]


def test_load_takes_the_arguments_of_pytorch(path):
    save({"a": np.ones(2)}, path)
    assert load(path, map_location="cpu", weights_only=True)["a"].tolist() == [1.0, 1.0]
    assert load(path, map_location=torch.device("cpu"), weights_only=False)["a"].tolist() == [1.0, 1.0]
    with pytest.raises(errors.ArgumentError, match="map_location cannot be 'cuda:0'; arrays are loaded to the 'cpu'"):
        load(path, map_location="cuda:0")


def test_a_dict_of_states_is_saved_and_loaded_as_in_pytorch(path):
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.MLP(2, [1], seed=0).to_arrays())
    optimizer = optim.Adam(model)
    model.zero_grad()
    save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 5, "loss": [0.5, 0.25]}, path)
    found = load(path)
    assert (found["epoch"], found["loss"]) == (5, [0.5, 0.25])
    require_same(found["model"], model.state_dict())
    optim.Adam(model).load_state_dict(found["optimizer"])


def test_a_model_loads_the_state_of_a_checkpoint(path):
    model, other = nn.MLP(2, [3, 1], seed=0), nn.MLP(2, [3, 1], seed=1)
    save(model, path)
    other.load_state_dict(load(path))
    assert other.state_dict() == model.state_dict()


def test_save_and_load_accept_only_models(path):
    with pytest.raises(errors.ArgumentError, match=r"a checkpoint needs a model of adjoint\.nn, or a dict .* not list"):
        save(path, [Value(1.0)])
    save(path, Net())
    with pytest.raises(errors.ArgumentError, match="not dict"):
        load(path, {})


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"f": print}, "cannot save"),
        ({"x": {"__tensor__": 1}}, "x: the key '__tensor__' is reserved for arrays"),
        ({"x": [np.array(["a"])]}, "cannot save tensor 'x/0'"),
    ],
)
def test_an_extra_entry_that_cannot_be_saved_is_named(path, extra, message):
    with pytest.raises(errors.StateError, match=message):
        save(path, Net(), **extra)
    assert not path.exists()


def test_an_extra_tensor_never_replaces_a_weight(path):
    class Odd(nn.Module):
        def __init__(self):
            self.key = {"0": Value([1.0])}
            vars(self)["key/0"] = Value([2.0])

    with pytest.raises(errors.StateError, match="two tensors have the name 'key/0'"):
        save(path, Odd(), key=[np.ones(1)])


# --- files of PyTorch -------------------------------------------------------------------------------------


def test_a_file_written_by_pytorch_loads_into_the_same_layers(path):
    theirs = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1)).double()
    theirs(torch.tensor(X))
    safetensors.torch.save_file(theirs.state_dict(), path)
    ours = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    load(path, ours)
    require_close(ours.eval()(X).data, theirs.eval()(torch.tensor(X)).detach().numpy())
    with pytest.raises(errors.StateError, match="a model, but not its architecture; pass a model"):
        load(path)


def test_pytorch_reads_our_files(path):
    ours = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.Dropout(0.1), nn.Linear(4, 1))
    ours(X)
    save(path, ours)
    layers = torch.nn.Linear(2, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.1), torch.nn.Linear(4, 1)
    theirs = torch.nn.Sequential(*layers).double()
    theirs.load_state_dict(safetensors.torch.load_file(path))
    require_close(ours.eval()(X).data, theirs.eval()(torch.tensor(X)).detach().numpy())


def test_bfloat16_tensors_of_pytorch_are_read(path):
    x = torch.randn(100, generator=torch.Generator().manual_seed(0)).bfloat16()
    safetensors.torch.save_file({"x": x, "empty": torch.zeros(0, dtype=torch.bfloat16)}, path)
    found, _ = load_state(path)
    assert found["x"].dtype == found["empty"].dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(found["x"].astype(np.float32), x.float().numpy(), strict=True)
    assert found["empty"].shape == (0,)


def test_bfloat16_tensors_are_float32_where_ml_dtypes_is_not_installed(path, monkeypatch):
    x = torch.randn(100, generator=torch.Generator().manual_seed(0)).bfloat16()
    safetensors.torch.save_file({"x": x}, path)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    np.testing.assert_array_equal(load_state(path)[0]["x"], x.float().numpy(), strict=True)


def test_bfloat16_tensors_are_loaded_into_a_model_of_float32(path):
    theirs = torch.nn.Linear(2, 3).bfloat16()
    safetensors.torch.save_file(theirs.state_dict(), path)
    ours = load(path, nn.Linear(2, 3, dtype="float32")).model
    np.testing.assert_array_equal(ours.weight.data, theirs.weight.detach().float().numpy(), strict=True)


def test_bfloat16_arrays_are_loaded_as_they_were_saved(path):
    x = np.array([1.5, np.nan, -0.0, 3e38], ml_dtypes.bfloat16)
    save_state(path, {"x": x, "y": jnp.ones(2, "bfloat16")})
    found, _ = load_state(path)
    assert found["x"].dtype == found["y"].dtype == ml_dtypes.bfloat16
    assert found["x"].tobytes() == x.tobytes()
    assert safetensors.torch.load_file(path)["x"].dtype == torch.bfloat16


def test_an_unsupported_dtype_names_its_tensor(path):
    safetensors.torch.save_file({"x": torch.zeros(2, dtype=torch.float8_e4m3fn)}, path)
    with pytest.raises(errors.CheckpointError, match="tensor 'x' has the dtype F8_E4M3, which NumPy does not support"):
        load_state(path)


def test_a_truncated_file_of_pytorch_names_the_tensor(path):
    safetensors.torch.save_file({"a": torch.zeros(2), "b": torch.zeros(2)}, path)
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(errors.CheckpointError, match="truncated: tensor 'b' is incomplete"):
        load_state(path)


# --- files of earlier versions -------------------------------------------------------------------------------


def test_a_file_of_format_1_written_by_an_earlier_version_loads():
    """The file was written before the modules moved; the reference outputs were computed then."""
    model, extra = load(Path(__file__).parent / "fixtures" / "format_1.safetensors")
    X = np.arange(8.0).reshape(4, 2)
    outputs = [0.6145711898858203, 0.24482677069916758, -0.12115388567105967, -0.48713454204128714]
    require_close(model.eval()(X).data.ravel(), outputs)
    assert (extra["epoch"], extra["note"]) == (5, "écrit")
    optimizer = adjoint.optim.Adam(model, lr=0.5)
    optimizer.load_state_dict(extra["optimizer"])
    assert optimizer.lr == 0.1
