"""You stop at the first rise. One bad epoch may be chance: wait for `patience` epochs in a row."""


def stop(losses, patience):
    for i in range(1, len(losses)):
        if losses[i] >= losses[i - 1]:
            return i - 1, i
    return len(losses) - 1, len(losses) - 1
