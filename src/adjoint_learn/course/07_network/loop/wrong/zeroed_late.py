"""Your parameters stay where they are, because all gradients are 0 when you use them. Call `backward()` after you
set them to 0 and before you move the parameters."""


def train(model, xs, ys, rate, steps):
    losses = []
    for _ in range(steps):
        loss = sum((model(x) - y) ** 2 for x, y in zip(xs, ys))
        loss.backward()
        for p in model.parameters():
            p.grad = 0.0
        for p in model.parameters():
            p.data -= rate * p.grad
        losses.append(loss.data)
    return losses
