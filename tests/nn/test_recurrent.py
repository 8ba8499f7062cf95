"""RNN, LSTM and GRU agree with PyTorch's: outputs, states and gradients, for all options."""

import numpy as np
import pytest
import torch
from closeness import is_close, require_close
from fuzzing import examples
from hypothesis import given, strategies as st
from torch_reference import normal, require_agreement

from adjoint import Value, errors, nn

KINDS = {
    "RNN": (nn.RNN, torch.nn.RNN, {}),
    "relu": (nn.RNN, torch.nn.RNN, {"nonlinearity": "relu"}),
    "LSTM": (nn.LSTM, torch.nn.LSTM, {}),
    "GRU": (nn.GRU, torch.nn.GRU, {}),
}


@examples(20)
@given(
    st.sampled_from(sorted(KINDS)), st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.booleans(),
    st.booleans(), st.integers(1, 5), st.integers(1, 3), st.booleans(), st.booleans(),
)  # fmt: skip
def test_recurrent_layers_agree_with_pytorch(
    kind, inputs, hidden, layers, bias, batch_first, steps, samples, single, bidirectional
):
    ours, theirs, options = KINDS[kind]
    options = {**options, "num_layers": layers, "bias": bias, "batch_first": batch_first}
    options["bidirectional"] = bidirectional
    batch = (samples, steps) if batch_first else (steps, samples)
    x = normal(*(steps,) if single else batch, inputs)
    require_agreement(ours(inputs, hidden, **options), theirs(inputs, hidden, **options), x)


@pytest.mark.parametrize("kind", ["RNN", "GRU"])
@pytest.mark.parametrize("is_single", [True, False])
def test_an_initial_state_agrees_with_pytorch(kind, is_single):
    ours, theirs, _ = KINDS[kind]
    samples = () if is_single else (2,)
    inputs = normal(*samples, 4, 3), normal(2, *samples, 5, seed=1)
    require_agreement(ours(3, 5, 2), theirs(3, 5, 2, batch_first=True), *inputs)


def test_the_state_of_both_directions_agrees_with_pytorch():
    inputs = normal(2, 4, 3), normal(4, 2, 5, seed=1)
    theirs = torch.nn.GRU(3, 5, 2, batch_first=True, bidirectional=True)
    require_agreement(nn.GRU(3, 5, 2, bidirectional=True), theirs, *inputs)


def test_dropout_applies_between_layers_in_training_mode_only():
    x, layer = np.ones((1, 3, 2)), nn.RNN(2, 50, 2, dropout=0.5, seed=0)
    expected = nn.RNN(2, 50, 2, seed=0)(x)[1]
    state = layer(x)[1]
    np.testing.assert_array_equal(state.data[0], expected.data[0])
    assert not is_close(state.data[1], expected.data[1])
    np.testing.assert_array_equal(layer.eval()(x)[1].data, expected.data)
    single = nn.RNN(2, 50, 1, dropout=0.5, seed=0)
    np.testing.assert_array_equal(single(x)[0].data, nn.RNN(2, 50, 1, seed=0)(x)[0].data)


class WithPair(nn.LSTM):
    def forward(self, x, h, c):
        return super().forward(x, (h, c))


class TheirsWithPair(torch.nn.LSTM):
    def forward(self, x, h, c):
        return super().forward(x, (h, c))


def test_the_state_of_an_lstm_is_a_pair():
    inputs = normal(2, 4, 3), normal(2, 2, 5, seed=1), normal(2, 2, 5, seed=2)
    require_agreement(WithPair(3, 5, 2), TheirsWithPair(3, 5, 2, batch_first=True), *inputs)


def test_plain_and_value_sequences_give_the_same_weight_gradients():
    layer, x = nn.GRU(3, 4, seed=0), normal(2, 5, 3)
    layer(x)[0].sum().backward()
    plain = [p.grad for p in layer.parameters()]
    layer.zero_grad()
    layer(Value(x))[0].sum().backward()
    for p, gradient in zip(layer.parameters(), plain):
        require_close(p.grad, gradient)


@pytest.mark.parametrize(
    ("layer", "state", "message"),
    [
        (nn.GRU(3, 4), np.zeros((1, 9, 4)), r"expected a state of shape \(1, 2, 4\), not \(1, 9, 4\)"),
        (nn.LSTM(3, 4), (np.zeros((1, 2, 4)),), r"the state must be a pair of arrays, \(h, c\), not 1"),
    ],
)
def test_a_state_that_does_not_fit_is_refused(layer, state, message):
    with pytest.raises(errors.ShapeError, match=message):
        layer(np.zeros((2, 5, 3)), state)
