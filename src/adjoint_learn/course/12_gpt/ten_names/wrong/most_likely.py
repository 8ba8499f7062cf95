"""You take the most likely letter each time, so the model writes the same name again and again. Draw by chance, with
the probabilities as weights: `rng.choices`."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def generate(next_probabilities, rng):
    tokens = [0]
    while len(tokens) <= 12:
        probabilities = list(next_probabilities(tokens))
        token = probabilities.index(max(probabilities))
        if token == 0:
            break
        tokens.append(token)
    return "".join(LETTERS[token - 1] for token in tokens[1:])
