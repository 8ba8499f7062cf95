"""`a * b` is written twice here, so there are two nodes, and each of them is used once. Give it a name, `d = a * b`,
and use `d` twice."""

from engine import Value


def trap(a, b):
    return (a * b) * (a * b + a)


if __name__ == "__main__":
    print(trap(Value(2.0), Value(-3.0)))
