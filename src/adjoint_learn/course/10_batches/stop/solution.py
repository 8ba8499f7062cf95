def stop(losses, patience):
    """Return the epoch of the lowest loss, and the epoch after which training ends."""
    best = 0
    for i, loss in enumerate(losses):
        if loss < losses[best]:
            best = i
        if i - best >= patience:
            return best, i
    return best, len(losses) - 1
