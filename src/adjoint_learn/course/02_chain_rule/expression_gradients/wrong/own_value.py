"""You gave each factor its own value. In a product, the local derivative of one factor is the other factor: L = e·f
changes f times as much as e."""

gradients = {"L": 1.0, "e": 4.0, "f": -2.0, "d": 4.0, "c": 4.0, "a": 8.0, "b": -12.0}
