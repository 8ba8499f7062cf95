"""A leaf such as `a` is used on two levels here. That does no harm: a leaf has no rule, and only collects. Use a
computed node twice.
"""

from engine import Value


def trap(a, b):
    return a * b + a


if __name__ == "__main__":
    print(trap(Value(2.0), Value(-3.0)))
