"""Your neuron for XOR says the same at every corner, and gets two of them right. Let it say yes at (0, 1) as well,
and pay with one mistake elsewhere."""

CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]
AND = [False, False, False, True]
XOR = [False, True, True, False]


def correct(w1, w2, b, targets):
    return sum((w1 * x1 + w2 * x2 + b > 0) == target for (x1, x2), target in zip(CORNERS, targets))


and_weights = (1.0, 1.0, -1.5)
xor_weights = (0.0, 0.0, -1.0)
