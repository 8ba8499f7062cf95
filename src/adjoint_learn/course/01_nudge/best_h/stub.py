def best_h(f, x, exact, candidates):
    """Return the candidate whose central difference is nearest to the exact slope."""
    return None  # TODO: compare the errors
