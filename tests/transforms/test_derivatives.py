"""Derivatives against PyTorch, JAX and central differences, to any order, of numbers, arrays and pytrees."""

import itertools
import math
import warnings
from collections import namedtuple

import numpy as np
import pytest
from arrays import jax_in_double, to_numpy
from closeness import require_close, require_slope
from fuzzing import examples
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from transforming import NESTS, A, B, nested

import adjoint
from adjoint import (
    Tensor,
    Value,
    checkpoint,
    custom_vjp,
    errors,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    no_grad,
    value_and_grad,
    vjp,
)

Model = namedtuple("Model", "w b")

# The same function of one array here and in PyTorch: to one number, and to arrays of other shapes.
TO_NUMBER = {
    "a sum of cubes": (lambda x: (x**3).sum(), lambda t: (t**3).sum()),
    "a smooth maximum": (
        lambda x: adjoint.logsumexp(x * 2) if x.size else x.sum(),
        lambda t: (t * 2).logsumexp(dim=tuple(range(t.ndim))) if t.numel() else t.sum(),
    ),
    "a mixture": (lambda x: (x.sin() * x.sum()).exp().sum(), lambda t: (t.sin() * t.sum()).exp().sum()),
}


def in_rows(*tensors):
    return pytest.importorskip("torch").stack(tensors)


TO_ARRAYS = {
    "the same shape": (lambda x: x.tanh() * x.sum(), lambda t: t.tanh() * t.sum()),
    "one axis more": (lambda x: adjoint.stack([x**2, x.exp()]), lambda t: in_rows(t**2, t.exp())),
    "all axes reversed": (lambda x: adjoint.permute_dims(x**3, range(x.ndim)[::-1]), lambda t: (t**3).permute(
        tuple(range(t.ndim)[::-1]))),
    "one number": (lambda x: (x**2).sum(), lambda t: (t**2).sum()),
}  # fmt: skip

shapes = hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3)


@st.composite
def points(draw, dtypes=("float64", "float32"), count=1):
    """Draw arrays of one shape and dtype."""
    shape, dtype = draw(shapes), draw(st.sampled_from(dtypes))
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    found = [np.asarray(random.uniform(-1.5, 1.5, shape), dtype) for _ in range(count)]
    return found[0] if count == 1 else found


def given_as(x: np.ndarray):
    """Return an array as an argument: a 0-d array as a Tensor, because NumPy's would count as a number."""
    return x if x.ndim else Tensor(x)


def as_tensor(x: np.ndarray):
    torch = pytest.importorskip("torch")
    return torch.from_numpy(np.array(x))


def in_torch(transform, *arguments):
    """Return the result of a transform of PyTorch, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return transform(*arguments)


# --- against PyTorch -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TO_NUMBER)
@examples(15)
@given(x=points())
def test_gradients_agree_with_pytorch(name, x):
    torch = pytest.importorskip("torch")
    ours, theirs = TO_NUMBER[name]
    before = x.copy()
    value, gradient = value_and_grad(ours)(given_as(x))
    require_close(value, theirs(as_tensor(x)))
    require_close(gradient, torch.func.grad(theirs)(as_tensor(x)))
    require_close(grad(ours)(given_as(x)), gradient)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("name", TO_NUMBER)
@examples(10)
@given(xs=points(count=2))
def test_hessians_and_their_products_agree_with_pytorch(name, xs):
    torch = pytest.importorskip("torch")
    x, v = xs
    ours, theirs = TO_NUMBER[name]
    none = torch.zeros((*x.shape, *x.shape), dtype=as_tensor(x).dtype)  # PyTorch cannot compute it for an empty array
    expected = in_torch(torch.func.hessian(theirs), as_tensor(x)) if x.size else none
    require_close(hessian(ours)(given_as(x)), expected)
    along = (expected.reshape(x.size, x.size) @ as_tensor(v).reshape(-1)).reshape(x.shape)
    require_close(hvp(ours, given_as(x), v), along)


@pytest.mark.parametrize("mode", ["auto", "reverse", "forward"])
@pytest.mark.parametrize("name", TO_ARRAYS)
@examples(8)
@given(x=points())
def test_jacobians_agree_with_pytorch_in_every_mode(name, mode, x):
    torch = pytest.importorskip("torch")
    ours, theirs = TO_ARRAYS[name]
    require_close(jacobian(ours, mode=mode)(given_as(x)), torch.func.jacrev(theirs)(as_tensor(x)))


@pytest.mark.parametrize("name", TO_ARRAYS)
@examples(15)
@given(xs=points(count=2), seed=st.integers(0, 100))
def test_vjp_and_jvp_agree_with_pytorch(name, xs, seed):
    torch = pytest.importorskip("torch")
    x, tangent = xs
    ours, theirs = TO_ARRAYS[name]
    value, moved = jvp(ours, given_as(x), tangent)
    expected_value, expected = in_torch(torch.func.jvp, theirs, (as_tensor(x),), (as_tensor(tangent),))
    require_close(value, expected_value)
    require_close(moved, expected)
    cotangent = np.asarray(np.random.default_rng(seed).normal(size=expected.shape), x.dtype)
    value, pullback = vjp(ours, given_as(x))
    require_close(value, expected_value)
    (found,) = pullback(cotangent)
    require_close(found, torch.func.vjp(theirs, as_tensor(x))[1](as_tensor(cotangent))[0])


@examples(15)
@given(x=points(dtypes=("float64",)), seed=st.integers(0, 100))
def test_gradients_and_tangents_agree_with_central_differences(x, seed):
    def function(x):
        return (adjoint.sin(x * 2) * adjoint.exp(x)).sum()

    direction = np.random.default_rng(seed).normal(size=x.shape)
    step = 1e-5
    above, below = (float(function(Tensor(x + sign * step * direction)).data) for sign in (1, -1))
    slope = (above - below) / (2 * step)
    size = 4 * np.sum(np.exp(x) * np.abs(direction))  # the slopes of the elements cancel
    require_slope(np.sum(to_numpy(grad(function)(given_as(x))) * direction), slope, scale=size)
    require_slope(float(jvp(function, given_as(x), direction)[1]), slope, scale=size)


# --- to any order ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", NESTS)
def test_reverse_and_forward_mode_nest_three_deep_on_numbers_as_in_jax(kinds):
    jax = pytest.importorskip("jax")
    ours = nested(kinds, lambda x: (x * x).sin() * x.exp() / (1 + x), grad, lambda f: lambda x: jvp(f, x, 1.0)[1])
    with jax_in_double():
        theirs = nested(
            kinds,
            lambda x: jax.numpy.sin(x * x) * jax.numpy.exp(x) / (1 + x),
            jax.grad,
            lambda f: lambda x: jax.jvp(f, (x,), (1.0,))[1],
        )
        expected = float(jax.jit(theirs)(0.7))
    found = ours(0.7)
    assert isinstance(found, float)
    require_close(found, expected)


@pytest.mark.parametrize("kinds", NESTS)
def test_reverse_and_forward_mode_nest_three_deep_on_arrays_as_in_jax(kinds):
    jax = pytest.importorskip("jax")

    def program(x, tanh):
        return (tanh(x) * (x @ x)).sum() + (x**4).prod()

    ours = nested(
        kinds,
        lambda x: program(x, adjoint.tanh),
        lambda f: lambda x: (grad(f)(x) * B).sum(),
        lambda f: lambda x: jvp(f, x, B)[1],
    )
    with jax_in_double():
        theirs = nested(
            kinds,
            lambda x: program(x, jax.numpy.tanh),
            lambda f: lambda x: (jax.grad(f)(x) * B).sum(),
            lambda f: lambda x: jax.jvp(f, (x,), (B,))[1],
        )
        expected = float(jax.jit(theirs)(A))
    require_close(float(ours(A)), expected)


def test_the_sixth_derivative_of_the_sixth_power_is_720():
    derivative = lambda x: x**6  # noqa: E731
    for _ in range(6):
        derivative = grad(derivative)
    require_close(derivative(1.3), 720.0)


def test_third_derivatives_of_an_array_agree_with_pytorch():
    torch = pytest.importorskip("torch")

    def function(x):
        return (x.sin() * x[0] * x.sum()).sum()

    third = torch.func.jacrev(torch.func.jacrev(torch.func.jacrev(function)))
    require_close(jacobian(hessian(function))(A), third(as_tensor(A)))


@pytest.mark.parametrize("inner", ["reverse", "forward"])
@pytest.mark.parametrize("outer", ["reverse", "forward"])
def test_jacobians_nest_in_every_mode(inner, outer):
    torch = pytest.importorskip("torch")
    found = jacobian(jacobian(lambda x: x.sin() * x[::-1], mode=inner), mode=outer)(A)
    expected = torch.func.jacrev(torch.func.jacrev(lambda t: t.sin() * t.flip(0)))(as_tensor(A))
    require_close(found, expected)


def test_the_gradient_of_a_pullback_for_its_cotangent_is_the_jacobian_transposed():
    found = grad(lambda v: (vjp(lambda x: x**2, A)[1](v)[0] * B).sum())(B)
    require_close(found, 2 * A * B)


def test_the_gradient_of_a_pushforward_for_its_tangent_is_the_jacobian():
    found = grad(lambda v: (jvp(lambda x: x**2, A, v)[1] * B).sum())(B)
    require_close(found, 2 * A * B)
    assert isinstance(found, np.ndarray)


def test_the_pullback_and_pushforward_of_a_value_can_be_differentiated():
    v = Value(B)
    vjp(lambda x: x**2, A)[1](v)[0].sum().backward()
    require_close(v.grad, 2 * A)
    v.zero_grad()
    jvp(lambda x: x**2, A, v)[1].sum().backward()
    require_close(v.grad, 2 * A)


# --- perturbation confusion ----------------------------------------------------------------------


def derivative(kind: str):
    """Return the derivative of a function of one number, in reverse or forward mode."""
    return grad if kind == "g" else lambda f: lambda x: jvp(f, x, 1.0)[1]


@pytest.mark.parametrize("outer", "gj")
@pytest.mark.parametrize("inner", "gj")
def test_the_classic_case_of_perturbation_confusion_gives_one(outer, inner):
    # d/dx [x · d/dy (x + y)] = d/dx [x · 1] = 1; confusing the perturbations of x and y gives 2
    assert derivative(outer)(lambda x: x * derivative(inner)(lambda y: x + y)(1.0))(1.0) == 1.0


@pytest.mark.parametrize("outer", "gj")
@pytest.mark.parametrize("inner", "gj")
def test_a_captured_variable_is_a_constant_of_the_inner_derivative(outer, inner):
    # d/dx [x · d/dy (x·y)] = d/dx x² = 2·x
    assert derivative(outer)(lambda x: x * derivative(inner)(lambda y: x * y)(2.0))(3.0) == 6.0


@pytest.mark.parametrize("outer", "gj")
@pytest.mark.parametrize("inner", "gj")
def test_a_derivative_at_the_outer_variable_itself(outer, inner):
    # g(x) = d/dy (x·y³) at y = x is 3·x³, and its derivative 9·x²
    assert derivative(outer)(lambda x: derivative(inner)(lambda y: x * y**3)(x))(2.0) == 36.0


@pytest.mark.parametrize("kinds", NESTS)
def test_three_levels_with_captures_of_both_outer_variables(kinds):
    a, b, c = map(derivative, kinds)
    # d/dx d/dy d/dz (x²·y³·z⁴) at (2, 3, 1), the inner ones inside the outer: 2x · 3y² · 4z³
    found = a(lambda x: b(lambda y: c(lambda z: x**2 * y**3 * z**4)(1.0))(3.0))(2.0)
    require_close(found, 4.0 * 27.0 * 4.0)


@pytest.mark.parametrize("outer", "gj")
@pytest.mark.parametrize("inner", "gj")
def test_perturbations_of_arrays_are_not_confused(outer, inner):
    torch = pytest.importorskip("torch")

    def along(kind, function, x, v):
        return (grad(function)(x) * v).sum() if kind == "g" else jvp(function, x, v)[1]

    found = along(outer, lambda x: along(inner, lambda y: (x * y * y).sum(), x, B) * x[0], A, B)
    expected = in_torch(
        torch.func.jvp,
        lambda x: torch.func.jvp(lambda y: (x * y * y).sum(), (x,), (as_tensor(B),))[1] * x[0],
        (as_tensor(A),),
        (as_tensor(B),),
    )[1]
    require_close(float(found), float(expected))


def test_a_function_that_returns_a_captured_variable_has_no_derivative():
    assert grad(lambda x: x * grad(lambda y: x)(1.0))(3.0) == 0.0
    assert jvp(lambda x: x * jvp(lambda y: x, 1.0, 1.0)[1], 3.0, 1.0) == (0.0, 0.0)


# --- arguments -------------------------------------------------------------------------------------------


def three(x, y, z):
    return (x * y**2 * z).sum()


GRADIENTS_OF_THREE = [B**2 * 2.0, 2 * A * B * 2.0, (A * B**2).sum()]


@pytest.mark.parametrize("argnum", [0, 1, 2, -1, -2, -3])
def test_argnums_is_the_position_of_an_argument_from_either_end(argnum):
    require_close(grad(three, argnum)(A, B, 2.0), GRADIENTS_OF_THREE[argnum])


@pytest.mark.parametrize("argnums", [(0, 1), (1, 0), (2,), (-1, 0), [1, 2], range(3)])
def test_several_argnums_give_a_tuple_in_their_order(argnums):
    found = grad(three, argnums)(A, B, 2.0)
    assert isinstance(found, tuple)
    assert len(found) == len(argnums)
    for gradient, i in zip(found, argnums):
        require_close(gradient, GRADIENTS_OF_THREE[i])


def test_several_argnums_give_a_tuple_of_jacobians_and_a_square_of_hessians():
    torch = pytest.importorskip("torch")

    def function(x, y):
        return (x**2 * y).sum()

    found = jacobian(lambda x, y: x * y, (0, 1))(A, 2.0)
    assert isinstance(found, tuple)
    require_close(found[0], 2 * np.eye(3))
    require_close(found[1], A)
    second = hessian(function, (0, 1))(A, B)
    expected = in_torch(torch.func.hessian(function, (0, 1)), as_tensor(A), as_tensor(B))
    for i, j in itertools.product(range(2), repeat=2):
        require_close(second[i][j], expected[i][j])


@pytest.mark.parametrize("argnums", [3, -4, (0, 3), None, "x", 0.0, (0.5,)])
@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
def test_argnums_beyond_the_arguments_raise(transform, argnums):
    with pytest.raises(errors.ArgumentError, match=r"argnums=.*called with 3 arguments"):
        transform(three, argnums)(A, B, 2.0)


@pytest.mark.parametrize("argnums", [(0, 0), (1, -2)])
def test_argnums_with_a_duplicate_raise(argnums):
    with pytest.raises(errors.ArgumentError, match="argnums"):
        grad(three, argnums)(A, B, 2.0)


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
def test_keyword_arguments_are_passed_as_constants(transform):
    def function(x, *, power, where):
        assert power == 3
        assert where == "there"
        return (x**power).sum()

    found = transform(function)(A, power=3, where="there")
    expected = {grad: 3 * A**2, jacobian: 3 * A**2, hessian: np.diag(6 * A)}
    require_close(found[1] if transform is value_and_grad else found, expected.get(transform, 3 * A**2))


def test_other_arguments_are_passed_unchanged():
    def function(x, y, how, nothing):
        assert y is B
        assert (how, nothing) == ("so", None)
        assert isinstance(x, Value)
        return (x * y).sum()

    require_close(grad(function)(A, B, "so", None), B)


def test_integers_are_differentiated_as_floats():
    assert grad(lambda x: x**3)(2) == 12.0
    found = grad(lambda x: (x**2).sum())(np.arange(3))
    assert found.dtype == np.float64
    require_close(found, [0.0, 2.0, 4.0])
    require_close(jvp(lambda x: x**2, np.arange(3), np.ones(3, int))[1], [0.0, 2.0, 4.0])


def test_a_number_gives_a_float_and_an_array_gives_an_array_of_its_dtype():
    assert type(grad(lambda x: x**2)(2.0)) is float
    assert type(grad(lambda x: (x * A).sum())(2.0)) is float
    for dtype in (np.float32, np.float64):
        x = A.astype(dtype)
        assert grad(lambda x: (x**2).sum())(x).dtype == dtype
        assert jacobian(lambda x: x**2)(x).dtype == dtype
        assert hessian(lambda x: (x**3).sum())(x).dtype == dtype
        assert jvp(lambda x: x**2, x, x)[1].dtype == dtype
        assert all(g.dtype == dtype for g in grad(lambda x, y: (x * y).sum(), (0, 1))(x, x))


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_arrays_of_other_libraries_stay_in_their_library(library):
    make = as_tensor if library == "torch" else pytest.importorskip("jax.numpy").asarray
    x, v = make(A.astype(np.float32)), make(B.astype(np.float32))
    kind = type(x)
    for found, expected in [
        (grad(lambda x: (x**3).sum())(x), 3 * A**2),
        (jvp(lambda x: x**3, x, v)[1], 3 * A**2 * B),
        (vjp(lambda x: x**3, x)[1](v)[0], 3 * A**2 * B),
        (jacobian(lambda x: x**3)(x), np.diag(3 * A**2)),
        (hessian(lambda x: (x**3).sum())(x), np.diag(6 * A)),
        (hvp(lambda x: (x**3).sum(), x, v), 6 * A * B),
    ]:
        assert isinstance(found, kind)
        require_close(found, np.asarray(expected, np.float32))


# --- pytrees ---------------------------------------------------------------------------------------------


def test_the_gradient_has_the_structure_of_the_argument():
    def function(p):
        return (p["layers"][0].w * p["layers"][0].b + p["scale"][0]).sum() * p["scale"][1]

    given_ = {"layers": [Model(A, 2.0)], "scale": (3.0, B[:1])}
    found = grad(lambda p: function(p).sum())(given_)
    assert list(found) == ["layers", "scale"]
    assert type(found["layers"][0]) is Model
    assert isinstance(found["scale"], tuple)
    require_close(found["layers"][0].w, np.full(3, 2.0 * B[0]))
    require_close(found["layers"][0].b, A.sum() * B[0])
    require_close(found["scale"][0], 3 * B[0])
    require_close(found["scale"][1], [(A * 2.0 + 3.0).sum()])
    require_close(given_["layers"][0].w, A)


def test_none_in_an_argument_stays_none():
    assert grad(lambda p: p[0] * 2 if p[1] is None else p[0])([3.0, None]) == [2.0, None]


def test_a_jacobian_of_pytrees_is_a_pytree_of_results_with_pytrees_of_arguments():
    def function(p):
        return {"product": p[0] * p[1], "number": p[1] ** 2}

    for mode in ("reverse", "forward", "auto"):
        found = jacobian(function, mode=mode)([A, 2.0])
        require_close(found["product"][0], 2 * np.eye(3))
        require_close(found["product"][1], A)
        require_close(found["number"][0], np.zeros(3))
        assert found["number"][1] == 4.0


def test_a_hessian_of_pytrees_agrees_with_pytorch():
    torch = pytest.importorskip("torch")

    def function(p):
        return (p["a"] ** 2 * p["b"]).sum()

    found = hessian(function)({"a": A, "b": 2.0})
    there = {"a": as_tensor(A), "b": torch.tensor(2.0, dtype=torch.float64)}
    expected = torch.func.jacrev(torch.func.jacrev(function))(there)
    for i, j in itertools.product("ab", repeat=2):
        require_close(found[i][j], expected[i][j])


def test_tangents_and_cotangents_can_be_pytrees():
    def function(p, y):
        return [p["a"] * y, {"sum": p["b"].sum()}]

    value, moved = jvp(function, ({"a": A, "b": B}, 2.0), ({"a": B, "b": A}, 1.0))
    require_close(value[0], A * 2.0)
    require_close(moved[0], 2 * B + A)
    require_close(moved[1]["sum"], A.sum())
    value, pullback = vjp(function, {"a": A, "b": B}, 2.0)
    found, y = pullback([B, {"sum": 10.0}])
    require_close(found["a"], 2 * B)
    require_close(found["b"], np.full(3, 10.0))
    require_close(y, (A * B).sum())


def test_the_order_of_the_keys_of_a_tangent_or_cotangent_does_not_matter():
    moved = jvp(lambda p: 10 * p["a"] + p["b"], ({"a": A, "b": A},), ({"b": B, "a": 0 * B},))[1]
    require_close(moved, B)
    pullback = vjp(lambda x: {"a": 10 * x, "b": x}, A)[1]
    require_close(pullback({"b": B, "a": 0 * B})[0], B)


def test_products_with_the_hessian_have_the_structure_of_the_arguments():
    found = hvp(lambda x, y: (x**2 * y).sum(), (A, B), (B, A))
    assert isinstance(found, tuple)
    require_close(found[0], 2 * B * B + 2 * A * A)
    require_close(found[1], 2 * A * B)
    alone = hvp(lambda p: (p["x"] ** 2 * p["y"]).sum(), {"x": A, "y": B}, {"x": B, "y": A})
    require_close(alone["x"], found[0])
    require_close(alone["y"], found[1])


# --- auxiliary results -----------------------------------------------------------------------------------


def test_an_auxiliary_result_is_returned_with_the_derivative():
    def function(x):
        return (x**2).sum(), {"doubled": x * 2, "note": "as it is"}

    gradient, aux = grad(function, has_aux=True)(A)
    require_close(gradient, 2 * A)
    (value, same), again = value_and_grad(function, has_aux=True)(A)
    require_close(value, (A**2).sum())
    require_close(again, 2 * A)
    for found in (aux, same, vjp(function, A, has_aux=True)[2], jvp(function, A, B, has_aux=True)[2]):
        assert found["note"] == "as it is"
        assert isinstance(found["doubled"], np.ndarray)
        require_close(found["doubled"], A * 2)


def test_an_auxiliary_result_inside_another_transform_can_be_differentiated():
    def outer(x):
        gradient, aux = grad(lambda y: ((y**3).sum(), y**2), has_aux=True)(x)
        return (gradient * aux).sum()  # 3·x⁴

    require_close(grad(outer)(A), 12 * A**3)


@pytest.mark.parametrize("result", [lambda x: x.sum(), lambda x: (x.sum(),), lambda x: (x, x, x)])
def test_has_aux_needs_a_pair(result):
    with pytest.raises(errors.ArgumentError, match=r"has_aux the function must return \(result, aux\), not"):
        grad(result, has_aux=True)(A)


def test_a_transformed_function_keeps_its_name_and_docstring():
    def energy(x):
        """How much."""
        return x * x

    for transform in (grad, value_and_grad, jacobian, hessian, checkpoint, custom_vjp):
        assert transform(energy).__name__ == "energy"
        assert transform(energy).__doc__ == "How much."


# --- constant and linear functions -----------------------------------------------------------------------


@pytest.mark.parametrize("result", [3.0, 3, np.float32(3.0), np.array(3.0), Value(3.0), Value(np.array([3.0]))])
def test_a_constant_function_has_zeros_for_derivatives(result):
    value, gradient = value_and_grad(lambda x: result)(A)
    shape = np.shape(to_numpy(result))
    assert float(value) == 3.0
    require_close(gradient, np.zeros(3))
    assert to_numpy(jvp(lambda x: result, A, B)[1]).tolist() == np.zeros(shape).tolist()
    require_close(hessian(lambda x: result)(A), np.zeros((3, 3)))
    for mode in ("reverse", "forward"):
        assert to_numpy(jacobian(lambda x: result, mode=mode)(A)).tolist() == np.zeros((*shape, 3)).tolist()


def test_an_ignored_argument_gets_zeros_of_its_shape_and_dtype():
    x, y = grad(lambda x, y: (x * 2).sum(), (0, 1))(A, np.ones((2, 3), np.float32))
    require_close(x, np.full(3, 2.0))
    require_close(y, np.zeros((2, 3), np.float32))
    assert grad(lambda x, y: x, 1)(1.0, 2.0) == 0.0


def test_a_linear_function_has_zeros_for_second_derivatives():
    require_close(hessian(lambda x: (x * B).sum())(A), np.zeros((3, 3)))
    require_close(hvp(lambda x: (x * B).sum(), A, B), np.zeros(3))
    assert grad(grad(lambda x: 3 * x))(2.0) == 0.0


def test_a_constant_among_several_results_has_zero_derivatives():
    moved = jvp(lambda x: (x * 2, 3.0, B), A, B)[1]
    require_close(moved[0], 2 * B)
    assert moved[1] == 0.0
    require_close(moved[2], np.zeros(3))
    (found,) = vjp(lambda x: (x * 2, 3.0, B), A)[1]((B, 100.0, B))
    require_close(found, 2 * B)


# --- errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [lambda x: np.allclose(x, 1.0), lambda x: x.sum() > 0, lambda x: (x > 0)[:1]])
def test_grad_of_a_truth_value_raises(answer):
    with pytest.raises(errors.NumberError, match=r"returns a real number, not .*a truth value has no gradient"):
        grad(answer)(np.ones(3))


@pytest.mark.parametrize("transform", [grad, value_and_grad, hessian])
@pytest.mark.parametrize("result", [lambda x: x * 2, lambda x: (x.sum(),), lambda x: {"loss": x.sum()}, lambda x: B])
def test_a_result_that_is_not_one_number_raises_and_the_error_names_the_alternatives(transform, result):
    with pytest.raises(errors.ShapeError, match=r"returns one number, not .*use jacobian or vjp"):
        transform(result)(A)


def test_the_shape_of_the_result_is_named():
    with pytest.raises(errors.ShapeError, match=r"not an array of shape \(3,\)"):
        grad(lambda x: x * 2)(A)


@pytest.mark.parametrize("given_", ["text", {1, 2}, 1j, object(), [1.0, "text"], {"a": len}])
def test_an_argument_without_a_derivative_raises(given_):
    with pytest.raises(errors.ArgumentError, match=r"cannot differentiate with respect to .*; give numbers"):
        grad(lambda x: 1.0)(given_)


@pytest.mark.parametrize("given_", [None, [], {}, (None,)])
@pytest.mark.parametrize("transform", [grad, jacobian])
def test_an_argument_without_numbers_raises(transform, given_):
    with pytest.raises(errors.ArgumentError, match="contain no numbers or arrays"):
        transform(lambda x: Value(1.0))(given_)


@pytest.mark.parametrize("result", [None, "text", object()])
@pytest.mark.parametrize("transform", [grad, jacobian])
def test_a_result_that_is_not_numeric_raises(transform, result):
    with pytest.raises(errors.AdjointError, match="function"):
        transform(lambda x: result)(A)


def test_complex_and_string_arrays_raise():
    with pytest.raises(errors.ArrayError, match="complex numbers are not supported"):
        grad(lambda x: x.sum())(np.ones(2, complex))
    with pytest.raises(errors.ArrayError, match="real numbers"):
        grad(lambda x: x.sum())(np.array(["a"]))


@pytest.mark.parametrize("name", ["grad", "value_and_grad", "jacobian", "hessian", "checkpoint", "custom_vjp"])
@pytest.mark.parametrize("given_", [3.0, None, "f"])
def test_transforming_something_that_is_not_a_function_raises(name, given_):
    with pytest.raises(errors.ArgumentError, match=f"^{name} needs a function, not"):
        getattr(adjoint, name)(given_)


@pytest.mark.parametrize(("name", "arguments"), [("vjp", (1.0,)), ("jvp", (1.0, 1.0)), ("hvp", (1.0, 1.0))])
def test_transforms_at_a_point_raise_for_something_that_is_not_a_function(name, arguments):
    with pytest.raises(errors.ArgumentError, match=f"^{name} needs a function, not float 3.0"):
        getattr(adjoint, name)(3.0, *arguments)


def test_an_unknown_mode_raises():
    with pytest.raises(errors.ArgumentError, match="'auto', 'reverse' or 'forward', not 'backward'"):
        jacobian(lambda x: x, mode="backward")


@pytest.mark.parametrize("tangents", [(B, B), (), B, ([B],), ({"a": B},), (None,)])
@pytest.mark.parametrize("transform", [jvp, hvp])
def test_tangents_of_another_structure_raise(transform, tangents):
    with pytest.raises(errors.AdjointError, match="tangent"):
        transform(lambda x: (x * x).sum(), (A,), tangents)


@pytest.mark.parametrize("tangent", [np.ones(2), np.ones((3, 1)), np.ones((1, 3)), 1.0, "text"])
def test_a_tangent_of_another_shape_raises(tangent):
    with pytest.raises(errors.ShapeError, match=r"a tangent .*\(3,\)"):
        jvp(lambda x: x, A, tangent)


def test_an_array_as_the_tangent_of_a_number_raises():
    with pytest.raises(errors.ShapeError, match="a tangent of a number must be a number, not"):
        jvp(lambda x: x, 1.0, A)


@pytest.mark.parametrize("cotangent", [np.ones(2), 1.0, "text", np.ones((3, 1))])
def test_a_cotangent_of_another_shape_raises(cotangent):
    with pytest.raises(errors.ShapeError, match=r"the cotangent .*\(3,\)"):
        vjp(lambda x: x * 2, A)[1](cotangent)


@pytest.mark.parametrize("cotangent", [B, (B,), (B, B, B), [B, {"a": B}], (None, B), {"a": B}])
def test_a_cotangent_of_another_structure_raises(cotangent):
    with pytest.raises(errors.ShapeError, match="cotangent must have the structure of the result"):
        vjp(lambda x: (x, 10 * x), A)[1](cotangent)


# --- captured Values, and Values as arguments ------------------------------------------------------------


def test_a_gradient_can_be_differentiated_for_captured_parameters():
    w = Value(B)
    gradient = grad(lambda x: (x**2 * w**2).sum())(A)
    require_close(gradient, 2 * A * B**2)
    gradient.sum().backward()
    require_close(w.grad, 4 * A * B)


def test_a_slope_can_be_differentiated_for_captured_numbers():
    w = Value(3.0)
    slope = grad(lambda x: x**2 * w**2)(2.0)
    require_close(slope.data, 36.0)
    slope.backward()
    assert w.grad == 24.0


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_a_jacobian_can_be_differentiated_for_captured_parameters(mode):
    w = Value(B)
    jacobian(lambda x: x**2 * w, mode=mode)(A).sum().backward()
    require_close(w.grad, 2 * A)


def test_the_gradients_of_captured_leaves_are_not_touched():
    w, s = Value(B), Value(2.0)
    w.grad, s.grad = np.array([7.0, 8.0, 9.0]), 5.0

    def function(x):
        return (x * w * s).exp().sum()

    grad(function)(A)
    value_and_grad(function)(A)
    jvp(function, A, B)
    vjp(function, A)[1](1.0)
    hessian(function)(A)
    hvp(function, A, B)
    jacobian(function)(A)
    require_close(w.grad, [7.0, 8.0, 9.0])
    assert s.grad == 5.0


def test_hooks_of_captured_leaves_do_not_run():
    w, calls = Value(B), []
    w.register_hook(calls.append)
    grad(lambda x: (x * w).sum())(A)
    assert calls == []


def test_gradients_pass_to_the_graph_of_a_value_that_is_an_argument():
    x = Value(A)
    gradient = grad(lambda y: (y**3).sum())(x)
    assert isinstance(gradient, Tensor)
    (gradient**2).sum().backward()
    require_close(x.grad, 36 * A**3)  # (3x²)² = 9x⁴


def test_one_value_passed_twice_is_two_variables():
    for x in (A, Value(A)):
        first, second = grad(lambda x, y: (x * y**2).sum(), (0, 1))(x, x)
        require_close(first, A**2)
        require_close(second, 2 * A**2)


def test_a_captured_value_that_is_also_an_argument_counts_once_as_the_variable():
    x = Value(A)
    require_close(grad(lambda y: (y * x).sum())(x), A)


@pytest.mark.parametrize("given_", [A, Value(A)])
def test_transforms_differentiate_inside_no_grad(given_):
    w = Value(B)

    def function(x):
        return (x**2 * w).sum()

    with no_grad():
        found = {
            "grad": grad(function)(given_),
            "vjp": vjp(function, given_)[1](1.0)[0],
            "jacobian": jacobian(function)(given_),
            "hessian": hessian(function)(given_),
            "jvp": jvp(function, given_, B)[1],
            "hvp": hvp(function, given_, B),
        }
        value = value_and_grad(function)(given_)[0]
    expected = {
        "grad": 2 * A * B,
        "vjp": 2 * A * B,
        "jacobian": 2 * A * B,
        "hessian": np.diag(2 * B),
        "jvp": (2 * A * B * B).sum(),
        "hvp": 2 * B * B,
    }
    for name, derivative in found.items():
        require_close(derivative, expected[name])
    for result in (value, *found.values()):
        if isinstance(given_, Value):
            assert not getattr(result, "parents", ())
        else:
            assert not isinstance(result, Value)


def test_a_transform_restores_the_mode_even_after_an_error():
    def failing(x):
        raise RuntimeError("on purpose")

    with no_grad():
        for transform in (lambda: grad(failing)(1.0), lambda: jvp(failing, 1.0, 1.0), lambda: jacobian(failing)(A)):
            with pytest.raises(RuntimeError, match="on purpose"):
                transform()
            assert (Value(2.0) * 3).parents == ()
    assert len((Value(2.0) * 3).parents) == 1


def test_plain_arrays_give_plain_arrays():
    for found in (
        grad(lambda x: (x * B).sum())(A),
        grad(lambda x: x.sum() * 0.0)(A),
        vjp(lambda x: x, A)[0],
        jvp(lambda x: x, A, B)[1],
        jacobian(lambda x: x)(A),
        jacobian(lambda x: x, mode="forward")(A),
        hessian(lambda x: (x @ x) ** 2)(A),
        jvp(lambda x: grad(lambda y: (y**3).sum())(x), A, B)[1],
        jvp(lambda x: jvp(lambda y: y**3, x, B)[1], A, B)[1],
        grad(lambda x: grad(lambda y: (y**3).sum())(x).sum())(A),
    ):
        assert isinstance(found, np.ndarray)


# --- results are not shared with the caller's arrays -----------------------------------------------------


COTANGENT = np.ones(3)
SHARED_PARTS = {
    "a sum of two": lambda: grad(lambda x, y: ((x + y) * B).sum(), (0, 1))(A, A),
    "a dict of two": lambda: grad(lambda p: ((p["x"] + p["y"]) ** 2).sum())({"x": A, "y": B}).values(),
    "an identity": lambda: vjp(lambda x: x, A)[1](COTANGENT),
    "a sum pulled back": lambda: vjp(lambda x, y: x + y, A, B)[1](COTANGENT),
    "a view": lambda: vjp(lambda x: x.reshape(3, 1), A)[1](COTANGENT.reshape(3, 1)),
    "a broadcast": lambda: [grad(lambda x: x.sum())(A)],
    "a factor": lambda: [grad(lambda x: (x * B).sum())(A)],
    "jacobians": lambda: jacobian(lambda x, y: x + y, (0, 1))(A, A),
    "jacobians of a number": lambda: jacobian(lambda x, y: ((x + y) * B).sum(), (0, 1))(A, A),
    "hessians": lambda: hessian(lambda x, y: ((x + y) ** 2).sum(), (0, 1))(A, A)[0],
    "products with a hessian": lambda: hvp(lambda x, y: ((x + y) ** 2).sum(), (A, A), (COTANGENT, COTANGENT)),
}


@pytest.mark.parametrize("name", SHARED_PARTS)
def test_the_caller_can_change_gradients(name):
    gradients = list(SHARED_PARTS[name]())
    for i, gradient in enumerate(gradients):
        assert gradient.flags.writeable
        for other in (A, B, COTANGENT, *gradients[:i]):
            assert not np.shares_memory(gradient, other)


def test_the_caller_can_change_tangents():
    tangent = np.ones(3)
    for function in (lambda x: x, lambda x: x.reshape(3, 1), lambda x: adjoint.broadcast_to(x, (2, 3))):
        moved = jvp(function, A, tangent)[1]
        assert moved.flags.writeable
        assert not np.shares_memory(moved, tangent)


def test_a_pullback_can_be_called_again():
    pullback = vjp(lambda x: x.exp(), A)[1]
    (first,) = pullback(B)
    (second,) = pullback(2 * B)
    require_close(first, np.exp(A) * B)
    require_close(second, 2 * np.exp(A) * B)


def test_arguments_are_not_changed():
    x, v = A.copy(), B.copy()
    x.flags.writeable = v.flags.writeable = False
    given_ = {"x": [x]}
    grad(lambda p: (p["x"][0] ** 2).sum())(given_)
    jvp(lambda x: x.at[0].set(0.0) * 2, x, v)
    vjp(lambda x: x.at[0].set(0.0) * 2, x)[1](v)
    hessian(lambda x: (x**3).sum())(x)
    assert given_["x"][0] is x
    np.testing.assert_array_equal(x, A)
    np.testing.assert_array_equal(v, B)


def test_a_function_that_changes_its_argument_changes_a_copy():
    given_ = {"x": A}
    require_close(grad(lambda p: (p.pop("x") ** 2).sum())(given_)["x"], 2 * A)
    assert list(given_) == ["x"]


def test_a_deep_function_is_differentiated_without_recursion():
    def deep(x):
        for _ in range(10_000):
            x = x * 1.0001
        return x.sum()

    factor = 1.0001**10_000
    require_close(grad(deep)(A), np.full(3, factor))
    require_close(float(jvp(deep, A, B)[1]), factor * B.sum())


def test_derivatives_at_poles_follow_ieee_without_a_warning():
    assert grad(lambda x: x.log().sum())(np.array([0.0, 1.0])).tolist() == [math.inf, 1.0]
    assert jvp(lambda x: x.sqrt(), np.array([0.0, 1.0]), np.ones(2))[1].tolist() == [math.inf, 0.5]
