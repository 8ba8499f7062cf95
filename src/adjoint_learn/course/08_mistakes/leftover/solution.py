def leftover(w, x, y, rate):
    """Return w.grad after each of three calls of backward(), if nobody sets it back to 0."""
    grad, seen = 0.0, []
    for _ in range(3):
        slope = 2 * (w * x - y) * x  # the derivative of (w*x - y)**2 at the current w
        grad += slope
        seen.append(grad)
        w -= rate * grad
    return seen


print(leftover(3.0, 2.0, 10.0, 0.1))
