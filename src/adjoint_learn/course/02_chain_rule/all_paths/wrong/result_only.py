"""You add up the gradients of the results, without the local derivatives. A use contributes the product of both."""


def gradient(uses):
    return sum(result_grad for result_grad, _ in uses)
