"""The size is right and the sign is not: b is -3 and the gradient of d is -2, and the product of two negative
numbers is positive."""

gradients = {"L": 1.0, "e": -2.0, "f": 4.0, "d": -2.0, "c": -2.0, "a": -6.0, "b": 4.0}
