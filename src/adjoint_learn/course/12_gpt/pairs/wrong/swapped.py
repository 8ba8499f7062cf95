"""Your table is transposed: the row must be the token that comes first, and the column the token that follows it.
Otherwise the rows say what came before."""

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def count_pairs(names):
    table = [[0] * 27 for _ in range(27)]
    for name in names:
        text = "." + name + "."
        for before, after in zip(text, text[1:]):
            table[TOKENS.index(after)][TOKENS.index(before)] += 1
    return table


def to_probabilities(table):
    return [[count / sum(row) for count in row] for row in table]
