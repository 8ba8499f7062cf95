def plan(inputs, outputs):
    """Return the cheaper mode, "forward" or "reverse", and the number of its passes."""
    return None, None  # TODO
