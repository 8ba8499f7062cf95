"""The training loop: what it computes, and what it refuses."""

import numpy as np
import torch

from adjoint import data, fit, nn


def test_fit_takes_the_steps_of_the_same_loop_in_pytorch():
    X, y = data.blobs(50, classes=3, seed=1)
    model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 3, seed=1))
    theirs = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)).double()
    theirs.load_state_dict({name: torch.from_numpy(x) for name, x in model.state_dict().items()})
    loader = data.DataLoader(X, y, batch_size=16, shuffle=True, seed=3)
    batches = [list(loader) for _ in range(3)]
    adam = torch.optim.Adam(theirs.parameters(), lr=0.01)
    losses = []
    for epoch in batches:
        total = 0.0
        for x, labels in epoch:
            loss = torch.nn.functional.cross_entropy(theirs(torch.from_numpy(x)), torch.from_numpy(labels))
            adam.zero_grad()
            loss.backward()
            adam.step()
            total += loss.item() * len(x)
        losses.append(total / len(X))
    history = fit(model, (X, y), loss="cross_entropy", lr=0.01, epochs=3, batch_size=16, seed=3)
    np.testing.assert_allclose(history["loss"], losses, rtol=1e-10)
