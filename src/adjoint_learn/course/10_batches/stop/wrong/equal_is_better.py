"""A loss that is equal to the lowest one counts as new in your program. It is no progress: compare with `<`."""


def stop(losses, patience):
    best = 0
    for i, loss in enumerate(losses):
        if loss <= losses[best]:
            best = i
        if i - best >= patience:
            return best, i
    return best, len(losses) - 1
