"""You never undo a nudge: when you nudge the second input, the first one is still away from its place. The error is
small here, and grows with the number of inputs. Start each time from the original inputs."""


def partials(f, inputs):
    h = 1e-5
    slopes, moved = [], list(inputs)
    for i in range(len(inputs)):
        moved[i] += h
        up = f(*moved)
        moved[i] -= 2 * h
        down = f(*moved)
        slopes.append((up - down) / (2 * h))
    return slopes
