from engine import Value


def trap(a, b):
    """Return a Value computed from a and b whose gradients are wrong if the rules run level by level."""
    return a * b  # TODO: this one is harmless


if __name__ == "__main__":
    print(trap(Value(2.0), Value(-3.0)))
