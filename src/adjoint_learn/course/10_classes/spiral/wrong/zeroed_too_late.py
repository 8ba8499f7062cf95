"""All gradients are 0 when `optimizer.step()` uses them, so no parameter moves. Call `loss.backward()` right before
`optimizer.step()`, and reset the gradients before `backward()` or after `step()`, not between them."""

from adjoint import nn, optim


def build():
    model = nn.Sequential(nn.Linear(2, 32, seed=1), nn.ReLU(), nn.Linear(32, 3, seed=2))
    return model, optim.Adam(model.parameters(), lr=0.05)


def step(model, optimizer, X, y):
    loss = nn.cross_entropy(model(X), y)
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return float(loss.data)
