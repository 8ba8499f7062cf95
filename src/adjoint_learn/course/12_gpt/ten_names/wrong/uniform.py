"""You draw every letter with the same probability. The model computed weights for them: pass its probabilities to
`rng.choices`."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def generate(next_probabilities, rng):
    tokens = [0]
    while len(tokens) <= 12:
        next_probabilities(tokens)
        token = rng.choices(range(27))[0]
        if token == 0:
            break
        tokens.append(token)
    return "".join(LETTERS[token - 1] for token in tokens[1:])
