"""The slope of a function by formula, by nudging the input, and by `backward()`; then higher derivatives."""

import math

import pytest
import torch
from closeness import require_close, require_slope

from adjoint import Value


def parabola(x):
    return 3 * x**2 - 4 * x + 5


def test_backward_finds_the_minimum_of_a_parabola():
    x = Value(2 / 3)
    parabola(x).backward()
    require_close(x.grad, 0.0, scale=4.0)


def test_nudging_finds_the_minimum_of_a_parabola():
    x, h = Value(2 / 3), 1e-8
    slope = (parabola(x + h) - parabola(x)) / h
    require_slope(slope.data, 0.0, scale=4.0)


@pytest.mark.parametrize("at", [-10.0, -3.0, 0.0, 2 / 3, 1.0, 3.0, 1e6])
def test_backward_agrees_with_the_formula_of_the_slope(at):
    x = Value(at)
    parabola(x).backward()
    require_close(x.grad, 6 * at - 4, scale=4.0)


def test_nudging_one_input_changes_the_result_at_the_rate_of_its_gradient():
    def program(a, b, c):
        return (a * b + c).tanh() * a

    h = 1e-6
    inputs = [0.3, -1.2, 0.7]
    values = [Value(x) for x in inputs]
    program(*values).backward()
    for i, value in enumerate(values):
        above = program(*[Value(x + h * (i == j)) for j, x in enumerate(inputs)]).data
        below = program(*[Value(x - h * (i == j)) for j, x in enumerate(inputs)]).data
        require_slope(value.grad, (above - below) / (2 * h))


def test_a_step_along_the_gradient_increases_the_result():
    a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
    ((a * b + c) * f).backward()
    for leaf in (a, b, c, f):
        leaf.data += 0.01 * leaf.grad
    # (2.06 · −3.04 + 9.98) · −1.96, by hand
    require_close(((a * b + c) * f).data, -7.286496)


def test_the_fourth_derivative_of_a_cube_is_zero():
    x = Value(2.0)
    slopes, y = [], x**3
    for _ in range(4):
        x.zero_grad()
        y.backward(create_graph=True)
        y = x.grad
        slopes.append(y.data)
    assert slopes == [12.0, 12.0, 6.0, 0.0]


def hessian(f, *point):
    """Return the gradient and the Hessian of `f`, computed by two calls of backward()."""
    xs = [Value(x) for x in point]
    f(*xs).backward(create_graph=True)
    slopes, rows = [x.grad for x in xs], []
    for slope in slopes:
        for x in xs:
            x.zero_grad()
        slope.backward()
        rows.append([x.grad for x in xs])
    return [slope.data for slope in slopes], rows


def rosenbrock(x, y):
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


def test_the_hessian_of_rosenbrock_is_exact():
    gradient, second = hessian(rosenbrock, -1.0, 2.0)
    # ∂x = −2(1−x) − 400x(y−x²), ∂y = 200(y−x²); ∂xx = 2 − 400y + 1200x², ∂xy = −400x, ∂yy = 200
    assert gradient == [396.0, 200.0]
    assert second == [[402.0, 400.0], [400.0, 200.0]]


def test_the_third_derivatives_of_rosenbrock_are_exact():
    x, y = Value(-1.0), Value(2.0)
    rosenbrock(x, y).backward(create_graph=True)
    slope = x.grad
    x.zero_grad(), y.zero_grad()
    slope.backward(create_graph=True)
    curvature = x.grad
    x.zero_grad(), y.zero_grad()
    curvature.backward()
    assert (curvature.data, x.grad, y.grad) == (402.0, -2400.0, -400.0)  # ∂xxx = 2400x, ∂xxy = −400


def test_second_derivatives_through_functions_agree_with_pytorch():
    def program(x, y):
        return (x * y).tanh() * x.exp() + (x**2 + y**2).sqrt() / (1 + y.sigmoid()) + (x / y).sin()

    gradient, second = hessian(program, 0.7, -1.3)
    point = torch.tensor([0.7, -1.3], dtype=torch.float64)
    expected = torch.autograd.functional.hessian(lambda p: program(p[0], p[1]), point)
    require_close(gradient, torch.autograd.functional.jacobian(lambda p: program(p[0], p[1]), point).tolist())
    for row, expected_row in zip(second, expected.tolist()):
        require_close(row, expected_row)


def test_newtons_method_with_second_derivatives_finds_a_minimum_to_full_precision():
    x = Value(1.0)
    for _ in range(8):
        x.zero_grad()
        (x.exp() - 3 * x).backward(create_graph=True)
        slope = x.grad
        x.zero_grad()
        slope.backward()
        x = Value(x.data - slope.data / x.grad)
    require_close(x.data, math.log(3))
