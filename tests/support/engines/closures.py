"""A network for two moons in the style of micrograd: each operation leaves a closure that passes its gradient on."""

import math
import random


class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)
        self._op = _op
        self.label = label

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, power):
        out = Value(self.data**power, (self,), f"**{power}")

        def _backward():
            self.grad += power * self.data ** (power - 1) * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = Value(max(0.0, self.data), (self,), "ReLU")

        def _backward():
            self.grad += (out.data > 0) * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t * t) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        topo, visited = [], set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()

    def __neg__(self):
        return self * -1

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return other + (-self)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        return self * other**-1


random.seed(3)
points = [(math.cos(t) + s, (1 - 2 * s) * math.sin(t) - 0.5 * s) for s in (0, 1) for t in (0.1, 0.9, 1.6, 2.3, 3.0)]
labels = [1.0] * 5 + [-1.0] * 5
hidden = [[Value(random.uniform(-1, 1)) for _ in range(3)] for _ in range(6)]
output = [Value(random.uniform(-1, 1), label=f"w{i}") for i in range(7)]
parameters = [w for neuron in (*hidden, output) for w in neuron]
losses = []
for _ in range(20):
    total = Value(0.0)
    for (x, y), label in zip(points, labels):
        features = [(w[0] * x + w[1] * y + w[2]).tanh() for w in hidden]
        score = sum((w * f for w, f in zip(output, features)), output[6])
        total = total + (1 + score * -label).relu()
    loss = total * (1.0 / len(points)) + 1e-3 * sum(w**2 for w in parameters)
    for w in parameters:
        w.grad = 0.0
    loss.backward()
    for w in parameters:
        w.data -= 0.1 * w.grad
    losses.append(loss.data)
print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
