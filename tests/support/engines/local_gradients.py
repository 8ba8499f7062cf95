"""A small GPT on an engine whose operations keep their local gradients: no closures, one loop in `backward`."""

import math
import random

random.seed(7)


class Value:
    __slots__ = ("_children", "_local_grads", "data", "grad")

    def __init__(self, data, children=(), local_grads=()):
        self.data = data
        self.grad = 0
        self._children = children
        self._local_grads = local_grads

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, power):
        return Value(self.data**power, (self,), (power * self.data ** (power - 1),))

    def log(self):
        return Value(math.log(self.data), (self,), (1 / self.data,))

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def relu(self):
        return Value(max(0, self.data), (self,), (float(self.data > 0),))

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

    def __rtruediv__(self, other):
        return other * self**-1

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for child in v._children:
                    visit(child)
                order.append(v)

        visit(self)
        self.grad = 1
        for v in reversed(order):
            for child, slope in zip(v._children, v._local_grads):
                child.grad += slope * v.grad


docs = ["ann", "bo", "cleo", "dan", "eva"]
letters = sorted(set("".join(docs)))
STOP = len(letters)
WIDTH, HEADS, LENGTH = 4, 2, 6


def matrix(rows, columns):
    return [[Value(random.gauss(0, 0.3)) for _ in range(columns)] for _ in range(rows)]


weights = {
    "tokens": matrix(STOP + 1, WIDTH), "places": matrix(LENGTH, WIDTH), "q": matrix(WIDTH, WIDTH),
    "k": matrix(WIDTH, WIDTH), "v": matrix(WIDTH, WIDTH), "out": matrix(WIDTH, WIDTH),
    "up": matrix(2 * WIDTH, WIDTH), "down": matrix(WIDTH, 2 * WIDTH), "scores": matrix(STOP + 1, WIDTH),
}  # fmt: skip
parameters = [w for rows in weights.values() for row in rows for w in row]


def linear(x, rows):
    return [sum(w * xi for w, xi in zip(row, x)) for row in rows]


def softmax(scores):
    largest = max(score.data for score in scores)
    powers = [(score - largest).exp() for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def normalize(x):
    scale = (sum(xi * xi for xi in x) / len(x) + 1e-5) ** -0.5
    return [xi * scale for xi in x]


def gpt(token, place, keys, values):
    x = normalize([t + p for t, p in zip(weights["tokens"][token], weights["places"][place])])
    residual = x
    q = linear(x, weights["q"])
    keys.append(linear(x, weights["k"]))
    values.append(linear(x, weights["v"]))
    heads, size = [], WIDTH // HEADS
    for at in range(0, WIDTH, size):
        part = slice(at, at + size)
        attention = softmax([sum(a * b for a, b in zip(q[part], k[part])) / size**0.5 for k in keys])
        heads += [sum(a * v[at + i] for a, v in zip(attention, values)) for i in range(size)]
    x = [a + b for a, b in zip(linear(heads, weights["out"]), residual)]
    hidden = [h.relu() for h in linear(normalize(x), weights["up"])]
    x = [a + b for a, b in zip(linear(hidden, weights["down"]), x)]
    return linear(x, weights["scores"])


m, v, losses = [0.0] * len(parameters), [0.0] * len(parameters), []
for step in range(6):
    doc = docs[step % len(docs)]
    tokens = [STOP, *map(letters.index, doc), STOP][: LENGTH + 1]
    keys, values, terms = [], [], []
    for place in range(len(tokens) - 1):
        token, target = tokens[place], tokens[place + 1]
        terms.append(-softmax(gpt(token, place, keys, values))[target].log())
    loss = (1 / len(terms)) * sum(terms)
    loss.backward()
    for i, p in enumerate(parameters):
        m[i] = 0.85 * m[i] + 0.15 * p.grad
        v[i] = 0.99 * v[i] + 0.01 * p.grad**2
        p.data -= 0.01 * (m[i] / (1 - 0.85 ** (step + 1))) / ((v[i] / (1 - 0.99 ** (step + 1))) ** 0.5 + 1e-8)
        p.grad = 0
    losses.append(loss.data)
    print(f"step {step + 1} loss {loss.data:.6f}")
