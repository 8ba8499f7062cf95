"""Your result is multiplied by each change in turn. The changes add up."""


def predict(result, gradients, moves):
    for name in moves:
        result = result * (1 + gradients[name] * moves[name])
    return result
