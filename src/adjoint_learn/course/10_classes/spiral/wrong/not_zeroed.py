"""You never reset the gradients, so each step adds the gradients of all steps before it. Call `optimizer.zero_grad()`
in every step, before `loss.backward()`."""

from adjoint import nn, optim


def build():
    model = nn.Sequential(nn.Linear(2, 32, seed=1), nn.ReLU(), nn.Linear(32, 3, seed=2))
    return model, optim.Adam(model.parameters(), lr=0.05)


def step(model, optimizer, X, y):
    loss = nn.cross_entropy(model(X), y)
    loss.backward()
    optimizer.step()
    return float(loss.data)
