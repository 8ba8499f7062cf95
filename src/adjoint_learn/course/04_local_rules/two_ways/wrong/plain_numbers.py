"""You compute with `x.data` and make a Value of the result. The number is right, but the new Value has no parents:
the gradient cannot find `x`. Use the operations of Values.
"""

import math

from engine import Value


def tanh_from_exp(x):
    e = math.exp(2 * x.data)
    return Value((e - 1) / (e + 1))


if __name__ == "__main__":
    a = Value(0.5)
    print(a.tanh(), tanh_from_exp(a))
