"""The same training loop in PyTorch and in adjoint, with the same losses.

    python examples/torch_comparison.py

Both loops start from the same weights and take 200 steps of Adam on two moons. Both print the same losses, from 0.8986
to 0.0826; the largest difference is 2.2e-16, in the last digit. The two loops differ only in names, and in that
PyTorch needs its data as tensors. The example needs PyTorch (the extra `torch`).
"""

import torch

from adjoint import data, nn, optim

X, y = data.moons(200, noise=0.2, seed=1)
X_torch, y_torch = torch.from_numpy(X), torch.from_numpy(y)

ours = nn.Sequential(nn.Linear(2, 16, seed=1), nn.Tanh(), nn.Linear(16, 2, seed=2))
theirs = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2)).double()
theirs.load_state_dict({name: torch.from_numpy(weight) for name, weight in ours.state_dict().items()})


def train_ours(steps: int) -> list[float]:
    losses, optimizer = [], optim.Adam(ours.parameters(), lr=0.02)
    for _ in range(steps):
        loss = nn.cross_entropy(ours(X), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train_theirs(steps: int) -> list[float]:
    losses, optimizer = [], torch.optim.Adam(theirs.parameters(), lr=0.02)
    for _ in range(steps):
        loss = torch.nn.functional.cross_entropy(theirs(X_torch), y_torch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


pairs = list(zip(train_ours(200), train_theirs(200)))
print("step   adjoint               PyTorch")
for step in (0, 1, 2, 10, 50, 100, 199):
    print(f"{step + 1:4}   {pairs[step][0]:.16f}    {pairs[step][1]:.16f}")
print(f"largest difference: {max(abs(a - b) for a, b in pairs):.1e}")
