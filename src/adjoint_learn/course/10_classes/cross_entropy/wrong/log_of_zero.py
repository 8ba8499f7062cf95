"""You compute the probability first and take its logarithm afterwards. A probability can be so small that the computer
stores 0, and log 0 does not exist. Write the logarithm of the quotient as a difference before you compute it."""


def cross_entropy(scores, target):
    largest = max(score.data for score in scores)
    powers = [(score - largest).exp() for score in scores]
    return -(powers[target] / sum(powers)).log()
