"""You add the two results. That is about twice the height of the curve, divided by a small number. A slope needs the
difference: how much higher is it on the right than on the left?"""


def slope(f, x):
    h = 1e-5
    return (f(x + h) + f(x - h)) / (2 * h)
