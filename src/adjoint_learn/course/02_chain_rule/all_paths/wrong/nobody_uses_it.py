"""A value that nobody uses has no first pair, so `uses[0]` fails. Start with 0 and add in a loop, which does nothing
for an empty list."""


def gradient(uses):
    total = uses[0][0] * uses[0][1]
    for result_grad, local in uses[1:]:
        total += result_grad * local
    return total
