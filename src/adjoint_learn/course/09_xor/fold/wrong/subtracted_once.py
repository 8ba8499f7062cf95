"""At (1, 1) the result is 1: after the second bend the line is level, because +1 and -1 cancel. It has to go down,
so the second ReLU needs more weight."""


def fold(x1, x2):
    s = x1 + x2
    return s.relu() - (s - 1).relu()
