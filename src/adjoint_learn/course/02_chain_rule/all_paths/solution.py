def gradient(uses):
    """Return the gradient of a value from a list of pairs: gradient of a result, local derivative."""
    total = 0.0
    for result_grad, local in uses:
        total += result_grad * local
    return total
