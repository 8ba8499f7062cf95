import numpy as np

from adjoint import Value

BY_HAND = [((3,), [5, 7, 9]), ((2, 1), [[6], [15]]), ((), 21), ((2, 3), [[1, 2, 3], [4, 5, 6]])]
PAIRS = [
    ((3,), (2, 3)),
    ((1, 3), (2, 3)),
    ((4, 1, 3), (4, 2, 3)),
    ((1, 1), (3, 4)),
    ((2, 1), (5, 2, 3)),
    ((1,), (3, 2)),
]


def as_list(x):
    return x.tolist() if isinstance(x, np.ndarray | np.generic) else x


def check(check, learner):
    for shape, expected in BY_HAND:
        got = as_list(learner.unbroadcast(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), shape))
        check.close(f"unbroadcast([[1, 2, 3], [4, 5, 6]], {shape})", got, expected)
    rng = np.random.default_rng(check.random.randrange(1000))
    for shape, full in PAIRS:
        x, gradient = rng.normal(size=shape).round(1), rng.normal(size=full).round(1)
        what = f"unbroadcast(gradient of shape {full}, {shape})"
        got = as_list(learner.unbroadcast(gradient.copy(), shape))
        value = Value(x)
        (value * gradient).sum().backward()
        check.close(what, got, np.asarray(value.grad).tolist(), tolerance=1e-9, because="That is adjoint's gradient.")
        check.close(what, got, differences(x, gradient).tolist(), because="That is the central difference.")
    check.note(f"{len(PAIRS)} random gradients agree with adjoint and with central differences")


def differences(x, gradient, h=1e-5):
    """Return the derivatives of sum(x * gradient) with respect to the elements of x."""
    found = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        nudge = np.zeros(x.shape)
        nudge[i] = h
        found[i] = (((x + nudge) * gradient).sum() - ((x - nudge) * gradient).sum()) / (2 * h)
    return found
