import warnings

import numpy as np

from adjoint import Value, data, nn, no_grad, optim

STEPS = 300


def small():
    """Return a small network and its optimizer, the same at each call."""
    model = nn.Sequential(nn.Linear(2, 4, seed=3), nn.Tanh(), nn.Linear(4, 3, seed=4))
    return model, optim.SGD(model.parameters(), lr=0.5)


def expected_losses(X, y, steps):
    model, optimizer = small()
    losses = []
    for _ in range(steps):
        loss = nn.cross_entropy(model(X), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.data))
    return losses


def moved(model, before):
    """Return whether a parameter differs from what it was before."""
    return any(np.any(parameter.data != old) for parameter, old in zip(model.parameters(), before))


def is_linear(model, X):
    """Return whether the scores between two points are the mean of their scores, so that all borders are straight."""
    with no_grad():
        first, second, middle = (model(points).data for points in (X[:50], X[50:100], (X[:50] + X[50:100]) / 2))
    return np.allclose(middle, (first + second) / 2)


def check(check, learner):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # adjoint warns of stale gradients; here the learner's losses show them
        check_steps(check, learner)


def check_steps(check, learner):
    X, y = data.spirals(300, arms=3, noise=0.1, seed=1)
    model, optimizer = small()
    expected = expected_losses(X, y, 3)
    reasons = (
        "It is the cross-entropy of the first scores.",
        "After one step along the gradient the loss is lower. Did the parameters move?",
        "The first two steps are right. Are there gradients left from the step before?",
    )
    before = [parameter.data.copy() for parameter in model.parameters()]
    for i, (loss, reason) in enumerate(zip(expected, reasons), 1):
        got = learner.step(model, optimizer, X, y)
        check.true(
            "`step` should return the loss as a float, `float(loss.data)`",
            not isinstance(got, Value),
            got=got,
        )
        if i == 2 and not moved(model, before) and any(np.any(p.grad) for p in model.parameters()):
            message = "The gradients are there, but no parameter has moved. Call `optimizer.step()` after `backward()`."
            check.fail(message, "no step")
        check.close(f"the loss of step {i} of a small network", got, loss, because=reason)

    pair = learner.build()
    check.true(
        "`build()` should return two objects, the model and the optimizer",
        isinstance(pair, tuple | list) and len(pair) == 2,
        got=pair,
    )
    model, optimizer = pair
    initial = [parameter.data.copy() for parameter in model.parameters()]
    losses = [learner.step(model, optimizer, X, y)]
    shape = list(np.shape(model(X[:5]).data))
    check.equal("the shape of model(X[:5])", shape, [5, 3], because="Each of 5 points gets 3 scores.")
    losses += [learner.step(model, optimizer, X, y) for _ in range(STEPS)]
    X_new, y_new = data.spirals(300, arms=3, noise=0.1, seed=2)
    with no_grad():
        accuracy = float((model(X_new).data.argmax(1) == y_new).mean())
    if accuracy < 0.6 and is_linear(model, X):
        message = "That is what straight lines reach. Does your network have a hidden layer with an activation?"
        check.fail(f"Your network classifies {accuracy:.1%} of new points correctly. {message}", "straight")
    if not moved(model, initial):
        check.fail(
            "Your network has not moved in 300 steps. Does the optimizer have the parameters of the model?", "still"
        )
    if accuracy <= 0.95:
        message = "Try more hidden neurons or another learning rate."
        check.fail(f"Your network classifies {accuracy:.1%} of new points correctly, and needs 95%. {message}", "low")
    check.note(
        f"your network classifies {accuracy:.1%} of 300 new points; the loss fell from {losses[0]:.3f} (log 3 is "
        f"1.099) to {losses[-1]:.3f}"
    )
