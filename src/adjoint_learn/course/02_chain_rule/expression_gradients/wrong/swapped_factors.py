"""a and b are exchanged: the local derivative of d = a·b with respect to a is b, which is -3, and that with respect
to b is a, which is 2."""

gradients = {"L": 1.0, "e": -2.0, "f": 4.0, "d": -2.0, "c": -2.0, "a": -4.0, "b": 6.0}
