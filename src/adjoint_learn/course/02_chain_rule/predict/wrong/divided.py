"""You divide the move by the gradient. A steep slope makes the result change more: multiply."""


def predict(result, gradients, moves):
    return result + sum(moves[name] / gradients[name] for name in moves)
