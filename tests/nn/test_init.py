"""Weight initialization: the distributions of PyTorch, reproducible from a seed."""

import math

import numpy as np
import pytest
import torch
from closeness import is_close, require_close
from torch_reference import normal

from adjoint import Value, errors, nn
from adjoint.nn import init

PAIRS = {
    "xavier_uniform": (init.xavier_uniform, torch.nn.init.xavier_uniform_, {}),
    "xavier_uniform of 2": (init.xavier_uniform, torch.nn.init.xavier_uniform_, {"gain": 2.0}),
    "xavier_normal": (init.xavier_normal, torch.nn.init.xavier_normal_, {}),
    "uniform": (init.uniform, torch.nn.init.uniform_, {}),
    "normal": (init.normal, torch.nn.init.normal_, {"mean": 3.0, "std": 0.5}),
    "he_uniform": (init.he_uniform, lambda w: torch.nn.init.kaiming_uniform_(w, nonlinearity="relu"), {}),
    "he_normal": (init.he_normal, lambda w: torch.nn.init.kaiming_normal_(w, nonlinearity="relu"), {}),
    "he by outputs": (
        lambda w, seed: init.he_normal(w, mode="fan_out", seed=seed),
        lambda w: torch.nn.init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu"),
        {},
    ),
    "he of leaky": (
        lambda w, seed: init.he_uniform(w, "leaky_relu", 0.3, seed=seed),
        lambda w: torch.nn.init.kaiming_uniform_(w, a=0.3),
        {},
    ),
}


@pytest.mark.parametrize("shape", [(80, 50), (20, 8, 5, 5)])
@pytest.mark.parametrize("name", PAIRS)
def test_distributions_agree_with_pytorch(name, shape):
    ours, theirs, options = PAIRS[name]
    torch.manual_seed(0)
    value = Value(np.zeros(shape))
    assert ours(value, seed=0, **options) is value
    a, b = value.data, theirs(torch.zeros(shape, dtype=torch.float64), **options).numpy()
    error = 6 * b.std() / math.sqrt(b.size)
    assert abs(a.mean() - b.mean()) <= 2 * error
    assert abs(a.std() - b.std()) <= 2 * error
    is_uniform = abs(b - b.mean()).max() < 2 * b.std()
    if is_uniform:
        assert abs(a.max() - b.max()) <= 0.02 * (b.max() - b.min())
        assert abs(a.min() - b.min()) <= 0.02 * (b.max() - b.min())
    else:
        assert abs(a - a.mean()).max() > 2.5 * a.std()


@pytest.mark.parametrize("shape", [(4, 4), (3, 7), (7, 3), (4, 2, 3)])
def test_orthogonal_weights_have_orthogonal_rows_or_columns(shape):
    w = init.orthogonal(Value(np.zeros(shape)), 2.0, seed=0).data.reshape(shape[0], -1)
    product = w @ w.T if len(w) <= w.shape[1] else w.T @ w
    require_close(product, 4 * np.eye(len(product)))


def test_orthogonal_weights_have_no_preferred_direction():
    draws = np.array([init.orthogonal(Value(np.zeros((2, 2))), seed=i).data for i in range(400)])
    assert abs(draws.mean(axis=0)).max() < 5 * math.sqrt(0.5 / 400)


def test_constants_zeros_and_ones():
    value = Value(normal(3, 2))
    assert np.all(init.constant(value, 1.5).data == 1.5)
    assert np.all(init.zeros(value).data == 0.0)
    assert np.all(init.ones(value).data == 1.0)
    assert init.ones(Value(5.0)).data == 1.0


def test_the_same_seed_gives_the_same_weights():
    first, again, other = (init.he_normal(Value(np.zeros((3, 4))), seed=seed).data for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not is_close(first, other)


def test_initialization_keeps_the_dtype_and_the_library():
    assert init.normal(Value(np.zeros((2, 2), np.float32))).dtype == np.float32
    value = init.normal(Value(torch.zeros(2, 2)))
    assert isinstance(value.data, torch.Tensor)
    assert value.dtype == torch.float32


@pytest.mark.parametrize("name", ["linear", "conv2d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"])
def test_gains_agree_with_pytorch(name):
    assert init.gain(name) == init.calculate_gain(name)
    require_close(init.gain(name), torch.nn.init.calculate_gain(name))
    require_close(init.gain("leaky_relu", 0.2), torch.nn.init.calculate_gain("leaky_relu", 0.2))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: init.xavier_uniform(Value([1.0])),
            errors.ShapeError,
            r"needs a weight of shape \(outputs, inputs, …\), not \(1,\)",
        ),
        (lambda: init.orthogonal(Value([1.0])), errors.ShapeError, r"orthogonal needs a weight of shape .* not \(1,\)"),
        (lambda: init.gain("rleu"), errors.ArgumentError, r"unknown activation 'rleu' \(did you mean 'relu'\?\)"),
        (lambda: init.he_normal(Value([[1.0]]), mode="fan"), errors.ArgumentError, "unknown mode 'fan'"),
        (lambda: init.zeros(np.zeros(3)), errors.ArgumentError, "nn.init changes Values, .* not ndarray"),
        (lambda: init.generator("x"), errors.ArgumentError, "seed must be an integer"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_init_is_a_module_of_nn():
    assert nn.init is init


TORCH_CALLS = [
    ("uniform_", {"a": -2.0, "b": 5.0}),
    ("normal_", {"mean": 1.0, "std": 0.2}),
    ("trunc_normal_", {"mean": 0.3, "std": 2.0, "a": -1.0, "b": 3.0}),
    ("xavier_uniform_", {"gain": 2.0}),
    ("xavier_normal_", {"gain": 2.0}),
    ("kaiming_uniform_", {}),
    ("kaiming_uniform_", {"a": 0.3, "mode": "fan_out"}),
    ("kaiming_normal_", {"nonlinearity": "tanh"}),
    ("constant_", {"val": 3.0}),
    ("zeros_", {}),
    ("ones_", {}),
    ("eye_", {}),
]


@pytest.mark.parametrize(("name", "options"), TORCH_CALLS, ids=[name for name, _ in TORCH_CALLS])
def test_calls_of_pytorch_give_its_distributions(name, options):
    """The quantiles of 4,000 numbers agree, and functions that draw nothing give the same array."""
    torch.manual_seed(0)
    ours = getattr(init, name)(Value(np.zeros((80, 50))), **options).data
    theirs = getattr(torch.nn.init, name)(torch.zeros((80, 50), dtype=torch.float64), **options).numpy()
    for q in (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0):
        size = 6 * theirs.std() / math.sqrt(400) if 0 < q < 1 else 1.5 * theirs.std()
        assert abs(np.quantile(ours, q) - np.quantile(theirs, q)) <= size + 1e-12
    if name in ("zeros_", "ones_", "constant_", "eye_"):
        assert (ours == theirs).all()


@pytest.mark.parametrize(("shape", "groups"), [((4, 3, 3), 1), ((4, 2, 3, 2), 2), ((2, 4, 1, 2, 3), 1)])
def test_dirac_agrees_with_pytorch(shape, groups):
    expected = torch.nn.init.dirac_(torch.zeros(shape), groups).numpy()
    assert (init.dirac_(Value(np.ones(shape)), groups).data == expected).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: init.normal_(nn.Linear(2, 2).weight.data), "pass the Value itself, not its .data"),
        (lambda: init.eye_(Value([1.0])), r"eye needs a matrix, not an array of shape \(1,\)"),
        (lambda: init.dirac_(Value([[1.0]])), "dirac needs the weight of a convolution"),
        (lambda: init.trunc_normal_(Value([1.0]), a=2.0, b=1.0), "low below high"),
    ],
)
def test_torch_names_say_what_is_wrong(call, message):
    with pytest.raises(errors.AdjointError, match=message):
        call()
