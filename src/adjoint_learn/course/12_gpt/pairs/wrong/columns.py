"""You divide by the sums of the columns. A column says where a letter comes from; to predict the next letter, the
numbers of a row must sum to 1."""

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def count_pairs(names):
    table = [[0] * 27 for _ in range(27)]
    for name in names:
        text = "." + name + "."
        for before, after in zip(text, text[1:]):
            table[TOKENS.index(before)][TOKENS.index(after)] += 1
    return table


def to_probabilities(table):
    totals = [sum(column) for column in zip(*table)]
    return [[count / total for count, total in zip(row, totals)] for row in table]
