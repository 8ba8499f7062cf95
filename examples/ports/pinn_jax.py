"""A network that solves a differential equation: u'' + u = 0 with u(0) = 0 and u'(0) = 1, whose solution is sin."""

import sys

import jax.numpy as jnp
import numpy as np
from jax import grad, jit, value_and_grad, vmap
from jax.tree_util import tree_map

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000

rng = np.random.default_rng(0)
params = [
    {"W": jnp.array(rng.normal(size=(m, n)) / np.sqrt(m)), "b": jnp.zeros(n)} for m, n in [(1, 16), (16, 16), (16, 1)]
]


def u(params, x):
    h = jnp.reshape(x, (1,))
    for layer in params[:-1]:
        h = jnp.tanh(h @ layer["W"] + layer["b"])
    last = params[-1]
    return (h @ last["W"] + last["b"])[0]


du = grad(u, 1)
ddu = grad(du, 1)
points = jnp.linspace(0.0, 3.0, 40)


def loss(params):
    residual = vmap(lambda x: ddu(params, x) + u(params, x))(points)
    return jnp.mean(residual**2) + u(params, 0.0) ** 2 + (du(params, 0.0) - 1.0) ** 2


@jit
def step(params, m, v, t):
    value, g = value_and_grad(loss)(params)
    m = tree_map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
    v = tree_map(lambda v, g: 0.999 * v + 0.001 * g**2, v, g)
    rate = 5e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    params = tree_map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, m, v)
    return params, m, v, value


m = v = tree_map(jnp.zeros_like, params)
for t in range(1, STEPS + 1):
    params, m, v, value = step(params, m, v, float(t))
    if t % 500 == 0:
        print(f"step {t}: loss {float(value):.6f}")

error = max(abs(float(u(params, x)) - np.sin(x)) for x in np.linspace(0.0, 3.0, 31))
print(f"largest difference from sin on [0, 3]: {error:.4f}")
