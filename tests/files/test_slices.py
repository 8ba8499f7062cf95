"""Tensors that several processes have written in slices: put together, and read in other slices."""

import itertools
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from checkpoint_folders import names_in, require_same
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays

from adjoint import errors, load, nn, optim
from adjoint.files import parts as parts_module
from adjoint.files.parts import split_by, write_folder
from adjoint.files.tensor_files import TensorSource
from adjoint.files.tensor_sources import Piece, pieces_of
from adjoint.files.tensors import open_tensors


def boxes(shape: tuple[int, ...], cuts: list[list[int]]) -> list[tuple[slice, ...]]:
    """Return the boxes that an array falls into if it is cut at some places along each axis."""
    found: list[tuple[slice, ...]] = [()]
    for size, own in zip(shape, cuts):
        at = sorted({0, size, *(cut for cut in own if cut < size)})
        found = [(*box, slice(*ends)) for box in found for ends in itertools.pairwise(at)]
    return found


def write_slices(folder: Path, tensors: dict[str, np.ndarray], cut: dict[str, list[tuple[slice, ...]]]) -> None:
    """Write a checkpoint whose tensors are in slices, as several processes do."""

    def pieces(name, x, is_first):
        for box in cut[name]:
            part = x[box]
            stored = name if part.shape == x.shape else f"{name}{[(side.start, side.stop) for side in box]}"
            source = TensorSource(stored, part.dtype, part.shape, lambda part=part: part)
            yield Piece(source, name, x.shape, tuple(side.start for side in box))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts_module, "pieces_of", pieces)
        write_folder(folder, tensors, {}, {}, split_by(3, None))


@settings(max_examples=20)
@given(st.data())
def test_tensors_in_slices_are_put_together_and_read_in_other_slices(scratch, data):
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=6))
    cuts = [data.draw(st.lists(st.integers(1, 6), max_size=2)) for _ in shape]
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    write_slices(scratch, {"x": x, "y": x.T}, {"x": boxes(shape, cuts), "y": boxes(x.T.shape, [])})
    found = open_tensors(scratch)
    require_same(found, {"x": x, "y": x.T})
    assert (found.tensors["x"] is None) == (len(boxes(shape, cuts)) == 1)
    index = tuple(slice(*sorted(data.draw(st.tuples(*[st.integers(0, size)] * 2)))) for size in shape)
    np.testing.assert_array_equal(found.part("x", index), x[index], strict=True)


class ArrayOfProcesses:
    """What a process sees of an array of JAX that is split over the devices of several processes."""

    is_fully_addressable = is_fully_replicated = False

    def __init__(self, x: np.ndarray, own: list[tuple[tuple[slice, ...], int]]):
        self.shape, self.dtype = x.shape, x.dtype
        self.addressable_shards = [SimpleNamespace(index=i, replica_id=r, data=x[i]) for i, r in own]


@settings(max_examples=20)
@given(st.data())
def test_each_process_writes_what_its_devices_hold_once(scratch, data):
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=2, min_side=1, max_side=6))
    grid = boxes(shape, [data.draw(st.lists(st.integers(1, 6), max_size=3)) for _ in shape])
    copies = data.draw(st.integers(1, 2))
    processes = [data.draw(st.integers(0, 2)) for _ in range(copies * len(grid))]  # the owner of each shard
    shards = [(box, replica) for replica in range(copies) for box in grid]
    x = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    views = [ArrayOfProcesses(x, [s for s, owner in zip(shards, processes) if owner == i]) for i in range(3)]

    def pieces(name, x, is_first):
        return [piece for i, view in enumerate(views) for piece in pieces_of(name, view, i == 0)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("adjoint.files.tensor_sources._array_on_devices", lambda view: view)
        patch.setattr(parts_module, "pieces_of", pieces)
        write_folder(scratch, {"x": x}, {}, {}, split_by(2, None))
    found = open_tensors(scratch)
    require_same(found, {"x": x})
    first = {owner for (_, replica), owner in zip(shards, processes) if replica == 0}
    assert (found.tensors["x"] is None) == (len(first) == 1)  # a process that holds all writes one tensor


def test_only_the_slices_that_are_needed_are_read(folder):
    x = np.arange(8.0)
    write_slices(folder, {"x": x}, {"x": boxes((8,), [[2, 4, 6]])})
    found = open_tensors(folder)
    np.testing.assert_array_equal(found.part("x", (slice(3, 5),)), [3.0, 4.0])
    read = {name for part in found.files.values() for name in part if name in part._verified}
    assert read == {"x[(2, 4)]", "x[(4, 6)]"}


def test_a_model_is_loaded_from_slices(folder):
    model, other = nn.Linear(6, 4, seed=0), nn.Linear(6, 4, seed=1)
    state = model.state_dict()
    write_slices(folder, state, {"weight": boxes((4, 6), [[2], [3]]), "bias": boxes((4,), [[1]])})
    load(folder, other)
    require_same(other.state_dict(), state)
    optimizer = optim.Adam(model)
    write_slices(folder, {"m": np.ones((4, 6))}, {"m": boxes((4, 6), [[2], [3]])})
    extra = optimizer.state_dict()
    extra["state"][0]["exp_avg"] = open_tensors(folder).lazily()["m"]
    optimizer.load_state_dict(extra)
    np.testing.assert_array_equal(optimizer.state_dict()["state"][0]["exp_avg"], np.ones((4, 6)))


@pytest.mark.parametrize(
    "cut",
    [
        [(slice(0, 2),), (slice(3, 4),)],  # a gap
        [(slice(0, 2),), (slice(1, 4),)],  # an overlap
        [(slice(0, 2),), (slice(0, 2),)],  # a slice twice
        [(slice(0, 2),), (slice(1, 3),)],  # as many elements as the tensor, but not the same
    ],
)
def test_slices_that_are_not_the_whole_tensor_are_refused_and_leave_no_file(folder, cut):
    with pytest.raises(errors.CheckpointError, match=r"the slices of tensor 'x' do not fit together|corrupt: "):
        write_slices(folder, {"x": np.arange(4.0)}, {"x": cut})
    assert names_in(folder) == []


def test_a_tensor_that_no_process_writes_is_refused(folder):
    with pytest.raises(errors.FileError, match="tensor 'y' was not written by any process"):
        write_slices(folder, {"x": np.ones(2), "y": np.ones(2)}, {"x": boxes((2,), []), "y": []})
    assert names_in(folder) == []
