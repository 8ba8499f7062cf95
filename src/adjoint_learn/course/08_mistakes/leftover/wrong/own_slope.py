"""The gradients are added up, but w moves by the slope of this step alone. The loop has no slope, it has only
w.grad, and it moves w by all of it."""


def leftover(w, x, y, rate):
    grad, seen = 0.0, []
    for _ in range(3):
        slope = 2 * (w * x - y) * x
        grad += slope
        seen.append(grad)
        w -= rate * slope
    return seen
