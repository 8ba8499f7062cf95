"""A nudge of 1 is a jump, and the curve bends a lot in between. Take a small h, such as 1e-5."""


def slope(f, x):
    return (f(x + 1) - f(x - 1)) / 2
