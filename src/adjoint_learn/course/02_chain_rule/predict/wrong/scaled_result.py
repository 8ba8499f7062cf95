"""You multiply the result. The moves *add* to it: result plus gradient times move."""


def predict(result, gradients, moves):
    return result * sum(gradients[name] * moves[name] for name in moves)
