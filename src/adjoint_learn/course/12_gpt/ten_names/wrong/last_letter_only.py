"""You show the model only the last token. That is a bigram model again, however large the network is. Pass the whole
list of tokens."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def generate(next_probabilities, rng):
    tokens = [0]
    while len(tokens) <= 12:
        token = rng.choices(range(27), next_probabilities(tokens[-1:]))[0]
        if token == 0:
            break
        tokens.append(token)
    return "".join(LETTERS[token - 1] for token in tokens[1:])
