"""The first number is right and the second is too large: your w moves uphill. The step goes against the gradient."""


def leftover(w, x, y, rate):
    grad, seen = 0.0, []
    for _ in range(3):
        slope = 2 * (w * x - y) * x
        grad += slope
        seen.append(grad)
        w += rate * grad
    return seen
