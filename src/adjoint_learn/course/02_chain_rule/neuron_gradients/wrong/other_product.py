"""You took the weight of the other product: p1 = x1·w1, so the gradient of x1 needs w1, which is -3."""

gradients = {
    "o": 1.0,
    "n": 0.5,
    "b": 0.5,
    "s": 0.5,
    "p1": 0.5,
    "p2": 0.5,
    "x1": 0.5,
    "w1": 0.0,
    "x2": -1.5,
    "w2": 1.0,
}
