"""The average of weights agrees with PyTorch's, for numbers and arrays, eager and compiled."""

import numpy as np
import pytest
import torch
from closeness import require_close
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from adjoint import Value, jit, nn, optim
from adjoint.errors import AdjointError

random = np.random.default_rng(0)
W, S, STEPS = random.normal(size=(3, 2)), 0.5, 12


def train(wrap=lambda f: f, decay=0.9):
    w, s = Value(W), Value(S)
    optimizer, ema = optim.SGD([w, s], lr=0.05), optim.EMA([w, s], decay=decay)

    @wrap
    def step():
        optimizer.zero_grad()
        ((w**2).sum() * s + s**2).backward()
        optimizer.step()
        ema.update()

    for _ in range(STEPS):
        step()
    return w, s, ema


def reference(decay=0.9):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.tensor(W))
            self.s = torch.nn.Parameter(torch.tensor(S, dtype=torch.float64))

    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(decay))
    for _ in range(STEPS):
        optimizer.zero_grad()
        ((model.w**2).sum() * model.s + model.s**2).backward()
        optimizer.step()
        average.update_parameters(model)
    return model, average.module


@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["eager", "compiled"])
def test_the_averages_agree_with_pytorch(wrap):
    w, s, ema = train(wrap)
    model, average = reference()
    assert ema.updates == STEPS
    for _ in range(2):
        with ema:
            require_close(w.data, average.w.detach().numpy())
            require_close(float(s.data), average.s.item())
        require_close(w.data, model.w.detach().numpy())
        require_close(float(s.data), model.s.item())
    ema.copy_to_parameters()
    require_close(w.data, average.w.detach().numpy())


def test_numbers_compiled_without_xla_have_the_averages_of_eager_ones():
    def run(wrap):
        a, b = Value(1.5), Value(-2.0)
        optimizer, ema = optim.Adam([a, b], lr=0.1), optim.EMA([a, b], 0.8)

        @wrap
        def step():
            optimizer.zero_grad()
            (a**2 + (a * b - 1) ** 2).backward()
            optimizer.step()
            ema.update()

        for _ in range(STEPS):
            step()
        with ema:
            return a.data, b.data

    require_close(run(jit), run(lambda f: f))


def test_a_state_resumes_bit_for_bit():
    w, s, ema = train()
    other_w, other_s = Value(w.data.copy()), Value(s.data)
    other = optim.EMA([other_w, other_s], decay=0.1)
    other.load_state_dict(ema.state_dict())
    for average in (ema, other):
        average.update()
    with ema, other:
        np.testing.assert_array_equal(w.data, other_w.data)
        assert s.data == other_s.data
    assert repr(other) == "EMA(decay=0.9, 13 updates, 2 parameters)"


def test_an_error_inside_the_block_restores_the_parameters():
    w, _, ema = train()
    before = w.data.copy()
    with pytest.raises(KeyError), ema:
        raise KeyError
    np.testing.assert_array_equal(w.data, before)


def test_float32_stays_float32_and_a_model_is_accepted():
    model = nn.Linear(2, 2, seed=0, dtype="float32")
    ema = optim.EMA(model, 0.5)
    ema.update()
    with ema:
        assert model.weight.dtype == np.float32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: optim.EMA([Value(1.0)], 1.0), "must be a number of at least 0 and below 1, not float 1.0"),
        (lambda: optim.EMA([]), "EMA got no parameters"),
        (lambda: optim.EMA([Value(1.0)]).load_state_dict({}), "EMA needs a state as state_dict() returns it"),
        (
            lambda: optim.EMA([Value(1.0)]).load_state_dict(optim.EMA([Value([1.0])]).state_dict()),
            "has averages of shapes [(1,)], but the parameters have [()]",
        ),
    ],
)
def test_invalid_arguments_are_refused(call, message):
    with pytest.raises(AdjointError) as error:
        call()
    assert message in str(error.value)


def test_an_update_inside_the_block_is_refused():
    ema = optim.EMA([Value(1.0)])
    with ema, pytest.raises(AdjointError, match="EMA: update inside `with ema`"):
        ema.update()
