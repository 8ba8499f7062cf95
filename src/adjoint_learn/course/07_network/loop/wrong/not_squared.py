"""You add up the differences without squaring them. They may be negative and cancel, and the smallest sum is not the
best network."""


def train(model, xs, ys, rate, steps):
    losses = []
    for _ in range(steps):
        loss = sum(model(x) - y for x, y in zip(xs, ys))
        for p in model.parameters():
            p.grad = 0.0
        loss.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(loss.data)
    return losses
