"""Your loss never changes, because no parameter does. `p = p - ...` gives a new Value to the name `p` and leaves the
network alone. Change the number inside: `p.data`."""


def train(model, xs, ys, rate, steps):
    losses = []
    for _ in range(steps):
        loss = sum((model(x) - y) ** 2 for x, y in zip(xs, ys))
        for p in model.parameters():
            p.grad = 0.0
        loss.backward()
        for p in model.parameters():
            p = p - rate * p.grad
        losses.append(loss.data)
    return losses
