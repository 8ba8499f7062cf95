"""Activations with options against PyTorch."""

import math

import numpy as np
import pytest
from arrays import FINITE_EDGES, F, Problem, case, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value, errors

CASES: dict = {}


@case(CASES, "gelu", "softplus", "hardtanh", "threshold")
def _(name, draw):
    options = {
        "gelu": lambda: {"approximate": "tanh"},
        "softplus": lambda: {"beta": draw.one_of(2.0, 0.5, -1.0), "threshold": draw.one_of(100.0, 1.5)},
        "hardtanh": lambda: draw.one_of({}, {"min_val": -0.4, "max_val": 1.3}),
        "threshold": lambda: {"threshold": draw.one_of(0.3, 1.0), "value": -5.0},
    }[name]()
    x = draw.array(special=FINITE_EDGES if draw.kind == "edges" and name == "gelu" else None)
    return Problem(lambda v: getattr(adjoint, name)(v, **options), lambda t: getattr(F, name)(t, **options), [x])


@case(CASES, "softmin", "glu")
def _(name, draw):
    shape = [draw.one_of(2, 4) if name == "glu" else side for side in draw.shape(1, min_side=1)]
    x = draw.array(shape, special=FINITE_EDGES if draw.kind == "edges" else None)
    axis = draw.axis(x.ndim)
    return Problem(lambda v: getattr(adjoint, name)(v, axis), lambda t: getattr(F, name)(t, dim=axis), [x])


@case(CASES, "prelu")
def _(name, draw):
    shape = draw.shape(1, 4, min_side=1)
    x = draw.array(shape)
    weight = draw.array((draw.one_of(1, shape[1] if len(shape) > 1 else 1),))
    return Problem(adjoint.prelu, F.prelu, [x, weight])


globals().update(claims(CASES, singular=["gelu", "prelu"], without=["arrays_of_jax", "compiled"]))


def test_one_compiled_program_of_all_activations_with_options_agrees():
    pytest.importorskip("jax")
    x = np.linspace(-3.0, 3.0, 12).reshape(3, 4)

    def total(v, weight):
        parts = [
            adjoint.gelu(v, "tanh"), adjoint.softplus(v, 2.0, 1.5), adjoint.hardtanh(v, -0.4, 1.3),
            adjoint.threshold(v, 0.3, -5.0), adjoint.softmin(v, 0), adjoint.prelu(v, weight),
        ]  # fmt: skip
        return sum(part.sum() for part in parts) + adjoint.glu(v, 1).sum()

    leaves = Value(x), Value([0.1, 0.2, 0.3, 0.4])
    total(*leaves).backward()
    compiled = Value(x), Value([0.1, 0.2, 0.3, 0.4])
    found = adjoint.jit(adjoint.value_and_grad(total, argnums=(0, 1)))(*compiled)
    require_close(float(found[0]), float(total(*leaves)))
    for leaf, gradient in zip(leaves, found[1]):
        require_close(gradient.numpy(), leaf.grad)


@pytest.mark.parametrize("x", [-3.0, -0.4, 0.0, 0.3, 1.3, 30.0])
def test_numbers_and_scalar_values_give_the_same_as_arrays(x):
    for function in (
        lambda v: adjoint.gelu(v, "tanh"), adjoint.gelu, lambda v: adjoint.softplus(v, 2.0, 20),
        lambda v: adjoint.hardtanh(v, -0.4, 1.3), adjoint.hardtanh, lambda v: adjoint.threshold(v, 0.3, -5.0),
        lambda v: adjoint.prelu(v, 0.3),
    ):  # fmt: skip
        array, scalar = Value([x]), Value(x)
        y, z = function(array), function(scalar)
        assert type(function(x)) is float
        require_close(function(x), y.item())
        require_close(float(z), y.item())
        assert type(z) is Value
        y.backward()
        z.backward()
        require_close(scalar.grad, array.grad[0])


def test_softplus_has_no_threshold_by_default():
    pytest.importorskip("torch")
    x = torch.linspace(-40, 40, 81, dtype=torch.float64)
    exact = np.log1p(np.exp(-np.abs(x.numpy()))) + np.maximum(x.numpy(), 0)
    require_close(adjoint.softplus(x.numpy()), exact)
    require_close(adjoint.softplus(x.numpy(), threshold=20), F.softplus(x).numpy())
    assert float(np.abs(F.softplus(x).numpy() - exact).max()) < 2.1e-9  # as the documentation says


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: adjoint.gelu(1.0, "tan"), r"unknown approximation 'tan' \(did you mean 'tanh'\?\)"),
        (lambda: adjoint.softplus(1.0, beta=0), "beta must not be 0"),
        (lambda: adjoint.hardtanh(1.0, 2.0, -2.0), "min_val must be at most max_val, not 2.0 and -2.0"),
        (lambda: adjoint.glu(np.ones((2, 3))), "axis 1 must have an even size to be halved, not 3"),
        (lambda: adjoint.prelu(np.ones((2, 3)), [0.1, 0.2]), r"have shape \(3,\), one number per channel"),
        (lambda: adjoint.softplus(1.0, beta="x"), "softplus: beta needs a number, not str 'x'"),
    ],
)
def test_wrong_options_raise_errors_that_say_what_is_expected(call, message):
    with pytest.raises(errors.AdjointError, match=message):
        call()


def test_nan_passes_through_every_activation():
    for name in ("gelu", "hardtanh", "hardsigmoid", "hardswish", "hardshrink", "softshrink", "relu6", "selu", "mish"):
        assert math.isnan(getattr(adjoint, name)(math.nan)), name


def test_a_condition_that_jit_traces_chooses_between_plain_numbers_and_arrays():
    pytest.importorskip("jax")

    def choose(v):
        return adjoint.where(v > 0, 1.0, -1.0) * v + adjoint.where(v > 0, np.array([1.0, 2.0]), 0.0)

    x = Value([3.0, -2.0])
    require_close(adjoint.jit(choose)(x).numpy(), choose(x).numpy())
