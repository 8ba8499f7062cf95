"""Graphs that are computed again with other numbers."""

from closeness import require_close

from adjoint import Value, nn
from adjoint.engine.graph import leaves_of
from adjoint_lab.replay import MAX_INPUTS, Replay


def test_a_replay_equals_a_new_computation_and_does_not_change_the_graph():
    def program(a, b):
        return (a * b + a).tanh() / (1 + b**2)

    a, b = Value(0.5, label="a"), Value(-1.5, label="b")
    replay = Replay(program(a, b))
    moved = replay({"a": 2.0})
    moved.backward()
    again = Value(2.0), Value(-1.5)
    expected = program(*again)
    expected.backward()
    assert moved.data == expected.data
    assert {leaf.label: leaf.grad for leaf in leaves_of(moved)} == {
        "a": again[0].grad,
        "b": again[1].grad,
    }
    assert (a.data, a.grad) == (0.5, 0.0)


def test_scalars_in_a_graph_of_arrays_can_be_moved():
    scale = Value(2.0, label="scale")
    replay = Replay((Value([[1.0, 2.0], [3.0, 4.0]]) @ Value([1.0, 1.0]) * scale).sum())
    assert replay.inputs == {"scale": 2.0}
    require_close(replay({"scale": 3.0}).data, 30.0)


def test_operations_written_by_hand_cannot_be_replayed():
    a = Value(2.0, label="a")
    out = Value(4.0, (a,), "twice")
    out._backward = lambda: None
    assert Replay(out).inputs == {}


def test_the_number_of_inputs_is_limited():
    model = nn.MLP(3, [4, 4, 1], seed=0)
    assert len(Replay(model([1.0, 2.0, 3.0])).inputs) == MAX_INPUTS
