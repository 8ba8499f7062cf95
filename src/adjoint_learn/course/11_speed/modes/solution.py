def plan(inputs, outputs):
    """Return the cheaper mode, "forward" or "reverse", and the number of its passes."""
    if inputs < outputs:
        return "forward", inputs
    return "reverse", outputs
