"""`detect_anomaly()`: the first NaN or infinity raises an error that names the operation, its inputs and the line."""

import math
import os
import re
import sys
import traceback

import numpy as np
import pytest

import adjoint
from adjoint import Value, detect_anomaly, errors, no_grad
from adjoint.errors import AnomalyError
from adjoint.errors.users_code import users_line
from adjoint.nn import MLP

INF = float("inf")


def next_line():
    """Return a pattern that matches this file and the line after the caller's."""
    return re.escape(f"{__file__}:{sys._getframe(1).f_lineno + 1}")


# --- forward -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda a, b: a / b, r"^a=1\.0 / b=0\.0 gave inf, at "),
        (lambda a, b: b / b, r"^b=0\.0 / b=0\.0 gave nan, at "),
        (lambda a, b: b.log(), r"^log\(b=0\.0\) gave -inf, at "),
        (lambda a, b: (a - 3).sqrt(), r"^sqrt\(-2\.0\) gave nan, at "),
        (lambda a, b: (a * 1000).exp(), r"^exp\(1000\.0\) gave inf, at "),
        (lambda a, b: 1 / b, r"^1\.0 / b=0\.0 gave inf, at "),
        (lambda a, b: b**-1, r"^b=0\.0 \*\* -1\.0 gave inf, at "),
        (lambda a, b: a * INF, r"^a=1\.0 \* inf gave inf, at "),
        (lambda a, b: a * 1e200 * 1e200, r"^1e\+200 \* 1e\+200 gave inf, at "),
        (lambda a, b: adjoint.log1p(-a), r"^log1p\(-1\.0\) gave -inf, at "),
        (lambda a, b: a.maximum(float("nan")), r"^maximum\(a=1\.0, nan\) gave nan, at "),
    ],
)
def test_a_forward_anomaly_names_the_operation_its_inputs_and_their_labels(compute, message):
    a, b = Value(1.0, label="a"), Value(0.0, label="b")
    with detect_anomaly(), pytest.raises(errors.AnomalyError, match=message) as raised:
        compute(a, b)
    assert isinstance(raised.value, ArithmeticError)
    assert isinstance(raised.value, errors.AdjointError)
    assert __file__ in str(raised.value)


def line_of(error, target=__file__):
    """Return the line number in this file where `error` was raised, from its traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    return [frame.lineno for frame in frames if frame.filename == target][-1]


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: x.log(),
        lambda x: 1 / x,
        lambda x: adjoint.log(x),
        lambda x: sum([x, 1 / x]),
        lambda x: MLP(1, [2, 1], activation=lambda v: v * INF)(x),
    ],
)
def test_a_forward_anomaly_names_the_users_line(compute):
    with detect_anomaly(), pytest.raises(errors.AnomalyError) as raised:
        compute(Value(0.0))
    assert str(raised.value).endswith(f" at {__file__}:{line_of(raised.value)}")


def test_the_users_line_is_the_line_in_the_users_function():
    def normalize(xs):
        total = sum(xs)
        expected.append(next_line())
        return [x / total for x in xs]

    expected = []
    with detect_anomaly(), pytest.raises(errors.AnomalyError) as raised:
        normalize([Value(1.0, label="p"), Value(-1.0, label="q")])
    assert re.search(expected[0], str(raised.value))
    assert re.match(r"p=1\.0 / 0\.0 gave inf", str(raised.value))


def test_the_first_anomaly_is_the_one_reported():
    with detect_anomaly(), pytest.raises(errors.AnomalyError, match=r"^log\(x=0\.0\)"):
        (Value(0.0, label="x").log() * 0 + 1).sqrt()


def test_a_custom_operation_is_named():
    inverse = adjoint.op("inverse", lambda m, x: 1 / x, lambda m, y, x: -y * y)
    with detect_anomaly(), pytest.raises(errors.AnomalyError, match=r"^inverse\(x=0\.0\) gave inf, at "):
        inverse(Value(0.0, label="x"))


def test_an_anomaly_is_found_under_no_grad():
    with detect_anomaly(), no_grad(), pytest.raises(errors.AnomalyError, match=r"^log\(0\.0\) gave -inf"):
        Value(0.0).log()


def test_an_anomaly_leaves_the_arguments_of_the_operation_unchanged():
    x = Value(0.0)
    y = x * 2
    with detect_anomaly(), pytest.raises(errors.AnomalyError):
        y.log()
    y.backward()
    assert x.grad == 2.0


# --- backward ------------------------------------------------------------------------------------


def test_a_backward_anomaly_names_operation_inputs_gradient_and_the_line_of_the_forward_pass():
    x = Value(0.0, label="x")
    with detect_anomaly():
        line = next_line()
        y = x.sqrt()
        out = y * 3
        with pytest.raises(errors.AnomalyError) as raised:
            out.backward()
    message = str(raised.value)
    assert re.search(r"backward through sqrt\(x=0\.0\)", message)
    assert re.search(r"gradient of x became inf \(incoming gradient 3\.0\)", message)
    assert re.search(line + "$", message)


def test_a_backward_anomaly_leaves_all_gradients_unchanged():
    x, w = Value(0.0), Value(2.0)
    x.grad, w.grad = 0.25, 0.5
    with detect_anomaly():
        y = x.sqrt()
        out = y * w
        with pytest.raises(errors.AnomalyError):
            out.backward()
    assert (x.grad, w.grad, y.grad, out.grad) == (0.25, 0.5, 0.0, 0.0)


def test_a_backward_anomaly_in_a_graph_built_outside_the_context_says_that_its_line_is_unknown():
    y = Value(0.0, label="x").sqrt()
    with (
        detect_anomaly(),
        pytest.raises(errors.AnomalyError, match=r"sqrt\(x=0\.0\).*outside detect_anomaly"),
    ):
        y.backward()


def test_a_backward_anomaly_of_a_power_at_zero_is_found():
    x = Value(0.0, label="x")
    with detect_anomaly():
        y = x**0.5
        with pytest.raises(errors.AnomalyError, match=r"x=0\.0 \*\* 0\.5: the gradient of x became inf"):
            y.backward()


def test_nan_from_zero_times_infinity_is_found_in_the_backward_pass():
    x = Value(0.0, label="x")
    with detect_anomaly():
        y = x.sqrt() * 0.0  # a gradient of 0 times a slope of infinity
        with pytest.raises(errors.AnomalyError, match=r"sqrt\(x=0\.0\): the gradient of x became nan"):
            y.backward()


def test_a_wrong_custom_rule_is_named_in_the_backward_pass():
    odd = adjoint.op("odd", lambda m, x: x * 2, lambda m, y, x: float("nan"))
    x = Value(1.5, label="x")
    with detect_anomaly():
        line = next_line()
        y = odd(x)
        with pytest.raises(errors.AnomalyError, match=r"backward through odd\(x=1\.5\).*nan.*" + line):
            (y + 1).backward()


def test_an_operand_without_a_label_is_named_by_its_number():
    with detect_anomaly():
        y = Value(0.0).sqrt()
        with pytest.raises(errors.AnomalyError, match=r"gradient of the operand 0\.0 became inf"):
            y.backward()


def test_an_initial_gradient_that_overflows_is_found():
    x = Value(2.0, label="x")
    with detect_anomaly():
        y = x * 1e200
        with pytest.raises(errors.AnomalyError, match=r"incoming gradient 1e\+200"):
            y.backward(1e200)


# --- what stays the same --------------------------------------------------------------------------


def test_outside_the_context_nothing_is_raised():
    x = Value(0.0)
    y = 1 / x
    assert y.data == INF
    x.sqrt().backward()
    assert x.grad == INF


def test_under_the_context_finite_results_and_gradients_are_the_same():
    def program(a, b):
        return ((a * b).tanh() + a / b) ** 2 + b.exp() * a.maximum(b)

    a, b = Value(0.5), Value(2.0)
    out = program(a, b)
    out.backward()
    with detect_anomaly():
        x, z = Value(0.5), Value(2.0)
        same = program(x, z)
        same.backward()
    assert (same.data, x.grad, z.grad) == (out.data, a.grad, b.grad)


def test_detection_ends_with_the_context_even_after_an_error():
    with detect_anomaly(), pytest.raises(errors.AnomalyError):
        Value(0.0).log()
    assert Value(0.0).log().data == -INF
    with pytest.raises(KeyError), detect_anomaly():
        raise KeyError("inside")
    assert Value(0.0).log().data == -INF


def test_the_context_may_be_nested():
    with detect_anomaly():
        with detect_anomaly():
            pass
        with pytest.raises(errors.AnomalyError):
            Value(0.0).log()


def test_detect_anomaly_decorates_a_function():
    @detect_anomaly()
    def careless(x):
        return x.log()

    with pytest.raises(errors.AnomalyError, match=r"^log\(0\.0\)"):
        careless(Value(0.0))
    assert careless(Value(1.0)).data == 0.0


def test_a_value_may_be_created_from_nan_under_the_context():
    with detect_anomaly():
        assert math.isnan(Value(float("nan")).data)


def test_the_gradients_of_a_closure_are_checked():
    x = Value(1.0, label="x")
    out = Value(2.0, (x,), "f")

    def backward():
        x.grad += math.nan

    out._backward = backward
    with detect_anomaly(), pytest.raises(AnomalyError, match=r"f\(x=1.0\): the gradient of x became nan"):
        out.backward()
    assert x.grad == 0.0


def test_a_sum_of_finite_gradients_that_overflows_is_found():
    x = Value(1e-10, label="x")
    with detect_anomaly(), pytest.raises(AnomalyError, match="the gradients that reach x add up to inf"):
        (x * 1e308 + x * 1e308).backward()


def test_the_branch_of_a_rule_that_is_not_taken_is_not_an_anomaly():
    with detect_anomaly():
        x = Value(0.0)
        (x**0).backward(create_graph=True)
        assert float(x.grad) == 0.0
        y, z = Value(0.0), Value(2.0)
        (y**z).backward(create_graph=True)
        assert float(z.grad) == 0.0


def test_an_infinite_derivative_with_a_graph_names_the_operation():
    x = Value(0.0, label="x")
    with detect_anomaly(), pytest.raises(AnomalyError, match=r"backward through sqrt\(x=0.0\).* became inf"):
        x.sqrt().backward(create_graph=True)


def test_a_users_file_next_to_the_package_counts_as_user_code():
    package = os.path.dirname(adjoint.__file__)
    namespace = {"users_line": users_line}
    exec(compile("line = users_line()", f"{package}_user/program.py", "exec"), namespace)
    assert namespace["line"] == f"{package}_user/program.py:1"


# --- arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (
            lambda w, X: w.log(),
            r"^log\(w\(2,\)\) gave 1 of 2 numbers that are not finite, in an array of shape \(2,\), at ",
        ),
        (lambda w, X: X / w, r"^\(3, 2\) / w\(2,\) gave 3 of 6 numbers that are not finite, .* shape \(3, 2\), at "),
        (lambda w, X: 1 / w, r"^1\.0 / w\(2,\) gave 1 of 2 numbers"),
        (lambda w, X: w * Value(INF, label="s"), r"^w\(2,\) \* s=inf gave 2 of 2 numbers"),
        (lambda w, X: (w * 1000.0).exp(), r"^exp\(\(2,\)\) gave 1 of 2 numbers"),
        (lambda w, X: (X * 1e308) @ (w + 9.0), r"@.* gave 3 of 3 numbers that are not finite, .* shape \(3, 1\), at "),
        (lambda w, X: (w + 1e308).sum(), r"^sum\(\(2,\)\) gave 1 of 1 numbers that are not finite, .* shape \(\), at "),
        (lambda w, X: w[:0].mean(), r"^mean\(\(0,\)\) gave 1 of 1 numbers"),
    ],
    ids=["log", "/", "number /", "* number", "exp", "@", "sum", "mean of nothing"],
)
def test_a_forward_anomaly_of_arrays_names_operation_shapes_labels_and_line(compute, message):
    w, X = Value([0.0, 1.0], label="w"), np.ones((3, 2))
    with detect_anomaly(), pytest.raises(AnomalyError, match=message) as raised:
        compute(w, X)
    assert str(raised.value).endswith(f" at {__file__}:{line_of(raised.value)}")


def test_a_backward_anomaly_of_arrays_names_operation_shapes_and_the_line_of_the_forward_pass():
    w = Value([0.0, 4.0], label="w")
    with detect_anomaly():
        line = next_line()
        y = w.sqrt()
        loss = (y * 3).sum()
        with pytest.raises(AnomalyError) as raised:
            loss.backward()
        with pytest.raises(AnomalyError, match=r"backward through sqrt\(w\(2,\)\)"):
            loss.backward(create_graph=True)
    message = str(raised.value)
    assert re.match(r"backward through sqrt\(w\(2,\)\): the gradient of w of shape \(2,\) has 1 numbers", message)
    assert re.search(line + "$", message)
    assert w.grad.tolist() == [0.0, 0.0]


def test_a_backward_anomaly_of_arrays_built_outside_the_context_says_that_its_line_is_unknown():
    y = Value([0.0, 1.0], label="w").sqrt().sum()
    with detect_anomaly(), pytest.raises(AnomalyError, match=r"sqrt\(w\(2,\)\).*a line outside detect_anomaly"):
        y.backward()


def test_a_sum_of_finite_gradients_of_arrays_that_overflows_is_found():
    x = Value([1e-10, 0.0], label="x")
    with detect_anomaly(), pytest.raises(AnomalyError, match="the gradients that reach x add up to"):
        (x * 1e308 + x * 1e308).sum().backward()


def test_under_the_context_finite_arrays_and_their_gradients_are_the_same():
    def gradients():
        w, a = Value([0.5, -1.5]), Value(2.0)
        y = ((w * a).tanh() + adjoint.where(w.data > 0, w, 0.0)).softmax().max()
        y.backward()
        return y.item(), w.grad.tolist(), a.grad

    expected = gradients()
    with detect_anomaly():
        assert gradients() == expected


def test_an_array_may_hold_nan_under_the_context():
    with detect_anomaly():
        assert math.isnan(Value([math.nan]).item())
