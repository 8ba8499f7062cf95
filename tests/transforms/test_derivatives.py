"""Transforms against PyTorch, JAX and central differences, of any order, over numbers, arrays and structures."""

import functools
import itertools
import math
import tracemalloc
import warnings
from collections import namedtuple

import numpy as np
import pytest
import torch
from arrays import jax_in_double, to_numpy
from fuzzing import examples
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

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

A = np.array([0.5, -1.2, 2.0])
B = np.array([1.5, 0.3, -0.7])
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
TO_ARRAYS = {
    "the same shape": (lambda x: x.tanh() * x.sum(), lambda t: t.tanh() * t.sum()),
    "one axis more": (lambda x: adjoint.stack([x**2, x.exp()]), lambda t: torch.stack([t**2, t.exp()])),
    "all axes reversed": (lambda x: adjoint.permute_dims(x**3, range(x.ndim)[::-1]), lambda t: (t**3).permute(
        tuple(range(t.ndim)[::-1]))),
    "one number": (lambda x: (x**2).sum(), lambda t: (t**2).sum()),
}  # fmt: skip

shapes = hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3)


@st.composite
def points(draw, dtypes=("float64", "float32"), count=1):
    """Arrays of one drawn shape and dtype."""
    shape, dtype = draw(shapes), draw(st.sampled_from(dtypes))
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    found = [np.asarray(random.uniform(-1.5, 1.5, shape), dtype) for _ in range(count)]
    return found[0] if count == 1 else found


def given_as(x: np.ndarray):
    """An array as an argument: one without axes as a Tensor, for NumPy's own counts as a number."""
    return x if x.ndim else Tensor(x)


def torched(x: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.array(x))


def in_torch(transform, *arguments):
    """The result of a transform of PyTorch, without the warnings that it makes about itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return transform(*arguments)


def require_close(ours, theirs, like=None) -> None:
    """Require the same shape and numbers, and the dtype of the array that they were derived from."""
    ours, theirs = to_numpy(ours), to_numpy(theirs)
    assert ours.shape == theirs.shape
    single = np.asarray(like if like is not None else theirs).dtype == np.float32
    if ours.shape and like is not None:
        assert ours.dtype == np.asarray(like).dtype
    tolerance = 2e-4 if single else 1e-10
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


# --- against PyTorch ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TO_NUMBER)
@examples(15)
@given(x=points())
def test_the_gradient_is_pytorchs(name, x):
    ours, theirs = TO_NUMBER[name]
    before = x.copy()
    value, gradient = value_and_grad(ours)(given_as(x))
    require_close(value, theirs(torched(x)), x)
    require_close(gradient, torch.func.grad(theirs)(torched(x)), x)
    require_close(grad(ours)(given_as(x)), gradient, x)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("name", TO_NUMBER)
@examples(10)
@given(xs=points(count=2))
def test_the_hessian_and_its_products_are_pytorchs(name, xs):
    x, v = xs
    ours, theirs = TO_NUMBER[name]
    none = torch.zeros((*x.shape, *x.shape), dtype=torched(x).dtype)  # PyTorch cannot take that of an empty array
    expected = in_torch(torch.func.hessian(theirs), torched(x)) if x.size else none
    require_close(hessian(ours)(given_as(x)), expected, x)
    along = (expected.reshape(x.size, x.size) @ torched(v).reshape(-1)).reshape(x.shape)
    require_close(hvp(ours, given_as(x), v), along, x)


@pytest.mark.parametrize("mode", ["auto", "reverse", "forward"])
@pytest.mark.parametrize("name", TO_ARRAYS)
@examples(8)
@given(x=points())
def test_the_jacobian_is_pytorchs_in_every_mode(name, mode, x):
    ours, theirs = TO_ARRAYS[name]
    require_close(jacobian(ours, mode=mode)(given_as(x)), torch.func.jacrev(theirs)(torched(x)), x)


@pytest.mark.parametrize("name", TO_ARRAYS)
@examples(15)
@given(xs=points(count=2), seed=st.integers(0, 100))
def test_products_with_vectors_from_either_side_are_pytorchs(name, xs, seed):
    x, tangent = xs
    ours, theirs = TO_ARRAYS[name]
    value, moved = jvp(ours, given_as(x), tangent)
    expected_value, expected = in_torch(torch.func.jvp, theirs, (torched(x),), (torched(tangent),))
    require_close(value, expected_value, x)
    require_close(moved, expected, x)
    cotangent = np.asarray(np.random.default_rng(seed).normal(size=expected.shape), x.dtype)
    value, pullback = vjp(ours, given_as(x))
    require_close(value, expected_value, x)
    (found,) = pullback(cotangent)
    require_close(found, torch.func.vjp(theirs, torched(x))[1](torched(cotangent))[0], x)


@examples(15)
@given(x=points(dtypes=("float64",)), seed=st.integers(0, 100))
def test_gradients_and_tangents_are_the_slopes_of_central_differences(x, seed):
    def function(x):
        return (adjoint.sin(x * 2) * adjoint.exp(x)).sum()

    direction = np.random.default_rng(seed).normal(size=x.shape)
    step = 1e-5
    above, below = (float(function(Tensor(x + sign * step * direction)).data) for sign in (1, -1))
    slope = (above - below) / (2 * step)
    assert float(np.sum(to_numpy(grad(function)(given_as(x))) * direction)) == pytest.approx(slope, abs=1e-7)
    assert float(jvp(function, given_as(x), direction)[1]) == pytest.approx(slope, abs=1e-7)


# --- of any order ------------------------------------------------------------------------------------------

NESTS = ["".join(kinds) for kinds in itertools.product("gj", repeat=3)]  # g: grad, j: jvp, the innermost first


def nested(kinds: str, function, g, j):
    for kind in kinds:
        function = (g if kind == "g" else j)(function)
    return function


@pytest.mark.parametrize("kinds", NESTS)
def test_reverse_and_forward_mode_nest_three_deep_on_numbers_as_in_jax(kinds):
    import jax

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
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("kinds", NESTS)
def test_reverse_and_forward_mode_nest_three_deep_on_arrays_as_in_jax(kinds):
    import jax

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
    assert float(ours(A)) == pytest.approx(expected, rel=1e-10)


def test_the_sixth_derivative_of_the_sixth_power_is_720():
    derivative = lambda x: x**6  # noqa: E731
    for _ in range(6):
        derivative = grad(derivative)
    assert derivative(1.3) == pytest.approx(720.0, rel=1e-12)


def test_third_derivatives_of_an_array_are_pytorchs():
    def function(x):
        return (x.sin() * x[0] * x.sum()).sum()

    third = torch.func.jacrev(torch.func.jacrev(torch.func.jacrev(function)))
    require_close(jacobian(hessian(function))(A), third(torched(A)))


@pytest.mark.parametrize("inner", ["reverse", "forward"])
@pytest.mark.parametrize("outer", ["reverse", "forward"])
def test_jacobians_nest_in_every_mode(inner, outer):
    found = jacobian(jacobian(lambda x: x.sin() * x[::-1], mode=inner), mode=outer)(A)
    expected = torch.func.jacrev(torch.func.jacrev(lambda t: t.sin() * t.flip(0)))(torched(A))
    require_close(found, expected)


def test_the_gradient_of_a_pullback_for_its_cotangent_is_the_jacobian_transposed():
    found = grad(lambda v: (vjp(lambda x: x**2, A)[1](v)[0] * B).sum())(B)
    require_close(found, 2 * A * B)


def test_the_gradient_of_a_pushforward_for_its_tangent_is_the_jacobian():
    found = grad(lambda v: (jvp(lambda x: x**2, A, v)[1] * B).sum())(B)
    require_close(found, 2 * A * B)
    assert isinstance(found, np.ndarray)


def test_a_pullback_and_a_pushforward_of_a_value_keep_its_history():
    v = Value(B)
    vjp(lambda x: x**2, A)[1](v)[0].sum().backward()
    require_close(v.grad, 2 * A)
    v.zero_grad()
    jvp(lambda x: x**2, A, v)[1].sum().backward()
    require_close(v.grad, 2 * A)


# --- perturbations are not confused ------------------------------------------------------------------------


def derivative(kind: str):
    """The derivative of a function of one number, in reverse or in forward mode."""
    return grad if kind == "g" else lambda f: lambda x: jvp(f, x, 1.0)[1]


@pytest.mark.parametrize("outer", "gj")
@pytest.mark.parametrize("inner", "gj")
def test_the_classic_case_of_perturbation_confusion_gives_one(outer, inner):
    # d/dx [x · d/dy (x + y)] = d/dx [x · 1] = 1; who confuses x's perturbation with y's finds 2
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
    assert found == pytest.approx(4.0 * 27.0 * 4.0, rel=1e-14)


@pytest.mark.parametrize("outer", "gj")
@pytest.mark.parametrize("inner", "gj")
def test_arrays_are_not_confused_either(outer, inner):
    def along(kind, function, x, v):
        return (grad(function)(x) * v).sum() if kind == "g" else jvp(function, x, v)[1]

    found = along(outer, lambda x: along(inner, lambda y: (x * y * y).sum(), x, B) * x[0], A, B)
    expected = in_torch(
        torch.func.jvp,
        lambda x: torch.func.jvp(lambda y: (x * y * y).sum(), (x,), (torched(B),))[1] * x[0],
        (torched(A),),
        (torched(B),),
    )[1]
    assert float(found) == pytest.approx(float(expected), rel=1e-12)


def test_a_function_that_returns_a_captured_variable_has_no_derivative():
    assert grad(lambda x: x * grad(lambda y: x)(1.0))(3.0) == 0.0
    assert jvp(lambda x: x * jvp(lambda y: x, 1.0, 1.0)[1], 3.0, 1.0) == (0.0, 0.0)


# --- arguments ---------------------------------------------------------------------------------------------


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


def test_several_argnums_give_a_row_of_jacobians_and_a_square_of_hessians():
    def function(x, y):
        return (x**2 * y).sum()

    found = jacobian(lambda x, y: x * y, (0, 1))(A, 2.0)
    assert isinstance(found, tuple)
    require_close(found[0], 2 * np.eye(3))
    require_close(found[1], A)
    second = hessian(function, (0, 1))(A, B)
    expected = in_torch(torch.func.hessian(function, (0, 1)), torched(A), torched(B))
    for i, j in itertools.product(range(2), repeat=2):
        require_close(second[i][j], expected[i][j])


@pytest.mark.parametrize("argnums", [3, -4, (0, 3), None, "x", 0.0, (0.5,)])
@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
def test_an_argument_that_does_not_exist_is_refused(transform, argnums):
    with pytest.raises(errors.ArgumentError, match=r"argnums=.*called with 3 arguments"):
        transform(three, argnums)(A, B, 2.0)


@pytest.mark.parametrize("argnums", [(0, 0), (1, -2)])
def test_an_argument_named_twice_is_refused(argnums):
    with pytest.raises(errors.ArgumentError, match="argnums"):
        grad(three, argnums)(A, B, 2.0)


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, hessian])
def test_keyword_arguments_are_constants_that_the_function_receives(transform):
    def function(x, *, power, where):
        assert power == 3
        assert where == "there"
        return (x**power).sum()

    found = transform(function)(A, power=3, where="there")
    expected = {grad: 3 * A**2, jacobian: 3 * A**2, hessian: np.diag(6 * A)}
    require_close(found[1] if transform is value_and_grad else found, expected.get(transform, 3 * A**2))


def test_other_arguments_arrive_as_they_were_given():
    def function(x, y, how, nothing):
        assert y is B
        assert (how, nothing) == ("so", None)
        assert isinstance(x, Value)
        return (x * y).sum()

    require_close(grad(function)(A, B, "so", None), B)


def test_integers_are_taken_as_floats():
    assert grad(lambda x: x**3)(2) == 12.0
    found = grad(lambda x: (x**2).sum())(np.arange(3))
    assert found.dtype == np.float64
    require_close(found, [0.0, 2.0, 4.0])
    require_close(jvp(lambda x: x**2, np.arange(3), np.ones(3, int))[1], [0.0, 2.0, 4.0])


def test_a_number_gives_a_float_and_an_array_an_array_of_its_dtype():
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
def test_arrays_of_other_libraries_stay_theirs(library):
    make = torched if library == "torch" else pytest.importorskip("jax.numpy").asarray
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


# --- structures --------------------------------------------------------------------------------------------


def test_the_gradient_has_the_form_of_the_argument():
    def function(p):
        return (p["layers"][0].w * p["layers"][0].b + p["scale"][0]).sum() * p["scale"][1]

    given_ = {"layers": [Model(A, 2.0)], "scale": (3.0, B[:1])}
    found = grad(lambda p: function(p).sum())(given_)
    assert list(found) == ["layers", "scale"]
    assert type(found["layers"][0]) is Model
    assert isinstance(found["scale"], tuple)
    require_close(found["layers"][0].w, np.full(3, 2.0 * B[0]))
    assert found["layers"][0].b == pytest.approx(A.sum() * B[0])
    assert found["scale"][0] == pytest.approx(3 * B[0])
    require_close(found["scale"][1], [(A * 2.0 + 3.0).sum()])
    require_close(given_["layers"][0].w, A)


def test_none_in_an_argument_stays_none():
    assert grad(lambda p: p[0] * 2 if p[1] is None else p[0])([3.0, None]) == [2.0, None]


def test_a_jacobian_of_structures_is_a_structure_of_results_with_structures_of_arguments():
    def function(p):
        return {"product": p[0] * p[1], "number": p[1] ** 2}

    for mode in ("reverse", "forward", "auto"):
        found = jacobian(function, mode=mode)([A, 2.0])
        require_close(found["product"][0], 2 * np.eye(3))
        require_close(found["product"][1], A)
        require_close(found["number"][0], np.zeros(3))
        assert found["number"][1] == 4.0


def test_a_hessian_of_structures_is_pytorchs():
    def function(p):
        return (p["a"] ** 2 * p["b"]).sum()

    found = hessian(function)({"a": A, "b": 2.0})
    there = {"a": torched(A), "b": torch.tensor(2.0, dtype=torch.float64)}
    expected = torch.func.jacrev(torch.func.jacrev(function))(there)
    for i, j in itertools.product("ab", repeat=2):
        require_close(found[i][j], expected[i][j])


def test_tangents_and_cotangents_are_structures():
    def function(p, y):
        return [p["a"] * y, {"sum": p["b"].sum()}]

    value, moved = jvp(function, ({"a": A, "b": B}, 2.0), ({"a": B, "b": A}, 1.0))
    require_close(value[0], A * 2.0)
    require_close(moved[0], 2 * B + A)
    assert moved[1]["sum"] == pytest.approx(A.sum())
    value, pullback = vjp(function, {"a": A, "b": B}, 2.0)
    found, y = pullback([B, {"sum": 10.0}])
    require_close(found["a"], 2 * B)
    require_close(found["b"], np.full(3, 10.0))
    assert y == pytest.approx((A * B).sum())


def test_the_order_of_the_keys_of_a_tangent_or_cotangent_does_not_matter():
    moved = jvp(lambda p: 10 * p["a"] + p["b"], ({"a": A, "b": A},), ({"b": B, "a": 0 * B},))[1]
    require_close(moved, B)
    pullback = vjp(lambda x: {"a": 10 * x, "b": x}, A)[1]
    require_close(pullback({"b": B, "a": 0 * B})[0], B)


def test_products_with_the_hessian_have_the_form_of_the_arguments():
    found = hvp(lambda x, y: (x**2 * y).sum(), (A, B), (B, A))
    assert isinstance(found, tuple)
    require_close(found[0], 2 * B * B + 2 * A * A)
    require_close(found[1], 2 * A * B)
    alone = hvp(lambda p: (p["x"] ** 2 * p["y"]).sum(), {"x": A, "y": B}, {"x": B, "y": A})
    require_close(alone["x"], found[0])
    require_close(alone["y"], found[1])


# --- what comes beside -------------------------------------------------------------------------------------


def test_an_auxiliary_result_comes_beside_the_derivative():
    def function(x):
        return (x**2).sum(), {"doubled": x * 2, "note": "as it is"}

    gradient, aux = grad(function, has_aux=True)(A)
    require_close(gradient, 2 * A)
    (value, same), again = value_and_grad(function, has_aux=True)(A)
    assert value == pytest.approx((A**2).sum())
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


def test_a_transformed_function_keeps_its_name_and_its_text():
    def energy(x):
        """How much."""
        return x * x

    for transform in (grad, value_and_grad, jacobian, hessian, checkpoint, custom_vjp):
        assert transform(energy).__name__ == "energy"
        assert transform(energy).__doc__ == "How much."


# --- functions that do not depend on what they get ---------------------------------------------------------


@pytest.mark.parametrize("result", [3.0, 3, np.float32(3.0), np.array(3.0), Value(3.0), Value(np.array([3.0]))])
def test_a_constant_function_has_zeros_for_derivatives(result):
    value, gradient = value_and_grad(lambda x: result)(A)
    assert float(value) == 3.0
    require_close(gradient, np.zeros(3))
    require_close(jvp(lambda x: result, A, B)[1], np.zeros(np.shape(to_numpy(result))))
    require_close(hessian(lambda x: result)(A), np.zeros((3, 3)))
    for mode in ("reverse", "forward"):
        require_close(jacobian(lambda x: result, mode=mode)(A), np.zeros((*np.shape(to_numpy(result)), 3)))


def test_an_ignored_argument_gets_zeros_of_its_shape_and_dtype():
    x, y = grad(lambda x, y: (x * 2).sum(), (0, 1))(A, np.ones((2, 3), np.float32))
    require_close(x, np.full(3, 2.0))
    require_close(y, np.zeros((2, 3)), y)
    assert y.dtype == np.float32
    assert grad(lambda x, y: x, 1)(1.0, 2.0) == 0.0


def test_a_linear_function_has_zeros_for_second_derivatives():
    require_close(hessian(lambda x: (x * B).sum())(A), np.zeros((3, 3)))
    require_close(hvp(lambda x: (x * B).sum(), A, B), np.zeros(3))
    assert grad(grad(lambda x: 3 * x))(2.0) == 0.0


def test_a_constant_in_a_structure_of_results():
    moved = jvp(lambda x: (x * 2, 3.0, B), A, B)[1]
    require_close(moved[0], 2 * B)
    assert moved[1] == 0.0
    require_close(moved[2], np.zeros(3))
    (found,) = vjp(lambda x: (x * 2, 3.0, B), A)[1]((B, 100.0, B))
    require_close(found, 2 * B)


# --- what cannot be transformed ----------------------------------------------------------------------------


@pytest.mark.parametrize("transform", [grad, value_and_grad, hessian])
@pytest.mark.parametrize("result", [lambda x: x * 2, lambda x: (x.sum(),), lambda x: {"loss": x.sum()}, lambda x: B])
def test_a_result_that_is_not_one_number_is_refused_and_the_way_out_named(transform, result):
    with pytest.raises(errors.ShapeError, match=r"returns one number, not .*use jacobian or vjp"):
        transform(result)(A)


def test_the_shape_of_the_result_is_named():
    with pytest.raises(errors.ShapeError, match=r"not an array of shape \(3,\)"):
        grad(lambda x: x * 2)(A)


@pytest.mark.parametrize("given_", ["text", {1, 2}, 1j, object(), [1.0, "text"], {"a": len}])
def test_an_argument_that_is_no_number_is_refused(given_):
    with pytest.raises(errors.ArgumentError, match=r"cannot differentiate with respect to .*; give numbers"):
        grad(lambda x: 1.0)(given_)


@pytest.mark.parametrize("given_", [None, [], {}, (None,)])
@pytest.mark.parametrize("transform", [grad, jacobian])
def test_an_argument_without_numbers_is_refused(transform, given_):
    with pytest.raises(errors.ArgumentError, match="nothing to differentiate with respect to"):
        transform(lambda x: Value(1.0))(given_)


@pytest.mark.parametrize("result", [None, "text", object()])
@pytest.mark.parametrize("transform", [grad, jacobian])
def test_a_result_that_is_no_number_is_refused(transform, result):
    with pytest.raises(errors.AdjointError, match="function"):
        transform(lambda x: result)(A)


def test_complex_and_text_arrays_are_refused():
    with pytest.raises(errors.ArrayError, match="complex numbers are not supported"):
        grad(lambda x: x.sum())(np.ones(2, complex))
    with pytest.raises(errors.ArrayError, match="real numbers"):
        grad(lambda x: x.sum())(np.array(["a"]))


@pytest.mark.parametrize("name", ["grad", "value_and_grad", "jacobian", "hessian", "checkpoint", "custom_vjp"])
@pytest.mark.parametrize("given_", [3.0, None, "f"])
def test_what_is_no_function_is_refused_by_name(name, given_):
    with pytest.raises(errors.ArgumentError, match=f"^{name} needs a function, not"):
        getattr(adjoint, name)(given_)


@pytest.mark.parametrize(("name", "arguments"), [("vjp", (1.0,)), ("jvp", (1.0, 1.0)), ("hvp", (1.0, 1.0))])
def test_what_is_no_function_is_refused_by_name_at_a_point(name, arguments):
    with pytest.raises(errors.ArgumentError, match=f"^{name} needs a function, not float 3.0"):
        getattr(adjoint, name)(3.0, *arguments)


def test_a_mode_that_does_not_exist_is_refused():
    with pytest.raises(errors.ArgumentError, match="'auto', 'reverse' or 'forward', not 'backward'"):
        jacobian(lambda x: x, mode="backward")


@pytest.mark.parametrize("tangents", [(B, B), (), B, ([B],), ({"a": B},), (None,)])
@pytest.mark.parametrize("transform", [jvp, hvp])
def test_tangents_of_another_form_are_refused(transform, tangents):
    with pytest.raises(errors.AdjointError, match="tangent"):
        transform(lambda x: (x * x).sum(), (A,), tangents)


@pytest.mark.parametrize("tangent", [np.ones(2), np.ones((3, 1)), np.ones((1, 3)), 1.0, "text"])
def test_a_tangent_of_another_shape_is_refused(tangent):
    with pytest.raises(errors.ShapeError, match=r"a tangent .*\(3,\)"):
        jvp(lambda x: x, A, tangent)


def test_the_tangent_of_a_number_is_a_number():
    with pytest.raises(errors.ShapeError, match="a tangent of a number must be a number, not"):
        jvp(lambda x: x, 1.0, A)


@pytest.mark.parametrize("cotangent", [np.ones(2), 1.0, "text", np.ones((3, 1))])
def test_a_cotangent_of_another_shape_is_refused(cotangent):
    with pytest.raises(errors.ShapeError, match=r"the cotangent .*\(3,\)"):
        vjp(lambda x: x * 2, A)[1](cotangent)


@pytest.mark.parametrize("cotangent", [B, (B,), (B, B, B), [B, {"a": B}], (None, B), {"a": B}])
def test_a_cotangent_of_another_form_is_refused(cotangent):
    with pytest.raises(errors.ShapeError, match="cotangent must have the structure of the result"):
        vjp(lambda x: (x, 10 * x), A)[1](cotangent)


# --- Values around and given -------------------------------------------------------------------------------


def test_a_gradient_can_be_differentiated_for_captured_parameters():
    w = Value(B)
    gradient = grad(lambda x: (x**2 * w**2).sum())(A)
    require_close(gradient, 2 * A * B**2)
    gradient.sum().backward()
    require_close(w.grad, 4 * A * B)


def test_captured_numbers_too():
    w = Value(3.0)
    slope = grad(lambda x: x**2 * w**2)(2.0)
    assert slope.data == pytest.approx(36.0)
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


def test_hooks_of_captured_leaves_are_not_called():
    w, calls = Value(B), []
    w.register_hook(calls.append)
    grad(lambda x: (x * w).sum())(A)
    assert calls == []


def test_a_value_given_as_an_argument_keeps_its_history():
    x = Value(A)
    gradient = grad(lambda y: (y**3).sum())(x)
    assert isinstance(gradient, Tensor)
    (gradient**2).sum().backward()
    require_close(x.grad, 36 * A**3)  # (3x²)² = 9x⁴


def test_an_argument_given_twice_is_two_variables():
    for x in (A, Value(A)):
        first, second = grad(lambda x, y: (x * y**2).sum(), (0, 1))(x, x)
        require_close(first, A**2)
        require_close(second, 2 * A**2)


def test_a_value_given_and_captured_counts_once_as_the_variable():
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


def test_the_mode_after_a_transform_is_the_mode_before_it_also_after_an_error():
    def failing(x):
        raise RuntimeError("on purpose")

    with no_grad():
        for transform in (lambda: grad(failing)(1.0), lambda: jvp(failing, 1.0, 1.0), lambda: jacobian(failing)(A)):
            with pytest.raises(RuntimeError, match="on purpose"):
                transform()
            assert (Value(2.0) * 3).parents == ()
    assert len((Value(2.0) * 3).parents) == 1


def test_plain_arrays_come_out_when_plain_arrays_go_in():
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


# --- memory that belongs to the caller ---------------------------------------------------------------------


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
def test_gradients_are_the_callers_own(name):
    gradients = list(SHARED_PARTS[name]())
    for i, gradient in enumerate(gradients):
        assert gradient.flags.writeable
        for other in (A, B, COTANGENT, *gradients[:i]):
            assert not np.shares_memory(gradient, other)


def test_tangents_are_the_callers_own():
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


def test_the_callers_arrays_and_structures_are_left_as_they_were():
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


def test_a_function_that_changes_the_structure_it_got_changes_only_its_own():
    given_ = {"x": A}
    require_close(grad(lambda p: (p.pop("x") ** 2).sum())(given_)["x"], 2 * A)
    assert list(given_) == ["x"]


def test_a_deep_function_is_differentiated_without_recursion():
    def deep(x):
        for _ in range(10_000):
            x = x * 1.0001
        return x.sum()

    factor = 1.0001**10_000
    np.testing.assert_allclose(grad(deep)(A), np.full(3, factor), rtol=1e-10)
    assert float(jvp(deep, A, B)[1]) == pytest.approx(factor * B.sum(), rel=1e-10)


# --- checkpoint --------------------------------------------------------------------------------------------


def chain(x, length=5):
    for _ in range(length):
        x = (x * 1.1).sin()
    return x


DERIVATIVES = {
    "value": lambda f: f(Value(A)),
    "gradient": lambda f: grad(lambda x: f(x).sum())(A),
    "second derivative": lambda f: hessian(lambda x: f(x).sum())(A),
    "gradient of gradient": lambda f: grad(lambda x: (grad(lambda y: f(y).sum())(x) * B).sum())(A),
    "third derivative": lambda f: jacobian(hessian(lambda x: f(x).sum()))(A),
    "tangent": lambda f: jvp(f, A, B)[1],
    "tangent of tangent": lambda f: jvp(lambda x: jvp(f, x, B)[1], A, B)[1],
    "inside no_grad": lambda f: no_grad(lambda: grad(lambda x: f(x).sum())(A))(),
}

PROGRAMS = {
    "a chain": lambda c, x: c(chain)(x),
    "the identity": lambda c, x: c(lambda x: x)(x) * x,
    "a constant argument": lambda c, x: c(lambda x, z: x * z)(x, B),
    "a number as an argument": lambda c, x: c(lambda x, z: x**z)(x, 3.0),
    "keywords": lambda c, x: c(lambda x, *, power: x**power)(x, power=3),
    "a variable by keyword": lambda c, x: c(lambda z, *, x: z * x * x)(B, x=x),
    "an axis": lambda c, x: c(lambda x, axis: (x * x).sum(axis=axis) * x)(x, 0),
    "an index": lambda c, x: c(lambda x, i: x[i] ** 2)(x, np.array([0, 0, 1])),
    "text": lambda c, x: c(lambda x, how: getattr(x, how)())(x, "exp"),
    "nothing": lambda c, x: c(lambda x, mask: x.exp() if mask is None else x)(x, None),
    "a structure": lambda c, x: c(lambda p: p["a"] * p["b"][0])({"a": x, "b": [x.sin()]}),
    "a captured variable": lambda c, x: c(lambda z: (z * x).sin())(B),
    "a variable captured and given": lambda c, x: c(lambda z: (z * x).sin())(x),
    "a variable captured, and given changed": lambda c, x: c(lambda z: (z * x).sin())(x * 2),
    "a captured intermediate": lambda c, x: (lambda y: c(lambda z: (z * y).sin())(x))(x.exp()),
    "two results": lambda c, x: (lambda a, b: a * b)(*c(lambda x: (x.sin(), x.exp()))(x)),
    "two results, one of them used": lambda c, x: c(lambda x: (x.sin(), x.exp()))(x)[1],
    "the same result twice": lambda c, x: (lambda a, b: a * b)(*c(lambda x: (lambda y: (y, y))(x * x))(x)),
    "a dict of results": lambda c, x: (lambda r: r["a"] * r["b"][0])(c(lambda x: {"a": x * x, "b": [x.sum()]})(x)),
    "a constant beside a result": lambda c, x: (lambda a, b: a * b)(*c(lambda x: (x * x, 3.0))(x)),
    "nested": lambda c, x: c(lambda x: c(chain)(x) * x)(x),
    "nested, with a capture": lambda c, x: c(lambda x: c(lambda y: y * x)(x.sin()))(x),
    "in a row": lambda c, x: c(chain)(c(chain)(x)),
}


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_checkpoint_changes_no_derivative(program, derivative):
    take, run = DERIVATIVES[derivative], PROGRAMS[program]
    found = take(functools.partial(run, checkpoint))
    expected = take(functools.partial(run, lambda function: function))
    require_close(found, expected)
    assert type(found) is type(expected)


@pytest.mark.parametrize("kinds", ["g", "gg", "j", "jj", "gj", "jg"])
def test_a_checkpoint_of_numbers_that_captures_the_variable(kinds):
    def program(c):
        return nested(
            kinds, lambda w: c(lambda x: (x * w).sin() * w)(w * 2), grad, lambda f: lambda x: jvp(f, x, 1.0)[1]
        )

    assert float(program(checkpoint)(0.8)) == pytest.approx(float(program(lambda f: f)(0.8)), rel=1e-13)


def test_captured_parameters_receive_gradients_through_a_checkpoint():
    w, s = Value(B), Value(2.0)
    checkpoint(lambda x: (x * w * s).sin())(A).sum().backward()
    require_close(w.grad, np.cos(A * B * 2) * A * 2)
    assert s.grad == pytest.approx(float((np.cos(A * B * 2) * A * B).sum()))


def test_a_parameter_that_is_both_captured_and_given_receives_both_gradients():
    w = Value(A)
    checkpoint(lambda x: x * x * w)(w).sum().backward()
    require_close(w.grad, 3 * A**2)


def test_a_checkpoint_runs_once_forward_and_once_for_each_backward():
    for results in (1, 2):
        runs = []

        def function(x, results=results, runs=runs):
            runs.append(1)
            return x.sin() if results == 1 else (x.sin(), x.exp())

        found = checkpoint(function)(Value(A))
        loss = (found if results == 1 else found[0] * found[1]).sum()
        assert len(runs) == 1
        loss.backward()
        assert len(runs) == 2
        loss.backward()
        assert len(runs) == 3


def test_a_checkpoint_does_not_run_again_where_nothing_is_recorded():
    runs = []

    def function(x):
        runs.append(1)
        return x.sin()

    with no_grad():
        found = checkpoint(function)(Value(A))
    assert found.parents == ()
    assert len(runs) == 1


def test_a_checkpoint_keeps_its_arguments_and_results_alone():
    def kept_and_peak(transform, segments):
        x = Value(np.ones(131_072))  # one megabyte
        tracemalloc.start()
        try:
            y = x
            for _ in range(segments):
                y = transform(functools.partial(chain, length=20 // segments))(y)
            kept = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            y.sum().backward()
            return kept / 2**20, tracemalloc.get_traced_memory()[1] / 2**20
        finally:
            tracemalloc.stop()

    def plain(function):
        return function

    assert kept_and_peak(plain, 1)[0] > 39  # two for each link
    assert kept_and_peak(checkpoint, 1)[0] < 1.5
    assert kept_and_peak(plain, 4)[1] > 39
    assert kept_and_peak(checkpoint, 4)[1] < 20  # the results of four, and one of them at work


def test_a_checkpoint_of_what_is_no_value_computes_and_returns_it_plainly():
    found = checkpoint(lambda x: x * 2)(A)
    assert isinstance(found, np.ndarray)
    require_close(found, A * 2)
    assert checkpoint(lambda x: None)(Value(A)) is None
    assert checkpoint(lambda x: 3.0)(Value(A)) == 3.0


def test_what_a_checkpoint_returns_beside_values_comes_back_as_it_is():
    doubled, number, note = checkpoint(lambda x: (x * 2, 3.0, "note"))(Value(A))
    require_close(doubled, 2 * A)
    assert (number, note) == (3.0, "note")


def test_an_error_in_a_checkpointed_function_is_the_users_own():
    def failing(x):
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        checkpoint(failing)(Value(A))


# --- custom_vjp --------------------------------------------------------------------------------------------


def make_cube():
    """x³ with its rules, written by hand."""

    @custom_vjp
    def cube(x):
        return x**3

    @cube.vjp
    def _(g, y, x):
        return 3 * x * x * g

    @cube.jvp
    def _(tangents, y, x):
        return 3 * x * x * tangents[0]

    return cube


def test_a_rule_of_ones_own_is_used_by_backward():
    doubled = custom_vjp(lambda x: 2 * x, lambda g, y, x: 100 * g)  # not its derivative, so that it shows
    x, s = Value(A), Value(3.0)
    doubled(x).sum().backward()
    doubled(s).backward()
    require_close(x.grad, np.full(3, 100.0))
    assert s.grad == 100.0
    assert grad(doubled)(3.0) == 100.0


def test_a_rule_of_ones_own_is_used_by_forward_mode():
    doubled = custom_vjp(lambda x: 2 * x, lambda g, y, x: 2 * g, lambda tangents, y, x: 100 * tangents[0])
    require_close(jvp(doubled, A, B)[1], 100 * B)
    assert jvp(doubled, 3.0, 1.0) == (6.0, 100.0)


def test_the_function_computes_on_plain_arrays():
    seen = []

    @custom_vjp
    def sums(x, y):
        seen.extend([type(x), type(y)])
        return np.add(x, y)

    sums.vjp(lambda g, out, x, y: (g, g))
    found = sums(Value(A), B)
    assert isinstance(found, Tensor)
    assert seen == [np.ndarray, np.ndarray]
    require_close(sums(A, B), A + B)


@pytest.mark.parametrize("derivative", DERIVATIVES)
def test_a_rule_of_ones_own_differentiates_to_any_order(derivative):
    take = DERIVATIVES[derivative]
    require_close(take(make_cube()), take(lambda x: x**3))


@pytest.mark.parametrize("kinds", NESTS)
def test_a_rule_of_ones_own_nests_on_numbers(kinds):
    found = nested(kinds, make_cube(), grad, lambda f: lambda x: jvp(f, x, 1.0)[1])(2.0)
    assert float(found) == pytest.approx(6.0, rel=1e-14)


def test_a_rule_may_use_the_result():
    exp = custom_vjp(lambda x: np.exp(x), lambda g, y, x: g * y)
    require_close(grad(lambda x: exp(x).sum())(A), np.exp(A))
    require_close(grad(lambda x: grad(lambda y: exp(y).sum())(x).sum())(A), np.exp(A))


def test_an_operand_without_a_gradient_gets_zeros():
    product = custom_vjp(lambda x, y: x * y, lambda g, out, x, y: (g * y, None))
    x, y = grad(lambda x, y: product(x, y).sum(), (0, 1))(A, B)
    require_close(x, B)
    require_close(y, np.zeros(3))
    assert grad(product, (0, 1))(2.0, 3.0) == (3.0, 0.0)
    v = Value(B)
    product(A, v).sum().backward()
    require_close(v.grad, np.zeros(3))


def test_constants_among_the_operands_receive_nothing():
    product = custom_vjp(lambda x, y: x * y, lambda g, out, x, y: (g * y, g * x))
    require_close(grad(lambda x: product(x, B).sum())(A), B)
    require_close(grad(lambda x: product(3.0, x).sum())(A), np.full(3, 3.0))


def test_a_gradient_that_broadcasts_is_summed_and_the_dtype_is_the_operands():
    product = custom_vjp(lambda x, y: x * y, lambda g, out, x, y: (g * y, g * x))
    x, y = grad(lambda x, y: product(x, y).sum(), (0, 1))(A.astype(np.float32), np.ones((2, 3)))
    assert x.dtype == np.float32
    require_close(x, np.full(3, 2.0), x)
    require_close(y, np.stack([A.astype(np.float32)] * 2).astype(float))


@pytest.mark.parametrize("rule", [lambda g, out, x, y: g, lambda g, out, x, y: (g, g, g), lambda g, out, x, y: ()])
def test_a_wrong_number_of_gradients_is_refused(rule):
    def product(x, y):
        return x * y

    with pytest.raises(errors.ArgumentError, match=r"the vjp of product returned \d gradients for 2 operands"):
        grad(custom_vjp(product, rule))(2.0, 3.0)


@pytest.mark.parametrize("gradient", [np.ones(2), np.ones((3, 2)), "text"])
def test_a_gradient_of_another_shape_is_refused(gradient):
    def total(x):
        return x.sum()

    with pytest.raises(errors.AdjointError, match="total"):
        grad(custom_vjp(total, lambda g, y, x: gradient))(A)


def test_a_function_without_a_rule_says_how_to_give_one():
    @custom_vjp
    def cube(x):
        return x**3

    for operand in (2.0, A, Value(A)):
        with pytest.raises(errors.MissingRuleError, match=r"cube has no gradient rule; decorate one with @cube\.vjp"):
            cube(operand)
    with pytest.raises(errors.MissingRuleError, match="has no gradient rule"):
        custom_vjp(functools.partial(pow, 2.0))(A)


def test_a_function_without_a_forward_rule_says_so():
    cube = custom_vjp(lambda x: x**3, lambda g, y, x: 3 * x * x * g)
    with pytest.raises(errors.MissingRuleError, match=r"no rule for forward mode.*give it a jvp"):
        jvp(cube, A, B)


@pytest.mark.parametrize("rule", [3.0, "rule"])
def test_a_rule_that_is_no_function_is_refused(rule):
    with pytest.raises(errors.ArgumentError, match="function"):
        custom_vjp(lambda x: x, rule)
    with pytest.raises(errors.ArgumentError, match="function"):
        custom_vjp(lambda x: x).vjp(rule)


@pytest.mark.parametrize("result", [None, "text"])
def test_a_custom_function_that_returns_no_number_is_refused(result):
    def odd(x):
        return result

    with pytest.raises(errors.AdjointError, match="odd"):
        custom_vjp(odd, lambda g, y, x: g)(Value(A))


def test_a_custom_rule_inside_a_checkpoint_and_no_grad():
    cube = make_cube()
    require_close(grad(lambda x: checkpoint(cube)(x).sum())(A), 3 * A**2)
    with no_grad():
        assert cube(Value(A)).parents == ()


def test_a_rule_may_be_replaced():
    cube = make_cube()
    assert grad(cube)(2.0) == 12.0
    cube.vjp(lambda g, y, x: -g)
    assert grad(cube)(2.0) == -1.0


def test_derivatives_at_poles_are_ieees_and_make_no_warning():
    assert grad(lambda x: x.log().sum())(np.array([0.0, 1.0])).tolist() == [math.inf, 1.0]
    assert jvp(lambda x: x.sqrt(), np.array([0.0, 1.0]), np.ones(2))[1].tolist() == [math.inf, 0.5]
