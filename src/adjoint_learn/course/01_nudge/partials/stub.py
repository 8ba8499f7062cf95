def partials(f, inputs):
    """Return the slope of f with respect to each of its inputs."""
    return None  # TODO: nudge one input at a time
