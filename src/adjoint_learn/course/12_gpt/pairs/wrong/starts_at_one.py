"""Your table starts with ones, so pairs that never occur are counted once. That can be useful, but the task asks for
the plain counts: start with 0."""

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def count_pairs(names):
    table = [[1] * 27 for _ in range(27)]
    for name in names:
        text = "." + name + "."
        for before, after in zip(text, text[1:]):
            table[TOKENS.index(before)][TOKENS.index(after)] += 1
    return table


def to_probabilities(table):
    return [[count / sum(row) for count in row] for row in table]
