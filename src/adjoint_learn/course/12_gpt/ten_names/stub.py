LETTERS = "abcdefghijklmnopqrstuvwxyz"  # the tokens 1 to 26; token 0 is the boundary


def generate(next_probabilities, rng):
    """Return a name, drawn letter by letter from a model."""
    return None  # TODO
