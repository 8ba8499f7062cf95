"""You add h to the result of f, so h cancels and nothing has moved. The nudge belongs inside of the parentheses: f(x
+ h)."""


def slope(f, x):
    h = 1e-5
    return (f(x) + h - (f(x) - h)) / (2 * h)
