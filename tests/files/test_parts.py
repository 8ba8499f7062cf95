"""Checkpoints in several files: loaded as they were saved, replaced as a whole, and read by other programs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch
from checkpoint_folders import INDEX, names_in, network, require_same
from closeness import require_close
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays

from adjoint import errors, fit, jit, load, nn, optim, save
from adjoint.arrays.backends import Resident
from adjoint.files import parts as parts_module
from adjoint.files.parts import bytes_of, split_by, write_folder
from adjoint.files.tensors import open_tensors

OUTSIDE = Path(__file__).parents[1] / "outside"


# --- round trips ---------------------------------------------------------------------------------------------

dtypes = st.sampled_from(["f2", "f4", "f8", "i1", "i4", "i8", "u1", "u2", "u4", "u8", "?", ml_dtypes.bfloat16])
shapes = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
tensors = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6).filter("__metadata__".__ne__),
    st.builds(lambda dtype, shape: np.arange(np.prod(shape)).astype(dtype).reshape(shape), dtypes, shapes),
    max_size=6,
)


@settings(max_examples=25)
@given(tensors, tensors, st.integers(1, 4) | st.sampled_from(["1B", "16B", "1KB"]))
def test_tensors_are_loaded_as_they_were_saved(scratch, model, extra, size):
    extra = {name: x for name, x in extra.items() if name not in model}
    split = split_by(size, None) if isinstance(size, int) else split_by(None, size)
    write_folder(scratch, model, extra, {"note": [1]}, split)
    found = open_tensors(scratch)
    require_same(found, model | extra)
    assert found.about == {"note": [1]}
    files = names_in(scratch)
    assert len(files) == 1 + len(found.files)
    for kind, own in (("model", model), ("extra", extra)):
        written = [name for name in files if re.match(rf"{kind}-(.{{8}}-)?\d{{5}}-of-", name)]
        assert [name[-26:] for name in written] == [
            f"{i:05}-of-{len(written):05}.safetensors"[-26:] for i in range(1, len(written) + 1)
        ]
        assert len(written) <= (size if isinstance(size, int) else len(own))
        if not isinstance(size, int):
            for name in written:
                part = open_tensors(scratch / name)
                assert len(part) == 1 or sum(map(part.size, part)) <= bytes_of(size)


def test_a_model_its_optimizer_and_notes_are_loaded(folder):
    model = network()
    optimizer = optim.AdamW(model, lr=0.01)
    X = np.random.default_rng(0).normal(size=(5, 2))
    for _ in range(3):
        optimizer.zero_grad()
        (model(X) ** 2).mean().backward()
        optimizer.step()
    ema = optim.EMA(model)
    save(folder, model, optimizer=optimizer, ema=ema, epoch=3, key=np.arange(2, dtype=np.uint32), max_size=200)
    again, extra = load(folder)
    require_same(again.state_dict(transient=True), model.state_dict(transient=True))
    assert extra["epoch"] == 3
    require_same({"key": extra["key"]}, {"key": np.arange(2, dtype=np.uint32)})
    resumed, averages = optim.AdamW(again, lr=0.5), optim.EMA(again)
    resumed.load_state_dict(extra["optimizer"])
    averages.load_state_dict(extra["ema"])
    for m, o in ((model, optimizer), (again, resumed)):
        o.zero_grad()
        (m(X) ** 2).mean().backward()
        o.step()
    require_same(again.state_dict(transient=True), model.state_dict(transient=True))
    require_same(averages.state_dict()["averages"], ema.state_dict()["averages"])


def test_loaded_arrays_can_be_changed_and_the_folder_saved_again(folder):
    save(folder, nn.Linear(2, 3, seed=0), x=np.ones(3), parts=2)
    model, extra = load(folder)
    model.weight.data -= 1.0
    extra["x"] += 1.0
    save(folder, model, **extra, parts=2)
    again, found = load(folder)
    require_same(again.state_dict(), model.state_dict())
    assert found["x"].tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("options", [{"parts": 2}, {}])
def test_models_of_bfloat16_are_loaded_as_such(tmp_path, options):
    model = nn.Sequential(nn.Linear(4, 3, seed=0), nn.Linear(3, 2, seed=1)).astype("bfloat16")
    path = tmp_path / ("folder" if options else "model.safetensors")
    save(path, model, **options)
    require_same(load(path).model.state_dict(), model.state_dict())
    assert load(path).model[0].weight.dtype.name == "bfloat16"


def test_saving_leaves_compiled_state_on_its_device(folder):
    model = nn.Linear(2, 3, seed=0)
    optimizer = optim.Adam(model)

    @jit
    def step(x):
        loss = (model(x) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    step(np.ones((4, 2)))
    held = [p._data for p in model.parameters()]
    save(folder, model, optimizer=optimizer, parts=2)
    save(folder.with_suffix(".safetensors"), model, optimizer=optimizer)
    assert all(p._data is x and type(x) is Resident for p, x in zip(model.parameters(), held, strict=True))
    require_same(load(folder).model.state_dict(), model.state_dict())


def test_a_dict_is_saved_and_loaded(folder):
    state = {"model": network().state_dict(), "step": 3}
    save(state, folder, parts=3)
    found = load(folder)
    assert found["step"] == 3
    require_same(found["model"], state["model"])
    save(folder, network().state_dict(), parts=2)
    require_same(load(folder, network()).model.state_dict(), network().state_dict())


@pytest.mark.parametrize("path", ["text", "existing"])
def test_a_path_with_a_separator_and_an_existing_folder_need_no_size(folder, path):
    if path == "existing":
        folder.mkdir()
    save(folder if path == "existing" else f"{folder}/", network())
    assert names_in(folder) == ["model-00001-of-00001.safetensors", INDEX]
    require_same(load(folder).model.state_dict(), network().state_dict())


def test_sizes_are_read():
    assert [bytes_of(x) for x in (1, "1", "1B", "2KB", "3 MB", "5gb", "1TB", "1.5KiB")] == [
        1, 1, 1, 2000, 3 * 10**6, 5 * 10**9, 10**12, 1536,
    ]  # fmt: skip
    for size in ("", "GB", "5XB", -1, 0, 1.5, True, "0.1B", None):
        with pytest.raises(errors.ArgumentError, match="max_size is a number of bytes, such as '5GB'"):
            bytes_of(size)


def test_parts_have_about_the_same_size(folder):
    save(folder, {f"w{i}": np.ones(100) for i in range(12)}, parts=4)
    sizes = [sum(map(part.size, part)) for part in open_tensors(folder).files.values()]
    assert sizes == [2400] * 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parts": 0}, "the number of files, must be an integer of at least 1, not int 0"),
        ({"parts": "two"}, "must be an integer"),
        ({"max_size": "big"}, "max_size is a number of bytes"),
        ({"parts": 2, "max_size": "1GB"}, "parts=2 or max_size='1GB', not both"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(folder, options, message):
    with pytest.raises(errors.ArgumentError, match=message):
        save(folder, network(), **options)
    assert not folder.exists()


def test_the_name_of_a_file_is_refused(tmp_path):
    with pytest.raises(errors.ArgumentError, match=r"parts=2 writes a folder .* is the name of one file"):
        save(tmp_path / "model.safetensors", network(), parts=2)


# --- other programs ------------------------------------------------------------------------------------------


def test_the_layout_is_that_of_hugging_face(folder):
    model = network()
    save(folder, model, optimizer=optim.Adam(model), parts=3)
    index = json.loads((folder / INDEX).read_text())
    state = model.state_dict()
    assert index["metadata"]["total_size"] == sum(np.asarray(x).nbytes for x in state.values())
    assert sorted(index["weight_map"]) == sorted(state)
    found = {}
    for file in sorted(set(index["weight_map"].values())):
        assert re.fullmatch(r"model-0000\d-of-00003\.safetensors", file)
        with safetensors.safe_open(folder / file, framework="np") as part:
            assert part.metadata()["format"] == "pt"
            assert {name for name, own in index["weight_map"].items() if own == file} == set(part.keys())
            found |= {name: part.get_tensor(name) for name in part.keys()}  # noqa: SIM118
    require_same(found, state)


def test_pytorch_reads_the_parts(folder):
    model = network()
    save(folder, model, max_size="100B")
    index = json.loads((folder / INDEX).read_text())
    state = {}
    for file in set(index["weight_map"].values()):
        state |= safetensors.torch.load_file(folder / file)
    layers = torch.nn.Linear(2, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 3)
    theirs = torch.nn.Sequential(*layers).double()
    theirs.load_state_dict(state)
    X = np.random.default_rng(0).normal(size=(5, 2))
    require_close(model.eval()(X).data, theirs.eval()(torch.tensor(X)).detach().numpy())


def test_a_folder_of_another_program_is_loaded_into_a_model(folder):
    folder.mkdir()
    theirs = torch.nn.Linear(2, 3).double()
    for i, (name, x) in enumerate(theirs.state_dict().items(), 1):
        safetensors.torch.save_file({name: x}, folder / f"model-0000{i}-of-00002.safetensors")
    files = {"weight": "model-00001-of-00002.safetensors", "bias": "model-00002-of-00002.safetensors"}
    (folder / INDEX).write_text(json.dumps({"metadata": {"total_size": 72}, "weight_map": files}))
    ours = load(folder, nn.Linear(2, 3)).model
    np.testing.assert_array_equal(ours.weight.data, theirs.weight.detach().numpy())
    with pytest.raises(errors.StateError, match="a model, but not its architecture; pass a model"):
        load(folder)


def test_the_folder_of_another_program_is_not_replaced(folder):
    test_a_folder_of_another_program_is_loaded_into_a_model(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(errors.FileError, match="was written by another program, or is damaged; choose another folder"):
        save(folder, network(), parts=2)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


# --- replacing -----------------------------------------------------------------------------------------------


def test_a_folder_is_replaced_as_a_whole_and_other_files_stay(folder):
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    for i in range(4):
        save(folder, nn.Linear(2, 3, seed=i), step=i, parts=2)
        assert load(folder).extra == {"step": i}
        require_same(load(folder).model.state_dict(), nn.Linear(2, 3, seed=i).state_dict())
        assert len(names_in(folder)) == 4
    assert "config.json" in names_in(folder)


@pytest.mark.parametrize("name", ["model-00001-of-00002.safetensors", "extra-00001-of-00001.safetensors"])
def test_files_of_the_user_with_such_names_stay(folder, name):
    folder.mkdir()
    safetensors.numpy.save_file({"x": np.ones(2)}, folder / name)
    (folder / "model-00002-of-00002.safetensors").write_text("notes")
    content = (folder / name).read_bytes()
    for _ in range(3):
        save(folder, nn.Linear(2, 3), x=np.ones(2), parts=2)
        load(folder)
    assert (folder / name).read_bytes() == content
    assert (folder / "model-00002-of-00002.safetensors").read_text() == "notes"


def state_of(folder: Path) -> dict:
    return {name: np.array(x) for name, x in open_tensors(folder).items()}


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("after", range(7))
def test_if_any_step_fails_the_old_checkpoint_is_complete(folder, monkeypatch, step, after):
    save(folder, nn.Linear(2, 3, seed=0), x=np.ones(2), parts=2)
    before, files = state_of(folder), names_in(folder)
    calls, original = [], getattr(os, step)

    def fail(*arguments):
        calls.append(arguments)
        if len(calls) > after:
            raise OSError(28, "No space left on device")
        return original(*arguments)

    monkeypatch.setattr(os, step, fail)
    failures = []
    try:
        save(folder, nn.Linear(2, 3, seed=1), x=np.zeros(2), parts=2)
    except errors.FileError as error:
        failures.append(str(error))
    monkeypatch.undo()
    new = {**nn.Linear(2, 3, seed=1).state_dict(), "x": np.zeros(2)}
    is_old = state_of(folder)["x"][0] == 1.0
    require_same(state_of(folder), before if is_old else new)
    assert is_old == bool(failures) == (after < {"fsync": 7, "replace": 4}[step])
    assert not failures or "No space left on device" in failures[0]
    assert len(names_in(folder)) == len(files)
    assert not is_old or names_in(folder) == files


def test_a_tensor_that_cannot_be_saved_leaves_no_folder(folder):
    with pytest.raises(errors.StateError, match="cannot save tensor 'x'"):
        save(folder, nn.Linear(2, 3), x=np.zeros(2, complex), parts=2)
    assert not folder.exists()


def test_what_a_killed_save_has_left_is_removed_by_the_next(folder, monkeypatch):
    save(folder, nn.Linear(2, 3, seed=0), parts=2)

    def kill(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(parts_module, "_index", kill)
        patch.setattr(parts_module, "_remove_unused", lambda _: None)
        with pytest.raises(KeyboardInterrupt):
            save(folder, nn.Linear(2, 3, seed=1), parts=2)
    (folder / ".model-00001-of-00002.safetensors.0123456789ab.tmp").write_text("")
    assert len(names_in(folder)) == 6
    require_same(state_of(folder), nn.Linear(2, 3, seed=0).state_dict())
    save(folder, nn.Linear(2, 3, seed=2), parts=2)
    assert len(names_in(folder)) == 3
    require_same(state_of(folder), nn.Linear(2, 3, seed=2).state_dict())


def test_a_reader_finds_a_checkpoint_that_is_replaced_meanwhile(folder, monkeypatch):
    save(folder, nn.Linear(2, 3, seed=0), parts=2)
    old = (folder / INDEX).read_bytes()
    save(folder, nn.Linear(2, 3, seed=1), parts=2)
    contents = [old, (folder / INDEX).read_bytes(), (folder / INDEX).read_bytes()]
    monkeypatch.setattr("adjoint.files.tensors.atomic.read", lambda path: contents.pop(0))
    require_same(state_of(folder), nn.Linear(2, 3, seed=1).state_dict())


def test_two_writers_of_one_folder_are_refused(folder):
    folder.mkdir()
    with (
        parts_module._lock(folder),
        pytest.raises(errors.FileError, match="another process is writing one there; give each training a folder"),
    ):
        save(folder, network(), parts=2)
    save(folder, network(), parts=2)


@pytest.mark.full
def test_kills_at_random_moments_leave_the_old_or_the_new_checkpoint(tmp_path):
    command = [sys.executable, str(OUTSIDE / "killing.py"), str(tmp_path), "40", "folder"]
    finished = subprocess.run(command, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    kills, within_a_save, saved = map(int, finished.stdout.split())
    assert kills == 40
    assert within_a_save > 0
    assert saved > 0


# --- training ------------------------------------------------------------------------------------------------


def test_fit_resumes_from_a_folder_bit_for_bit(folder):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)

    def train(model, epochs, **options):
        fit(model, data, loss="cross_entropy", epochs=epochs, batch_size=10, progress=False, **options)
        return model

    whole = train(network(), 4)
    train(network(), 2, checkpoint=f"{folder}/")
    resumed = train(network(), 4, checkpoint=folder, resume=True)
    require_same(resumed.state_dict(transient=True), whole.state_dict(transient=True))
    assert names_in(folder) == sorted(set(names_in(folder)) | {INDEX})


# --- transformers --------------------------------------------------------------------------------------------


@pytest.mark.full
def test_transformers_reads_our_folders_and_we_read_theirs(folder, tmp_path):
    transformers = pytest.importorskip("transformers")
    configuration = transformers.GPT2Config(n_layer=2, n_embd=16, n_head=2, vocab_size=40, n_positions=8)
    torch.manual_seed(0)
    theirs = transformers.GPT2LMHeadModel(configuration).eval()
    state = {name: x.numpy() for name, x in theirs.state_dict().items() if name != "lm_head.weight"}
    save(folder, state, max_size="8KB")
    configuration.save_pretrained(folder)
    again = transformers.GPT2LMHeadModel.from_pretrained(folder).eval()
    tokens = torch.arange(8)[None]
    with torch.no_grad():
        assert torch.equal(again(tokens).logits, theirs(tokens).logits)
    theirs.save_pretrained(tmp_path / "theirs", max_shard_size="8KB")
    assert len(list((tmp_path / "theirs").glob("model-*.safetensors"))) > 1
    require_same(open_tensors(tmp_path / "theirs"), state)
