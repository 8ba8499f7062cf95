"""You computed 1 - o. The local derivative of tanh is 1 - o², with the square: 1 - 0.5 = 0.5."""

gradients = {
    "o": 1.0,
    "n": 0.2929,
    "b": 0.2929,
    "s": 0.2929,
    "p1": 0.2929,
    "p2": 0.2929,
    "x1": -0.8787,
    "w1": 0.5858,
    "x2": 0.2929,
    "w2": 0.0,
}
