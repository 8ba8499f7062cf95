"""Four points: a network of 41 parameters learns the targets of four inputs.

    python examples/four_points.py

The complete training loop takes four lines: compute the loss, zero the gradients, call backward, and step against the
gradients. In 200 steps the loss, a sum of squared errors, falls from 6.2443 to 0.0037, and every prediction is within
0.04 of its target.
"""

from adjoint import Value
from adjoint.nn import MLP

points = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
targets = [1.0, -1.0, -1.0, 1.0]

model = MLP(3, [4, 4, 1], seed=1)  # three inputs, two layers of four tanh neurons, one output
print(model)

for step in range(200):
    loss = sum(((model(x) - y) ** 2 for x, y in zip(points, targets)), Value(0))
    model.zero_grad()  # gradients accumulate, so clear those of the last step
    loss.backward()
    for p in model.parameters():
        p.data -= 0.05 * p.grad
    if step % 40 == 0 or step == 199:
        print(f"step {step + 1:4}   loss {loss.data:.4f}")

print()
for x, y in zip(points, targets):
    print(f"{x!s:18}  target {y:+.0f}   prediction {model(x).data:+.3f}")
