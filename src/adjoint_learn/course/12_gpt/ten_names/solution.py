LETTERS = "abcdefghijklmnopqrstuvwxyz"  # the tokens 1 to 26; token 0 is the boundary


def generate(next_probabilities, rng):
    """Return a name, drawn letter by letter from a model."""
    tokens = [0]
    while len(tokens) <= 12:
        token = rng.choices(range(27), next_probabilities(tokens))[0]
        if token == 0:
            break
        tokens.append(token)
    return "".join(LETTERS[token - 1] for token in tokens[1:])
