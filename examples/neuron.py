"""A neuron by hand: tanh of a weighted sum of two inputs, and its gradients from one backward().

    python examples/neuron.py

The output is 0.7071, and the gradients match the chain rule on paper: the slope of tanh here is 1 - 0.7071² = 0.5, so
w1, whose input is 2, gets 1.0, and x1, whose weight is -3, gets -1.5. The program prints the graph with the value and
the gradient of every node. Then a small step against the gradients lowers the output to 0.5590.
"""

from adjoint import Value, draw

x1, x2 = Value(2.0, label="x1"), Value(0.0, label="x2")  # the inputs
w1, w2 = Value(-3.0, label="w1"), Value(1.0, label="w2")  # the weights
b = Value(6.8813735870195432, label="b")  # the bias, chosen to give round gradients


def neuron() -> Value:
    return (x1 * w1 + x2 * w2 + b).tanh()


out = neuron()
out.label = "out"
out.backward()

print(f"out = {out.data:.4f}\n")
print(draw(out), "\n")
for leaf in (x1, w1, x2, w2, b):
    print(f"  ∂out/∂{leaf.label:<2} = {leaf.grad:+.4f}")

for parameter in (w1, w2, b):
    parameter.data -= 0.1 * parameter.grad
print(f"\nafter a small step against the gradients: out = {neuron().data:.4f}")
