"""The texts about array operations: each formula in them is computed with NumPy and compared with the engine."""

from importlib import import_module

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, explain
from adjoint.arrays.array_rule import ARRAY_OPS
from adjoint.see.explanation.sentences import _SENTENCES

rng = np.random.default_rng(0)
x, z, square = rng.normal(size=(4, 3)), rng.normal(size=(3, 2)), rng.normal(size=(3, 3))
softmax = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
w, bias = rng.normal(size=(2, 3)), rng.normal(size=2)


def total(a):
    return a.sum(-1, keepdims=True)


CASES = {
    "@": (lambda x: x @ Value(z, label="z"), x, "y.grad @ zᵀ", lambda g: g @ z.T),
    "@ right": (lambda z: Value(x, label="x") @ z, z, "xᵀ @ y.grad", lambda g: x.T @ g),
    "linear": (lambda x: adjoint.linear(x, Value(w, label="w"), bias), x, "y.grad @ w", lambda g: g @ w),
    "linear weight": (lambda w: adjoint.linear(Value(x, label="x"), w, bias), w, "y.gradᵀ @ x", lambda g: g.T @ x),
    "linear bias": (lambda b: adjoint.linear(Value(x, label="x"), Value(w, label="w"), b), bias,
                    "y.grad summed over the samples", lambda g: g.sum(0)),
    "sum": (lambda x: x.sum(axis=0), x, "y.grad, repeated for every element of the sum",
            lambda g: np.broadcast_to(g, x.shape)),
    "mean": (lambda x: x.mean(axis=0), x, "y.grad / 4, repeated for each of the 4 elements of the mean",
             lambda g: np.broadcast_to(g / 4, x.shape)),
    "norm": (lambda x: adjoint.norm(x), x, "y.grad · a / y", lambda g: g * x / np.linalg.norm(x)),
    "logsumexp": (lambda x: adjoint.logsumexp(x, axis=-1), x, "y.grad · softmax(a)", lambda g: g[:, None] * softmax),
    "softmax": (lambda x: adjoint.softmax(x, axis=-1), x, "y · (y.grad − sum(y.grad · y))",
                lambda g: softmax * (g - total(g * softmax))),
    "log_softmax": (lambda x: adjoint.log_softmax(x, axis=-1), x, "y.grad − e^y · sum(y.grad)",
                    lambda g: g - softmax * total(g)),
    "cumsum": (lambda x: adjoint.cumsum(x, axis=0), x, "the cumulative sum of y.grad from the end",
               lambda g: g[::-1].cumsum(0)[::-1]),
    "inv": (lambda x: adjoint.linalg.inv(x), square, "−yᵀ @ y.grad @ yᵀ",
            lambda g: -np.linalg.inv(square).T @ g @ np.linalg.inv(square).T),
    "permute_dims": (lambda x: x.T, x, "y.grad with the axes in their original order", lambda g: g.T),
    "reshape": (lambda x: x.reshape(6, 2), x, "y.grad reshaped to the shape of a", lambda g: g.reshape(4, 3)),
    "flip": (lambda x: adjoint.flip(x), x, "y.grad flipped back", lambda g: g[::-1, ::-1]),
    "getitem": (lambda x: x[1], x, "y.grad at the selected positions, 0 elsewhere",
                lambda g: np.stack([0 * g, g, 0 * g, 0 * g])),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_described_contribution_is_what_the_engine_computes(case):
    function, at, words, computed = CASES[case]
    leaf = Value(at, label="a")
    y = function(leaf)
    y.label = "y"
    g = rng.normal(size=y.shape)
    step = next(step for step in explain(y, g).backward if step.parent.name == "a" and step.node.name == "y")
    assert step.formula == words
    y.backward(g)
    require_close(leaf.grad, computed(g))


def test_the_table_describes_only_operations_that_exist():
    for module in ("arrays.functions.convolution", "arrays.functions.attention", "transforms.derivatives"):
        import_module(f"adjoint.{module}")
    assert set(_SENTENCES) <= set(ARRAY_OPS)


def test_an_operation_without_a_text_is_described_by_its_name():
    step = explain(adjoint.linalg.det(Value([[2.0, 1.0], [0.0, 3.0]], label="m"))).backward[0]
    assert step.formula == "the vector-Jacobian product of det with v1.grad"


def test_the_contribution_to_a_broadcast_operand_is_summed():
    y = Value(np.ones((4, 3)), label="x") * Value(np.ones(3), label="s")
    said = [step.node.product(step.operand) for step in explain(y, np.ones((4, 3))).backward]
    assert said == [("v1.grad · s", "(4, 3)"), ("v1.grad · x, summed over the broadcast axes", "(4, 3) → (3,)")]
