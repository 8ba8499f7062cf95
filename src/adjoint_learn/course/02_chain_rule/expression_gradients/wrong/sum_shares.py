"""A sum does not share its gradient among its inputs. If d grows by 0.001, e grows by the whole 0.001, and the same
is true for c: both get the full gradient of e."""

gradients = {"L": 1.0, "e": -2.0, "f": 4.0, "d": -1.0, "c": -1.0, "a": 3.0, "b": -2.0}
