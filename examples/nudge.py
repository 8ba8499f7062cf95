"""A gradient says how much the output changes when an input is nudged.

    python examples/nudge.py

The first function is the curve 3x² - 4x + 5 at x = 3: the smaller the nudge, the closer rise over run comes to the
slope, 14.0000. The second is L = (a·b + c)·f. Nudging runs the program again for each input; one backward() gives all
four slopes at once, and they are the same: 6, -4, -2 and 4.
"""

from adjoint import Value


def curve(x):
    return 3 * x**2 - 4 * x + 5


def program(a, b, c, f):
    return (a * b + c) * f


def nudged(inputs: dict[str, float], name: str, by: float) -> float:
    """Return the slope of the program along one input, by a central difference."""
    above = program(**{**inputs, name: inputs[name] + by})
    below = program(**{**inputs, name: inputs[name] - by})
    return (above - below) / (2 * by)


x = Value(3.0)
curve(x).backward()
print("the slope of 3x² - 4x + 5 at x = 3")
for h in (1.0, 0.1, 0.01, 0.001):
    print(f"  nudge {h:<6g} rise over run {(curve(3.0 + h) - curve(3.0)) / h:.4f}")
print(f"  gradient     {x.grad:.4f}\n")

inputs = {"a": 2.0, "b": -3.0, "c": 10.0, "f": -2.0}
leaves = {name: Value(number, label=name) for name, number in inputs.items()}
L = program(**leaves)
L.backward()
print(f"L = (a·b + c)·f = {L.data:g}\n  input    nudge  gradient")
for name, leaf in leaves.items():
    print(f"  {name}     {nudged(inputs, name, by=1e-3):8.4f}  {leaf.grad:8.4f}")
