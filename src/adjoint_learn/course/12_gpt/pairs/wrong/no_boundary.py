"""You count only the pairs inside the names. The model would not know how a name starts, and could never end one. Put
the boundary before and after each name."""

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def count_pairs(names):
    table = [[0] * 27 for _ in range(27)]
    for name in names:
        text = name
        for before, after in zip(text, text[1:]):
            table[TOKENS.index(before)][TOKENS.index(after)] += 1
    return table


def to_probabilities(table):
    return [[count / sum(row) for count in row] for row in table]
