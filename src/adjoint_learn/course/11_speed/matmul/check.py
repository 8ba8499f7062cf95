import numpy as np

from adjoint import Value


def as_list(x):
    return x.tolist() if isinstance(x, np.ndarray) else x


def check(check, learner):
    X, W = np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]])
    compare(check, learner, "X = [[1, 2]], W = [[3], [4]], g = [[1]]", X, W, np.ones((1, 1)))
    rng = np.random.default_rng(check.random.randrange(1000))
    for n, i, o in ((1, 2, 3), (4, 2, 3), (3, 3, 3), (5, 1, 2)):
        X, W, g = (rng.normal(size=shape).round(1) for shape in ((n, i), (i, o), (n, o)))
        compare(check, learner, f"X of shape {X.shape}, W of shape {W.shape}", X, W, g)
    check.note("your gradients agree with adjoint and with central differences for five shapes")


def compare(check, learner, where, X, W, g):
    got = learner.matmul_gradients(X.copy(), W.copy(), g.copy())
    is_pair = isinstance(got, tuple | list) and len(got) == 2
    check.true("`matmul_gradients` should return a pair of gradients", is_pair, got=got)
    values = Value(X), Value(W)
    ((values[0] @ values[1]) * g).sum().backward()
    numbers = differences(X, lambda x: ((x @ W) * g).sum()), differences(W, lambda w: ((X @ w) * g).sum())
    for name, mine, value, number in zip("XW", map(as_list, got), values, numbers):
        what = f"the gradient of {name}"
        check.close(what, mine, value.grad.tolist(), tolerance=1e-9, because=f"This is for {where}.")
        check.close(what, mine, number.tolist(), because="That is the central difference.")


def differences(x, f, h=1e-5):
    found = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        nudge = np.zeros(x.shape)
        nudge[i] = h
        found[i] = (f(x + nudge) - f(x - nudge)) / (2 * h)
    return found
