from functools import partial

import numpy as np

from adjoint import Value


def check(check, learner):
    x, weights = np.array([[1.0, 0.0], [1.0, 1.0]]), [np.eye(2), 2 * np.eye(2), np.array([[1.0], [2.0]])]
    got = output(check, learner, x, weights)
    because = "Row 0 sees only itself, and row 1 sees both rows."
    check.close(
        "head(x, Wq, Wk, Wv) for two letters",
        np.asarray(got.data).tolist(),
        reference(x, *weights).tolist(),
        because=because,
    )
    rng = np.random.default_rng(check.random.randrange(1000))
    for letters, width, columns in ((1, 2, 2), (4, 3, 2), (6, 2, 3)):
        x = rng.normal(size=(letters, width)).round(2)
        weights = [rng.normal(size=(width, columns)).round(2) for _ in range(3)]
        got = np.asarray(output(check, learner, x, weights).data)
        what = f"head(...) for {letters} letters"
        check.close(what, got.tolist(), reference(x, *weights).tolist())
        other = x.copy()
        other[-1] += 1.0
        same = np.allclose(output(check, learner, other, weights).data[:-1], got[:-1])
        check.true("If only the last letter changes, the results before it should stay the same", same)
        values = [Value(weight) for weight in weights]
        output(check, learner, x, values).sum().backward()
        for name, value, weight in zip(("Wq", "Wk", "Wv"), values, weights):
            expected = differences(partial(total, x, weights, name), weight)
            because = "That is the central difference."
            check.close(f"the gradient of {name}", value.grad.tolist(), expected.tolist(), because=because)
    check.note("your head sees no future, and its gradients agree with central differences")


def output(check, learner, x, weights):
    got = learner.head(x.copy(), *(weight if isinstance(weight, Value) else Value(weight) for weight in weights))
    check.true("`head` should return a Value, made with adjoint's functions", isinstance(got, Value), got=got)
    return got


def reference(x, Wq, Wk, Wv):
    rows = []
    for i in range(len(x)):
        scores = (x[i] @ Wq) @ (x[: i + 1] @ Wk).T / np.sqrt(Wk.shape[1])
        powers = np.exp(scores - scores.max())
        rows.append(powers / powers.sum() @ (x[: i + 1] @ Wv))
    return np.array(rows)


def total(x, weights, name, changed):
    return reference(x, *(changed if n == name else w for n, w in zip(("Wq", "Wk", "Wv"), weights))).sum()


def differences(f, x, h=1e-5):
    found = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        nudge = np.zeros(x.shape)
        nudge[i] = h
        found[i] = (f(x + nudge) - f(x - nudge)) / (2 * h)
    return found
