"""A line fitted with an engine that is a dataclass: each node has its parents, each with a local derivative."""

import sys
from dataclasses import dataclass, field


@dataclass(eq=False)
class Number:
    data: float
    grad: float = 0.0
    parents: list = field(default_factory=list)

    def __add__(self, other):
        other = as_number(other)
        return Number(self.data + other.data, parents=[(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        other = as_number(other)
        return Number(self.data * other.data, parents=[(self, other.data), (other, self.data)])

    def __sub__(self, other):
        return self + as_number(other) * -1.0

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        waiting, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for parent, _ in node.parents:
                    visit(parent)
                waiting.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(waiting):
            for parent, slope in node.parents:
                parent.grad += slope * node.grad


def as_number(x):
    return x if isinstance(x, Number) else Number(x)


def main(steps):
    a, b = Number(0.0), Number(0.0)
    data = [(0.1 * i, 0.3 * i - 0.5) for i in range(12)]
    for _ in range(steps):
        errors = [a * x + b - y for x, y in data]
        loss = sum((e * e for e in errors), Number(0.0)) * (1 / len(data))
        a.grad = b.grad = 0.0
        loss.backward()
        a.data -= 0.2 * a.grad
        b.data -= 0.2 * b.grad
    print(f"{a.data:.4f} {b.data:.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
