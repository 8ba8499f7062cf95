def logit_gradient(scores, target):
    """Return the derivative of the cross-entropy with respect to each score."""
    return None  # TODO: p - y
