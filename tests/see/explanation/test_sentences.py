"""What an operation on arrays passes back, in words: each formula among the words computed beside the engine."""

from importlib import import_module

import numpy as np
import pytest

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
                    "y.grad added up over the samples", lambda g: g.sum(0)),
    "sum": (lambda x: x.sum(axis=0), x, "y.grad, the same for every element that was added up",
            lambda g: np.broadcast_to(g, x.shape)),
    "mean": (lambda x: x.mean(axis=0), x, "y.grad / 4, the same for each of the 4 elements of a mean",
             lambda g: np.broadcast_to(g / 4, x.shape)),
    "norm": (lambda x: adjoint.norm(x), x, "y.grad · a / y", lambda g: g * x / np.linalg.norm(x)),
    "logsumexp": (lambda x: adjoint.logsumexp(x, axis=-1), x, "y.grad · softmax(a)", lambda g: g[:, None] * softmax),
    "softmax": (lambda x: adjoint.softmax(x, axis=-1), x, "y · (y.grad − the sum of y.grad · y)",
                lambda g: softmax * (g - total(g * softmax))),
    "log_softmax": (lambda x: adjoint.log_softmax(x, axis=-1), x, "y.grad − e^y · the sum of y.grad",
                    lambda g: g - softmax * total(g)),
    "cumsum": (lambda x: adjoint.cumsum(x, axis=0), x, "y.grad added up from the end",
               lambda g: g[::-1].cumsum(0)[::-1]),
    "inv": (lambda x: adjoint.linalg.inv(x), square, "−yᵀ @ y.grad @ yᵀ",
            lambda g: -np.linalg.inv(square).T @ g @ np.linalg.inv(square).T),
    "permute_dims": (lambda x: x.T, x, "y.grad with the axes in their old order", lambda g: g.T),
    "reshape": (lambda x: x.reshape(6, 2), x, "y.grad in the shape of a", lambda g: g.reshape(4, 3)),
    "flip": (lambda x: adjoint.flip(x), x, "y.grad turned round again", lambda g: g[::-1, ::-1]),
    "getitem": (lambda x: x[1], x, "y.grad at the places that were taken, 0 elsewhere",
                lambda g: np.stack([0 * g, g, 0 * g, 0 * g])),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_the_words_say_is_what_the_engine_passes_back(case):
    function, at, words, computed = CASES[case]
    leaf = Value(at, label="a")
    y = function(leaf)
    y.label = "y"
    g = rng.normal(size=y.shape)
    step = next(step for step in explain(y, g).backward if step.parent.name == "a" and step.node.name == "y")
    assert step.formula == words
    y.backward(g)
    assert leaf.grad == pytest.approx(computed(g), rel=1e-10, abs=1e-12)


def test_the_table_speaks_of_operations_that_exist():
    for module in ("arrays.functions.convolution", "arrays.functions.attention", "transforms.derivatives"):
        import_module(f"adjoint.{module}")
    assert set(_SENTENCES) <= set(ARRAY_OPS)


def test_every_other_operation_has_a_sentence_too():
    step = explain(adjoint.linalg.det(Value([[2.0, 1.0], [0.0, 3.0]], label="m"))).backward[0]
    assert step.formula == "what the rule of det makes of v1.grad"


def test_a_broadcast_operand_says_that_it_is_added_up():
    y = Value(np.ones((4, 3)), label="x") * Value(np.ones(3), label="s")
    said = [step.node.product(step.operand) for step in explain(y, np.ones((4, 3))).backward]
    assert said == [("v1.grad · s", "(4, 3)"), ("v1.grad · x, added up over what was broadcast", "(4, 3) → (3,)")]
