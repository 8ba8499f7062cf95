"""You multiply the contributions of the uses. Slopes are multiplied along one path; the contributions of different
paths are added."""


def gradient(uses):
    total = 1.0
    for result_grad, local in uses:
        total *= result_grad * local
    return total
