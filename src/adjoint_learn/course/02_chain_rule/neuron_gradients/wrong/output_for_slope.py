"""0.7071 is the output of tanh. Its local derivative is 1 - o², which is 0.5."""

gradients = {
    "o": 1.0,
    "n": 0.7071,
    "b": 0.7071,
    "s": 0.7071,
    "p1": 0.7071,
    "p2": 0.7071,
    "x1": -2.1213,
    "w1": 1.4142,
    "x2": 0.7071,
    "w2": 0.0,
}
