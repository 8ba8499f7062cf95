"""You divide the scores themselves by their sum. Scores may be negative or sum to 0, and then the results are not
probabilities. Take the power e to the score first: powers are always positive."""


def softmax(scores):
    return [score / sum(scores) for score in scores]
