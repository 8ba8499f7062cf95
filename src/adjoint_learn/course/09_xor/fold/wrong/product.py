"""The numbers are right, but you multiply x1 by x2. A neuron multiplies inputs by weights only, never by each other.
Get the bend from relu()."""


def fold(x1, x2):
    return x1 + x2 - 2 * x1 * x2
