"""LossScaler: the scale, skipped steps, and the same numbers as PyTorch's GradScaler, eagerly and compiled."""

import numpy as np
import pytest
import torch
from closeness import require_close

from adjoint import Value, errors, jit, optim

# The factor of the loss in each step: two are too large for the gradients, which are infinite then.
FACTORS = [1.0, 2.0, np.inf, 1.0, 1.0, 1.0, np.nan, 0.5, 1.0, 3.0, 1.0]
START = [1.0, -2.0, 0.5]
OPTIONS = {"init_scale": 64.0, "growth_interval": 3}


def run_torch():
    w = torch.tensor(START, requires_grad=True)
    optimizer = torch.optim.AdamW([w], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", **OPTIONS)
    found = []
    for factor in FACTORS:
        optimizer.zero_grad()
        scaler.scale((w * w).sum() * factor).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        scaler.step(optimizer)
        scaler.update()
        found.append((scaler.get_scale(), w.detach().tolist()))
    return found


@pytest.mark.parametrize("compiled", [False, True])
def test_scales_and_weights_are_those_of_pytorch(compiled):
    w = Value(np.array(START, np.float32))
    optimizer, scaler = optim.AdamW([w], lr=0.1), optim.LossScaler(**OPTIONS)

    def step(factor):
        optimizer.zero_grad()
        scaler.scale((w * w).sum() * factor).backward()
        scaler.unscale_(optimizer)
        optim.clip_grad_norm([w], 1.0)
        scaler.step(optimizer)
        scaler.update()

    run = jit(step) if compiled else step
    for factor, (scale, weights) in zip(FACTORS, run_torch()):
        run(np.float32(factor))
        assert scaler.get_scale() == scale
        require_close(w.data, weights)
    assert scaler.skipped == 2
    assert optimizer.state_dict()["state"][0]["step"] == len(FACTORS) - 2  # a skipped step does not count


@pytest.mark.parametrize("compiled", [False, True])
def test_a_skipped_step_changes_nothing_but_the_scale(compiled):
    w = Value(np.ones(2, np.float32))
    optimizer, scaler = optim.Adam([w], lr=0.1), optim.LossScaler(init_scale=4.0)

    def step(factor):
        optimizer.zero_grad()
        scaler.scale((w * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()

    run = jit(step) if compiled else step
    run(np.float32(1.0))
    weights, state = w.numpy().copy(), optimizer.state_dict()
    run(np.float32(np.inf))
    np.testing.assert_array_equal(w.numpy(), weights)
    for name, before in state["state"][0].items():
        np.testing.assert_array_equal(optimizer.state_dict()["state"][0][name], before)
    assert scaler.state_dict() == {"scale": 2.0, "finite_steps": 0.0, "skipped": 1.0}
    assert repr(scaler) == "LossScaler(scale 2, 1 step skipped)"


def run_two_in_torch(is_first_infinite):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    optimizers, scaler = [torch.optim.SGD([w], lr=0.1) for w in (a, b)], torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale((a * np.inf).sum() + (b * 3.0).sum()).backward()
    for optimizer in optimizers if is_first_infinite else optimizers[::-1]:
        scaler.step(optimizer)
    scaler.update()
    return a.tolist(), b.tolist(), scaler.get_scale()


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("is_first_infinite", [False, True])
def test_infinite_gradients_skip_the_step_of_their_own_optimizer_only(compiled, is_first_infinite):
    a, b = Value(np.ones(2, np.float32)), Value(np.ones(2, np.float32))
    first, second, scaler = optim.SGD([a], lr=0.1), optim.SGD([b], lr=0.1), optim.LossScaler(init_scale=4.0)

    def step(factor):
        scaler.scale((a * factor).sum() + (b * 3.0).sum()).backward()
        for optimizer in (first, second) if is_first_infinite else (second, first):
            scaler.step(optimizer)
        scaler.update()

    (jit(step) if compiled else step)(np.float32(np.inf))
    found = a.numpy().tolist(), b.numpy().tolist(), scaler.get_scale()
    assert found == run_two_in_torch(is_first_infinite)
    assert scaler.skipped == 1


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("factor", [1.0, np.inf])
def test_a_second_step_before_update_is_an_error(compiled, factor):
    """It would apply gradients that are still scaled, or skip finite ones."""
    w = Value(np.ones(2, np.float32))
    optimizer, scaler = optim.SGD([w], lr=0.1), optim.LossScaler(init_scale=1024.0)

    def step(factor):
        optimizer.zero_grad()
        scaler.scale((w * factor).sum()).backward()
        scaler.step(optimizer)

    run = jit(step) if compiled else step
    run(np.float32(factor))
    weights = w.numpy().copy()
    with pytest.raises(errors.ArgumentError, match=r"step was called twice .* call update\(\) after the steps"):
        run(np.float32(1.0))
    with pytest.raises(errors.ArgumentError, match="were divided already since the last update"):
        scaler.unscale_(optimizer)
    np.testing.assert_array_equal(w.numpy(), weights)
    scaler.update()
    run(np.float32(1.0))
    require_close(w.numpy(), weights - 0.1)


def test_gradients_that_jit_divided_are_used_in_an_eager_step():
    w = Value(np.ones(2, np.float32))
    optimizer, scaler = optim.SGD([w], lr=0.5, momentum=0.5), optim.LossScaler(init_scale=4.0)

    @jit
    def divide(factor):
        scaler.scale((w * factor).sum()).backward()
        scaler.unscale_(optimizer)

    for factor, weight in [(1.0, 0.5), (np.inf, 0.5), (1.0, -0.25)]:
        optimizer.zero_grad()
        divide(np.float32(factor))
        scaler.step(optimizer)
        scaler.update()
        assert w.numpy().tolist() == [weight, weight]


def test_float16_gradients_below_its_smallest_number_survive():
    """A loss whose gradient in float16 is 2⁻²⁷: without a scale it is zero."""
    x = np.full((1, 1), 2.0**-13, np.float32)
    found = []
    for scaler in (optim.LossScaler(init_scale=1.0), optim.LossScaler()):
        w = Value(np.zeros((1, 1), np.float32))
        optimizer = optim.SGD([w], lr=1.0)

        @jit(precision="float16")
        def step(x, w=w, optimizer=optimizer, scaler=scaler):
            loss = ((x @ w).astype("float32") * 2.0**-14).sum()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

        step(x)
        found.append(float(w.data.item()))
    assert found == [0.0, -(2.0**-27)]


def test_the_state_is_saved_and_loaded():
    scaler, other = optim.LossScaler(init_scale=8.0), optim.LossScaler()
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 8.0
    with pytest.raises(errors.ArgumentError, match="needs a state as state_dict"):
        other.load_state_dict({"scale": 1.0})


def test_mistakes_are_explained():
    w = Value([1.0])
    optimizer, scaler = optim.SGD([w], lr=0.1), optim.LossScaler()
    with pytest.raises(errors.ArgumentError, match=r"call step\(optimizer\) before"):
        scaler.update()
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimizer)
    with pytest.raises(errors.ArgumentError, match="gradients of this optimizer were divided already"):
        scaler.unscale_(optimizer)
    with pytest.raises(errors.ArgumentError, match="cannot be used with LBFGS"):
        scaler.step(optim.LBFGS([w]))
    for options in ({"init_scale": 0.0}, {"growth_factor": 0.5}, {"backoff_factor": 1.0}, {"growth_interval": 0.5}):
        with pytest.raises((errors.ArgumentError, errors.NumberError), match=next(iter(options))):
            optim.LossScaler(**options)
