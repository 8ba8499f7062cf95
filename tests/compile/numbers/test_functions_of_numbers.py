"""Functions of single numbers under jit: what the tape takes from its surroundings, and what it gives back."""

import collections
import itertools
import math
import pickle
import random
import sys
import warnings

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, jit
from adjoint.compile.numbers.recorder import NumberArray
from adjoint.compile.numbers.tape import ArraysNeeded
from adjoint.errors import CopyError, GraphError, NumberError, RandomNumbersWarning, TraceError


def descend(w, loss):
    """Return a step of gradient descent, which returns the loss."""

    def step(*arguments):
        found = loss(w, *arguments)
        w.zero_grad()
        found.backward()
        w.data -= 0.1 * w.grad
        return found

    return step


def test_a_hook_that_is_registered_or_removed_between_calls_counts():
    w = Value(1.0)
    step = jit(descend(w, lambda w: w * w))
    step()
    assert w.data == 0.8
    remove = w.register_hook(lambda gradient: 0.0 * gradient)
    step()
    assert w.data == 0.8
    remove()
    step()
    require_close(w.data, 0.64)


def test_programs_tell_values_with_hooks_from_others():
    p = [Value(1.0), Value(1.0)]
    p[0].register_hook(lambda gradient: gradient + 1.0)

    @jit
    def step():
        sum(w * w for w in p).backward()

    step()
    assert [w.grad for w in p] == [3.0, 2.0]
    p.reverse()
    step()
    assert [w.grad for w in p] == [4.0, 6.0]


def test_gradients_pass_a_hook_once_outside_of_a_pure_function():
    x = Value(3.0)
    x.register_hook(lambda gradient: 10 * gradient)
    jit(lambda x: x * x)(x).backward()
    assert x.grad == 60.0


def test_gradients_that_are_values_accumulate():
    p = [Value(0.2), Value(3.0)]

    @jit
    def step():
        sum(w * w for w in p).backward(create_graph=True)

    step()
    step()
    assert [w.grad.data for w in p] == [0.8, 12.0]


class Angle(Value):
    pass


def test_results_keep_the_class_of_a_value():
    angle = [Angle(1.0)]
    assert type(jit(lambda: angle[0] * 2)()) is Angle


def test_the_loss_of_a_training_step_has_no_graph_outside():
    with pytest.raises(GraphError):
        jit(descend(Value(2.0), lambda w, x: (w * x - 1) ** 2))(3.0).backward()


def test_a_pure_function_differentiates_to_any_order():
    cube = jit(lambda x, k: k * x * x * x)
    x = Value(2.0)
    cube(x, 5.0).backward(create_graph=True)
    slope, x.grad = x.grad, 0.0
    slope.backward(create_graph=True)
    curvature, x.grad = x.grad, 0.0
    curvature.backward()
    assert (slope.data, curvature.data, x.grad) == (60.0, 60.0, 30.0)


def test_a_value_that_was_computed_outside_passes_gradients_on():
    x = Value(2.0)
    jit(lambda y: y * y)(x * 3.0).backward()
    assert x.grad == 36.0


def test_backward_inside_refuses_a_value_that_was_computed_outside():
    y = Value(2.0) * 3.0

    @jit
    def step(y):
        (y * y).backward()

    with pytest.raises(TraceError, match="computed outside"):
        step(y)


# --- numbers ---


def test_numbers_have_the_types_of_python():
    f = jit(lambda x, k: (x * k, k + 1, k > 2, k**2, k / 2, -k))
    assert f(2.0, 3) == (6.0, 4, True, 9, 1.5, -3)
    assert [type(x) for x in f(2.0, 3)] == [float, int, bool, int, float, int]


def test_integers_that_a_float_does_not_hold_are_an_error():
    f = jit(lambda k: k * k)
    assert f(3) == 9
    with pytest.raises(NumberError, match="2\\*\\*53"):
        f(10**9)


def test_lists_of_numbers_that_a_step_changes_are_read_and_stored_whole():
    p, means, times = [Value(0.0), Value(1.0), Value(2.0)], [0.0, 0.0, 0.0], []

    @jit
    def step():
        times.append(0)
        times.pop()
        for i, w in enumerate(p):
            means[i] = 0.5 * means[i] + w.data
            w.data -= 0.25 * means[i]

    expected_p, expected = [0.0, 1.0, 2.0], [0.0, 0.0, 0.0]
    for k in range(5):
        step()
        for i in range(3):
            expected[i] = 0.5 * expected[i] + expected_p[i]
            expected_p[i] -= 0.25 * expected[i]
        assert means == expected
        assert [w.data for w in p] == expected_p
        if k == 2:
            means[1] = expected[1] = 7.0
    means[0] = 3  # another type: another program
    step()
    assert means[0] == 1.5 + p[0].data + 0.25 * means[0]


def test_the_numbers_of_an_array_are_inputs():
    w = Value(1.0)
    step = jit(descend(w, lambda w, rows, labels: sum((w * x[0] + x[1] - y) ** 2 for x, y in zip(rows, labels))))
    eager = Value(1.0)
    reference = descend(eager, lambda w, rows, labels: sum((w * x[0] + x[1] - y) ** 2 for x, y in zip(rows, labels)))
    for k in range(3):
        rows, labels = np.arange(6.0).reshape(3, 2) / 10 + k, np.array([1.0, 2.0, 3.0])
        require_close(step(rows, labels).data, reference(rows, labels).data)
        require_close(w.data, eager.data)


def test_an_array_of_numbers_is_indexed_like_an_array():
    whole = np.arange(12).reshape(3, 4)
    x = NumberArray(np.arange(12).reshape(3, 4), whole.ravel().tolist())
    assert (x[1, 2], x[-1][0], x[2, -1]) == (6, 8, 11)
    assert x.tolist() == whole.tolist()
    assert x[1:].tolist() == whole[1:].tolist()
    assert x[:, 1].tolist() == whole[:, 1].tolist()
    assert (x[::2].shape, x[:, 1:3].shape, len(x), x.ndim, x.size) == ((2, 4), (3, 2), 3, 2, 12)
    assert [row.tolist() for row in x] == whole.tolist()
    with pytest.raises(IndexError):
        x[3]
    assert x[[2, 0]].tolist() == whole[[2, 0]].tolist()
    assert x[np.array([True, False, True])].tolist() == whole[[0, 2]].tolist()
    assert (x.T.tolist(), x.reshape(2, 6).tolist()) == (whole.T.tolist(), whole.reshape(2, 6).tolist())
    for use in (lambda: x + 1, lambda: 2 * x, lambda: x.mean, lambda: x == x, lambda: np.asarray(x), lambda: x[x]):
        with pytest.raises(ArraysNeeded):
            use()


HIDDEN = Value(2.0)


def test_a_value_that_jit_cannot_find_is_an_error():
    with pytest.raises(TraceError, match="pass it as an argument"):
        jit(lambda x: sys.modules[__name__].HIDDEN * x)(3.0)  # jit looks for globals that the code names


def test_what_a_method_in_c_is_bound_to_is_found():
    find = [Value(2.0)].__getitem__
    assert float(jit(lambda x: find(0) * x)(3.0)) == 6.0


def test_a_name_of_an_attribute_is_not_a_global():
    class Counter:
        pass

    counter = Counter()
    counter.__dict__["pytestmark_count"] = 1.0

    @jit
    def step(x):
        return x * counter.pytestmark_count

    globals()["pytestmark_count"] = 5.0
    assert step(2.0) == 2.0
    globals()["pytestmark_count"] = 6.0
    program = step.program
    assert step(3.0) == 3.0
    assert step.program is program
    del globals()["pytestmark_count"]


def test_hidden_numbers_are_an_error_and_change_nothing():
    w = Value(2.0)

    @jit
    def step():
        w.data -= 1.0
        return float(w.data)

    with pytest.raises(TraceError, match="needs the number itself"):
        step()
    assert w.data == 2.0


@pytest.mark.parametrize("count", [1, 3, 4, 7, 8, 9, 33, 100])
def test_any_number_of_samples_gives_the_eager_results(count):
    points = [(0.1 * i - 1.0, 0.7 - 0.03 * i * i) for i in range(count)]

    def train(wrap):
        p = [Value(0.3), Value(-0.2), Value(0.1), Value(0.5)]

        @wrap
        def step():
            hidden = [[(p[0] * x + p[1]).tanh(), (p[2] * y + p[1]).relu()] for x, y in points]
            loss = sum((a * p[3] + b - 0.5) ** 2 for a, b in hidden) + 0.01 * sum(w * w for w in p)
            for w in p:
                w.zero_grad()
            loss.backward()
            for w in p:
                w.data -= 0.01 * w.grad
            return loss.data

        return [step() for _ in range(3)] + [w.data for w in p] + [w.grad for w in p]

    require_close(train(jit), train(lambda f: f))


def test_the_program_says_what_it_found():
    step = jit(descend(Value(2.0), lambda w, x: (w * x - 1) ** 2))
    step(3.0)
    assert "operations" in str(step.program)


def test_a_list_of_numbers_that_should_become_an_array_is_an_error_of_jit():
    pytest.importorskip("jax")
    with pytest.raises(TraceError, match="needs a NumPy array"):
        jit(lambda x, y: adjoint.sum([x, y]))(1.0, 2.0)


# --- errors and warnings ---


def message_of(function, *arguments):
    with pytest.raises(TraceError) as found:
        jit(function)(*arguments)
    return str(found.value)


def test_errors_say_what_to_write_instead():
    w = Value(2.0)
    assert "adjoint.sqrt(x)" in message_of(lambda: w * math.sqrt(w.data))
    assert "adjoint.minimum(a, b)" in message_of(lambda: min(1.0, w.data))
    assert "return the number and decide outside" in message_of(lambda: w if w.data > 0 else -w)
    assert "static_argnames='k'" in message_of(lambda k: [1.0, 2.0][k], 1)
    assert "print it outside" in message_of(lambda: f"loss {w.data}")
    assert "print it outside" in message_of(lambda: print(w.data))


def test_many_values_and_whole_arrays_are_an_error():
    p = [Value(float(i)) for i in range(40)]
    rows = np.ones((3, 40))
    message = message_of(lambda i: sum(w * x for w, x in zip(p, rows[i][0])), np.array([1, 2]))
    assert "40 single Values" in message
    assert "outside of the function" in message


def test_random_numbers_inside_give_a_warning():
    w, own, numpy_own = Value(2.0), random.Random(1), np.random.default_rng(1)
    for draw in (
        lambda: w * random.random(),
        lambda: w * own.random(),
        lambda: w * float(numpy_own.random()),
        lambda: w * float(np.random.random()),
    ):
        with pytest.warns(RandomNumbersWarning, match="Draw them outside"):
            jit(draw)()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jit(lambda x: w * x)(random.random())


def test_the_graph_of_a_result_is_inside_the_function():
    with pytest.raises(GraphError, match="inside a compiled function"):
        jit(descend(Value(2.0), lambda w: w * w))().backward()


class Weight(Value):
    """A Value that may have attributes of its own."""


def test_a_number_in_a_new_attribute_of_a_value_is_an_error():
    w = Weight(2.0)

    @jit
    def step():
        w.velocity = 0.9 * getattr(w, "velocity", 0.0) + w.data
        w.data -= 0.1 * w.velocity

    with pytest.raises(TraceError, match="velocity"):
        step()
    assert not hasattr(w, "velocity")
    assert w.data == 2.0


def test_attributes_that_values_have_before_the_first_call_are_state():
    def train(wrap):
        p = [Weight(1.0), Weight(2.0)]
        for w in p:
            w.velocity = 0.0

        @wrap
        def step():
            loss = sum(w * w for w in p)
            for w in p:
                w.zero_grad()
            loss.backward()
            for w in p:
                w.velocity = 0.9 * w.velocity + w.grad
                w.data -= 0.1 * w.velocity
            return loss.data

        losses = [step() for _ in range(4)]
        p[0].velocity = 5.0
        return [*losses, step(), step(), *[w.velocity for w in p]]

    assert train(jit) == train(lambda f: f)


def test_the_gradient_of_a_value_that_was_computed_outside_is_read_and_cleared():
    a = Value(2.0)
    b = a * 3
    (b * b).backward()

    @jit
    def f(x):
        gradient = x.grad * 2
        x.zero_grad()
        return gradient

    assert [f(b), f(b), b.grad] == [24.0, 0.0, 0.0]
    b.grad = 5.0
    assert [f(b), b.grad] == [10.0, 0.0]


def test_an_error_of_jit_that_the_function_catches_is_raised_at_its_end():
    w = Value(2.0)

    @jit
    def f(x):
        try:
            k = float(x)
        except Exception:
            k = 0.0
        return w * k

    with pytest.raises(TraceError, match=r"k = float\(x\)"):
        f(3.0)
    assert jit(lambda x: w * x)(3.0).data == 6.0


def test_results_with_a_graph_say_that_they_cannot_be_pickled():
    y = jit(lambda w: w * 2)(Value(3.0))
    with pytest.raises(CopyError, match="detach"):
        pickle.dumps(y)
    assert pickle.loads(pickle.dumps(y.detach())).data == 6.0


@pytest.mark.parametrize("make", [lambda: iter([1.0, 2.0]), lambda: itertools.count(), lambda: (x for x in (1.0, 2.0))])
def test_an_iterator_is_an_error(make):
    items = make()
    with pytest.raises(TraceError, match="iterator"):
        jit(lambda x: x * next(items))(3.0)


def test_a_batch_that_is_a_new_list_in_each_call_is_recorded_twice_at_most():
    w, batch = Value(1.0), [1.0, 2.0]

    def loss():
        return sum(w * x for x in batch).data

    compiled = jit(loss)
    for k in range(5):
        batch = [float(k), 1.0]
        assert compiled() == k + 1.0
    assert len(compiled._programs) <= 2


def test_dictionaries_with_a_default_and_arrays_of_constants_are_new_in_each_call():
    @jit
    def f(x):
        found = collections.defaultdict(list)
        found["x"].append(x)
        return found, np.zeros(2)

    found, array = f(1.0)
    found["new"].append(2.0)
    array[0] = 5.0
    assert found == {"x": [1.0], "new": [2.0]}
    found, array = f(3.0)
    assert (found, list(array)) == ({"x": [3.0]}, [0.0, 0.0])


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int32"])
def test_numbers_of_narrow_arrays_are_not_computed_as_float64(dtype):
    """NumPy rounds, or wraps around, in the dtype of its numbers."""
    pytest.importorskip("jax")
    w, x = Value(1.0), np.array([0.1, 0.3] if dtype == "float32" else [30, 200]).astype(dtype)

    def product(x):
        return w * (x[0] * x[1])

    with np.errstate(over="ignore"):
        assert float(jit(product)(x).data) == product(x).data  # XLA compiles it
    p = [Value(1.0) for _ in range(40)]
    with pytest.raises(TraceError, match=r"x.astype\(float\)"):
        jit(lambda x: sum(w * x[0] for w in p))(x)


def test_an_array_with_too_many_numbers_for_one_program_is_an_error():
    p, x = [Value(1.0) for _ in range(40)], np.ones(200_000)
    with pytest.raises(TraceError, match="200,000 numbers"):
        jit(lambda x: sum(w * x[0] for w in p))(x)


def test_an_element_of_an_array_cannot_be_changed():
    p = [Value(1.0) for _ in range(40)]

    def change(x):
        x[0] = 2.0
        return sum(w * x[0] for w in p)

    with pytest.raises(TraceError, match="changes an element"):
        jit(change)(np.ones(3))
