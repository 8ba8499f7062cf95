"""Your loss is the error of the last point alone: `loss = ...` in the loop over the points replaces the errors
before it. The network would learn one point and forget the others. Add the errors up."""


def train(model, xs, ys, rate, steps):
    losses = []
    for _ in range(steps):
        for x, y in zip(xs, ys):
            loss = (model(x) - y) ** 2
        for p in model.parameters():
            p.grad = 0.0
        loss.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(loss.data)
    return losses
