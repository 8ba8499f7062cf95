"""You computed 1 + o². The slope of tanh is 1 - o²: it squashes, so its slope is never above 1."""

gradients = {
    "o": 1.0,
    "n": 1.5,
    "b": 1.5,
    "s": 1.5,
    "p1": 1.5,
    "p2": 1.5,
    "x1": -4.5,
    "w1": 3.0,
    "x2": 1.5,
    "w2": 0.0,
}
