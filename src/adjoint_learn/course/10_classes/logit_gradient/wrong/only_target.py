"""You give a gradient only to the correct class. The wrong classes get one too: their scores are in the sum that
p is divided by, and the loss rises with each of them. Their derivative is their probability."""

from softmax import softmax


def logit_gradient(scores, target):
    return [p - 1 if i == target else 0.0 for i, p in enumerate(softmax(scores))]
