"""You divide each row by its largest number. The rows then do not sum to 1: divide by the sum."""

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def count_pairs(names):
    table = [[0] * 27 for _ in range(27)]
    for name in names:
        text = "." + name + "."
        for before, after in zip(text, text[1:]):
            table[TOKENS.index(before)][TOKENS.index(after)] += 1
    return table


def to_probabilities(table):
    return [[count / max(row) for count in row] for row in table]
