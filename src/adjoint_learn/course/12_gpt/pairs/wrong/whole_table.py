"""You divide by the sum of the whole table. That gives the probability of a pair among all pairs. You need the
probability of the next letter, given the letter before it: divide each row by its own sum."""

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def count_pairs(names):
    table = [[0] * 27 for _ in range(27)]
    for name in names:
        text = "." + name + "."
        for before, after in zip(text, text[1:]):
            table[TOKENS.index(before)][TOKENS.index(after)] += 1
    return table


def to_probabilities(table):
    total = sum(map(sum, table))
    return [[count / total for count in row] for row in table]
