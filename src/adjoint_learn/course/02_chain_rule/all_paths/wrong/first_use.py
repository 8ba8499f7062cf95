"""Only the first use counts in your program: it returns in the first round of the loop. Return after the loop."""


def gradient(uses):
    for result_grad, local in uses:
        return result_grad * local
    return 0.0
