"""You multiplied by the value of c at the sum. The local derivatives of a sum are 1, whatever its inputs are: if d
moves by 0.001, e moves by 0.001."""

gradients = {"L": 1.0, "e": -2.0, "f": 4.0, "d": -20.0, "c": 12.0, "a": 60.0, "b": -40.0}
