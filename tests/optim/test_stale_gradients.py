"""The warnings of an optimizer, and the programs that get none."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, guards, jit
from adjoint.errors import (
    AdjointWarning,
    ArgumentError,
    MissingBackwardWarning,
    MissingGradientWarning,
    MissingHistoryWarning,
    StaleGradientWarning,
)
from adjoint.optim import LBFGS, SGD, Adam

ARRAYS, NUMBERS = ([1.0, 2.0], [[3.0]]), (2.0, 3.0)
of_both_kinds = pytest.mark.parametrize("data", [ARRAYS, NUMBERS], ids=["arrays", "numbers"])


def run(steps, zero=lambda optimizer, parameters: None, data=ARRAYS, passes=1):
    parameters = [Value(x) for x in data]
    optimizer = SGD(parameters, lr=0.01)
    for _ in range(steps):
        zero(optimizer, parameters)
        for _ in range(passes):
            squares = [p * p for p in parameters]
            sum(x if type(x) is Value else x.sum() for x in squares).backward()
        optimizer.step()
    return parameters


@of_both_kinds
def test_a_step_with_stale_gradients_warns_once_and_says_what_to_do(data):
    with pytest.warns(
        StaleGradientWarning, match=r"SGD.step\(\) used gradients .* Call optimizer.zero_grad\(\)"
    ) as seen:
        run(20, data=data)
    assert len(seen) == 1
    assert seen[0].filename == __file__


def repeat(action, times):
    for _ in range(times):
        action()


def each(action):
    return lambda optimizer, parameters: [action(p) for p in parameters]


@pytest.mark.parametrize(
    "zero",
    [
        lambda optimizer, parameters: optimizer.zero_grad(),
        each(lambda p: p.zero_grad()),
        each(lambda p: setattr(p, "grad", None)),
        each(lambda p: setattr(p, "grad", 0.0)),
        each(lambda p: setattr(p, "grad", 0 * p.grad)),
    ],
)
@of_both_kinds
def test_gradients_set_to_zero_in_any_way_give_no_warning(zero, data):
    run(20, zero, data)


@of_both_kinds
def test_accumulating_gradients_gives_no_warning(data):
    run(5, lambda optimizer, parameters: optimizer.zero_grad(), data, passes=3)


def test_gradients_assigned_by_hand_give_no_warning():
    w = Value([1.0, 2.0])
    optimizer = SGD([w], lr=0.1)
    for _ in range(5):
        w.grad = 2 * w.data
        optimizer.step()
    for _ in range(3):
        optimizer.step()  # with the same gradient
    require_close(w.data, np.array([1.0, 2.0]) * 0.8**5 - 3 * 0.2 * np.array([1.0, 2.0]) * 0.8**4)


def test_reading_a_gradient_after_the_step_gives_no_warning():
    w = Value([1.0, 2.0])
    optimizer = SGD([w], lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()
        assert w.grad.any()


def test_the_warning_can_be_switched_off_in_a_block_or_globally():
    with guards(stale_gradients=False):
        run(3)
    switched = guards(stale_gradients=False)
    try:
        run(3)
    finally:
        switched.__exit__()
    with pytest.warns(StaleGradientWarning):
        run(3)


def test_an_unknown_guard_is_an_error():
    with pytest.raises(ArgumentError, match="unknown guard 'stale_gradient'"):
        guards(stale_gradient=False)
    with pytest.raises(ArgumentError, match="must be True or False, not int 3"):
        guards(stale_gradients=3)


@of_both_kinds
def test_watching_does_not_change_the_gradients(data):
    with guards(stale_gradients=False):
        expected = run(4, lambda optimizer, parameters: optimizer.zero_grad(), data)
    found = run(4, lambda optimizer, parameters: optimizer.zero_grad(), data)
    for p, q in zip(found, expected):
        np.testing.assert_array_equal(p.data, q.data)


def test_both_mistakes_at_once_give_one_warning_each():
    used, forgotten = Value([1.0]), Value([2.0])
    optimizer = SGD([used, forgotten], lr=0.01)

    def step():
        (used * used).sum().backward()
        optimizer.step()

    with pytest.warns(AdjointWarning) as seen:
        repeat(step, 30)
    assert [warning.category for warning in seen] == [StaleGradientWarning, MissingGradientWarning]


def test_a_user_hook_on_a_watched_scalar_is_kept():
    a = Value(2.0)
    optimizer, arrived = SGD([a], lr=0.01), []
    remove = a.register_hook(arrived.append)
    for _ in range(4):
        optimizer.zero_grad()
        (a * a).backward()
        optimizer.step()
    assert len(arrived) == 4
    remove()


def test_a_program_that_ends_after_one_step_gives_no_warning():
    program = (
        "import adjoint\n"
        "for w in (adjoint.Value(1.0), adjoint.Value([1.0])):\n"
        "    optimizer = adjoint.optim.SGD([w], lr=0.1)\n"
        "    (w * w).backward()\n"
        "    optimizer.step()\n"
    )
    ended = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_scalar_that_was_watched_keeps_its_label_and_the_fast_path():
    a, b = Value(2.0, label="a"), Value(3.0)
    optimizer = SGD([a, b], lr=0.01)
    called = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = a * a * b
        called.clear()
        sys.setprofile(lambda frame, event, argument: event == "call" and called.append(frame.f_code.co_name))
        try:
            loss.backward()
        finally:
            sys.setprofile(None)
        optimizer.step()
    assert a.label == "a"
    assert ("backward" in called) is not adjoint.accelerated, "the native core needs no Python to go backward"


def test_a_parameter_without_a_gradient_is_named():
    used, forgotten, labeled = Value([1.0]), Value([[1.0, 2.0]]), Value([3.0], label="bias")
    optimizer = Adam([used, forgotten, labeled], lr=0.1)

    def train():
        for _ in range(30):
            optimizer.zero_grad()
            (used * used).sum().backward()
            optimizer.step()

    with pytest.warns(MissingGradientWarning) as seen:
        train()
    assert len(seen) == 1
    assert "parameter 1 (a Value of shape (1, 2)), parameter 2 ('bias') received no gradient in 10 steps" in str(
        seen[0].message
    )
    assert "adjoint.guards(missing_gradients=False)" in str(seen[0].message)


def test_a_parameter_that_is_trained_later_gives_no_warning():
    first, second = Value([1.0]), Value([2.0])
    optimizer = SGD([first, second], lr=0.1)
    for i in range(12):
        optimizer.zero_grad()
        p = first if i < 6 else second
        (p * p).sum().backward()
        optimizer.step()


def test_scalars_behind_a_dead_relu_give_no_warning_but_scalars_without_gradients_do():
    alive, dead = Value(1.0), Value(-1.0)
    optimizer = SGD([alive, dead], lr=0.01)
    for _ in range(12):
        optimizer.zero_grad()
        (alive * alive + dead.relu()).backward()
        optimizer.step()
    other = SGD([Value(1.0), Value(2.0)], lr=0.01)
    with pytest.warns(
        MissingGradientWarning, match="no parameter of this SGD received a gradient other than 0 in 3 steps"
    ):
        repeat(other.step, 12)


def compiled(w, forgotten):
    optimizer = SGD([w, forgotten], lr=0.1)

    @jit
    def step():
        loss = (w * w).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step


def test_a_compiled_step_names_the_parameter_without_a_gradient():
    pytest.importorskip("jax")
    step = compiled(Value([1.0]), Value([2.0]))
    with pytest.warns(MissingGradientWarning, match=r"parameter 1 .* no gradient in the compiled step") as seen:
        repeat(step, 15)
    assert len(seen) == 1


def test_missing_gradients_can_be_switched_off():
    with guards(missing_gradients=False), warnings.catch_warnings():
        warnings.simplefilter("error")
        step = compiled(Value([1.0]), Value([2.0]))
        repeat(step, 3)


def test_a_watched_parameter_can_continue_in_a_compiled_step():
    w = Value([1.0, 2.0])
    optimizer = SGD([w], lr=0.1)

    def step():
        loss = (w * w).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    step()
    fast = jit(step)
    repeat(fast, 12)
    repeat(step, 12)
    require_close(w.data, np.array([1.0, 2.0]) * 0.8**25)


def test_a_number_that_was_stepped_can_continue_in_a_compiled_step():
    """Its gradient is not known while jit records, so that none can be compared with that of the step before."""
    w = Value(3.0)
    optimizer = SGD([w], lr=0.1)

    def step():
        optimizer.zero_grad()
        (w * w).backward()
        optimizer.step()

    step()
    compiled = jit(step)
    compiled()
    compiled()
    require_close(w.data, 3.0 * 0.8**3)


@of_both_kinds
@pytest.mark.parametrize("zero", [False, True])
def test_steps_without_a_backward_pass_warn_once(data, zero):
    """The pass is outside the loop; with zero_grad() in the loop, there is no gradient at all."""
    parameters = [Value(x) for x in data]
    optimizer = Adam(parameters, lr=0.01)
    squares = [p * p for p in parameters]
    sum(x if type(x) is Value else x.sum() for x in squares).backward()
    kind = MissingGradientWarning if zero else MissingBackwardWarning

    def step():
        if zero:
            optimizer.zero_grad()
        optimizer.step()

    with pytest.warns(kind, match=r"Call loss\.backward\(\)") as seen:
        repeat(step, 20)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    name = "missing_gradients" if zero else "missing_backward"
    assert f"adjoint.guards({name}=False)" in str(seen[0].message)


@of_both_kinds
def test_an_optimizer_with_parameters_that_the_loss_does_not_reach_warns(data):
    used, copied = [Value(x) for x in data], [Value(x) for x in data]
    optimizer = SGD(copied, lr=0.01)

    def step():
        optimizer.zero_grad()
        sum(x if type(x) is Value else x.sum() for x in (p * p for p in used)).backward()
        optimizer.step()

    with pytest.warns(
        MissingGradientWarning, match="no parameter of this SGD received a gradient .*in 3 steps"
    ) as seen:
        repeat(step, 3)
    repeat(step, 17)  # without another one
    assert len(seen) == 1
    assert "those of the model that computes it" in str(seen[0].message)


def test_programs_that_step_rarely_or_in_turns_give_no_warning():
    """Two optimizers of a GAN, frozen layers, and an optimizer whose part is trained in every other step."""
    a, b, frozen = Value([1.0]), Value([2.0]), Value([3.0], requires_grad=False)
    first, second, third = SGD([a], lr=0.1), SGD([b], lr=0.1), SGD([frozen], lr=0.1)
    for _ in range(20):
        for optimizer in (first, second):
            first.zero_grad()
            second.zero_grad()
            (a * b.detach() * frozen + b * a.detach()).sum().backward()
            optimizer.step()
        third.step()
    head, other = Value([1.0]), Value([2.0])
    heads = SGD([head], lr=0.1), SGD([other], lr=0.1)
    for i in range(20):
        for optimizer in heads:
            optimizer.zero_grad()
        (head if i % 2 else other).sum().backward()
        for optimizer in heads:
            optimizer.step()


def test_a_constant_gradient_that_is_computed_again_gives_no_warning():
    for w in (Value([1.0, 2.0]), Value(1.0)):
        optimizer = SGD([w], lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            (3 * w if type(w) is Value else (3 * w).sum()).backward()
            optimizer.step()


def test_two_steps_with_one_gradient_give_no_warning():
    w = Value([1.0, 2.0])
    optimizer = SGD([w], lr=0.1)
    (w * w).sum().backward()
    optimizer.step()
    optimizer.step()


@pytest.mark.parametrize("cut", [lambda loss: Value(loss.data * 2), lambda loss: Value(float(loss))])
def test_a_loss_that_is_made_anew_from_data_warns(cut):
    """`backward()` of a Value without history reaches no parameter."""
    w = Value([1.0, 2.0])
    optimizer = SGD([w], lr=0.1)

    def step():
        optimizer.zero_grad()
        with pytest.warns(MissingHistoryWarning):
            cut((w * w).sum()).backward()
        optimizer.step()

    with pytest.warns(MissingGradientWarning, match=r"that no detach\(\), \.data or \.numpy\(\) is in between") as seen:
        repeat(step, 20)
    assert len(seen) == 1


@of_both_kinds
@pytest.mark.parametrize("line_search", [None, "strong_wolfe"])
@pytest.mark.parametrize("is_copied", [False, True])
def test_lbfgs_warns_if_the_loss_does_not_reach_its_parameters(data, line_search, is_copied):
    used, copied = [Value(x) for x in data], [Value(x) for x in data]
    optimizer = LBFGS(copied if is_copied else used, lr=0.1, max_iter=2, line_search_fn=line_search)

    def closure():
        for p in (*used, *copied):
            p.zero_grad()
        loss = sum(x if type(x) is Value else x.sum() for x in (p**4 for p in used))
        loss.backward()
        return loss

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        repeat(lambda: optimizer.step(closure), 15)
    assert [warning.category for warning in seen] == [MissingGradientWarning] * is_copied
    assert not seen or "no parameter of this LBFGS received a gradient" in str(seen[0].message)
