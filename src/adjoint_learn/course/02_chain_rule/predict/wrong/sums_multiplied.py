"""You multiply the sum of the gradients by the sum of the moves. Each gradient belongs to its own move: multiply the
pairs first, then add."""


def predict(result, gradients, moves):
    return result + sum(gradients.values()) * sum(moves.values())
