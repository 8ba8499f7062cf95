"""You return the probabilities alone. All of them are positive, so a step against them would lower every score, that of
the correct class too. Subtract 1 for the correct class."""

from softmax import softmax


def logit_gradient(scores, target):
    return softmax(scores)
