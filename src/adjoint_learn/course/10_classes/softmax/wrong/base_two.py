"""You take powers of 2. That is a softmax too, but not the one whose gradient is p − y: use e, `math.exp`."""


def softmax(scores):
    powers = [2.0 ** (score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]
