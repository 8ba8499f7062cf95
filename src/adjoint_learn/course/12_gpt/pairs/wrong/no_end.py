"""You put a boundary before each name, but not after it. The model would never learn to stop. Add the boundary at the
end too."""

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def count_pairs(names):
    table = [[0] * 27 for _ in range(27)]
    for name in names:
        text = "." + name
        for before, after in zip(text, text[1:]):
            table[TOKENS.index(before)][TOKENS.index(after)] += 1
    return table


def to_probabilities(table):
    return [[count / sum(row) for count in row] for row in table]
