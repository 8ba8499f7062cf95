"""Your sum starts at 1, so all results are too large by 1. A product starts at 1, and a sum at 0."""


def gradient(uses):
    total = 1.0
    for result_grad, local in uses:
        total += result_grad * local
    return total
