TOKENS = ".abcdefghijklmnopqrstuvwxyz"  # "." is the boundary


def count_pairs(names):
    """Return a table of 27 by 27 counts: how often token j follows token i."""
    table = [[0] * 27 for _ in range(27)]
    for name in names:
        text = "." + name + "."
        for before, after in zip(text, text[1:]):
            table[TOKENS.index(before)][TOKENS.index(after)] += 1
    return table


def to_probabilities(table):
    """Return the table with each row divided by its sum."""
    return [[count / sum(row) for count in row] for row in table]
