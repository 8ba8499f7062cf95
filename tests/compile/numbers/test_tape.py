"""The tape: what is recorded, run again with other numbers, gives what the eager engine computes."""

import copy
import math
import threading
from array import array

import pytest
from closeness import require_close
from recording import Recorded, agree, eagerly

import adjoint
from adjoint import Value, guards, no_grad, ops
from adjoint.compile.numbers import replay
from adjoint.compile.numbers.recording import TapeRecording
from adjoint.compile.numbers.tape import Tape, TracedNumber
from adjoint.errors import GraphError, OpError, TraceError

EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-308, -1e308, math.inf, -math.inf, math.nan)


# --- the rows of the table ---


@pytest.mark.parametrize("row", ops.TABLE)
def test_each_row_and_its_derivatives_agree_with_the_eager_engine_at_edges(row):
    op = ops.TABLE[row]

    def both(*operands):
        y = op(*operands)
        y.backward()
        return y

    if len(op.operands) == 1:
        agree(both, *[(x,) for x in EDGES])
        return
    agree(both, *[(x, z) for x in EDGES for z in EDGES])
    agree(lambda x: both(x, 3.0), *[(x,) for x in EDGES])
    agree(lambda x: both(-0.5, x), *[(x,) for x in EDGES])
    agree(lambda x, t: both(x, t), (0.5,), numbers=tuple((z,) for z in EDGES))  # the number is a constant operand


@pytest.mark.parametrize("row", ops.TABLE)
def test_each_row_of_plain_numbers_is_recorded_too(row):
    op = ops.TABLE[row]
    points = [(x, z) for x in EDGES[:7] for z in EDGES[2:9]]
    agree(lambda x, z: op(*(x, z)[: len(op.operands)]), (), numbers=tuple(points))


def test_operations_on_constants_are_computed_while_recording():
    tape = Tape()
    with TapeRecording(tape):
        before = Value(2.0)
        y = (before * 3.0 - 1.0).tanh()
        y.backward()
        assert y.data == math.tanh(5.0)
        assert type(y.data) is float
        require_close(before.grad, 3 * (1 - math.tanh(5.0) ** 2))
        assert (y > 0) is True
    ops_used = {*array("i", tape.entries())[::4]}
    assert ops_used == {replay.CONST}
    assert tape.input_count == 0


def test_equal_constants_are_one_entry_and_zeros_keep_their_sign():
    tape = Tape()
    assert tape.entry(0.5) == tape.entry(0.5)
    assert tape.entry(0.0) != tape.entry(-0.0)
    assert math.copysign(1.0, tape.number(tape.entry(-0.0))) == -1.0


# --- graphs and backward passes ---


def test_the_gradient_of_a_sum_is_passed_on_without_a_product():
    a, b, tape = Value(2.0), Value(3.0), Tape()
    with TapeRecording(tape):
        ((a + b) + a * b).backward()
    counts = [array("i", tape.entries())[::4].tolist().count(replay.row_op(op)) for op in (ops.mul, ops.add)]
    assert counts == [1, 2 + 2 + 2]  # the sums, the second contributions to a and b, and both gradients


def test_a_value_used_several_times_receives_all_contributions():
    def function(a, b):
        c = a * b + a
        d = c * c - b / (c * c + 1.0)
        (d * c + a * 2.0).backward()
        return c.grad, d

    agree(function, (1.5, -0.5), (0.3, 2.0), (-7.0, 0.25))


def test_gradients_accumulate_from_call_to_call_and_within_a_call():
    def function(a, b):
        y = a * b
        y.backward()
        y.backward()
        (a * a).backward(gradient=0.5)
        return a.grad * 2.0

    recorded = agree(function, (1.5, -0.5), (3.0, 2.0))
    a = recorded.values[0]
    a.data, a.grad = 3.0, 10.0
    recorded.single.run(tuple(recorded.order), ())
    assert a.grad == 10.0 + 2 * 2.0 + 3.0


def test_a_training_step_changes_data_and_gradients():
    def step(w, b, x):
        for p in (w, b):
            p.zero_grad()
        loss = (w * x + b - 1.0) ** 2
        loss.backward()
        for p in (w, b):
            p.data -= 0.1 * p.grad
        return loss.data

    agree(step, (0.5, 0.0), (1.5, -2.0), numbers=((2.0,), (-1.0,)))


def test_derivatives_are_those_of_the_forward_pass_if_data_is_assigned_before_backward():
    def function(a, b):
        y = a * b + a.exp()
        a.data = 7.0
        with guards(stale_graph=False):
            y.backward()
        return y

    agree(function, (1.5, -0.5), (3.0, 2.0))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_create_graph_gives_derivatives_of_any_order(order):
    def function(x, z):
        y = (x * z).tanh() * x**3 + (x / z).exp()
        for _ in range(order):
            x.zero_grad()
            y.backward(create_graph=True)
            y = x.grad
        x.grad = z.grad = None
        return y

    agree(function, (0.5, 1.5), (-0.25, 2.0), (1.25, -0.75))


@pytest.mark.parametrize("row", [row for row, op in ops.TABLE.items() if len(op.operands) == 1])
def test_second_derivatives_of_each_row_agree(row):
    def function(x):
        y = ops.TABLE[row](x)
        y.backward(create_graph=True)
        slope = x.grad
        x.zero_grad()
        (slope * 1.0).backward()
        return slope

    agree(function, (0.5,), (0.25,), (0.875,))


def test_changed_operands_cannot_be_differentiated_again():
    def function(x):
        y = x * x
        x.data = 3.0
        y.backward(create_graph=True)

    with pytest.raises(GraphError, match="modified after the forward pass"):
        Recorded(function, 2.0)


def test_derivatives_are_those_of_the_forward_pass_if_a_result_is_assigned_before_backward():
    def function(a, b):
        y, z = a.exp(), ramp(a, b)
        y.data, z.data = b.data, 2.0
        (y * b + z).backward()

    agree(function, (1.5, -0.5), (3.0, 2.0))


@pytest.mark.parametrize("operation", [adjoint.exp, lambda x: cube(x)])
def test_a_changed_result_cannot_be_differentiated_again(operation):
    def function(a):
        y = operation(a)
        y.data = a.data + 1.0
        y.backward(create_graph=True)

    for run in (eagerly, Recorded):
        with pytest.raises(GraphError, match="was modified after the forward pass"):
            run(function, 1.5)


def test_a_freed_graph_is_an_error_while_recording():
    def function(x):
        y = x * x * 2.0
        y.backward(retain_graph=False)
        y.backward()

    with pytest.raises(GraphError, match="freed"):
        Recorded(function, 2.0)


def test_no_grad_and_detach_give_leaves():
    def function(a, b):
        with no_grad():
            c = a * b
        d = (a * 2.0).detach()
        assert not c.parents
        assert not d.parents
        (a * c + d).backward()
        return c, d, d.grad

    agree(function, (1.5, -0.5), (3.0, 2.0))


def test_hooks_see_and_change_traced_gradients():
    def function(a, b):
        y = a * b
        y.register_hook(lambda g: g * 3.0)
        a.register_hook(lambda g: adjoint.where(g > 1.0, 1.0, g))
        (y * y).backward()

    agree(function, (1.5, -0.5), (3.0, 2.0), (-3.0, 2.0))


def test_nodes_made_by_hand_run_their_backward_while_recording():
    def function(a, b):
        out = Value(a.data * b.data + 1.0, (a, b), "*+1")

        def backward():
            a.grad += b.data * out.grad
            b.grad += a.data * out.grad

        out._backward = backward
        (out * out + a).backward()
        return out

    agree(function, (1.5, -0.5), (3.0, 2.0))


def test_the_backward_of_a_single_node_is_recorded():
    def function(a, b):
        y = a * b
        y.grad = 2.0
        y._backward()

    agree(function, (1.5, -0.5), (3.0, 2.0))


cube = adjoint.op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
ramp = adjoint.op(
    "ramp",
    lambda m, x, z: m.where(x > z, m.exp(x) / z, m.maximum(x, 0.5)),
    lambda m, y, x, z: m.where(x > z, y, 1.0),
    lambda m, y, x, z: m.where((x > z) & m.equal(z, z), -y / z, 0.0),
)


def test_operations_of_users_are_recorded():
    def function(a, b):
        y = cube(a) * ramp(a, b) + cube(2.0)
        y.backward()
        return y, cube(a.data), ramp(b.data, 0.5)

    agree(function, (1.5, -0.5), (3.0, 2.0), (0.25, 0.25))


def test_operations_of_users_have_higher_derivatives():
    def function(a):
        cube(a).backward(create_graph=True)
        slope = a.grad
        a.zero_grad()
        slope.backward()
        return slope

    agree(function, (1.5,), (-3.0,))


def test_a_rule_with_control_flow_needs_the_number():
    step = adjoint.op("step", lambda m, x: 1.0 if x > 0 else 0.0, lambda m, y, x: 0.0)
    with pytest.raises(TraceError, match="control flow"):
        Recorded(step, 1.0)


def test_a_mistake_in_a_rule_is_that_of_the_rule():
    wrong = adjoint.op("wrong", lambda m, x: x + m.no_such_function(x), lambda m, y, x: 1.0)
    with pytest.raises(OpError, match="'wrong': its forward expression failed"):
        Recorded(wrong, 1.0)


class Metre(Value):
    """A subclass."""


def test_results_keep_the_subclass():
    def function(a):
        b = Metre(a.data)
        y = (b * 2.0 + a).tanh()
        assert type(y).__name__ == type(b).__name__ == "Metre"
        assert isinstance(-y, Metre)
        y.backward()
        return y, b.grad

    agree(function, (1.5,), (-3.0,))


def test_deep_chains_do_not_recurse():
    def function(x):
        y = x
        for _ in range(50_000 if adjoint.accelerated else 3_000):
            y = y * 0.9999 + 0.001
        y.backward()
        return y

    agree(function, (1.5,), (-3.0,))


def test_a_graph_computed_before_the_recording_is_not_part_of_it():
    a = Value(2.0)
    b = a * 3.0
    tape = Tape()
    with TapeRecording(tape), pytest.raises(TraceError, match="computed before the call"):
        (b * 2.0).backward()
    with TapeRecording(tape):
        (b.detach() * a).backward()  # its number is an input
    assert a.grad == 0.0


# --- the recording is only a mode ---


def test_a_value_kept_from_a_recording_cannot_be_used_later():
    kept, a = [], Value(2.0)
    tape = Tape()
    with TapeRecording(tape):
        b = a * 3.0
        kept += [b, a.data, Value(1.0), a + 1.0]
    number = kept.pop(1)
    uses = (lambda v: v.data, lambda v: v.grad, lambda v: v * 2.0, lambda v: 2.0 - v, lambda v: a * v, float,
            lambda v: v > 1, lambda v: v.tanh(), lambda v: v.detach(), lambda v: f"{v:.1f}", Value.item)  # fmt: skip
    for value in kept:
        for use in uses:
            with pytest.raises(TraceError, match="kept outside"):
                use(value)
        assert "?" in repr(value)
    for use in (lambda x: x + 1.0, lambda x: 2.0 * x, lambda x: -x, float, bool, lambda x: a * x, Value, adjoint.exp,
                lambda x: x < 1.0, lambda x: setattr(a, "data", x), abs):  # fmt: skip
        with pytest.raises(TraceError, match="kept outside"):
            use(number)
    with pytest.raises(TraceError):
        b.backward()
    other = Tape()
    with TapeRecording(other):
        for use in (lambda: b * 2.0, lambda: number + 1.0, lambda: a * number, lambda: b.data):
            with pytest.raises(TraceError, match="kept outside"):
                use()
    assert a.data == 2.0
    assert a.grad == 0.0
    assert repr(number) == "TracedNumber(float)"


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_an_exception_in_the_middle_changes_nothing(error):
    a, b, tape = Value(2.0, label="a"), Value(-3.0), Tape()
    b.grad = 5.0

    def function():
        loss = (a * b).tanh()
        loss.backward()
        a.data -= 0.1 * a.grad
        b.zero_grad()
        raise error

    with pytest.raises(error), TapeRecording(tape):
        function()
    assert (a.data, a.grad, b.data, b.grad) == (2.0, 0.0, -3.0, 5.0)
    (a * b).backward()
    assert (a.grad, b.grad) == (-3.0, 7.0)


def test_another_thread_computes_with_numbers_while_one_records():
    a, tape, found = Value(2.0), Tape(), []

    def compute():
        y = a * 3.0
        found.append((y.data, float(y > 1), a.data))

    with TapeRecording(tape):
        y = a * 5.0
        a.data = 100.0
        thread = threading.Thread(target=compute)
        thread.start()
        thread.join()
        assert isinstance(y.data, TracedNumber)
    assert found == [(6.0, 1.0, 2.0)]


def test_a_generator_and_nested_recordings_keep_their_tapes():
    a, outer, inner = Value(2.0), Tape(), Tape()
    with TapeRecording(outer):
        b = a * 2.0
        with TapeRecording(inner):
            a * 3.0
        c = b * a
        assert outer.is_made_here(c)
        assert not inner.is_made_here(c)
        assert not outer.is_made_here(a)
    assert outer.values == inner.values == [a]


def test_a_recording_without_end_is_an_error():
    tape = Tape()
    assert tape.limit == 20_000_000
    tape.limit = 1000

    def run_on(x):
        while True:
            x = x * 1.5

    with TapeRecording(tape), pytest.raises(TraceError, match="loop that does not end"):
        run_on(Value(1.0) + Value(2.0).detach() * tape.input(0))
    assert len(tape) <= 1000


def test_the_state_of_values_tells_inputs_and_entries():
    a, b, tape = Value(2.0), Value(3.0), Tape()
    with TapeRecording(tape):
        a.data = b.data * 2.0
        b.grad = 0.0
        c = a + 1.0
    assert tape.state(a)[2] != tape.state(a)[0]
    assert tape.state(a)[3] == -1
    data_input, grad_input, data, grad = tape.state(b)
    assert data_input >= 0
    assert grad_input == -1
    assert tape.kind(data) == 0
    assert tape.number(grad) == 0.0
    assert tape.state(c)[:2] == (-1, -1)
    assert sorted([a.data, b.data]) == [2.0, 3.0]


def test_values_and_numbers_can_be_copied_while_recording():
    def function(a, b):
        (a * b).backward()
        leaf, constant, number = copy.copy(a), copy.copy(Value(3.0)), copy.deepcopy(a.data)
        inner, graph = copy.copy(a * b), copy.deepcopy({"y": a * b})["y"]
        (leaf * b * constant + inner + graph).backward()
        return leaf, number, leaf.grad, constant.grad, graph, inner.grad

    agree(function, (1.5, 0.5), (2.0, -3.0))


def test_a_program_that_fails_changes_nothing():
    def function(a, x):
        a.data = a.data * x

    recorded = Recorded(function, 2.0, numbers=(3.0,))
    for program in (recorded.single, recorded.folded):
        for wrong in ((), ("x",)):
            with pytest.raises((IndexError, ValueError, TypeError)):
                recorded.run(program, (2.0,), wrong)
            assert recorded.values[0].data == 2.0


def test_a_program_computes_only_what_its_outputs_need():
    recorded = Recorded(lambda a: [a.exp() for _ in range(100)] and a * 2.0, 1.0)
    assert recorded.single.describe()["operations"] == 1
    assert recorded.run(recorded.single, (4.0,))[0] == 8.0
