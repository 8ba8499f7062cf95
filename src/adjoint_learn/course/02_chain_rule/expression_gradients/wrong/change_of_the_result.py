"""This is how much L changes for a nudge of 0.001. The gradient is the change for each unit of a: divide by
0.001."""

gradients = {"L": 1.0, "e": -2.0, "f": 4.0, "d": -2.0, "c": -2.0, "a": 0.006, "b": -0.004}
