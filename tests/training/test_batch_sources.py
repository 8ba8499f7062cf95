"""What `fit` trains on: loaders of PyTorch, iterables, generators, tables and several inputs."""

import numpy as np
import pandas as pd
import pytest
import torch
from closeness import require_close
from torch.utils.data import DataLoader as TorchLoader, TensorDataset as TorchDataset

from adjoint import data, errors, evaluate, fit, nn, optim
from adjoint.data import DataLoader

X, Y = data.blobs(50, classes=3, noise=2.0, seed=1)


def network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 3, seed=1))


def train(*given, model=None, **options):
    common = {"loss": "cross_entropy", "lr": 0.05, "epochs": 3, "progress": False}
    return fit(model or network(), *given, **common | options)


def by_hand(epochs: list, **options) -> list[float]:
    """Return the losses of a loop that is written by hand, given the batches of each epoch."""
    model = network()
    optimizer, losses = optim.Adam(model, lr=0.05), []
    for batches in epochs:
        total = count = 0
        for x, y in batches:
            loss = nn.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total, count = total + float(loss) * len(y), count + len(y)
        losses.append(total / count)
    return losses


BATCHES = [(X[k : k + 20], Y[k : k + 20]) for k in range(0, 50, 20)]
EXPECTED = by_hand([BATCHES] * 3)


def tensors(**options):
    return TorchLoader(TorchDataset(torch.from_numpy(X), torch.from_numpy(Y)), batch_size=20, **options)


def generate():
    yield from BATCHES


class Iterable:
    def __iter__(self):
        return iter(BATCHES)


class Samples:
    """A data set that is neither adjoint's nor PyTorch's."""

    def __len__(self):
        return len(X)

    def __getitem__(self, index):
        return X[index], Y[index]


@pytest.mark.parametrize("jit", [False, pytest.param(True, id="compiled")])
@pytest.mark.parametrize(
    "given",
    [
        lambda: tensors(),
        lambda: BATCHES,
        lambda: [list(batch) for batch in BATCHES],
        lambda: generate,
        lambda: Iterable(),
        lambda: DataLoader(X, Y, batch_size=20),
        lambda: DataLoader(Samples(), batch_size=20),
        lambda: DataLoader(TorchDataset(torch.from_numpy(X), torch.from_numpy(Y)), batch_size=20),
    ],
    ids=["torch", "list", "lists", "function", "iterable", "loader", "samples", "torch data set"],
)
def test_every_source_gives_the_losses_of_a_loop_by_hand(given, jit):
    require_close(train(given(), jit=jit)["loss"], EXPECTED)
    history = train(given(), validation=given(), jit=jit, epochs=1)
    assert history.columns == ["epoch", "loss", "validation_loss", "lr", "seconds"]


@pytest.mark.parametrize(
    "given",
    [
        (X, Y),
        ((X, Y),),
        ([X.tolist(), Y.tolist()],),
        (X.tolist(), Y.tolist()),
        (torch.from_numpy(X).requires_grad_(), torch.from_numpy(Y)),
        (pd.DataFrame(X, columns=["a", "b"]), pd.Series(Y)),
        (pd.DataFrame({"a": X[:, 0], "b": pd.array(X[:, 1], dtype="Float64")}), pd.Series(Y, dtype="Int64")),
        (Samples(),),
        (data.TensorDataset(X, Y),),
    ],
    ids=["X, y", "pair", "lists", "two lists", "tensors", "DataFrame", "nullable", "samples", "data set"],
)
def test_arrays_lists_tensors_tables_and_data_sets_are_the_same_data(given):
    expected = by_hand([[(X, Y)]] * 3)
    require_close(train(*given)["loss"], expected)
    shuffled = train(*given, batch_size=16, seed=4)["loss"]
    assert shuffled == train((X, Y), batch_size=16, seed=4)["loss"]


def test_a_shuffled_loader_of_pytorch_trains_in_its_order():
    def loader():
        return tensors(shuffle=True, generator=torch.Generator().manual_seed(7))

    batches = loader()
    expected = by_hand([[(x.numpy(), y.numpy()) for x, y in batches] for _ in range(3)])
    require_close(train(loader())["loss"], expected)


def test_an_iterator_trains_one_epoch_or_as_many_as_it_has_batches_for():
    require_close(train(generate(), epochs=1)["loss"], EXPECTED[:1])
    require_close(train(iter(BATCHES * 3), steps_per_epoch=3)["loss"], EXPECTED)
    with pytest.raises(errors.ArgumentError, match=r"can be read only once, but there are 3 epochs; pass the function"):
        train(generate())
    with pytest.raises(errors.DataError, match=r"the data are exhausted: .* had 2 more batches, but an epoch has"):
        train(iter([*BATCHES, *BATCHES[:2]]), steps_per_epoch=3, epochs=2)
    with pytest.raises(errors.ArgumentError, match=r"the validation data .* can be read only once"):
        train(BATCHES, validation=generate())
    with pytest.raises(errors.DataError, match=r"the data have no batches: .* is empty; an iterator can be read only"):
        train(iter([]), epochs=1)
    with pytest.raises(errors.DataError, match="the data have no batches: list"):
        train([])


@pytest.mark.parametrize("given", [BATCHES, generate, Iterable(), DataLoader(X, Y, batch_size=20)])
def test_an_epoch_of_a_given_number_of_steps_continues_where_the_last_one_ended(given):
    stream = [*BATCHES, *BATCHES]
    expected = by_hand([stream[:2], stream[2:4], stream[4:6]])
    require_close(train(given, steps_per_epoch=2)["loss"], expected)


def test_a_function_of_the_epoch_is_called_with_its_number():
    def batches(epoch):
        seen.append(epoch)
        order = np.random.default_rng(epoch).permutation(50)
        return [(X[order], Y[order])]

    seen = []
    train(batches)
    assert seen == [1, 2, 3]


def test_a_function_that_makes_no_batches_is_refused():
    with pytest.raises(errors.ArgumentError, match="must return an iterable of batches, not int 3"):
        train(lambda: 3)


# --- several inputs ---


class Sum(nn.Module):
    def __init__(self):
        self.first, self.second = nn.Linear(2, 3, seed=0), nn.Linear(1, 3, seed=1)

    def forward(self, a, b):
        return self.first(a) + self.second(b)


class ScalarSum(nn.Module):
    def __init__(self):
        self.first, self.second = nn.MLP(2, [3], "tanh", "linear", seed=0), nn.MLP(1, [3], "tanh", "linear", seed=1)

    def forward(self, a, b):
        return [p + q for p, q in zip(self.first(a), self.second(b))]


B = X[:, :1] ** 2


@pytest.mark.parametrize("jit", [False, pytest.param(True, id="compiled")])
@pytest.mark.parametrize("kind", [Sum, ScalarSum])
def test_a_tuple_is_several_arguments_and_a_dict_named_ones(kind, jit):
    class Joined(nn.Module):
        def __init__(self):
            self.inner = kind()

        def forward(self, x):
            return self.inner(x[:, :2], x[:, 2:]) if kind is Sum else self.inner(x[:2], x[2:])

    options = {"batch_size": 20, "seed": 1, "jit": jit, "metrics": "accuracy", "validation": 0.2}
    expected = train(np.hstack([X, B]), Y, model=Joined(), **options | {"jit": False})
    for inputs in ((X, B), {"b": B, "a": X}):
        history = train(inputs, Y, model=kind(), **options)
        for name in ("loss", "accuracy", "validation_loss"):
            require_close(history[name], expected[name])


def test_several_inputs_come_from_loaders_too():
    expected = train(((X, B), Y), model=Sum(), batch_size=50)["loss"]
    pairs = [((x, b), y) for x, b, y in zip(torch.from_numpy(X), torch.from_numpy(B), torch.from_numpy(Y))]
    named = [({"a": x, "b": b}, y) for (x, b), y in pairs]
    for given in (TorchLoader(pairs, batch_size=50), TorchLoader(named, batch_size=50), [((X, B), Y)]):
        require_close(train(given, model=Sum())["loss"], expected)
    assert evaluate(Sum(), (X, B), Y, loss="cross_entropy") == evaluate(Sum(), ((X, B), Y), loss="cross_entropy")


# --- validation by a fraction ---


def test_a_fraction_for_validation_is_split_by_the_seed():
    parts = data.train_test_split(X, Y, test_size=0.2, seed=5)
    expected = train(parts[0], parts[2], validation=(parts[1], parts[3]), batch_size=10, seed=5)
    history = train(X, Y, validation=0.2, batch_size=10, seed=5)
    assert history["loss"] == expected["loss"]
    assert history["validation_loss"] == expected["validation_loss"]
    assert history["validation_loss"] != train(X, Y, validation=0.2, batch_size=10, seed=6)["validation_loss"]


# --- errors ---


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ((BATCHES,), {"batch_size": 5}, "got batch_size=5 and data that come in batches; give only one of them"),
        ((DataLoader(X, Y), Y), {}, "has targets of its own; pass only one of them"),
        ((generate, Y), {}, "has targets of its own; pass only one of them"),
        ((pd.DataFrame(X),), {}, "write fit(model, X, y)"),
        ((pd.DataFrame(X, columns=["a", "b"]), "b"), {}, "write fit(model, df.drop(columns='b'), df['b'])"),
        ((pd.DataFrame({"a": X[:, 0], "city": "Rome"}), Y), {}, "column 'city' contains str 'Rome'; convert it"),
        (
            (pd.DataFrame({"a": X[:, 0], "day": pd.Timestamp("2026-01-01")}), Y),
            {},
            "column 'day' contains Timestamp('2026-01-01 00:00:00'); convert it",
        ),
        (([X, B], Y), {}, "several inputs are a tuple or a dict, not a list: fit(model, (x1, x2), y)"),
        ((X, pd.Series(list("ab") * 25)), {}, "the column contains str 'a'; convert it"),
        (([(X, B, Y)],), {}, "it has 3 parts; two inputs are written ((x1, x2), y), and sample_weight=True says"),
        (([(X, B, B, Y), (X, B, B, Y)],), {}, "it has 4 parts; several inputs are written ((x1, x2, …), y)"),
        ((iter([X]),), {"epochs": 1}, "a batch must be inputs and targets, (x, y), but it is ndarray"),
        ((iter([(X, Y[:4])]),), {"epochs": 1}, "a batch has arrays with 4 and 50 rows"),
        (({"a": X},), {}, "data must be inputs and targets"),
        (("moons",), {}, "data must be inputs and targets"),
        (((X, B), Y[:-1]), {}, "fit: the arrays have 50 and 50 and 49 rows"),
        ((X, Y), {"validation": 1.5}, "validation must be a fraction between 0 and 1, or data such as (X, y)"),
        ((X, Y), {"validation": True}, "validation must be a fraction between 0 and 1"),
        ((BATCHES,), {"validation": 0.2}, "validation=0.2 splits data given as (X, y); split list"),
        ((X, Y), {"steps_per_epoch": 0}, "steps_per_epoch must be an integer of at least 1"),
        ((generate,), {"schedule": lambda part: 1.0}, "needs the number of steps, which these data do not have"),
        ((X, Y), {"accumulate": 0}, "accumulate must be an integer of at least 1"),
    ],
)
def test_invalid_sources_are_refused(given, options, message):
    with pytest.raises(errors.AdjointError) as error:
        train(*given, **options)
    assert message in str(error.value)


# --- resuming ---


@pytest.fixture
def path(tmp_path):
    return tmp_path / "training.safetensors"


def by_epoch(epoch):
    order = np.random.default_rng(epoch).permutation(50)
    return [(X[rows], Y[rows]) for rows in np.split(order, 5)]


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (lambda: (X, Y), {"validation": 0.3, "batch_size": 7, "accumulate": 2}),
        (lambda: BATCHES, {"steps_per_epoch": 2}),
        (lambda: by_epoch, {}),
        (lambda: by_epoch, {"steps_per_epoch": 3}),
        (lambda: DataLoader(X, Y, batch_size=8, shuffle=True), {"steps_per_epoch": 3}),
        (lambda: DataLoader(Samples(), batch_size=8, shuffle=True), {}),
        (lambda: DataLoader(Samples(), batch_size=8, sampler=data.WeightedRandomSampler(Y + 1.0, 30)), {}),
        (lambda: tensors(), {}),
        (lambda: (X, Y), {"batch_size": 8, "sample_weight": X[:, 0] ** 2, "class_weight": "balanced"}),
    ],
    ids=["fraction", "list", "function", "steps", "loader", "samples", "sampler", "torch", "weights"],
)
def test_training_resumes_bit_for_bit_where_data_can_be_rewound(path, given, options):
    whole, resumed = network(), network()
    expected = train(given(), model=whole, epochs=5, **options)
    train(given(), epochs=2, checkpoint=path, **options)
    history = train(given(), model=resumed, epochs=5, checkpoint=path, resume=True, **options)
    for name in history.columns[:-1]:
        assert history[name] == expected[name], name
    for name, x in whole.state_dict().items():
        np.testing.assert_array_equal(resumed.state_dict()[name], x)


@pytest.mark.parametrize("given", [lambda: tensors(shuffle=True), Iterable, lambda: iter(BATCHES * 9)])
def test_data_that_cannot_be_rewound_cannot_resume(path, given):
    train(given(), steps_per_epoch=3, checkpoint=path, epochs=1)
    with pytest.raises(errors.StateError, match="resume=True needs data that can be rewound"):
        train(given(), steps_per_epoch=3, checkpoint=path, resume=True)


def test_another_split_or_accumulation_cannot_resume(path):
    train(X, Y, validation=0.2, seed=1, epochs=1, checkpoint=path, accumulate=2)
    with pytest.raises(errors.StateError, match=r"trained with seed of the validation split=1, but now it is 2"):
        train(X, Y, validation=0.2, seed=2, checkpoint=path, resume=True, accumulate=2)
    with pytest.raises(errors.StateError, match=r"trained with accumulate=2, but now it is 1"):
        train(X, Y, validation=0.2, seed=1, checkpoint=path, resume=True)
