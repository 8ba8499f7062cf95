"""You compute 2·eˣ. In the formula the 2 is in the exponent: multiply `x` by 2 first, and take exp of the product."""

from engine import Value


def tanh_from_exp(x):
    e = 2 * x.exp()
    return (e - 1) / (e + 1)


if __name__ == "__main__":
    a = Value(0.5)
    print(a.tanh(), tanh_from_exp(a))
