"""Programs with loops and with many small derivatives: the same functions for adjoint, JAX and HIPS autograd.

A function of this module takes the name of a library and returns a workload: a call that computes a derivative and
returns one number, with which the peers are compared.
"""

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

RANDOM = np.random.default_rng(0)


class Gradient:
    """The gradient of a loss, compiled or not."""

    def __init__(self, program: str, library: str, compiled: bool = True):
        self._loss, self._at = PROGRAMS[program](*_namespace(library))
        self._library, self._compiled = library, compiled
        self._run = self._compile()

    def __call__(self) -> float:
        return sum(float(np.sum(np.asarray(part))) for part in _leaves(self._run(self._at)))

    def _compile(self) -> Callable:
        loss = self._loss
        if self._library == "jax":
            import jax

            return jax.jit(jax.grad(lambda at: loss(at)))
        from adjoint import grad, jit

        gradient = grad(lambda at: loss(at))
        return jit(lambda at: gradient(at)) if self._compiled else gradient


class Compilation(Gradient):
    """The same, where a call compiles anew."""

    def __call__(self) -> float:
        self._run = self._compile()
        return super().__call__()


def _namespace(library: str) -> tuple[Any, Callable]:
    """Return the functions of a library, and its `scan`."""
    if library == "adjoint":
        import adjoint

        return adjoint, adjoint.scan
    import jax

    jax.config.update("jax_enable_x64", True)
    return jax.numpy, jax.lax.scan


def _leaves(tree: Any) -> list:
    return [leaf for part in tree for leaf in _leaves(part)] if isinstance(tree, (list, tuple)) else [tree]


def recurrence(m: Any, scan: Callable) -> tuple[Callable, Any]:
    """Return 100 steps of a small recurrent network."""
    inputs, state = RANDOM.normal(size=(100, 20)), RANDOM.normal(size=20)

    def loss(w):
        last, outputs = scan(lambda h, x: (m.tanh(h @ w + x), (h * h).sum()), state, inputs)
        return (last * last).sum() + outputs.sum()

    return loss, RANDOM.normal(size=(20, 20)) / 5


def neural_ode(m: Any, scan: Callable) -> tuple[Callable, Any]:
    """Return 19 Runge-Kutta steps through an MLP 2-50-2, on 30 points."""
    start, targets = RANDOM.normal(size=(30, 2)), RANDOM.normal(size=(19, 30, 2))
    h = 0.05

    def loss(parameters):
        w1, b1, w2, b2 = parameters

        def slope(y):
            return m.tanh((y * y * y) @ w1 + b1) @ w2 + b2

        _, path = scan(lambda y, _: 2 * (runge_kutta(slope, y, h),), start, None, 19)
        return ((path - targets) * (path - targets)).sum()

    return loss, [RANDOM.normal(size=(2, 50)) * 0.3, np.zeros(50), RANDOM.normal(size=(50, 2)) * 0.1, np.zeros(2)]


def lstm(m: Any, scan: Callable) -> tuple[Callable, Any]:
    """Return an LSTM with 14 units on a sequence of 99 steps."""
    size = 14
    inputs, targets = RANDOM.normal(size=(99, size)), RANDOM.normal(size=(99, size))

    def sigmoid(x):
        return 1.0 / (1.0 + m.exp(-x))

    def loss(parameters):
        w_input, w_state, bias = parameters

        def step(state, x):
            h, c = state
            gates = x @ w_input + h @ w_state + bias
            i, f, new, o = (gates[k * size : (k + 1) * size] for k in range(4))
            c = sigmoid(f) * c + sigmoid(i) * m.tanh(new)
            h = sigmoid(o) * m.tanh(c)
            return (h, c), h

        _, outputs = scan(step, (np.zeros(size), np.zeros(size)), inputs)
        return ((outputs - targets) * (outputs - targets)).sum()

    return loss, [
        RANDOM.normal(size=(size, 4 * size)) / 4,
        RANDOM.normal(size=(size, 4 * size)) / 4,
        np.zeros(4 * size),
    ]


def ode(m: Any, scan: Callable) -> tuple[Callable, Any]:
    """Return 20 Runge-Kutta steps of 100,000 coupled equations."""

    def loss(x):
        def slope(y):
            return m.concat([x[:1], x[1:] * y[:-1]])

        last, _ = scan(lambda y, _: (runge_kutta(slope, y, 0.1), None), x * 0.0, None, 20)
        return last.sum()

    return loss, RANDOM.uniform(0.5, 1.5, 100_000)


def runge_kutta(slope: Callable, y: Any, h: float) -> Any:
    k1 = slope(y)
    k2 = slope(y + h / 2 * k1)
    k3 = slope(y + h / 2 * k2)
    k4 = slope(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


PROGRAMS: dict[str, Callable] = {"recurrence": recurrence, "neural_ode": neural_ode, "lstm": lstm, "ode": ode}


def jacobian(library: str) -> Callable[[], float]:
    """Return the compiled Jacobian of 60 results for 26 parameters, in forward mode."""
    m, _ = _namespace(library)
    first, last, at = RANDOM.normal(size=(26, 40)) / 5, RANDOM.normal(size=(40, 60)) / 12, RANDOM.normal(size=26)

    def function(x):
        h = m.tanh(x @ first)
        for _ in range(8):
            h = m.sin(h * 1.1) + 0.1 * h * h
        return m.exp(-m.square(h @ last))

    if library == "jax":
        import jax

        run = jax.jit(jax.jacfwd(function))
    else:
        from adjoint import jacobian, jit

        run = jit(lambda x: jacobian(function, mode="forward")(x))
    return lambda: float(np.sum(np.asarray(run(at))))


def log_gamma(library: str) -> Callable[[], float]:
    """Return the logarithm of the gamma function of a plain number; for SciPy, that of several dimensions."""
    if library == "adjoint":
        from adjoint.special import gammaln

        return lambda: float(gammaln(2.5))
    multigammaln = importlib.import_module("scipy.special").multigammaln
    return lambda: float(multigammaln(2.5, 1))


def tiny_gradients(library: str, of_arrays: bool) -> Callable[[], float]:
    """Return 480 gradients of a function of one number, or of an array of three."""
    m = importlib.import_module("adjoint" if library == "adjoint" else "autograd.numpy")
    grad = importlib.import_module(library).grad

    def of_number(x):
        return m.sin(x) * x + m.exp(-x * x) / (1.0 + x * x)

    def of_array(x):
        return m.sum(x * x) + m.sin(x[0]) * x[1]

    gradient = grad(of_array if of_arrays else of_number)
    at = np.array([0.1, 0.2, 0.3])
    if of_arrays:
        return lambda: math.fsum(float(np.sum(gradient(at))) for _ in range(480))
    return lambda: math.fsum(gradient(0.1 + i / 1000) for i in range(480))
