"""You divide the height by the place. That is the slope of the line from the point 0, 0 to your point. The slope
*at* a place compares two neighbors of it."""


def slope(f, x):
    return f(x) / x
