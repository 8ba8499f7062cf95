"""Code that serves numbers and arrays loads the code of arrays once, not in every call."""

import builtins

import numpy as np
import pytest

import adjoint
from adjoint import Value, nn, optim

V, A, LABELS = np.linspace(-1.0, 1.0, 5), np.linspace(-1.0, 1.0, 8).reshape(2, 4), [0, 3]


def clip():
    p = Value(A)
    p.grad = np.ones(A.shape)
    optim.clip_grad_norm([p], 1.0)
    optim.clip_grad_value([p], 1.0)


CALLS = {
    "grad of a number": lambda: adjoint.grad(lambda x: x * x)(2.0),
    "grad": lambda: adjoint.grad(lambda x: (x * x).sum())(V),
    "value_and_grad": lambda: adjoint.value_and_grad(lambda x: (x * x).sum())(V),
    "jvp": lambda: adjoint.jvp(adjoint.tanh, (V,), (V,)),
    "vjp": lambda: adjoint.vjp(adjoint.tanh, V)[1](V),
    "jacobian": lambda: adjoint.jacobian(lambda x: x * x)(V),
    "nested grad": lambda: adjoint.grad(lambda x: adjoint.grad(lambda z: (z * z).sum())(x).sum())(V),
    "mse": lambda: nn.mse(Value(A), A),
    "cross_entropy": lambda: nn.cross_entropy(Value(A), LABELS),
    "nll": lambda: nn.nll(Value(A), LABELS),
    "binary_cross_entropy": lambda: nn.binary_cross_entropy(Value(A * A), A * A),
    "huber": lambda: nn.huber(Value(A), A),
    "softmax layer": lambda: nn.Softmax(-1)(Value(A)),
    "clipping": clip,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_with_arrays_does_not_import_again(name, monkeypatch):
    CALLS[name]()
    seen, do_import = [], builtins.__import__

    def watch(module, where=None, *rest):
        if module.startswith("adjoint") and (where or {}).get("__name__") != "adjoint.bindings":
            seen.append(module)
        return do_import(module, where, *rest)

    monkeypatch.setattr(builtins, "__import__", watch)
    CALLS[name]()
    monkeypatch.undo()
    assert not seen
