"""You return the value of the best key alone. A choice has no gradient, so queries and keys would never learn. Mix
the values with the weights of a softmax."""

from cross_entropy import cross_entropy


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def linear(matrix, x):
    return [dot(row, x) for row in matrix]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def normalize(x):
    """Scale a list of numbers so that the mean of their squares is 1."""
    scale = (dot(x, x) / len(x) + 1e-5) ** -0.5
    return [number * scale for number in x]


def attend(query, keys, values):
    scores = [dot(query, key).data for key in keys]
    return values[scores.index(max(scores))]


def logits(weights, token, keys, values):
    """Return a score for each possible next token. `keys` and `values` are those of the tokens so far."""
    x = add(weights["letter"][token], weights["place"][len(keys)])
    h = normalize(x)
    keys.append(linear(weights["key"], h))
    values.append(linear(weights["value"], h))
    x = add(x, linear(weights["out"], attend(linear(weights["query"], h), keys, values)))
    hidden = [number.relu() for number in linear(weights["widen"], normalize(x))]
    x = add(x, linear(weights["narrow"], hidden))
    return linear(weights["scores"], normalize(x))


def loss(weights, tokens):
    """Return the mean cross-entropy of each token after the first."""
    keys, values, losses = [], [], []
    for token, following in zip(tokens, tokens[1:]):
        losses.append(cross_entropy(logits(weights, token, keys, values), following))
    return sum(losses) / len(losses)
