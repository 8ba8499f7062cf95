"""A computed node is used twice, but both paths from the result to it are equally long. It waits for the whole
level before it, so it is complete. Make one path longer.
"""

from engine import Value


def trap(a, b):
    d = a * b
    return (d + a) * (d + b)


if __name__ == "__main__":
    print(trap(Value(2.0), Value(-3.0)))
