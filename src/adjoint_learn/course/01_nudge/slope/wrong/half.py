"""Your slopes are twice too large. The two nudged inputs are x - h and x + h: how far apart are they?"""


def slope(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / h
