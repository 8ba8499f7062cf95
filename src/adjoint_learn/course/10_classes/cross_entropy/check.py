import adjoint
from adjoint import nn


def check(check, learner):
    compare(check, learner, [0.0, 0.0], 0)
    compare(check, learner, [2.0, 1.0, 0.1], 0)
    for _ in range(10):
        scores = [round(check.random.uniform(-3, 3), 2) for _ in range(check.random.randint(2, 5))]
        compare(check, learner, scores, check.random.randrange(len(scores)), differences=True)
    compare(check, learner, [0.0, 1000.0], 0)
    compare(check, learner, [1000.0, 999.0, -1000.0], 1)
    check.note("the losses and gradients of your Values agree with adjoint's, also for scores of ±1000")


def compare(check, learner, numbers, target, differences=False):
    from engine import Value  # the learner's

    what = f"cross_entropy({numbers}, {target})"
    expected, gradients = reference(numbers, target)
    scores = [Value(x) for x in numbers]
    loss = learner.cross_entropy(scores, target)
    if loss is not None:
        check.true(f"`{what}` should be a Value", isinstance(loss, Value), got=loss)
    check.close(f"{what}.data", loss and loss.data, expected)
    loss.backward()
    got = [score.grad for score in scores]
    check.close(f"the gradients of {what}", got, gradients, because="They should be p - y.")
    if differences:
        slopes = [slope(learner.cross_entropy, Value, numbers, target, i) for i in range(len(numbers))]
        check.close(f"the gradients of {what}", got, slopes, because="Those are the central differences.")


def reference(numbers, target):
    scores = [adjoint.Value(x) for x in numbers]
    loss = nn.cross_entropy([scores], [target])
    loss.backward()
    return loss.data, [score.grad for score in scores]


def slope(cross_entropy, Value, numbers, target, i, h=1e-5):
    losses = []
    for step in (h, -h):
        moved = [Value(x + step * (i == k)) for k, x in enumerate(numbers)]
        losses.append(cross_entropy(moved, target).data)
    return (losses[0] - losses[1]) / (2 * h)
