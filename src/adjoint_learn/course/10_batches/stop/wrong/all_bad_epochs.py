"""You count all epochs without a new lowest loss. They have to be in a row: a new lowest loss sets the count back to
0."""


def stop(losses, patience):
    best = bad = 0
    for i in range(1, len(losses)):
        if losses[i] < losses[best]:
            best = i
        else:
            bad += 1
        if bad >= patience:
            return best, i
    return best, len(losses) - 1
