"""Regression with a small network: the progress of diabetes patients, from ten measurements."""

import sys

import torch
from sklearn.datasets import load_diabetes
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 60

torch.manual_seed(0)
X, y = load_diabetes(return_X_y=True)
X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(y, dtype=torch.float32).unsqueeze(1)
X = (X - X.mean(dim=0)) / X.std(dim=0)
scale = y.std()
y = (y - y.mean()) / scale
X_train, y_train, X_test, y_test = X[:342], y[:342], X[342:], y[342:]
loader = DataLoader(TensorDataset(X_train, y_train), batch_size=32, shuffle=True)

model = nn.Sequential(
    nn.Linear(10, 32),
    nn.ReLU(),
    nn.Dropout(0.2),
    nn.Linear(32, 1),
)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)

for epoch in range(EPOCHS):
    model.train()
    total = 0.0
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * len(inputs)
    scheduler.step()
    if epoch % 20 == 19:
        print(f"epoch {epoch + 1}: training loss {total / len(X_train):.3f}")

model.eval()
with torch.no_grad():
    residual = ((model(X_test) - y_test) ** 2).sum()
    spread = ((y_test - y_test.mean()) ** 2).sum()
print(f"R2 on {len(X_test)} patients: {1 - residual.item() / spread.item():.3f}")
torch.save(model.state_dict(), "diabetes.pt")
model.load_state_dict(torch.load("diabetes.pt"))
