from engine import Value


def tanh_from_exp(x):
    """Return tanh of a Value, computed from exp, +, - and / of Values."""
    e = (2 * x).exp()
    return (e - 1) / (e + 1)


if __name__ == "__main__":
    a = Value(0.5)
    print(a.tanh(), tanh_from_exp(a))
