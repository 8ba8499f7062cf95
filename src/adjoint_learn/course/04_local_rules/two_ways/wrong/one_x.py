"""You use eˣ where the formula has e²ˣ. The curve has the right shape, but it is stretched: it is tanh(x/2)."""

from engine import Value


def tanh_from_exp(x):
    e = x.exp()
    return (e - 1) / (e + 1)


if __name__ == "__main__":
    a = Value(0.5)
    print(a.tanh(), tanh_from_exp(a))
