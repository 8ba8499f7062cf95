"""These are the values of the nodes. The gradient of a node says how much L changes when the node moves a little."""

gradients = {"L": -8.0, "e": 4.0, "f": -2.0, "d": -6.0, "c": 10.0, "a": 2.0, "b": -3.0}
