import math


def choose(curves):
    """Return the rate whose worst seed ends with the lowest loss."""

    def worst(rate):
        return max(curve[-1] if math.isfinite(curve[-1]) else math.inf for curve in curves[rate])

    return min(curves, key=worst)


if __name__ == "__main__":
    print(choose({0.01: [[4.0, 3.0], [4.0, 2.0]], 0.1: [[4.0, 1.0], [4.0, 8.0]]}))  # 0.01
