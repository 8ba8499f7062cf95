TOKENS = ".abcdefghijklmnopqrstuvwxyz"  # "." is the boundary


def count_pairs(names):
    """Return a table of 27 by 27 counts: how often token j follows token i."""
    return None  # TODO


def to_probabilities(table):
    """Return the table with each row divided by its sum."""
    return None  # TODO
