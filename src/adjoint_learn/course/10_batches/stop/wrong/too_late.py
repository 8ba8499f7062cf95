"""You wait one epoch too long: training ends when the number of bad epochs has *reached* the patience."""


def stop(losses, patience):
    best = 0
    for i, loss in enumerate(losses):
        if loss < losses[best]:
            best = i
        if i - best > patience:
            return best, i
    return best, len(losses) - 1
