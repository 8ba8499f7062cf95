"""The behavior of a Value, on the engine that is in use."""

import gc
import math
import operator
import sys
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, errors, grad, guards, no_grad
from adjoint.engine import native
from adjoint.engine.graph import backward_order
from adjoint.errors import GraphError, OperandError


def test_a_number_becomes_a_float():
    for number in (
        2,
        2.0,
        True,
        np.float64(2),
        np.float32(2),
        np.int64(2),
        np.array(2.0),
        Fraction(2),
        Decimal(2),
    ):
        value = Value(number)
        assert type(value.data) is float
        assert value.data == float(number)


def test_repr_shows_data_and_gradient_with_four_decimals():
    assert repr(Value(4.0)) == "Value(data=4.0000, grad=0.0000)"
    assert repr(Value(-1.23456, label="w")) == "Value(data=-1.2346, grad=0.0000, label='w')"
    assert repr(Value(1e-9)) == "Value(data=1.0000e-09, grad=0.0000)"
    assert repr(Value(math.nan)) == "Value(data=nan, grad=0.0000)"
    assert repr(Value(math.inf)) == "Value(data=inf, grad=0.0000)"


def test_a_value_formats_as_its_number():
    assert f"{Value(2.0):.2f}" == "2.00"
    assert f"{Value(2.0)}" == repr(Value(2.0))


def test_a_node_records_how_it_was_computed():
    a, b = Value(2.0, label="a"), Value(3.0)
    c = a * b
    assert c.parents == (a, b)
    assert c.op == "*"
    assert a.parents == ()
    assert a.op == ""
    assert (a.label, b.label) == ("a", "")
    b.label = "b"
    assert b.label == "b"


def test_a_constant_is_not_a_parent():
    a = Value(2.0)
    assert (a * 3).parents == (a,)
    assert (3 * a).parents == (a,)
    assert (a * a).parents == (a, a)


@pytest.mark.parametrize("number", [3, 3.0, True, np.float64(3), np.float32(3), np.int32(3), np.array(3.0)])
@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
def test_numbers_of_every_kind_work_on_either_side_of_an_operator(op, number):
    v = Value(2.0)
    for result, expected in (
        (op(v, number), op(2.0, float(number))),
        (op(number, v), op(float(number), 2.0)),
    ):
        assert type(result) is Value
        require_close(result.data, expected)
        assert result.parents == (v,)


def test_in_place_operators_make_new_nodes():
    a = Value(2.0)
    b = a
    b += 1
    b *= a
    b -= 3
    b /= 2
    b **= 2
    b.backward()
    assert b is not a
    assert a.data == 2.0
    require_close(a.grad, ((2 * 3 - 3) / 2) * (2 * 2 + 1))  # d/da ((a+1)a - 3)^2 / 4


def test_sum_starts_from_zero():
    values = [Value(float(i)) for i in range(5)]
    total = sum(values)
    total.backward()
    assert total.data == 10.0
    assert [v.grad for v in values] == [1.0] * 5


def test_comparisons_compare_the_data():
    a, b = Value(1.0), Value(2.0)
    assert a < b
    assert b > a
    assert a <= 1
    assert a >= np.float64(1)
    assert a < 10**400
    assert 1.5 < b  # noqa: SIM300
    assert not Value(math.nan) < b
    assert max([a, b]) is b
    assert sorted([b, a]) == [a, b]
    with pytest.raises(TypeError, match="'<' not supported between instances of 'Value' and 'str'"):
        a < "x"  # noqa: B015


def test_equality_and_hash_are_by_identity():
    a, b = Value(1.0), Value(1.0)
    assert a == a
    assert a != b
    assert len({a, b, a}) == 2
    assert a in [b, a]
    assert a not in [b, "a", None]


@pytest.mark.parametrize("number", [1.0, 1, True, np.float64(1.0), np.float32(1.0)])
def test_a_value_compared_with_a_plain_number_warns_that_identity_is_compared(number):
    a = Value(1.0, label="a")
    with pytest.warns(errors.IdentityComparisonWarning, match=r"label='a'\) == .* is always False.*Compare v\.data"):
        assert not a == number  # noqa: SIM201
    with pytest.warns(errors.IdentityComparisonWarning):
        assert a != number
    with guards(identity_comparison=False):
        assert a != number


class Alike(Value):
    """A subclass whose instances are equal if their numbers are."""

    def __eq__(self, other):
        return isinstance(other, Value) and self.data == other.data

    def __hash__(self):
        return hash(self.data)


def test_nodes_of_a_subclass_with_its_own_equality_are_told_apart_by_identity():
    a, b = Alike(2.0), Alike(2.0)
    assert a == b
    (3 * a + 5 * b).backward()
    assert (a.grad, b.grad) == (3.0, 5.0)
    first, second = Alike(2.0), Alike(2.0)
    (first * Value([1.0, 1.0]) + second * Value([1.0, 2.0])).sum().backward()
    assert (first.grad, second.grad) == (2.0, 3.0)
    slopes = grad(lambda x, y: 3 * x + 5 * y, argnums=(0, 1))(Alike(2.0), Alike(2.0))
    assert [slope.data for slope in slopes] == [3.0, 5.0]


def test_float_and_item_give_the_number():
    v = Value(2.5) * 2
    assert float(v) == 5.0
    assert type(v.item()) is float
    assert v.item() == 5.0


def test_detach_keeps_number_and_label_and_drops_the_history():
    a = Value(2.0, label="a")
    b = a * 3
    b.label = "b"
    c = b.detach()
    assert (c.data, c.label, c.parents, c.grad) == (6.0, "b", (), 0.0)


def test_leaves_accumulate_and_inner_nodes_are_assigned():
    a = Value(3.0)
    b = a * a
    c = b + 1
    c.backward()
    c.backward()
    assert a.grad == 12.0
    assert b.grad == 1.0
    assert c.grad == 1.0
    a.zero_grad()
    assert a.grad == 0.0


def test_backward_of_a_leaf_is_one():
    a = Value(3.0)
    with guards(missing_history=False):
        a.backward()
        a.backward()
    assert a.grad == 2.0


def test_backward_can_start_from_another_gradient():
    for gradient in (2.5, np.float64(2.5)):
        a = Value(3.0)
        (a * a).backward(gradient)
        assert a.grad == 15.0
    a = Value(3.0)
    (a * a).backward(gradient=2)
    assert a.grad == 12.0


def test_backward_through_a_freed_graph_is_an_error():
    a = Value(3.0)
    b = a * a
    c = b + 1
    c.backward(retain_graph=False)
    assert a.grad == 6.0
    assert c.parents == ()
    assert c.op == "+"
    with pytest.raises(GraphError, match=r"was freed by backward\(retain_graph=False\); compute the result again"):
        c.backward()
    with pytest.raises(GraphError, match="was freed"):
        (b * 2).backward()
    assert (a.grad, b.grad) == (6.0, 1.0)


def test_a_freed_graph_releases_its_nodes():
    made = []

    class Watched(Value):
        def __del__(self):
            made.append(self.data)

    a = Watched(2.0)
    c = (a * 3) + 1
    c.backward(retain_graph=False)
    assert made == [6.0]
    assert c.data == 7.0


def test_gradients_differentiate_to_any_order():
    x = Value(0.7)
    current = x.sin()
    for expected in (math.cos, lambda t: -math.sin(t), lambda t: -math.cos(t), math.sin, math.cos):
        x.zero_grad()
        current.backward(create_graph=True)
        current = x.grad
        assert isinstance(current, Value)
        require_close(current.data, expected(0.7))


def test_gradients_with_a_graph_accumulate_at_leaves_too():
    x = Value(3.0)
    y = x * x
    y.backward()
    y.backward(create_graph=True)
    assert float(x.grad) == 12.0
    y.backward()
    assert float(x.grad) == 18.0


def test_setting_the_gradient_takes_numbers_values_and_none():
    a = Value(1.0)
    a.grad = 2
    assert type(a.grad) is float
    a.grad = Value(3.0)
    assert isinstance(a.grad, Value)
    a.grad = None
    assert a.grad == 0.0
    a.grad += 4
    assert a.grad == 4.0


def test_setting_data_takes_every_number():
    a = Value(1.0)
    a.data = np.float32(2)
    assert type(a.data) is float
    a.data -= 0.5
    assert a.data == 1.5


@pytest.mark.long
def test_a_chain_of_a_million_nodes_builds_differentiates_and_is_freed():
    length = 1_000_000 if adjoint.accelerated else 100_000
    a = Value(1.0)
    b = a
    for _ in range(length // 2):
        b = b * 1.0
        b = b + 1e-9
    b.backward()
    assert a.grad == 1.0
    del b
    b = a
    for i in range(20_000):  # also nodes with labels
        b = b + 1
        b.label = str(i)
    b.backward(retain_graph=False)


def test_a_wide_fan_out_adds_up():
    a = Value(1.0)
    total = sum(a * float(i) for i in range(1000))
    total.backward()
    assert a.grad == sum(range(1000))


def test_a_hundred_diamonds_are_visited_once_each():
    a = Value(1.0)
    b = a
    for _ in range(100):
        b = b + b
    assert len(backward_order(b)) == 100
    b.backward()
    assert a.grad == 2.0**100


def test_the_order_visits_each_inner_node_before_its_parents():
    a, b = Value(2.0), Value(3.0)
    c = a * b
    d = c + a
    e = d * c
    place = {node: i for i, node in enumerate(backward_order(e))}
    assert set(place) == {c, d, e}
    assert place[e] < place[d] < place[c]


def test_numpys_functions_of_a_number_keep_its_graph():
    a = Value(0.5)
    b = np.exp(a) * np.float64(3)
    assert type(b) is Value
    b.backward()
    assert a.grad == b.data == 3 * math.exp(0.5)


def test_operations_of_a_subclass_return_the_subclass():
    class Tracked(Value):
        def cube(self):
            return self * self * self

    a = Tracked(2.0, label="a")
    a.note = "seen"
    b = (a * 3 + Value(1.0)).tanh()
    assert type(b) is Tracked
    assert type(1 - a) is Tracked
    assert type(Value(1.0) * a) is Tracked
    assert type(a.detach()) is Tracked
    c = a.cube()
    c.backward()
    assert (a.grad, a.note, repr(a)) == (12.0, "seen", "Tracked(data=2.0000, grad=12.0000, label='a')")
    c.backward(retain_graph=False)
    assert a.grad == 24.0


def test_a_subclass_with_its_own_constructor_works():
    class Weight(Value):
        def __init__(self, data, rate):
            super().__init__(data)
            self.rate = rate

    w = Weight(2.0, rate=0.1)
    (w * w).backward()
    w.data -= w.rate * w.grad
    require_close(w.data, 1.6)


def test_a_subclass_may_have_any_attribute():
    class Weight(Value): ...

    p = Weight(1.0)
    p.momentum = 0.5
    p.history = [p]
    assert p.momentum == 0.5
    assert vars(p)["history"] == [p]
    del p.momentum
    with pytest.raises(AttributeError):
        p.momentum  # noqa: B018


def test_a_closure_that_refers_to_its_node_is_collected():
    def watched():
        out = Value(2.0, (Value(1.0),), "f")
        witness = Witness()
        out._backward = lambda: (out, witness)

    class Witness:
        alive = 0

        def __init__(self):
            Witness.alive += 1

        def __del__(self):
            Witness.alive -= 1

    for _ in range(10):
        watched()
    gc.collect()
    assert Witness.alive == 0


def test_gradients_that_refer_back_to_their_leaf_are_collected():
    def use():
        x = Value(2.0)
        y = (x * x).tanh() * x
        y.backward(create_graph=True)

    use()
    gc.collect()
    before = _living_values()
    for _ in range(50):
        use()
    gc.collect()
    assert _living_values() == before


def _living_values() -> int:
    if adjoint.accelerated:
        return native.core.living_nodes()
    return sum(type(thing) is Value for thing in gc.get_objects())


@pytest.mark.long
def test_ten_thousand_training_steps_leave_memory_flat():
    steps = 10_000 if adjoint.accelerated else 1_000
    model = adjoint.nn.MLP(2, [3, 1], seed=1)

    def train(count):
        for _ in range(count):
            loss = (model([0.5, -1.0]) - 0.3) ** 2
            model.zero_grad()
            loss.backward()
            for p in model.parameters():
                p.data -= 0.01 * p.grad

    train(steps // 10)
    gc.collect()
    blocks, values = sys.getallocatedblocks(), _living_values()
    train(steps)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 200
    assert _living_values() == values


def test_threads_work_on_separate_graphs():
    shared = Value(2.0)
    results, errors = {}, []

    def work(i):
        try:
            own = Value(float(i))
            for _ in range(200):
                own.zero_grad()
                y = own
                for _ in range(50):
                    y = y * shared.detach() * 0.5 + own
                y.backward()
            results[i] = own.grad
        except Exception as error:  # pragma: no cover
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert set(results.values()) == {51.0}


def test_an_operator_defers_to_a_class_that_defines_its_reflection():
    class Vector:
        def __radd__(self, other):
            return "mine"

        def __rmul__(self, other):
            return NotImplemented

    assert Value(1.0) + Vector() == "mine"
    with pytest.raises(TypeError, match="unsupported operand"):
        Value(1.0) * Vector()


def test_no_grad_results_have_no_history():
    a = Value(2.0)
    with no_grad():
        b = (a * 3).tanh().maximum(a)
        c = adjoint.exp(b)
    assert (b.parents, c.parents, c.op) == ((), (), "")


def test_a_label_may_be_the_second_argument():
    assert Value(2.0, "a").label == "a"
    assert Value(2.0, label="a").label == "a"


def test_backward_by_hand_of_a_freed_node_passes_nothing_on():
    b = Value(2.0) * 3
    b.backward(retain_graph=False)
    with pytest.raises(GraphError, match="was freed"):
        b._backward()


@pytest.mark.parametrize("other", [Value(3.0), 3, 3.0, True, [1.0], "x"])
def test_the_matrix_product_of_numbers_is_an_error_that_suggests_multiplication(other):
    with pytest.raises(OperandError, match=r"cannot compute Value @ \w+: @ multiplies arrays.*use \*"):
        Value(2.0) @ other
    if not isinstance(other, Value):
        with pytest.raises(OperandError, match=r"cannot compute \w+ @ Value: @ multiplies arrays.*use \*"):
            other @ Value(2.0)


def test_the_matrix_product_defers_to_a_class_that_defines_it():
    class Own:
        def __matmul__(self, other):
            return "left"

        def __rmatmul__(self, other):
            return "right"

    assert Own() @ Value(2.0) == "left"
    assert Value(2.0) @ Own() == "right"


@pytest.mark.parametrize("make", [Value, lambda x: Value([x, 1.0])])
@pytest.mark.parametrize(("x", "z"), [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-7.5, -2.0), (1.0, 0.1), (6.0, 3.0)])
def test_modulo_and_floor_division_follow_python_and_pass_gradients(make, x, z):
    def first(y):
        return y.data if isinstance(y.data, float) else y.data[0]

    quotient, rest = divmod(x, z)
    a, b = make(x), make(z)
    for found in (a // b, a // z, x // b, divmod(a, b)[0], divmod(x, b)[0]):
        assert first(found) == quotient
    for found in (a % b, a % z, x % b, divmod(a, b)[1], divmod(x, b)[1]):
        assert first(found) == rest
    seed = 1.0 if isinstance(a.data, float) else [1.0, 0.0]
    (a % b + 2 * (a // b)).backward(seed)
    assert np.ravel(a.grad)[0] == 1.0
    assert np.ravel(b.grad)[0] == -quotient


def test_modulo_and_floor_division_by_zero_follow_ieee():
    v = Value(3.0)
    assert math.isnan((v % 0).data)
    assert (v // 0).data == math.inf
    assert (-v // Value(0.0)).data == -math.inf
    assert math.isnan((Value(math.inf) % 2).data)


def test_a_plus_sign_returns_the_value_itself():
    v, t = Value(2.0), Value([1.0, 2.0])
    assert +v is v
    assert +t is t


def test_modulo_of_a_string_is_an_error_of_ours():
    with pytest.raises(OperandError, match="Value % str"):
        Value(2.0) % "x"
    with pytest.raises(OperandError, match="list // Value"):
        [1] // Value(2.0)
