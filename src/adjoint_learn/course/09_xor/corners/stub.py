CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]
AND = [False, False, False, True]
XOR = [False, True, True, False]


def correct(w1, w2, b, targets):
    """Return the number of corners on which the neuron agrees with the targets."""
    return None  # TODO


and_weights = (0.0, 0.0, 0.0)  # TODO: w1, w2 and b with 4 correct corners
xor_weights = (0.0, 0.0, 0.0)  # TODO: the best that you can find
