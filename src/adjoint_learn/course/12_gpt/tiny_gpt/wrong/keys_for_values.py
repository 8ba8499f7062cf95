"""You add up the keys. Keys only decide the weights; the information of a letter is in its value."""

from solution import *


def attend(query, keys, values):
    scores = [dot(query, key) / math.sqrt(len(query)) for key in keys]
    largest = max(score.data for score in scores)
    powers = [(score - largest).exp() for score in scores]
    total = sum(powers)
    return [dot(powers, column) / total for column in zip(*keys)]
