"""The guards of backward(): programs that get a warning, and correct programs that get none."""

import contextvars
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, errors, guards, jit, no_grad
from adjoint.errors.guard_warnings import collect_warnings
from adjoint.optim import SGD


def seen_in(program):
    """Return the categories of the warnings of a program, and their lines relative to its first one."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        program()
    assert all(w.filename == __file__ for w in seen)
    return [(w.category.__name__, w.lineno - program.__code__.co_firstlineno) for w in seen]


# --- a `_backward` written by hand ---


def multiply(a, b, backward):
    """Return the product of two Values as micrograd makes it, with one of the ways to write its _backward."""
    out = Value(a.data * b.data, (a, b), "*")
    out._backward = lambda: backward(a, b, out)
    return out


def set_both(a, b, out):
    a.grad = b.data * out.grad
    b.grad = a.data * out.grad


def add_to_both(a, b, out):
    a.grad += b.data * out.grad
    b.grad = b.grad + a.data * out.grad


def test_a_backward_that_sets_gradients_warns_once_at_its_definition_and_names_them():
    a, b = Value(2.0, label="a"), Value(3.0)

    def times():
        out = Value(a.data * b.data, (a, b), "*")

        def _backward():
            a.grad = b.data * out.grad
            b.grad += a.data * out.grad

        out._backward = _backward
        return out

    def program():
        for _ in range(3):
            (times() + times()).backward()

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        program()
    (warning,) = seen
    assert warning.category is errors.OverwrittenGradientWarning
    assert warning.filename == __file__
    assert warning.lineno == times.__code__.co_firstlineno + 3
    message = str(warning.message)
    assert message.startswith("the _backward of out set a.grad instead of adding to it.")
    assert "write a.grad += ..." in message
    assert "adjoint.guards(overwritten_gradients=False)" in message
    assert (a.grad, b.grad) == (18.0, 12.0)  # as if they had been added


def test_a_backward_that_sets_the_gradient_of_one_value_used_twice_warns():
    a = Value(3.0)
    with pytest.warns(errors.OverwrittenGradientWarning, match=r"set [ab]\.grad instead of adding to it"):
        multiply(a, a, set_both).backward()


def test_a_backward_that_adds_gives_no_warning_whatever_the_gradients_were_before():
    a, b = Value(2.0), Value(0.0)
    for _ in range(2):
        multiply(a, b, add_to_both).backward()  # the gradient of a is 0, before and after
    assert (a.grad, b.grad) == (0.0, 4.0)
    a.grad = b.grad = 0.0
    (multiply(a, a, add_to_both) + multiply(a, b, add_to_both)).backward()
    assert (a.grad, b.grad) == (4.0, 2.0)


def test_a_backward_on_arrays_that_sets_gradients_warns_and_one_that_adds_does_not():
    def doubled(x, sets):
        out = Value(2 * x.data, (x,), "double")

        def _backward():
            if sets:
                x.grad = 2 * out.grad
            else:
                x.grad += 2 * out.grad

        out._backward = _backward
        return out.sum()

    x = Value([1.0, 2.0])
    doubled(x, sets=False).backward()
    with pytest.warns(errors.OverwrittenGradientWarning, match=r"the _backward of out set x\.grad"):
        doubled(x, sets=True).backward()
    assert x.grad.tolist() == [4.0, 4.0]


def test_the_loop_of_a_learner_shows_the_mistake():
    a, b = Value(2.0), Value(3.0)
    first, second = multiply(a, b, set_both), multiply(a, b, set_both)
    total = first + second
    total.grad = 1.0
    for node in (total, second, first):
        node._backward()
    assert a.grad == 3.0  # 6.0 if both had been added


def test_overwritten_gradients_can_be_switched_off():
    with guards(overwritten_gradients=False):
        multiply(Value(2.0), Value(3.0), set_both).backward()


# --- loops written by hand ---

NUMBER, ARRAY = 2.0, [2.0, 3.0]
of_both_kinds = pytest.mark.parametrize("data", [NUMBER, ARRAY], ids=["number", "array"])


def loss_of(w):
    return (w * w).sum() if w.shape else w * w


@of_both_kinds
def test_gradients_that_are_not_set_to_zero_warn_once_at_the_line_of_backward(data):
    w = Value(data)

    def program():
        for _ in range(5):
            loss_of(w).backward()
            w.data = w.data - 0.01 * w.grad

    assert seen_in(program) == [("StaleGradientWarning", 2)]


@pytest.mark.parametrize("label", ["", "weight"])
def test_the_warning_names_the_parameter_and_says_what_to_do(label):
    w = Value(2.0, label=label)
    loss_of(w).backward()
    w.data -= 0.1 * w.grad
    expected = f"an update of {label}.data" if label else "an update of the .data of a Value"
    with pytest.warns(errors.StaleGradientWarning, match=expected) as seen:
        loss_of(w).backward()
    assert "Set p.grad = 0.0 for each parameter p" in str(seen[0].message)
    assert "adjoint.guards(stale_gradients=False)" in str(seen[0].message)


@pytest.mark.parametrize(
    "zero", [lambda w: w.zero_grad(), lambda w: setattr(w, "grad", 0), lambda w: SGD([w], 1.0).zero_grad()]
)
@pytest.mark.parametrize("is_first", [True, False])
@of_both_kinds
def test_a_correct_loop_gives_no_warning(data, is_first, zero):
    w = Value(data)
    for _ in range(4):
        loss = loss_of(w)
        if is_first:
            zero(w)
        loss.backward()
        with no_grad():
            w.data -= 0.1 * w.grad
        if not is_first:
            zero(w)


@of_both_kinds
def test_accumulating_over_several_passes_before_an_update_gives_no_warning(data):
    w, x = Value(data), Value(0.5)
    for _ in range(3):
        w.zero_grad()
        for sample in (1.0, 2.0, 3.0):
            x.data = sample  # an input, whose gradient nobody reads
            loss_of(w * x).backward()
        w.data = w.data - 0.01 * w.grad


def test_two_losses_and_gradients_that_are_read_between_passes_give_no_warning():
    w = Value(2.0)
    for _ in range(3):
        w.grad = 0.0
        for loss in (w * w, w * 3.0):
            loss.backward()
            assert w.grad != 0.0
        w.data -= 0.1 * w.grad


def test_an_optimizer_warns_of_stale_gradients_itself():
    for data in (NUMBER, ARRAY):
        w = Value(data)
        optimizer = SGD([w], lr=0.1)
        with collect_warnings() as seen:
            for _ in range(3):
                loss_of(w).backward()
                optimizer.step()
        assert [str(x).startswith("SGD.step()") for x in seen] == [True]


def test_a_loss_that_is_kept_across_steps_warns_once_at_the_line_of_backward():
    w, x = Value(2.0, label="w"), Value(3.0)

    def program():
        loss = (w * 3.0 - x) ** 2
        for _ in range(5):
            w.grad = 0.0
            loss.backward()
            w.data -= 0.01 * w.grad
            assert (w * x).data != 0.0  # an evaluation with the new data does not hide it

    assert seen_in(program) == [("StaleGraphWarning", 4)]


def test_a_kept_loss_of_arrays_warns_once_where_no_derivative_reads_the_old_data():
    X, w = np.ones((3, 2)), Value([1.0, 2.0], label="w")

    def program():
        loss = ((X @ w - 1.0) ** 2).mean()
        for _ in range(4):
            w.zero_grad()
            loss.backward()
            w.data = w.data - 0.1 * w.grad

    assert seen_in(program) == [("StaleGraphWarning", 4)]


def test_arrays_that_are_assigned_before_the_computation_give_no_warning():
    w, fixed = Value([1.0, 2.0]), Value([3.0, 4.0]) + 1.0
    for _ in range(3):
        w.zero_grad()
        loss = (w + fixed).sum()
        loss.backward()
        w.data = w.data - 0.1 * w.grad


def test_an_optimizer_with_a_kept_loss_warns():
    w = Value(2.0, label="w")
    optimizer, loss = SGD([w], lr=0.1), w * w
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    with pytest.warns(errors.StaleGraphWarning, match=r"computed before w\.data was assigned.*Compute the loss again"):
        loss.backward()


def test_a_part_of_the_graph_that_is_kept_across_steps_warns():
    w, v = Value(2.0, label="w"), Value(1.0)
    hidden = w.tanh()  # should be inside the loop

    def program():
        for _ in range(3):
            loss = (hidden * v - 1.0) ** 2
            w.grad = v.grad = 0.0
            loss.backward()
            for p in (w, v):
                p.data -= 0.1 * p.grad

    assert seen_in(program) == [("StaleGraphWarning", 4)]


@pytest.mark.parametrize("kind", ["leaf", "inner node", "subclass", "hook", "by hand"])
def test_data_assigned_between_forward_and_backward_warns(kind):
    x = type("Number", (Value,), {})(2.0) if kind == "subclass" else Value(2.0)
    y = x * 3.0
    z = y * y if kind != "by hand" else multiply(x, x, add_to_both)
    if kind == "hook":
        z.register_hook(lambda gradient: gradient)
    (y if kind == "inner node" else x).data = 5.0
    with pytest.warns(errors.StaleGraphWarning):
        z.backward()
    assert x.grad == (10.0 if kind == "by hand" else 36.0)  # a _backward by hand reads the new data


def test_data_that_is_restored_before_backward_gives_no_warning():
    x, w = Value(0.1), Value(3.0)
    y = (x * w).exp()
    for _ in range(3):  # a numerical derivative
        x.data += 1e-6
        assert (x * w).exp().data > y.data
        x.data -= 1e-6
    y.backward()


def test_data_assigned_before_the_computation_gives_no_warning():
    fixed = Value(3.0) * 2.0  # computed once, from data that does not change
    x = Value(1.0)
    for i in range(600):  # more than the native core can count for a node
        x.data = float(i)
        x.grad = 0.0
        (x * fixed).backward()


@pytest.mark.parametrize("age", [1, 254, 255, 256, 300])
def test_a_node_is_never_taken_for_older_than_it_is(age):
    x, w = Value(1.0), Value(2.0)
    for _ in range(age):
        w.data = (w * 1.0).data + 1.0
    y = x * w
    for _ in range(age):
        (Value(1.0) * 2.0).data = 3.0
    y.backward()


def test_stale_warnings_that_are_errors_leave_all_gradients_as_they_were():
    w = Value(2.0)
    loss = w * w
    w.data = 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(errors.StaleGraphWarning):
            loss.backward()
    assert w.grad == 0.0


def test_stale_graph_and_stale_gradients_can_be_switched_off():
    w = Value(2.0)
    loss = w * w
    with guards(stale_graph=False, stale_gradients=False):
        for _ in range(3):
            loss.backward()
            w.data -= 0.1 * w.grad


def test_a_listener_collects_one_warning_of_a_loop():
    w = Value(2.0)
    with collect_warnings() as collected:
        for _ in range(5):
            (w * w).backward()
            w.data -= 0.1 * w.grad
    assert [type(x) for x in collected] == [errors.StaleGradientWarning]


def test_a_compiled_loop_gives_no_warning_and_the_same_numbers():
    def step(w):
        w.grad = 0.0
        loss = multiply(w, w, add_to_both)
        loss.backward()
        w.data -= 0.1 * w.grad
        return loss

    eager, compiled = Value(2.0), Value(2.0)
    fast = jit(step)
    for _ in range(3):
        step(eager)
        fast(compiled)
    assert compiled.data == eager.data
    require_close(eager.data, 2.0 * 0.8**3)
    loss = eager * eager
    jit(step)(eager)
    eager.grad = 0.0
    if adjoint.accelerated:  # its programs assign data; the Python engine replays with the setter
        with pytest.warns(errors.StaleGraphWarning):
            loss.backward()


def test_the_native_core_checks_a_correct_loop_without_python():
    w, called = Value(2.0), []
    for _ in range(4):
        loss = w * w
        w.grad = 0.0
        sys.setprofile(lambda frame, event, argument: event == "call" and called.append(frame.f_code.co_name))
        try:
            loss.backward()
        finally:
            sys.setprofile(None)
        w.data -= 0.1 * w.grad
    assert "check" not in called


# --- updates that make a new Value in each step ---


def squares(w):
    return (w * w).sum() if isinstance(w, adjoint.Tensor) else w * w


UPDATES = {
    "difference": lambda w: w - 0.1 * w.grad,
    "sum": lambda w: -0.1 * w.grad + w,
    "in place": lambda w: w.__sub__(0.1 * w.grad),
}


@pytest.mark.parametrize("data", [NUMBER, ARRAY], ids=["number", "array"])
@pytest.mark.parametrize("update", UPDATES.values(), ids=UPDATES)
def test_a_loop_that_updates_by_a_new_value_warns_once(data, update):
    def program():
        w = Value(data)
        for _ in range(8):
            loss = squares(w)
            loss.backward()
            w = update(w)
        assert w.parents

    with pytest.warns(errors.LostUpdateWarning, match=r"the graph grows.*Write `w\.data -= lr \* w\.grad`") as seen:
        program()
    assert len(seen) == 1
    with guards(lost_updates=False):
        program()


def test_a_list_of_parameters_that_is_made_anew_in_each_step_warns():
    def program():
        parameters = [Value(1.0), Value(2.0)]
        for _ in range(5):
            (parameters[0] * parameters[1] - 1.0).backward()
            parameters = [p - 0.1 * p.grad for p in parameters]

    assert seen_in(program) == [("LostUpdateWarning", 4)]


@pytest.mark.parametrize("data", [NUMBER, ARRAY], ids=["number", "array"])
def test_gradients_of_intermediate_results_can_be_read_without_a_warning(data):
    w = Value(data)
    for _ in range(4):  # the same leaf in each step
        w.zero_grad()
        a = w - 1.0
        b = a + 2.0
        c = b - 3.0
        loss = squares(c)
        loss.backward()
        assert len([x.grad for x in (w, a, b, c)]) == 4
        loss.backward()
        w.data -= 0.1 * w.grad
    kept = []
    for _ in range(4):  # shifted again after each pass, as when exploring
        kept.append(repr(c))
        c = c - 1.0
    shifted = [Value(data)]
    for _ in range(5):
        shifted.append(shifted[-1] - 0.1)
    loss = squares(shifted[-1])
    loss.backward()
    assert len([x.grad for x in shifted]) == 6
    loss.backward()


def test_an_update_with_the_gradient_as_a_value_is_no_mistake():
    w = Value(3.0)
    for _ in range(4):  # differentiated through, as in meta-learning
        inner = w
        (w * w).backward(create_graph=True)
        inner, w.grad = w - 0.1 * w.grad, 0.0
        assert inner.parents
        w.data = inner.data


# --- a result without history ---


@pytest.mark.parametrize("data", [NUMBER, ARRAY], ids=["number", "array"])
@pytest.mark.parametrize("cut", [lambda loss: Value(loss.data * 2.0), lambda loss: Value(float(loss))])
def test_backward_of_a_value_without_history_warns(data, cut):
    w = Value(data)

    def program():
        for _ in range(3):
            cut(squares(w)).backward()

    assert seen_in(program) == [("MissingHistoryWarning", 2)]
    assert (w.grad == 0.0 * w.data).all() if isinstance(data, list) else w.grad == 0.0
    with guards(missing_history=False):
        program()


def test_a_pass_that_a_program_continues_by_hand_gives_no_warning():
    for data in (NUMBER, ARRAY):
        x = Value(data)
        half = x.detach() if isinstance(data, float) else Value(x.data)
        x.backward(half.data)
        assert np.all(x.grad == half.data)


# --- an update with the gradients of a loss that is not finite ---


def descend(w, loss_of, steps=4):
    """Train by hand; return the warnings."""
    with warnings.catch_warnings(record=True) as seen, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        for _ in range(steps):
            w.zero_grad()
            loss_of(w).backward()
            w.data -= 0.1 * w.grad
    return [str(warning.message) for warning in seen if warning.category is errors.NotFiniteLossWarning]


@pytest.mark.parametrize(
    ("data", "loss_of", "message"),
    [
        (0.0, lambda w: -w.log(), "the loss became inf: log(0.0) gave -inf. This update now makes"),
        (0.0, lambda w: w / w, "the loss became nan: 0.0 / 0.0 gave nan. This update"),
        (
            [1.0, 0.0],
            lambda w: -w.log().sum(),
            "the loss became inf: log((2,)) gave 1 of 2 numbers that are not finite.",
        ),
        (0.0, lambda w: w.sqrt(), "the loss became nan: a parameter or a number of the data is not finite"),
    ],
)
def test_the_first_nan_of_a_training_by_hand_is_named_once_with_its_operation(data, loss_of, message):
    (text,) = descend(Value(data), loss_of)
    assert message in text
    with guards(not_finite_loss=False):
        assert descend(Value(data), loss_of) == []


def test_each_training_by_hand_names_its_first_nan():
    assert [len(descend(Value(0.0), lambda w: -w.log())) for _ in range(3)] == [1, 1, 1]


def test_infinite_results_without_an_update_and_updates_that_stay_finite_give_no_warning():
    w = Value(0.0)
    w.log().backward()
    w.data = 1.0  # the gradient was not read
    assert descend(w, lambda w: w * w) == []
    assert descend(Value(1.0), lambda w: w + float("inf")) == []
    assert descend(Value([1.0, 0.0]), lambda w: (w + float("inf")).sum()) == []


# --- a second backward() ---


def test_a_second_backward_adds_and_gives_no_warning_by_default():
    a = Value(3.0)
    loss = a * a
    loss.backward()
    loss.backward()
    assert a.grad == 12.0


@pytest.mark.parametrize("data", [NUMBER, ARRAY], ids=["number", "array"])
def test_a_second_backward_warns_if_the_guard_is_switched_on(data):
    a = Value(data)

    def program():
        with guards(second_backward=True):
            loss = loss_of(a)
            loss.backward()
            loss.backward()

    assert seen_in(program) == [("SecondBackwardWarning", 4)]
    loss_of(a).backward()


def test_two_losses_that_share_a_part_warn_and_their_sum_does_not():
    a = Value(3.0)
    with guards(second_backward=True):
        shared = a * a
        (shared * 2.0 + shared.exp()).backward()
        shared = a * a
        (shared * 2.0).backward()
        with pytest.warns(errors.SecondBackwardWarning, match=r"PyTorch raises an error here.*\(loss1 \+ loss2\)"):
            shared.exp().backward()


def test_higher_derivatives_are_no_second_pass():
    x = Value(2.0)
    with guards(second_backward=True):
        (x**3).backward(create_graph=True)
        slope = x.grad
        x.zero_grad()
        slope.backward()
    assert x.grad == 12.0


def test_the_guard_of_a_second_backward_belongs_to_a_context():
    a = Value(3.0)
    loss = a * a
    with guards(second_backward=True):
        loss.backward()
    loss.backward()
    with guards(second_backward=True), pytest.warns(errors.SecondBackwardWarning):
        loss.backward()


def test_a_guard_is_looked_for_only_while_a_context_has_it_on():
    assert not errors.switched_on
    with guards(second_backward=True):
        with guards(second_backward=True):
            assert len(errors.switched_on) == 1
        copied = contextvars.copy_context()
        assert errors.switched_on
    assert errors.switched_on, "the copied context still has it on"
    copied.run(guards, second_backward=False)
    assert not errors.switched_on
    thread = threading.Thread(target=guards, kwargs={"second_backward": True})  # it ends without switching it off
    thread.start()
    thread.join()
    del thread
    assert not errors.switched_on


def test_a_program_prints_each_warning_once_with_its_line():
    program = textwrap.dedent("""\
        from adjoint import Value
        w = Value(1.0)
        for _ in range(20):
            loss = w * w
            loss.backward()
            w.data -= 0.1 * w.grad
        """)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stderr.count("StaleGradientWarning") == 1
    assert ended.stderr.startswith("<string>:5: StaleGradientWarning: backward() adds to gradients of an earlier step")
