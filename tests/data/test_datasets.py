"""Data sets, samplers, and loaders that read samples, also in the background."""

import contextlib
import multiprocessing
import os
import re
import select
import signal
import subprocess
import sys
import threading
import traceback

import numpy as np
import pytest
import torch
from noisy_samples import GlobalNoise, Killer, Samples, X, Y
from torch.utils import data as torch_data

from adjoint import data, errors, fit, nn
from adjoint.data import DataLoader


def batches(loader):
    return [tuple(np.asarray(part).tolist() for part in batch) for batch in loader]


# --- data sets ---


def test_data_sets_are_those_of_pytorch():
    ours, theirs = data.TensorDataset(X, Y), torch_data.TensorDataset(torch.from_numpy(X), torch.from_numpy(Y))
    pairs = [
        (ours, theirs),
        (data.Subset(ours, [3, 1, -1]), torch_data.Subset(theirs, [3, 1, -1])),
        (data.ConcatDataset([ours, ours]), torch_data.ConcatDataset([theirs, theirs])),
        (ours + data.Subset(ours, [2]), theirs + torch_data.Subset(theirs, [2])),
        (data.Subset(theirs, [5]), torch_data.Subset(ours, [5])),  # each library takes the other's
    ]
    for a, b in pairs:
        assert len(a) == len(b)
        for i in (0, len(a) - 1, -1):
            for x, y in zip(a[i], b[i]):
                np.testing.assert_array_equal(np.asarray(x), np.asarray(y))


@pytest.mark.parametrize("lengths", [[0.8, 0.2], [0.5, 0.3, 0.2], [1 / 3, 1 / 3, 1 / 3], [7, 13], [0.9, 0.1]])
def test_random_split_has_the_sizes_of_pytorch_and_every_sample_once(lengths):
    parts = data.random_split(data.TensorDataset(X, Y), lengths, seed=3)
    expected = torch_data.random_split(range(20), lengths)
    assert [len(part) for part in parts] == [len(part) for part in expected]
    assert sorted(int(label) for part in parts for _, label in part) == list(range(20))
    again = data.random_split(range(20), lengths, seed=3)
    assert [part.indices for part in again] == [part.indices for part in parts]
    assert [part.indices for part in data.random_split(range(20), lengths, seed=4)] != [part.indices for part in parts]


def test_map_passes_the_parts_of_a_tuple():
    mapped = data.TensorDataset(X, Y).map(lambda x, y: (x.sum(), -y))
    assert mapped[3] == (13.0, -3)
    assert data.MapDataset([1, 2], lambda x: 3 * x)[1] == 6
    assert len(mapped) == 20


@pytest.mark.parametrize(
    "samples",
    [
        [(np.ones(2), 0), (np.zeros(2), 1)],
        [{"a": 1.5, "b": np.ones((2, 3))}, {"a": 2.5, "b": np.zeros((2, 3))}],
        [((1, np.ones(2)), 0), ((2, np.ones(2)), 1)],
        [3, 4],
    ],
)
def test_collate_gives_the_arrays_of_pytorch(samples):
    def leaves(x):
        if isinstance(x, dict):
            return [leaf for key in x for leaf in leaves(x[key])]
        return [leaf for part in x for leaf in leaves(part)] if isinstance(x, (list, tuple)) else [np.asarray(x)]

    for a, b in zip(leaves(data.collate(samples)), leaves(torch_data.default_collate(samples)), strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype


# --- samplers ---


def test_samplers_draw_what_those_of_pytorch_draw():
    assert list(data.SequentialSampler(X)) == list(torch_data.SequentialSampler(X))
    assert sorted(data.RandomSampler(X)) == sorted(torch_data.RandomSampler(X))
    assert len(list(data.RandomSampler(X, num_samples=45))) == 45
    assert set(data.RandomSampler(X, replacement=True, num_samples=500)) == set(range(20))
    assert sorted(data.SubsetRandomSampler([4, 9, 2])) == [2, 4, 9]
    for drop in (False, True):
        ours = list(data.BatchSampler(data.SequentialSampler(range(10)), 4, drop))
        assert ours == list(torch_data.BatchSampler(range(10), 4, drop))
    weights = [0.0, 1.0, 3.0]
    counts = np.bincount(list(data.WeightedRandomSampler(weights, 4000, seed=0)), minlength=3)
    np.testing.assert_allclose(counts / 4000, [0, 0.25, 0.75], atol=0.03)
    assert sorted(data.WeightedRandomSampler([1.0, 5.0, 2.0], replacement=False)) == [0, 1, 2]


def test_the_order_of_a_sampler_depends_on_its_seed_and_the_epoch():
    one, again, other = (data.RandomSampler(X, seed=seed) for seed in (1, 1, 2))
    orders = [list(one), list(one)]
    assert orders == [list(again), list(again)]
    assert orders[0] != orders[1]
    assert list(other) != orders[0]


def test_a_loader_takes_the_order_of_a_sampler():
    loader = DataLoader(X, Y, batch_size=3, sampler=data.SubsetRandomSampler([1, 5, 7, 9], seed=2))
    assert len(loader) == 2
    assert sorted(label for _, labels in batches(loader) for label in labels) == [1, 5, 7, 9]
    foreign = DataLoader(X, Y, batch_size=10, sampler=torch_data.SequentialSampler(X))
    assert batches(foreign) == batches(DataLoader(X, Y, batch_size=10))
    chosen = DataLoader(X, Y, batch_sampler=[[0, 3], [7]])
    assert [labels for _, labels in batches(chosen)] == [[0, 3], [7]]
    ours = data.BatchSampler(data.RandomSampler(X, seed=1), 6)
    expected = DataLoader(X, Y, batch_size=6, sampler=data.RandomSampler(X, seed=1))
    assert batches(DataLoader(X, Y, batch_sampler=ours)) == batches(expected)


# --- loaders of samples ---


@pytest.mark.parametrize(("workers", "processes"), [(1, False), (3, False), (2, True)])
def test_batches_do_not_depend_on_the_number_of_workers(workers, processes):
    expected = DataLoader(Samples(), batch_size=3, shuffle=True, seed=5)
    loader = DataLoader(Samples(), batch_size=3, shuffle=True, seed=5, workers=workers, processes=processes)
    epochs = [batches(loader), batches(loader)]
    assert epochs == [batches(expected), batches(expected)]
    assert epochs[0] != epochs[1]
    loader.close()


@pytest.mark.full
def test_the_global_generators_of_processes_do_not_depend_on_their_number():
    rough = [batches(DataLoader(GlobalNoise(), batch_size=5, workers=n, processes=True)) for n in (1, 2)]
    assert rough[0] == rough[1]
    assert rough[0][0] != rough[0][1]


def test_a_loader_of_samples_continues_from_a_saved_position():
    whole = DataLoader(Samples(), batch_size=3, shuffle=True, seed=5)
    expected = batches(whole)
    first = DataLoader(Samples(), batch_size=3, shuffle=True, seed=5, workers=2)
    stream = iter(first)
    found = [next(stream) for _ in range(3)]
    resumed = DataLoader(Samples(), batch_size=3, shuffle=True, seed=9, workers=3)
    resumed.load_state_dict(first.state_dict())
    assert batches(found) + batches(resumed) == expected


@pytest.mark.parametrize(("workers", "processes"), [(0, False), (2, False), (1, True)])
def test_a_bad_sample_is_named_by_its_index_and_keeps_its_traceback(workers, processes):
    loader = DataLoader(Samples(broken=13), batch_size=5, workers=workers, processes=processes)
    with pytest.raises(errors.DataError) as caught:
        list(loader)
    assert str(caught.value) == "sample 13 of Samples could not be read: ZeroDivisionError: no such picture"
    text = "".join(traceback.format_exception(caught.value))
    assert 'raise ZeroDivisionError("no such picture")' in text
    assert "ZeroDivisionError: no such picture" in text
    loader.close()


def test_workers_end_with_their_loader_and_after_a_break():
    before = {child.pid for child in multiprocessing.active_children()}
    for processes in (False, True):
        loader = DataLoader(Samples(), batch_size=2, workers=2, processes=processes)
        for _ in loader:
            break
        assert batches(loader)[0][1] == [0, 1]  # a new epoch starts from its first batch
        loader.close()
        loader.close()
        del loader
    alive = [x for x in threading.enumerate() if x.name.startswith("adjoint-loader")]
    assert not alive
    assert {child.pid for child in multiprocessing.active_children()} <= before


def test_a_killed_worker_and_data_that_cannot_be_pickled_are_errors():
    with pytest.raises(errors.DataError, match="a worker process ended unexpectedly"):
        list(DataLoader(Killer(), workers=1, processes=True))
    with pytest.raises(errors.ArgumentError, match="processes need a data set that can be pickled"):
        list(DataLoader(Samples().map(lambda x, y: (x, y)), workers=1, processes=True))


PROGRAM = """
import os, signal, threading, time
from adjoint.data import DataLoader, MapDataset
def slow(x):
    time.sleep(0.01)
    return float(x)
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # processes in the background of a shell ignore SIGINT
    try:
        for k, _ in enumerate(DataLoader(MapDataset(range(10**6), slow), batch_size=4, workers=2, processes=PROCESSES)):
            if k == 2:
                os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.full)])
def test_ctrl_c_ends_a_program_with_workers(tmp_path, processes):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace("PROCESSES", str(processes)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment, timeout=600)
    assert done.stdout == "interrupted\n"
    assert done.returncode == 0


def test_fit_trains_with_workers_as_without():
    def losses(**options):
        loader = DataLoader(Samples(), batch_size=4, shuffle=True, **options)
        return fit(nn.Linear(2, 1, seed=0), loader, loss="mse", lr=0.01, epochs=2, progress=False)["loss"]

    assert losses(workers=3) == losses()


# --- errors ---


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DataLoader(Samples(), workers=-1), "workers must be an integer of at least 0, not int -1"),
        (lambda: DataLoader(Samples(), prefetch=0), "prefetch must be an integer of at least 1"),
        (
            lambda: DataLoader(X, sampler=data.RandomSampler(X), shuffle=True),
            "got shuffle=True and a sampler; give only",
        ),
        (lambda: DataLoader(X, sampler=3), "a sampler must be a sampler of adjoint.data, or have __iter__ and __len__"),
        (lambda: data.Subset([1, 2], [0, 5]), "Subset: index 5 is out of range: there are 2 samples"),
        (lambda: data.ConcatDataset([]), "ConcatDataset needs at least one data set"),
        (lambda: data.ConcatDataset(["ab"])[7], "ConcatDataset: index 7 is out of range: there are 2 samples"),
        (
            lambda: data.random_split(X, [0.5, 0.4]),
            "sizes must add up to 20, the number of samples, and",
        ),
        (lambda: data.random_split(iter(X), [1]), "a data set needs __len__ and __getitem__"),
        (lambda: data.MapDataset(X, 3), "map needs a function of a sample, not int 3"),
        (lambda: data.WeightedRandomSampler([0.0, 0.0]), "all weights are 0"),
        (lambda: data.WeightedRandomSampler([1.0], 10**10), "would need 75 GiB of memory"),
        (lambda: data.RandomSampler(range(10), True, num_samples=10**10), "would need 75 GiB of memory"),
        (lambda: data.WeightedRandomSampler([1.0, -1.0]), "each finite and at least 0"),
        (lambda: data.WeightedRandomSampler([1.0, 0.0], 2, replacement=False), "cannot draw 2 samples without"),
        (lambda: data.RandomSampler([]), "a sampler needs a data set with at least one sample"),
        (lambda: data.collate([np.ones(2), np.ones(3)]), "samples of different shapes, (2,) and (3,)"),
        (lambda: data.collate([(1, 2), (1,)]), "samples of different lengths, 1 and 2, cannot be one batch"),
        (lambda: data.collate(["a", "b"]), "a sample contains str 'a'; a batch needs numbers or arrays"),
    ],
)
def test_invalid_data_sets_and_samplers_are_refused(make, message):
    with pytest.raises(errors.AdjointError) as error:
        make()
    assert message in str(error.value)


def test_a_data_set_that_worker_processes_cannot_import_is_an_error():
    class Local(data.Dataset):
        pass

    Local.__qualname__, Local.__module__ = "Local", "noisy_samples"
    import noisy_samples

    noisy_samples.Local = Local
    try:
        loader = DataLoader(data.MapDataset(Samples(), abs), workers=1, processes=True)
        loader.dataset.dataset.extra = Local()
        with pytest.raises(errors.DataError, match=r"a worker process cannot load the data set: .*Local"):
            list(loader)
    finally:
        del noisy_samples.Local


def test_processes_read_arrays_in_their_order():
    X, y = np.arange(10.0).reshape(5, 2), np.arange(5)
    loader = DataLoader(X, y, batch_size=2, workers=1, processes=True)
    assert [labels.tolist() for _, labels in loader] == [[0, 1], [2, 3], [4]]
    loader.close()


def test_a_batch_may_be_changed_in_place_without_changing_the_data():
    X = np.ones((4, 2))
    for x in DataLoader(X, batch_size=2):
        x *= 0.0
    for x, pair in DataLoader(X, {"a": X}, batch_size=4):
        x *= 0.0
        pair["a"] *= 0.0
    assert (X == 1.0).all()


@pytest.mark.parametrize(
    ("sampler", "message"),
    [
        ([0.0, 1.5], "a sampler must yield the indices of samples, integers, not"),
        (np.array([True, False, True]), "for a mask, pass numpy.flatnonzero(mask)"),
    ],
)
def test_a_sampler_yields_integers(sampler, message):
    with pytest.raises(errors.ArgumentError, match=re.escape(message)):
        list(DataLoader(np.arange(3.0), sampler=sampler))


def test_a_sampler_with_fewer_samples_than_its_length_makes_no_empty_batches():
    class Short:
        def __len__(self):
            return 10

        def __iter__(self):
            return iter([2, 1, 0])

    assert [x.tolist() for x in DataLoader(np.arange(3.0), batch_size=2, sampler=Short())] == [[2.0, 1.0], [0.0]]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_worker_processes_end_when_the_reading_process_is_killed(tmp_path):
    """They hold its output, which ends with the last of them and with the server that starts them."""
    (tmp_path / "numbers_of_processes.py").write_text(
        "import os\n\n\nclass Numbers:\n"
        "    def __len__(self):\n        return 100\n\n"
        "    def __getitem__(self, i):\n        return os.getpid(), 0\n"
    )
    (tmp_path / "program.py").write_text(
        "import os, signal\nfrom adjoint.data import DataLoader\nfrom numbers_of_processes import Numbers\n"
        "if __name__ == '__main__':\n"
        "    batches = iter(DataLoader(Numbers(), batch_size=1, workers=2, processes=True))\n"
        "    print(*{int(next(batches)[0][0]) for _ in range(8)}, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with subprocess.Popen([sys.executable, "program.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        workers = [int(pid) for pid in reader.stdout.readline().split()]
        try:
            assert workers
            ended, _, _ = select.select([reader.stdout], [], [], 120)  # a living worker would hold it for ever
            assert ended
            assert reader.stdout.read() == ""
        finally:
            for pid in workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    assert reader.returncode == -signal.SIGKILL
