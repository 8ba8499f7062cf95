"""You multiply by p(1 − p), the derivative of a sigmoid. The logarithm of the cross-entropy cancels that factor. That
is why the two belong together: the gradient stays large while the network is wrong."""

from softmax import softmax


def logit_gradient(scores, target):
    return [(p - (i == target)) * p * (1 - p) for i, p in enumerate(softmax(scores))]
