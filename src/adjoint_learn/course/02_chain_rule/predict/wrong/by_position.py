"""You pair gradients and moves by their places. The two dictionaries may have their names in another order: look
each gradient up by the name of its move."""


def predict(result, gradients, moves):
    return result + sum(g * m for g, m in zip(gradients.values(), moves.values()))
