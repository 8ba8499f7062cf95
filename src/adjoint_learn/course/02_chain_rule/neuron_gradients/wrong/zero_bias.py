"""You gave the bias the gradient 0. It is a number like the others: if it moves, n moves as much."""

gradients = {
    "o": 1.0,
    "n": 0.5,
    "b": 0.0,
    "s": 0.5,
    "p1": 0.5,
    "p2": 0.5,
    "x1": -1.5,
    "w1": 1.0,
    "x2": 0.5,
    "w2": 0.0,
}
