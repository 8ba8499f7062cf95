"""Reverse mode is right for a loss, but not for every function. With one input and three outputs, forward mode needs
one pass and reverse mode three. Compare the numbers of inputs and outputs."""


def plan(inputs, outputs):
    return "reverse", outputs
