"""Linear, Embedding, Flatten, Dropout and Sequential agree with PyTorch's, with errors that name the layer."""

import math
import random

import numpy as np
import pytest
import torch
from closeness import is_close, require_close, require_drawn
from hypothesis import given, strategies as st
from torch_reference import normal, require_agreement

import adjoint
from adjoint import Value, errors, nn

sizes = st.integers(1, 6)


@given(sizes, sizes, st.booleans(), st.lists(st.integers(1, 4), max_size=3))
def test_linear_agrees_with_pytorch(inputs, outputs, bias, batch):
    require_agreement(nn.Linear(inputs, outputs, bias), torch.nn.Linear(inputs, outputs, bias), normal(*batch, inputs))


@given(sizes, sizes, st.lists(st.integers(1, 4), max_size=3), st.integers(0, 99))
def test_embedding_agrees_with_pytorch_where_indices_repeat(count, width, batch, seed):
    indices = np.random.default_rng(seed).integers(0, count, batch)
    require_agreement(nn.Embedding(count, width), torch.nn.Embedding(count, width), indices)


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_the_padding_row_of_an_embedding_receives_no_gradient_in_either_mode(mode):
    ours, theirs = nn.Embedding(4, 3, padding_idx=1, dtype="float32"), torch.nn.Embedding(4, 3, padding_idx=1)
    indices = np.array([[0, 1, 3], [1, 1, 3]])
    for model, x in ((ours, indices), (theirs, torch.tensor(indices))):
        getattr(model, mode)()
        model(x).sum().backward()
    np.testing.assert_array_equal(ours.weight.grad, theirs.weight.grad.numpy())


@pytest.mark.parametrize(("start", "end"), [(1, -1), (0, -1), (0, 1), (1, 2), (-2, -1)])
def test_flatten_agrees_with_pytorch(start, end):
    require_agreement(nn.Flatten(start, end), torch.nn.Flatten(start, end), normal(2, 3, 4, 5))


# --- initial weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda: nn.Linear(40, 300, seed=0), lambda: torch.nn.Linear(40, 300)),
        (lambda: nn.Embedding(100, 60, seed=0), lambda: torch.nn.Embedding(100, 60)),
        (lambda: nn.Conv1d(8, 100, 5, seed=0), lambda: torch.nn.Conv1d(8, 100, 5)),
        (lambda: nn.Conv2d(6, 60, 3, groups=2, seed=0), lambda: torch.nn.Conv2d(6, 60, 3, groups=2)),
        (lambda: nn.Attention(60, 3, seed=0), lambda: torch.nn.MultiheadAttention(60, 3)),
        (lambda: nn.LSTM(20, 50, seed=0), lambda: torch.nn.LSTM(20, 50)),
        (lambda: nn.LayerNorm(7), lambda: torch.nn.LayerNorm(7)),
        (lambda: nn.BatchNorm2d(7), lambda: torch.nn.BatchNorm2d(7)),
    ],
)
def test_initial_weights_have_the_distribution_of_pytorch(ours, theirs):
    torch.manual_seed(0)
    references = theirs().state_dict()
    for name, ours_array in ours().state_dict().items():
        a, b = np.asarray(ours_array, float).ravel(), references[name].double().numpy().ravel()
        assert a.size == b.size
        spread = b.std()
        error = 6 * spread / np.sqrt(a.size)
        assert abs(a.mean() - b.mean()) <= 2 * error, name
        assert abs(a.std() - spread) <= 2 * error, name
        if spread:  # the maximum distinguishes a uniform distribution from a normal one
            assert abs(a).max() == pytest.approx(abs(b).max(), rel=0.25), name


def test_a_seed_determines_the_weights():
    first, again, other = nn.Linear(5, 3, seed=4), nn.Linear(5, 3, seed=4), nn.Linear(5, 3, seed=5)
    np.testing.assert_array_equal(first.weight.data, again.weight.data)
    assert not is_close(first.weight.data, other.weight.data)


def test_without_a_seed_pythons_random_module_determines_the_weights():
    random.seed(5)
    first = nn.Linear(5, 3)
    random.seed(5)
    again, other = nn.Linear(5, 3), nn.Linear(5, 3)
    np.testing.assert_array_equal(first.weight.data, again.weight.data)
    assert not is_close(first.weight.data, other.weight.data)


def test_one_generator_can_seed_several_layers():
    rng = np.random.default_rng(0)
    first, second = nn.Linear(5, 3, seed=rng), nn.Linear(5, 3, seed=rng)
    assert not is_close(first.weight.data, second.weight.data)
    np.testing.assert_array_equal(first.weight.data, nn.Linear(5, 3, seed=0).weight.data)


@pytest.mark.parametrize("seed", [-1, 1.5, "a", True, [1]])
def test_an_invalid_seed_is_refused(seed):
    with pytest.raises(errors.ArgumentError, match="seed must be an integer of at least 0"):
        nn.Linear(2, 2, seed=seed)


# --- dtypes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "x"),
    [
        (nn.Linear(3, 2, dtype="float32"), normal(4, 3)),
        (nn.Conv1d(3, 2, 2, dtype=np.float32), normal(4, 3, 5)),
        (nn.LayerNorm(3, dtype="float32"), normal(4, 3)),
        (nn.RMSNorm(3, dtype="float32"), normal(4, 3)),
        (nn.BatchNorm1d(3, dtype="float32"), normal(4, 3)),
        (nn.Attention(4, 2, dtype="float32"), normal(2, 3, 4)),
        (nn.TransformerBlock(4, 2, dtype="float32"), normal(2, 3, 4)),
        (nn.GRU(3, 2, dtype="float32"), normal(2, 4, 3)),
        (nn.Linear(3, 2).astype("float32"), [[1.0, 2.0, 3.0]]),
        (nn.Linear(3, 2, dtype="float32"), np.ones((4, 3), int)),
    ],
    ids=lambda x: type(x).__name__,
)
def test_plain_arrays_are_converted_to_the_dtype_of_the_weights(layer, x):
    y = layer(x)
    y = y[0] if isinstance(y, tuple) else y
    assert y.dtype == np.float32
    y.sum().backward()
    assert all(p.grad.dtype == np.float32 for p in layer.parameters())


def test_weights_are_float64_by_default():
    assert {p.dtype for p in nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).parameters()} == {np.dtype("float64")}


def test_layers_accept_arrays_of_pytorch_and_jax():
    layer = nn.Linear(3, 2, seed=0)
    expected = layer(normal(4, 3)).data
    layer.weight = Value(torch.tensor(layer.weight.data))
    layer.bias = Value(torch.tensor(layer.bias.data))
    y = layer(torch.tensor(normal(4, 3), dtype=torch.float32))
    assert y.dtype == torch.float64
    require_close(y, expected, dtype="float32")


# --- dropout ---------------------------------------------------------------------------------------------


def test_dropout_drops_the_given_fraction_and_keeps_the_mean():
    y = nn.Dropout(0.3, seed=0)(Value(np.ones(100_000))).data
    assert set(np.unique(y)) == {0.0, 1 / 0.7}
    require_drawn((y == 0).mean(), 0.3, spread=math.sqrt(0.3 * 0.7), draws=y.size)


def test_dropout_draws_a_new_mask_in_each_call_and_repeats_from_its_seed():
    layer, again, x = nn.Dropout(0.5, seed=3), nn.Dropout(0.5, seed=3), np.ones(50)
    first, second = layer(x), layer(x)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, again(x))
    np.testing.assert_array_equal(second, again(x))


def test_dropout_passes_gradients_where_it_keeps_elements():
    x = Value(np.ones(50))
    y = nn.Dropout(0.5, seed=3)(x)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad, y.data)


def test_dropout_does_nothing_in_evaluation_mode_or_with_probability_0():
    x = Value(normal(5))
    assert nn.Dropout(0.9).eval()(x) is x
    assert nn.Dropout(0.0)(x) is x


def test_dropout_resumes_from_a_saved_state():
    layer, x = nn.Dropout(0.5, seed=3), np.ones(50)
    layer(x)
    state, expected = layer.state_dict(transient=True), layer(x)
    other = nn.Dropout(0.5)
    other.load_state_dict(state)
    np.testing.assert_array_equal(other(x), expected)
    assert layer.state_dict() == {}


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_dropout_of_other_libraries_draws_a_new_mask_in_each_call(library):
    import jax.numpy as jnp

    x = jnp.ones(50) if library == "jax" else torch.ones(50)
    layer = nn.Dropout(0.5, seed=3)
    first, second = (layer(x).tolist() for _ in range(2))
    assert first != second
    assert set(first) == {0.0, 2.0}


@pytest.mark.parametrize("p", [-0.1, 1.01, 2, "a", None])
def test_dropout_needs_a_probability(p):
    with pytest.raises(errors.ArgumentError, match="p must be a probability"):
        nn.Dropout(p)


# --- Sequential --------------------------------------------------------------------------------------------


def two_models():
    ours = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 2))
    theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.LayerNorm(4), torch.nn.Linear(4, 2))
    return ours, theirs


def test_sequential_layers_agree_with_pytorch():
    require_agreement(*two_models(), normal(5, 3))


def test_layers_can_be_given_as_a_list_or_by_name():
    layers = [nn.Linear(2, 3), nn.ReLU()]
    assert [*nn.Sequential(layers)] == [*nn.Sequential(*layers)] == layers
    named = nn.Sequential({"hidden": layers[0], "activation": layers[1]})
    assert [*named.state_dict()] == ["hidden.weight", "hidden.bias"]
    assert named.hidden is layers[0]


def test_functions_can_be_among_the_layers():
    model = nn.Sequential(nn.Linear(2, 3), adjoint.tanh, lambda x: x * 2)
    x = normal(4, 2)
    require_close(model(x).data, 2 * np.tanh(model[0](x).data))


def test_a_layer_is_replaced_under_its_name():
    model = nn.Sequential({"hidden": nn.Linear(2, 3), "head": nn.Linear(3, 1)})
    model[-1] = nn.Linear(3, 5)
    assert model.head is model[1]
    model[0] = adjoint.tanh
    assert [*model.state_dict()] == ["head.weight", "head.bias"]
    assert model(normal(4, 3)).shape == (4, 5)
    with pytest.raises(IndexError):
        model[2] = nn.ReLU()


def test_parameters_and_buffers_of_the_model_itself_are_no_layers():
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    model.register_buffer("mean", np.zeros(2))
    model.scale = nn.Parameter(np.ones(3))
    assert len(model) == 2
    assert model(normal(4, 2)).shape == (4, 3)
    assert len(list(model.parameters())) == 3


def test_layers_are_counted_indexed_sliced_and_appended():
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    assert len(model) == 3
    assert model[-1] is model[2]
    assert [*model[1:]] == [model[1], model[2]]
    assert model.append(nn.Tanh()) is model
    assert isinstance(model[3], nn.Tanh)
    assert list(model.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ((nn.Linear(2, 3), nn.ReLU), r"not .*ReLU.*; create an instance: ReLU\(…\)"),
        ((nn.Linear(2, 3), 5), "a layer must be a module or a function, not int 5"),
        (({"a.b": nn.ReLU()},), "'a.b' cannot name a layer"),
        (({"forward": nn.ReLU()},), "'forward' cannot name a layer"),
    ],
)
def test_an_object_that_is_not_a_layer_is_refused(layers, message):
    with pytest.raises(errors.ArgumentError, match=message):
        nn.Sequential(*layers)


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "shape", "message"),
    [
        (nn.Linear(3, 2), (5, 4), r"in Linear\(3, 2\): expected an input of shape \(…, 3\), not \(5, 4\)"),
        (nn.Linear(3, 2), (), r"in Linear\(3, 2\): expected an input of shape \(…, 3\), not \(\)"),
        (nn.Conv1d(3, 2, 2), (5, 4, 9), r"in Conv1d\(3, 2, 2\): expected .* \(samples, 3, length\) .* not \(5, 4, 9\)"),
        (
            nn.Conv2d(3, 2, 2),
            (5, 3, 9),
            r"in Conv2d\(3, 2, 2\): expected .* \(samples, 3, height, width\) .* not \(5, 3, 9\)",
        ),
        (nn.Conv2d(1, 2, 5), (1, 1, 3, 3), r"in Conv2d\(1, 2, 5\): .*kernel of \(5, 5\).*\(1, 1, 3, 3\)"),
        (nn.MaxPool2d(2), (5, 3), r"in MaxPool2d\(2\): .*not \(5, 3\)"),
        (nn.LayerNorm(3), (5, 4), r"in LayerNorm\(\(3,\)\): .* \(…, 3\), not \(5, 4\)"),
        (nn.RMSNorm(3), (5, 4), r"in RMSNorm\(\(3,\)\): .* \(…, 3\), not \(5, 4\)"),
        (nn.BatchNorm1d(3), (5, 4), r"in BatchNorm1d\(3\): .* \(samples, 3\) or \(samples, 3, length\), not \(5, 4\)"),
        (nn.BatchNorm2d(3), (5, 3), r"in BatchNorm2d\(3\): .* \(samples, 3, height, width\), not \(5, 3\)"),
        (nn.BatchNorm1d(3), (1, 3), r"in BatchNorm1d\(3\): .*\(1, 3\) has one value per channel"),
        (
            nn.Attention(4, 2),
            (5, 4),
            r"in Attention\(4, 2\): .* \(samples, positions, 4\), not \(5, 4\)",
        ),
        (nn.LSTM(3, 2), (5, 6, 4), r"in LSTM\(3, 2\): .* \(samples, steps, 3\) .* not \(5, 6, 4\)"),
        (nn.RNN(3, 2), (5, 0, 3), r"in RNN\(3, 2\): .*\(5, 0, 3\) has no steps"),
        (nn.Flatten(), (5,), r"in Flatten\(\): .*axis 1 does not exist"),
    ],
)
def test_a_wrong_shape_names_the_layer_and_both_shapes(layer, shape, message):
    with pytest.raises(errors.ShapeError, match=message):
        layer(np.zeros(shape))


@pytest.mark.parametrize("given", ["text", None, {"a": 1}, object()])
def test_an_input_that_is_not_an_array_is_named(given):
    with pytest.raises(errors.ArrayError, match="a layer needs an array, a list of numbers or a Value, not"):
        nn.Linear(3, 2)(given)


def test_a_wrong_shape_inside_a_model_names_the_path():
    class Net(nn.Module):
        def __init__(self):
            self.blocks = [nn.Sequential(nn.Linear(2, 3), nn.Linear(4, 1))]

        def forward(self, x):
            return self.blocks[0](x)

    with pytest.raises(
        errors.ShapeError,
        match=r"^in layer blocks\.0\.1, Linear\(4, 1\): expected an input of shape \(…, 4\), not \(5, 3\)$",
    ):
        Net()(np.zeros((5, 2)))


def test_a_shape_error_in_a_user_forward_names_the_module():
    class Net(nn.Module):
        def __init__(self):
            self.w = Value(np.zeros((3, 2)))

        def forward(self, x):
            return x @ self.w

    with pytest.raises(
        errors.ShapeError, match=r"^in layer 0, Net\(\): cannot multiply the shapes \(5, 2\) @ \(3, 2\)"
    ):
        nn.Sequential(Net())(np.zeros((5, 2)))


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([0, 5], "in Embedding.*: index 5 at position 1 is out of range: there are 5 embeddings, 0 to 4"),
        ([[0, 1], [-1, 2]], r"index -1 at position \(1, 0\) is out of range"),
        (7, "index 7 at position 0"),
    ],
)
def test_an_index_out_of_range_is_named(indices, message):
    with pytest.raises(errors.ArrayIndexError, match=message):
        nn.Embedding(5, 2)(indices)


@pytest.mark.parametrize("indices", [[0.5, 1.0], np.ones(2), "ab", [True]])
def test_indices_must_be_integers(indices):
    with pytest.raises(errors.ArgumentError, match="each index must be an integer from 0 to 4"):
        nn.Embedding(5, 2)(indices)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Linear(0, 2), "Linear: in_features must be an integer of at least 1, not int 0"),
        (lambda: nn.Linear(2, 1.5), "Linear: out_features must be an integer of at least 1, not float 1.5"),
        (lambda: nn.Embedding(3, "a"), "Embedding: embedding_dim must be an integer of at least 1, not str 'a'"),
        (lambda: nn.Conv2d(3, 4, (1, 2, 3)), "Conv2d: kernel_size must be one integer or one per axis"),
        (lambda: nn.Conv2d(3, 4, 0), "Conv2d: kernel_size must be an integer of at least 1, not int 0"),
        (
            lambda: nn.Conv2d(3, 4, 1, groups=2),
            "Conv2d: in_channels=3 and out_channels=4 must be multiples of groups=2",
        ),
        (lambda: nn.Attention(5, 2), "embed_dim=5 must be a multiple of num_heads=2"),
        (lambda: nn.BatchNorm1d(-1), "BatchNorm1d: num_features must be an integer of at least 1, not int -1"),
        (lambda: nn.LSTM(2, 0), "LSTM: hidden_size must be an integer of at least 1, not int 0"),
        (lambda: nn.RNN(2, 2, nonlinearity="tan"), r"unknown nonlinearity 'tan' \(did you mean 'tanh'\?\)"),
        (lambda: nn.TransformerBlock(4, 2, activation="gleu"), r"unknown activation 'gleu' \(did you mean 'gelu'\?\)"),
    ],
)
def test_an_impossible_layer_is_refused(make, message):
    with pytest.raises(errors.ArgumentError, match=message):
        make()


@pytest.mark.parametrize("layer", [nn.Dropout, nn.Dropout1d, nn.AlphaDropout])
def test_dropout_with_probability_1_drops_everything_as_pytorch_does(layer):
    x = np.arange(-6.0, 6.0).reshape(2, 3, 2)
    ours, theirs = Value(x), torch.tensor(x, requires_grad=True)
    y, expected = layer(1.0)(ours), getattr(torch.nn, layer.__name__)(1.0)(theirs)
    y.sum().backward()
    expected.sum().backward()
    np.testing.assert_array_equal(y.numpy(), expected.detach().numpy())
    np.testing.assert_array_equal(ours.grad, theirs.grad.numpy())
    np.testing.assert_array_equal(layer(1.0).eval()(x), x)


def test_dropout_of_a_single_number_with_probability_1_is_0():
    assert float(adjoint.dropout(Value(3.0), 1.0)) == 0.0
