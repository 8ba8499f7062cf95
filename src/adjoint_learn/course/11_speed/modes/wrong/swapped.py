"""You have the two modes the wrong way round. Reverse mode starts at one output and reaches all inputs, so it needs one
pass for each output. That is why it suits a loss."""


def plan(inputs, outputs):
    if inputs > outputs:
        return "forward", inputs
    return "reverse", outputs
