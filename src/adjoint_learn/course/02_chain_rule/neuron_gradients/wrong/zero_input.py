"""You gave x2 the gradient 0 because its value is 0. The gradient of x2 needs the *other* factor, w2: if x2 moved,
p2 would move with it."""

gradients = {
    "o": 1.0,
    "n": 0.5,
    "b": 0.5,
    "s": 0.5,
    "p1": 0.5,
    "p2": 0.5,
    "x1": -1.5,
    "w1": 1.0,
    "x2": 0.0,
    "w2": 0.0,
}
