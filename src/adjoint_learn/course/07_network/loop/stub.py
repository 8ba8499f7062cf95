def train(model, xs, ys, rate, steps):
    """Take a number of training steps, and return the loss before each of them."""
    losses = []
    # TODO: in each step the loss, zero gradients, backward, and a move of every parameter
    return losses
