"""A convolutional network that reads handwritten digits of 8 by 8 pixels."""

import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 8


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1)
        self.norm = nn.BatchNorm2d(32)
        self.pool = nn.MaxPool2d(2)
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(32 * 2 * 2, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.norm(self.conv2(x))))
        x = torch.flatten(x, 1)
        x = self.dropout(F.relu(self.fc1(x)))
        return self.fc2(x)


def accuracy(model, loader):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for images, labels in loader:
            predicted = model(images).argmax(dim=1)
            correct += (predicted == labels).sum().item()
            total += len(labels)
    return correct / total


torch.manual_seed(0)
pixels, digits = load_digits(return_X_y=True)
images = torch.tensor(pixels / 16, dtype=torch.float32).view(-1, 1, 8, 8)
labels = torch.tensor(digits)
train = DataLoader(TensorDataset(images[:1400], labels[:1400]), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(images[1400:], labels[1400:]), batch_size=200)

device = "cuda" if torch.cuda.is_available() else "cpu"
model = Net().to(device)
print(model)
print(sum(p.numel() for p in model.parameters()), "parameters")
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss(label_smoothing=0.05)

for epoch in range(EPOCHS):
    model.train()
    running = 0.0
    for images, labels in train:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        running += loss.item()
    print(f"epoch {epoch + 1}: loss {running / len(train):.3f}, test accuracy {accuracy(model, test):.3f}")
