from engine import Value


def fold(x1, x2):
    """Return 0 at (0, 0) and (1, 1), and 1 at (0, 1) and (1, 0)."""
    s = x1 + x2
    return s.relu() - 2 * (s - 1).relu()


if __name__ == "__main__":
    for x1, x2 in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]:
        print(x1, x2, fold(Value(x1), Value(x2)).data)
