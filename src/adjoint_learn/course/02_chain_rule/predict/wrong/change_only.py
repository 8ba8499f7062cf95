"""This is the change of the result. Add it to the result itself."""


def predict(result, gradients, moves):
    return sum(gradients[name] * moves[name] for name in moves)
