"""Your numbers are -16, -32, -48 in the example: the weight never moved. A training step changes w after each
backward(), so the next slope is another one."""


def leftover(w, x, y, rate):
    grad, seen = 0.0, []
    for _ in range(3):
        slope = 2 * (w * x - y) * x
        grad += slope
        seen.append(grad)
    return seen
