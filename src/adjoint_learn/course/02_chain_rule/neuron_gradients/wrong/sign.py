"""The size is right and the sign is not: w1 is -3, and it is multiplied by 0.5, which is positive."""

gradients = {
    "o": 1.0,
    "n": 0.5,
    "b": 0.5,
    "s": 0.5,
    "p1": 0.5,
    "p2": 0.5,
    "x1": 1.5,
    "w1": 1.0,
    "x2": 0.5,
    "w2": 0.0,
}
