"""You use a single input. All inputs move, and each contributes its gradient times its move."""


def predict(result, gradients, moves):
    for name in moves:
        return result + gradients[name] * moves[name]
