"""You add the moves as they are. A move changes the result by the gradient times the move."""


def predict(result, gradients, moves):
    return result + sum(moves.values())
