"""The line of AND has only one corner of XOR on the right side. Move it so that (0, 0) is alone on its side."""

CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]
AND = [False, False, False, True]
XOR = [False, True, True, False]


def correct(w1, w2, b, targets):
    return sum((w1 * x1 + w2 * x2 + b > 0) == target for (x1, x2), target in zip(CORNERS, targets))


and_weights = (1.0, 1.0, -1.5)
xor_weights = (1.0, 1.0, -1.5)
