"""Your quotient is upside down: tanh is always between −1 and 1, so the smaller number, e²ˣ − 1, is on top."""

from engine import Value


def tanh_from_exp(x):
    e = (2 * x).exp()
    return (e + 1) / (e - 1)


if __name__ == "__main__":
    a = Value(0.5)
    print(a.tanh(), tanh_from_exp(a))
