"""This is how much the output changes, and it depends on the size of your nudge. A slope is the change of the output
for each unit of the input: divide by how far the input moved."""


def slope(f, x):
    h = 1e-5
    return f(x + h) - f(x - h)
