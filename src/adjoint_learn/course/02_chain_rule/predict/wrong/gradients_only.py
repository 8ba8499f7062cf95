"""You add the gradients as they are. A gradient says what happens for a move of 1; multiply it by the move."""


def predict(result, gradients, moves):
    return result + sum(gradients.values())
