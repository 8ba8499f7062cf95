"""Helpers for the tests of transforms: two arrays, derivatives of every kind, and nested transforms."""

import itertools

import numpy as np

from adjoint import Value, grad, hessian, jacobian, jvp, no_grad

A = np.array([0.5, -1.2, 2.0])
B = np.array([1.5, 0.3, -0.7])
NESTS = ["".join(kinds) for kinds in itertools.product("gj", repeat=3)]  # g: grad, j: jvp, innermost first


def nested(kinds: str, function, g, j):
    """Return a function transformed by `g` or `j` for each letter of `kinds`."""
    for kind in kinds:
        function = (g if kind == "g" else j)(function)
    return function


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
