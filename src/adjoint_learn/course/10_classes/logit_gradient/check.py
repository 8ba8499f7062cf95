import math

from adjoint import Value, nn


def check(check, learner):
    gradient = learner.logit_gradient
    check.close("logit_gradient([0.0, 0.0], 0)", gradient([0.0, 0.0], 0), [-0.5, 0.5])
    expected = [-0.3409989, 0.2424330, 0.0985659]
    check.close("logit_gradient([2.0, 1.0, 0.1], 0)", gradient([2.0, 1.0, 0.1], 0), expected)
    for _ in range(10):
        scores = [round(check.random.uniform(-3, 3), 2) for _ in range(check.random.randint(2, 5))]
        target = check.random.randrange(len(scores))
        what = f"logit_gradient({scores}, {target})"
        z = [Value(x) for x in scores]
        nn.cross_entropy([z], [target]).backward()
        check.close(what, gradient(list(scores), target), [value.grad for value in z], tolerance=1e-9)
        differences = [difference(scores, target, i) for i in range(len(scores))]
        check.close(what, gradient(list(scores), target), differences, because="That is the central difference.")
    check.note("ten random gradients agree with adjoint's backward() and with central differences")


def difference(scores, target, i, h=1e-5):
    losses = []
    for step in (h, -h):
        moved = [score + step * (i == k) for k, score in enumerate(scores)]
        losses.append(math.log(sum(map(math.exp, moved))) - moved[target])
    return (losses[0] - losses[1]) / (2 * h)
