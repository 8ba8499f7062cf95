import math

from adjoint import Value, nn


def check(check, learner):
    softmax = learner.softmax
    check.close("softmax([1.0, 1.0])", softmax([1.0, 1.0]), [0.5, 0.5])
    check.close("softmax([2.0, 1.0, 0.1])", softmax([2.0, 1.0, 0.1]), [0.6590011, 0.2424330, 0.0985659])
    for _ in range(20):
        scores = [round(check.random.uniform(-5, 5), 2) for _ in range(check.random.randint(2, 6))]
        check.close(f"softmax({scores})", softmax(list(scores)), reference(scores), tolerance=1e-9)
    small = reference([0.0, 1.0, 2.0])
    for scores in ([1000.0, 1001.0, 1002.0], [-1002.0, -1001.0, -1000.0]):
        check.close(
            f"softmax({scores})", softmax(list(scores)), small, because="It should equal `softmax([0.0, 1.0, 2.0])`."
        )
    check.close("softmax([0.0, 1000.0])", softmax([0.0, 1000.0]), [0.0, 1.0])
    check.close("softmax([-1000.0, 1000.0])", softmax([-1000.0, 1000.0]), [0.0, 1.0])
    scores = [3.0, 1.0]
    softmax(scores)
    check.equal(
        "scores after softmax(scores)", scores, [3.0, 1.0], because="A function should not change its argument."
    )
    check.note("your softmax agrees with adjoint's on 20 random lists, and stays finite for scores of ±1000")


def reference(scores):
    """Return adjoint's probabilities: its cross-entropy is the negative logarithm of one of them."""
    values = [Value(x) for x in scores]
    return [math.exp(-nn.cross_entropy([values], [i]).data) for i in range(len(scores))]
