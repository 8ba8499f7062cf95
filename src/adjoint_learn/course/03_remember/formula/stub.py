from engine import Value


def formula(node):
    """Return how a Value was computed as a text, such as "((a * b) + c)"."""
    return ""  # TODO


if __name__ == "__main__":
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
    print(formula(a * b + c))
