"""All rows of your table are the same list: `[[0] * 27] * 27` is one row, 27 times. A count in one row appears in
all of them. Make a new row each time: `[[0] * 27 for _ in range(27)]`."""

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def count_pairs(names):
    table = [[0] * 27] * 27
    for name in names:
        text = "." + name + "."
        for before, after in zip(text, text[1:]):
            table[TOKENS.index(before)][TOKENS.index(after)] += 1
    return table


def to_probabilities(table):
    return [[count / sum(row) for count in row] for row in table]
