"""Bayesian logistic regression: the most probable weights by Newton's method, and their standard deviations."""

import jax.numpy as jnp
import numpy as np
from jax import grad, hessian, jvp, value_and_grad
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer

X, y = load_breast_cancer(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
X = np.column_stack([np.ones(len(X)), X])


def negative_log_posterior(w):
    score = X @ w
    likelihood = jnp.sum(jnp.logaddexp(0.0, score) - y * score)
    return likelihood + 0.5 * jnp.sum(w**2)


def objective(w):
    value, slope = value_and_grad(negative_log_posterior)(w)
    return float(value), np.asarray(slope, dtype=float)


def product(w, v):
    return np.asarray(jvp(grad(negative_log_posterior), (w,), (v,))[1], dtype=float)


found = minimize(objective, np.zeros(X.shape[1]), jac=True, hessp=product, method="trust-ncg", options={"gtol": 1e-3})
covariance = np.linalg.inv(np.asarray(hessian(negative_log_posterior)(found.x), dtype=float))
deviations = np.sqrt(np.diag(covariance))
print(f"{found.nit} iterations, {found.fun:.3f}")
for index in np.argsort(-np.abs(found.x) / deviations)[:3]:
    print(f"weight {index}: {found.x[index]:+.2f} ± {deviations[index]:.2f}")
accuracy = np.mean((X @ found.x > 0) == y)
print(f"accuracy {accuracy:.3f}")
