"""Almost: one path to the shared node is longer, but within the level the order of the parents happens to save you.
Turn the operands of the result around, or make the longer path one step longer.
"""

from engine import Value


def trap(a, b):
    d = a * b
    return (d + a) * d


if __name__ == "__main__":
    print(trap(Value(2.0), Value(-3.0)))
