"""Copies and pickles keep numbers, gradients, labels, histories and identities, or raise an error."""

import copy
import importlib.util
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import adjoint
from adjoint import Value, errors
from adjoint.engine.graph import leaves_of


def pickle_round_trip(x):
    return pickle.loads(pickle.dumps(x))


both = pytest.mark.parametrize("duplicate", [pickle_round_trip, copy.deepcopy], ids=["pickle", "deepcopy"])
all_three = pytest.mark.parametrize(
    "duplicate", [pickle_round_trip, copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"]
)


def graph():
    """Return a graph with shared nodes, constants on both sides, and rows with one, two and default operands."""
    a, b = Value(0.5, label="a"), Value(-1.5, label="b")
    shared = a * b
    shared.label = "shared"
    out = (shared.tanh() + shared) / (2 - a) + b.leaky_relu(0.1) ** 2 + 3 ** a.maximum(b)
    out.label = "out"
    return a, b, shared, out


def nodes_of(root):
    """Return all nodes that `root` depends on, each once, in an order that depends only on the structure."""
    seen, waiting = {}, [root]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen[node] = None
            waiting.extend(node.parents)
    return list(seen)


def describe(root):
    nodes = nodes_of(root)
    place = {node: i for i, node in enumerate(nodes)}
    return [(v.data, v.grad, v.label, v.op, tuple(place[p] for p in v.parents)) for v in nodes]


# --- leaves --------------------------------------------------------------------------------------


@all_three
def test_a_leaf_keeps_data_gradient_and_label(duplicate):
    x = Value(2.5, label="x")
    x.grad = -0.75
    y = duplicate(x)
    assert y is not x
    assert type(y) is Value
    assert (y.data, y.grad, y.label, y.parents, y.op) == (2.5, -0.75, "x", (), "")


@all_three
def test_a_copy_of_a_leaf_is_independent(duplicate):
    x = Value(2.0)
    y = duplicate(x)
    y.data, y.grad, y.label = 7.0, 8.0, "y"
    assert (x.data, x.grad, x.label) == (2.0, 0.0, "")
    (y * y).backward()
    assert (x.grad, y.grad) == (0.0, 22.0)


@all_three
@pytest.mark.parametrize("data", [0.1, -0.0, 5e-324, 1.7976931348623157e308, float("inf")])
def test_a_number_is_restored_to_the_last_bit(duplicate, data):
    assert duplicate(Value(data)).data.hex() == data.hex()


@all_three
def test_nan_is_restored(duplicate):
    y = duplicate(Value(float("nan")))
    assert y.data != y.data


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_of_pickle_is_supported(protocol):
    _, _, _, out = graph()
    out.backward()
    loaded = pickle.loads(pickle.dumps(out, protocol))
    assert describe(loaded) == describe(out)


# --- graphs --------------------------------------------------------------------------------------


@both
def test_a_graph_with_shared_nodes_is_restored_with_the_same_structure(duplicate):
    _, _, _, out = graph()
    out.backward()
    copied = duplicate(out)
    assert describe(copied) == describe(out)
    assert not set(nodes_of(copied)) & set(nodes_of(out))


@both
def test_gradients_are_equal_after_a_round_trip(duplicate):
    a, b, _, out = graph()
    copied = duplicate(out)
    copied.backward()
    assert (a.grad, b.grad, out.grad) == (0.0, 0.0, 0.0)
    out.backward()
    assert describe(copied) == describe(out)
    copied_leaves = {v.label: v for v in nodes_of(copied) if not v.parents}
    assert (copied_leaves["a"].grad, copied_leaves["b"].grad) == (a.grad, b.grad)


@both
def test_second_derivatives_are_equal_after_a_round_trip(duplicate):
    x = Value(2.0)
    y = duplicate(x**3)
    (leaf,) = [v for v in nodes_of(y) if not v.parents]
    y.backward(create_graph=True)
    slope = leaf.grad
    leaf.zero_grad()
    slope.backward()
    assert (slope.data, leaf.grad) == (12.0, 12.0)


@both
def test_a_leaf_copied_with_its_loss_stays_the_same_object_in_both(duplicate):
    leaf = Value(3.0, label="w")
    other, loss = duplicate([leaf, leaf * leaf + 1])
    loss.backward()
    assert other.grad == 6.0
    assert leaf.grad == 0.0


@both
def test_a_leaf_shared_by_two_losses_stays_shared(duplicate):
    leaf = Value(3.0)
    first, second = duplicate((leaf * 2, leaf * 5))
    first.backward()
    second.backward()
    assert first.parents[0] is second.parents[0]
    assert first.parents[0].grad == 7.0


@both
def test_a_value_that_is_in_a_container_twice_stays_one_object(duplicate):
    x = Value(1.0)
    y = x * 2
    copied = duplicate({"x": x, "again": x, "y": y, "y again": y})
    assert copied["x"] is copied["again"] is copied["y"].parents[0]
    assert copied["y"] is copied["y again"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("duplicate", "size"),
    [pytest.param(pickle_round_trip, 100_000, marks=pytest.mark.full), (copy.deepcopy, 20_000)],
    ids=["pickle", "deepcopy"],
)
def test_a_graph_of_a_hundred_thousand_nodes_is_copied_without_recursion(duplicate, size):
    x = Value(1.0, label="x")
    chain = x
    for _ in range(size // 2):
        chain = (chain + 1) * 0.5
    copied = duplicate(chain)
    assert copied.data == chain.data
    copied.backward()
    count, node = 0, copied
    while node.parents:
        (node,) = node.parents
        count += 1
    assert count == size
    assert (node.label, node.data) == ("x", 1.0)
    assert copied.parents[0].parents[0].grad == 0.5
    assert (x.grad, chain.grad) == (0.0, 0.0)


def test_a_sum_of_ten_thousand_leaves_pickles_together_with_them():
    leaves = [Value(float(i)) for i in range(10_000)]
    loaded, total = pickle_round_trip((leaves, sum(leaves)))
    total.backward()
    assert total.data == 10_000 * 9_999 / 2
    assert all(leaf.grad == 1.0 for leaf in loaded)


def test_a_shallow_copy_of_a_node_has_the_same_parents():
    a, b = Value(2.0), Value(5.0)
    out = a * b
    out.label = "out"
    twin = copy.copy(out)
    assert twin is not out
    assert (twin.data, twin.label, twin.op) == (10.0, "out", "*")
    assert twin.parents[0] is a
    assert twin.parents[1] is b
    twin.backward()
    assert (a.grad, b.grad, out.grad) == (5.0, 2.0, 0.0)


def test_a_shallow_copy_of_a_node_with_constants_keeps_them():
    a = Value(2.0, label="a")
    out = 10 - a
    twin = copy.copy(out)
    assert adjoint.draw(twin) == adjoint.draw(out)
    twin.backward()
    assert (twin.data, a.grad) == (8.0, -1.0)


@both
def test_a_gradient_that_is_a_value_is_kept_as_its_number(duplicate):
    x = Value(2.0)
    (x**3).backward(create_graph=True)
    y = duplicate(x)
    assert y.grad == 12.0
    assert type(y.grad) is float


# --- subclasses and attributes -------------------------------------------------------------------


class Named(Value):
    """A subclass that adds a constructor and attributes."""

    def __init__(self, data, name="", unit=None):
        super().__init__(data)
        self.name, self.unit = name, unit


@all_three
def test_a_subclass_keeps_its_class_and_attributes(duplicate):
    x = Named(2.0, name="length", unit=["m"])
    x.grad, x.label = 3.0, "l"
    y = duplicate(x)
    assert type(y) is Named
    assert (y.data, y.grad, y.label, y.name, y.unit) == (2.0, 3.0, "l", "length", ["m"])


@both
def test_a_deep_copy_copies_attributes(duplicate):
    x = Named(2.0, unit=["m"])
    duplicate(x).unit.append("s")
    assert x.unit == ["m"]


@both
def test_a_graph_of_a_subclass_keeps_its_classes_and_attributes(duplicate):
    x = Named(2.0, name="x")
    out = x * x + Value(1.0)
    out.note = "result"
    copied = duplicate(out)
    copied.backward()
    (leaf,) = [v for v in nodes_of(copied) if type(v) is Named and not v.parents]
    assert type(copied) is Named
    assert (copied.note, leaf.name, leaf.grad) == ("result", "x", 4.0)


def test_an_attribute_that_refers_to_the_graph_is_restored_as_the_same_cycle():
    x = Named(2.0)
    loss = x * 3
    x.loss = loss
    loaded = pickle_round_trip(loss)
    assert loaded.parents[0].loss is loaded


# --- custom operations ---------------------------------------------------------------------------


def cube_forward(m, x):
    return x * x * x


def cube_slope(m, y, x):
    return 3 * x * x


cube = adjoint.op("cube", cube_forward, cube_slope)
square = adjoint.op("square", lambda m, x: x * x, lambda m, y, x: 2 * x)


@both
def test_an_op_of_functions_with_names_is_copied_with_its_graph(duplicate):
    x = Value(2.0)
    leaf, out = duplicate([x, cube(x) * 2])
    out.backward()
    assert out.parents[0].op == "cube"
    assert leaf.grad == 24.0
    leaf.zero_grad()
    out.backward(create_graph=True)
    slope = leaf.grad
    leaf.zero_grad()
    slope.backward()
    assert leaf.grad == 24.0  # the second derivative of 2x³ at 2


def test_pickling_an_op_of_lambdas_raises_an_error_that_says_what_to_do():
    x = Value(2.0)
    with pytest.raises(errors.CopyError, match="op 'square' cannot be pickled: its rules are lambdas") as raised:
        pickle.dumps(square(x) + 1)
    assert isinstance(raised.value, TypeError)
    assert "functions at the top of a module" in str(raised.value)
    assert "detach()" in str(raised.value)


def test_an_op_of_lambdas_is_deep_copied():
    leaf, out = copy.deepcopy([x := Value(3.0), square(x) + 1])
    out.backward()
    assert (leaf.grad, x.grad) == (6.0, 0.0)


def test_a_detached_result_of_an_op_of_lambdas_pickles():
    assert pickle_round_trip(square(Value(3.0)).detach()).data == 9.0


def test_the_rows_of_the_table_pickle_by_name():
    assert pickle_round_trip(adjoint.tanh) is adjoint.tanh
    assert pickle_round_trip([adjoint.add, adjoint.pow]) == [adjoint.add, adjoint.pow]
    assert copy.deepcopy(adjoint.exp) is adjoint.exp


# --- what cannot be copied -----------------------------------------------------------------------


def by_hand():
    x = Value(2.0)
    out = Value(4.0, (x,), "square", label="by_hand")
    out._backward = lambda: None
    return out


@all_three
def test_copying_a_node_with_a_closure_raises_an_error(duplicate):
    with pytest.raises(errors.CopyError, match=r"label='by_hand'.*_backward written by hand") as raised:
        duplicate(by_hand())
    assert isinstance(raised.value, TypeError)
    assert "detach()" in str(raised.value)
    assert "adjoint.op" in str(raised.value)


@both
def test_copying_a_graph_with_a_closure_in_it_raises_an_error(duplicate):
    with pytest.raises(errors.CopyError, match="label='by_hand'"):
        duplicate((by_hand() * 2 + 1).tanh())


@both
def test_copying_a_node_with_a_replaced_backward_raises_an_error(duplicate):
    node = Value(2.0) * 3
    node._backward = lambda: None
    with pytest.raises(errors.CopyError, match="_backward written by hand"):
        duplicate(node)


@all_three
def test_copying_a_freed_node_raises_an_error(duplicate):
    b = Value(2.0) * 3
    b.backward(retain_graph=False)
    with pytest.raises(errors.CopyError, match=r"was freed.*detach\(\)"):
        duplicate(b)


@all_three
def test_a_value_that_cannot_be_copied_can_be_copied_when_detached(duplicate):
    assert duplicate(by_hand().detach()).data == 4.0


# --- from one engine to the other ----------------------------------------------------------------

OTHER_ENGINE = """
import pickle, sys
import adjoint
from adjoint import Value, nn
assert adjoint.accelerated is not {accelerated}
{program}
"""


def run_on_the_other_engine(program, given=b""):
    """Run a program in another process, on the engine that this process does not use."""
    if importlib.util.find_spec("adjoint.engine._core") is None:
        pytest.skip("the native core is not built here, so there is only one engine")
    source = OTHER_ENGINE.format(accelerated=adjoint.accelerated, program=program)
    environment = os.environ | {"ADJOINT_PURE": "1" if adjoint.accelerated else ""}
    done = subprocess.run(
        [sys.executable, "-c", source], input=given, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_a_graph_pickled_on_the_other_engine_is_loaded_here():
    written = run_on_the_other_engine("""
a, b = Value(0.5, label="a"), Value(-1.5, label="b")
shared = a * b
out = (shared.tanh() + shared) / (2 - a) + b.leaky_relu(0.1) ** 2
out.backward()
leaves, root = [a, b], out
pickle.dump((leaves, root), sys.stdout.buffer)
""")
    (a, b), out = pickle.loads(written)
    x, z = Value(0.5), Value(-1.5)
    shared = x * z
    expected = (shared.tanh() + shared) / (2 - x) + z.leaky_relu(0.1) ** 2
    expected.backward()
    assert (out.data, a.grad, b.grad, a.label) == (expected.data, x.grad, z.grad, "a")
    out.backward()
    assert (a.grad, b.grad) == (2 * x.grad, 2 * z.grad)


def test_a_graph_pickled_here_is_loaded_on_the_other_engine():
    a, b, _, out = graph()
    given = pickle.dumps(([a, b], out))
    printed = run_on_the_other_engine(
        """
(a, b), out = pickle.load(sys.stdin.buffer)
out.backward()
print(out.data.hex(), a.grad.hex(), b.grad.hex(), out.label, len(out.parents))
""",
        given,
    )
    out.backward()
    expected = [out.data.hex(), a.grad.hex(), b.grad.hex(), "out", "2"]
    assert printed.decode().split() == expected


def test_a_network_pickled_here_gives_the_same_output_on_the_other_engine():
    model = adjoint.nn.MLP(3, [4, 1], seed=3)
    printed = run_on_the_other_engine(
        "print(pickle.load(sys.stdin.buffer)([1.0, -2.0, 0.5]).data.hex())", pickle.dumps(model)
    )
    assert printed.decode().strip() == model([1.0, -2.0, 0.5]).data.hex()


class Slotted(Value):
    __slots__ = ("extra",)


def test_a_subclass_keeps_the_slots_that_it_adds():
    v = Slotted(2.0)
    v.extra = "kept"
    for copied in (copy.copy(v), copy.deepcopy(v), pickle.loads(pickle.dumps(v)), copy.copy(v * 2)):
        assert type(copied) is Slotted
    assert copy.copy(v).extra == copy.deepcopy(v).extra == pickle.loads(pickle.dumps(v)).extra == "kept"


def test_a_network_with_a_linear_output_pickles():
    model = adjoint.nn.MLP(2, [2, 1], output_activation="linear", seed=1)
    again = pickle.loads(pickle.dumps(model))
    assert again([1.0, 2.0]).data == model([1.0, 2.0]).data


def test_copying_an_op_returns_the_same_op():
    assert copy.copy(square) is square
    assert copy.deepcopy(square) is square


def test_pickling_an_op_of_inner_functions_raises_an_error():
    def forward(m, x):
        return x

    def slope(m, y, x):
        return 1.0

    with pytest.raises(errors.CopyError, match="inside another function"):
        pickle.dumps(adjoint.op("same", forward, slope)(Value(1.0)))


def test_copying_a_graph_with_a_freed_part_raises_an_error():
    b = Value(1.0) * 2
    b.backward(retain_graph=False)
    for frozen in (b, b * 2):
        with pytest.raises(errors.CopyError, match="freed"):
            pickle.dumps(frozen)


def test_a_leaf_that_names_an_operation_keeps_the_name():
    assert copy.copy(Value(1.0, (), "relu")).op == "relu"


# --- arrays --------------------------------------------------------------------------------------


@all_three
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_array_keeps_data_dtype_gradient_and_label(duplicate, dtype):
    w = Value(np.array([[1.5, -2.5]], dtype), label="w")
    w.grad = [[0.25, 0.5]]
    v = duplicate(w)
    assert v is not w
    assert (v.data.tolist(), v.grad.tolist(), v.label, v.parents) == ([[1.5, -2.5]], [[0.25, 0.5]], "w", ())
    assert (v.dtype, v.grad.dtype) == (dtype, dtype)


@all_three
def test_a_copy_of_an_array_is_independent(duplicate):
    w = Value([1.0, 2.0])
    w.grad = [3.0, 4.0]
    v = duplicate(w)
    v.data -= 10.0
    v.grad *= 2.0
    assert (w.data.tolist(), w.grad.tolist()) == ([1.0, 2.0], [3.0, 4.0])


def array_graph():
    """Return a graph of numbers and arrays, with constants, views, indices and an operation with several results."""
    w, a = Value([[0.5, -1.5], [2.0, 0.25]], label="w"), Value(0.75, label="a")
    h = (np.ones((3, 2)) @ w + a).tanh()
    values = adjoint.linalg.eigh(w @ w.mT)[0]
    out = (h[:, [0, 0]] * h.max(axis=1, keepdims=True)).sum() + values[0] * w[1].reshape(2, 1).sum()
    return w, a, out


@both
def test_a_graph_of_arrays_gives_the_same_gradients_after_a_round_trip(duplicate):
    w, a, out = array_graph()
    (w2, a2), out2 = duplicate(((w, a), out))
    out2.backward()
    assert w.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    out.backward()
    assert (out2.item(), w2.grad.tolist(), a2.grad) == (out.item(), w.grad.tolist(), a.grad)
    out2.backward(create_graph=True)
    assert not np.shares_memory(w.data, w2.data)


def test_a_shallow_copy_of_an_array_node_has_the_same_parents():
    w = Value([1.0, 2.0])
    y = w * 3.0
    twin = copy.copy(y)
    assert twin.parents[0] is w
    twin.sum().backward()
    assert w.grad.tolist() == [3.0, 3.0]


@both
def test_a_gradient_that_is_an_array_value_is_kept_as_its_numbers(duplicate):
    w = Value([1.0, 2.0])
    (w**3).sum().backward(create_graph=True)
    v = duplicate(w)
    assert type(v.grad) is np.ndarray
    assert v.grad.tolist() == [3.0, 12.0]


@all_three
def test_copying_an_array_node_that_was_freed_or_made_by_hand_raises_an_error(duplicate):
    y = (Value([1.0, 2.0]) * 3.0).sum()
    y.backward(retain_graph=False)
    with pytest.raises(errors.CopyError, match=r"was freed.*detach\(\)"):
        duplicate(y)
    y = Value([1.0, 2.0]) * 3.0
    y._backward = lambda: None
    with pytest.raises(errors.CopyError, match="_backward written by hand"):
        duplicate(y)


def test_arrays_pickled_here_are_loaded_on_the_other_engine():
    w, a, out = array_graph()
    printed = run_on_the_other_engine(
        """
(w, a), out = pickle.load(sys.stdin.buffer)
out.backward()
print(out.item().hex(), w.grad.tobytes().hex(), a.grad.hex())
""",
        pickle.dumps(((w, a), out)),
    )
    out.backward()
    assert printed.decode().split() == [out.item().hex(), w.grad.tobytes().hex(), a.grad.hex()]


# --- data that was assigned after it was used ----------------------------------------------------


@all_three
@pytest.mark.parametrize("change", ["assigned", "changed through a view"])
def test_a_copy_refuses_the_backward_pass_that_the_original_refuses(duplicate, change):
    w = Value([1.0, 2.0])
    used = w if change == "assigned" else w[::-1]
    y = (used * used).sum()
    w.data += 4.0
    for value in (y, duplicate(y)):
        with pytest.raises(errors.GraphError, match="was assigned after"):
            value.backward()


@all_three
def test_a_copy_of_a_graph_made_after_an_assignment_has_the_gradients_of_the_original(duplicate):
    w = Value([1.0, 2.0])
    w.data = [3.0, 5.0]
    y = duplicate((w * w).sum())
    y.backward()
    (leaf,) = leaves_of(y)
    assert leaf.grad.tolist() == [6.0, 10.0]


def test_nan_among_the_numbers_of_an_array_does_not_count_as_modified():
    x, w = Value(float("nan")), Value([1.0, 2.0])
    (x * w).sum().backward(create_graph=True)
    assert np.asarray(x.grad.data) == 3.0
    assert np.isnan(w.grad.data).all()


@all_three
def test_a_copy_keeps_the_numbers_that_its_arrays_were_computed_with(duplicate):
    x, w = Value(3.0), Value([1.0, 2.0])
    y = (x * w).sum()
    x.data = 7.0
    again = duplicate(y)
    again.backward()
    assert [np.sum(leaf.grad) for leaf in leaves_of(again)] == [3.0, 6.0]
    with pytest.raises(errors.GraphError, match="was modified after the forward pass"):
        again.backward(create_graph=True)
