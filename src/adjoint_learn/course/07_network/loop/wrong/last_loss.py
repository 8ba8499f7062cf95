"""You return the last loss alone. With a list of all losses you can see whether training still improves, and draw
its curve. Append in each step, and return the list."""


def train(model, xs, ys, rate, steps):
    losses = []
    for _ in range(steps):
        loss = sum((model(x) - y) ** 2 for x, y in zip(xs, ys))
        for p in model.parameters():
            p.grad = 0.0
        loss.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
    return loss.data
