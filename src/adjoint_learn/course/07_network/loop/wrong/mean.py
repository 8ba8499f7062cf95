"""You take the mean of the squared errors. That is as good a loss, but it is a quarter of the sum, so each step is a
quarter as long. The task asks for the sum."""


def train(model, xs, ys, rate, steps):
    losses = []
    for _ in range(steps):
        loss = sum((model(x) - y) ** 2 for x, y in zip(xs, ys)) / len(xs)
        for p in model.parameters():
            p.grad = 0.0
        loss.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(loss.data)
    return losses
