"""Reductions against PyTorch and central differences: values, shapes, dtypes and three derivatives."""

import math

import numpy as np
import pytest
import torch
from arrays import (
    EDGES,
    FINITE_EDGES,
    Problem,
    case,
    jax_in_double,
    problems,
    require_agreement,
    require_central_differences,
    require_forward_mode,
    require_own_gradients,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import adjoint
from adjoint import Value
from adjoint.errors import ShapeError

CASES: dict = {}


def as_tuple(axis, ndim: int) -> tuple[int, ...]:
    """The axes that are meant, as PyTorch wants them; it takes an empty tuple for all of them."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(axis) if isinstance(axis, tuple) else (axis,)


def together(t: torch.Tensor, axes: tuple[int, ...]) -> torch.Tensor:
    """The tensor with some axes joined into one, the last."""
    axes = tuple(a % t.ndim for a in axes)
    rest = [i for i in range(t.ndim) if i not in axes]
    return t.permute((*rest, *axes)).reshape([*[t.shape[i] for i in rest], math.prod(t.shape[i] for i in axes)])


def reduced(function, axis, keepdims: bool):
    """A function of the last axis of a tensor as a reduction along any."""

    def reduction(t):
        axes = {a % t.ndim for a in as_tuple(axis, t.ndim)}
        y = function(together(t, tuple(sorted(axes))))
        return y.reshape([1 if i in axes else n for i, n in enumerate(t.shape)]) if keepdims else y

    return reduction


LAST = {
    "sum": lambda t: t.sum(-1),
    "mean": lambda t: t.mean(-1),
    "prod": lambda t: t.prod(-1),
    "max": lambda t: t.amax(-1),
    "min": lambda t: t.amin(-1),
    "logsumexp": lambda t: t.logsumexp(-1),
    "norm": lambda t: torch.linalg.vector_norm(t, dim=-1),
}


@case(CASES, *LAST)
def _(name, draw):
    # of infinite factors PyTorch's gradient is NaN, because it divides by them
    special = FINITE_EDGES if name == "prod" and draw.kind == "edges" else None
    x = draw.array(draw.shape(min_side=1 if name in ("max", "min") else 0), special=special)
    axis, keepdims = draw.axes(x.ndim), draw.flag()
    return Problem(
        draw.call(name, axis=axis, keepdims=keepdims), reduced(LAST[name], axis, keepdims), [x]
    )


@case(CASES, "var", "std")
def _(name, draw):
    x = draw.array()
    axis, keepdims, correction = draw.axes(x.ndim), draw.flag(), draw.one_of(0, 1, 0.5)
    return Problem(
        draw.call(name, axis=axis, keepdims=keepdims, correction=correction),
        reduced(lambda t: getattr(t, name)(-1, correction=correction), axis, keepdims),
        [x],
    )


@case(CASES, "norm of any order")
def _(name, draw):
    # the norm of a single huge number is known to PyTorch, and only of a single one
    x = draw.array(draw.shape(min_side=1), special=EDGES if draw.kind == "edges" else None)
    axis, keepdims, order = draw.axes(x.ndim), draw.flag(), draw.one_of(1, 2, 3, 2.5, math.inf, -math.inf)
    return Problem(
        draw.call("norm", order, axis=axis, keepdims=keepdims),
        reduced(lambda t: torch.linalg.vector_norm(t, order, dim=-1), axis, keepdims),
        [x],
    )


@case(CASES, "cumsum", "cumprod")
def _(name, draw):
    x = draw.array(special=FINITE_EDGES if name == "cumprod" and draw.kind == "edges" else None)
    axis = draw.one_of(None, *range(-x.ndim, x.ndim))
    return Problem(
        draw.call(name, axis=axis),
        lambda t: getattr(t.flatten(), name)(0) if axis is None else getattr(t, name)(axis),
        [x],
    )


@case(CASES, "softmax", "log_softmax")
def _(name, draw):
    x = draw.array(draw.shape(min_side=0))
    axis = draw.axes(x.ndim)

    def theirs(t):
        axes = tuple(a % t.ndim for a in as_tuple(axis, t.ndim))
        rest = [i for i in range(t.ndim) if i not in axes]
        y = getattr(together(t, axes), name)(-1)
        return y.reshape([t.shape[i] for i in (*rest, *axes)]).permute(np.argsort([*rest, *axes]).astype(int).tolist())

    return Problem(draw.call(name, axis=axis), theirs, [x])


# --- what holds for each of them ---------------------------------------------------------------------------

each = pytest.mark.parametrize("name", CASES)


@each
@settings(max_examples=25)
@given(data=st.data())
def test_results_and_gradients_follow_pytorch(name, data):
    require_agreement(data.draw(problems(CASES, name)), order=1)


@each
@settings(max_examples=15)
@given(data=st.data())
def test_three_derivatives_follow_pytorch(name, data):
    require_agreement(data.draw(problems(CASES, name, dtypes=["float64"])), order=3)


@each
@pytest.mark.parametrize("kind", ["ties", "edges"])
@settings(max_examples=20)
@given(data=st.data())
def test_ties_and_edges_follow_pytorch(name, kind, data):
    require_agreement(data.draw(problems(CASES, name, kind)), order=1)


@each
@settings(max_examples=5)
@given(data=st.data())
def test_central_differences_confirm_each_derivative(name, data):
    require_central_differences(data.draw(problems(CASES, name, dtypes=["float64"])), order=3)


@each
@settings(max_examples=5)
@given(data=st.data())
def test_forward_mode_agrees_with_pytorch_to_the_third_derivative(name, data):
    require_forward_mode(data.draw(problems(CASES, name, dtypes=["float64"])), order=3)


@each
@settings(max_examples=10)
@given(data=st.data())
def test_gradients_belong_to_their_value_alone(name, data):
    require_own_gradients(data.draw(problems(CASES, name)))


@each
@settings(max_examples=10)
@given(data=st.data())
def test_arrays_of_torch_serve_as_data(name, data):
    require_agreement(data.draw(problems(CASES, name)), order=2, library=torch.tensor)


@each
@settings(max_examples=2)
@given(data=st.data())
def test_arrays_of_jax_serve_as_data(name, data):
    with jax_in_double() as library:
        require_agreement(data.draw(problems(CASES, name)), order=2, library=library)
