"""Your loop goes on after the boundary, and `LETTERS[-1]` turns each boundary into a z. The boundary means that the
name is finished: leave the loop."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def generate(next_probabilities, rng):
    tokens = [0]
    while len(tokens) <= 12:
        token = rng.choices(range(27), next_probabilities(tokens))[0]
        tokens.append(token)
    return "".join(LETTERS[token - 1] for token in tokens[1:])
