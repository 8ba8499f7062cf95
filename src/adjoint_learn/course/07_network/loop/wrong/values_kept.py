"""Your list holds Values. Each of them holds on to its whole graph, so the memory of the program grows with each
step. Append the number, `loss.data`."""


def train(model, xs, ys, rate, steps):
    losses = []
    for _ in range(steps):
        loss = sum((model(x) - y) ** 2 for x, y in zip(xs, ys))
        for p in model.parameters():
            p.grad = 0.0
        loss.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(loss)
    return losses
