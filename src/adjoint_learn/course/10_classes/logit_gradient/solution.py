from softmax import softmax


def logit_gradient(scores, target):
    """Return the derivative of the cross-entropy with respect to each score."""
    gradient = softmax(scores)
    gradient[target] -= 1
    return gradient
