from adjoint import nn, optim


def build():
    """Return a network from 2 inputs to 3 scores, and an optimizer for its parameters."""
    model = nn.Sequential(nn.Linear(2, 32, seed=1), nn.ReLU(), nn.Linear(32, 3, seed=2))
    return model, optim.Adam(model.parameters(), lr=0.05)


def step(model, optimizer, X, y):
    """Take one training step on all points, and return the loss before it as a float."""
    loss = nn.cross_entropy(model(X), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return float(loss.data)
