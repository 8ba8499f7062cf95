"""You take the mean of the changes. All inputs move at the same time, so their changes add up."""


def predict(result, gradients, moves):
    return result + sum(gradients[name] * moves[name] for name in moves) / len(moves)
