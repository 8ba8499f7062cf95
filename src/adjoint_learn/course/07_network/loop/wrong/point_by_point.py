"""You change the parameters after each point. That is a method of its own, stochastic gradient descent, but here a
step uses all points: add up the loss of all four first, then call `backward()` once."""


def train(model, xs, ys, rate, steps):
    losses = []
    for _ in range(steps):
        total = 0.0
        for x, y in zip(xs, ys):
            loss = (model(x) - y) ** 2
            for p in model.parameters():
                p.grad = 0.0
            loss.backward()
            for p in model.parameters():
                p.data -= rate * p.grad
            total += loss.data
        losses.append(total)
    return losses
