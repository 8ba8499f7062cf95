"""The first loss of a training loop that is NaN or infinite is named with its operation, once."""

import re
import warnings

import numpy as np
import pytest

import adjoint
from adjoint import Value, guards, nn, optim
from adjoint.errors import NotFiniteLossWarning
from adjoint.optim import SGD, Adam


def train(loss_of, parameters, steps=5, kind=SGD):
    optimizer = kind(parameters, lr=0.1)
    with np.errstate(all="ignore"):
        for _ in range(steps):
            optimizer.zero_grad()
            loss_of(*parameters).backward()
            optimizer.step()


@pytest.mark.parametrize(
    ("loss", "data", "message"),
    [
        (
            lambda w: w.log().sum(),
            [1.0, 0.0],
            r"the loss became -inf: log\(\(2,\)\) gave 1 of 2 numbers that are not fin",
        ),
        (lambda w: (w.log() * 0.0).sum(), [1.0, 0.0], r"the loss became nan: log\(\(2,\)\) gave 1 of 2"),
        (lambda w: (w / w).sum(), [1.0, 0.0], r"the loss became nan: \(2,\) / \(2,\) gave 1 of 2"),
        (lambda w: w.log(), 0.0, r"the loss became -inf: log\(0.0\) gave -inf\. SGD.step\(\) now makes"),
        (lambda w: (w * 1e200) * (w * 1e200), 1.0, r"the loss became inf: 1e\+200 \* 1e\+200 gave inf"),
        (lambda w: (w * w).sum(), [1.0, np.nan], "a parameter or a number of the data is not finite"),
    ],
)
def test_a_loop_whose_loss_is_not_finite_names_the_operation_once(loss, data, message):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        train(loss, [Value(data)])
    assert [warning.category for warning in seen] == [NotFiniteLossWarning]
    assert seen[0].filename == __file__
    text = str(seen[0].message)
    assert re.search(message, text), text
    assert "adjoint.guards(not_finite_loss=False)" in text
    with guards(not_finite_loss=False):
        train(loss, [Value(data)])


def test_the_next_training_is_named_again():
    for _ in range(2):
        with pytest.warns(NotFiniteLossWarning):
            train(lambda w: w.log().sum(), [Value([0.0])], kind=Adam)


def test_what_is_infinite_without_a_step_or_with_finite_gradients_gives_no_warning():
    w = Value([1.0, 0.0])
    with np.errstate(all="ignore"):
        w.log().sum().backward()  # a result like others
        Value(0.0).log().backward()
    v = Value([1.0])
    optimizer = SGD([v], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (v * v).sum().backward()
        optimizer.step()  # of another loss
    train(lambda w: w.sum() + np.inf, [Value([1.0])])  # the gradients are 1


def test_masks_with_infinite_scores_give_no_warning():
    scores = np.triu(np.full((3, 3), -np.inf), 1)
    train(lambda w: adjoint.softmax(w + scores, 1)[:, 0].sum(), [Value(np.ones((3, 3)))])


def test_a_scaled_loss_that_overflows_and_is_skipped_gives_no_warning():
    w = Value(np.ones(3, np.float32))
    optimizer, scaler = SGD([w], lr=0.01), optim.LossScaler(init_scale=1e38)
    with np.errstate(all="ignore"):
        for _ in range(8):
            optimizer.zero_grad()
            scaler.scale((w * w).sum() * 10).backward()
            scaler.step(optimizer)
            scaler.update()
    assert np.isfinite(w.data).all()


def test_line_searches_that_try_infinite_losses_give_no_warning():
    w = Value([10.0])
    optimizer = optim.LBFGS([w], lr=1.0, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = nn.mse(w.exp(), [1.0])
        loss.backward()
        return loss

    with np.errstate(all="ignore"):
        for _ in range(3):
            optimizer.step(closure)


def test_an_infinite_loss_before_a_compiled_step_gives_no_warning():
    w = Value(np.ones(2))
    optimizer = SGD([w], lr=0.1)

    def step(factor):
        optimizer.zero_grad()
        (w * factor).sum().backward()
        optimizer.step()

    w.log().sum().backward()
    with np.errstate(all="ignore"):
        (w * np.inf).sum().backward()
    adjoint.jit(step)(1.0)
    assert np.isfinite(w.numpy()).all()
