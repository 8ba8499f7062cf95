"""These are the slopes of each step alone, as if somebody had set the gradient back to 0. Your rules use +=, so what
was in w.grad before the step is still there."""


def leftover(w, x, y, rate):
    grad, seen = 0.0, []
    for _ in range(3):
        slope = 2 * (w * x - y) * x
        grad = slope
        seen.append(grad)
        w -= rate * grad
    return seen
