from adjoint import data

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def check(check, learner):
    for names in (["ab"], ["aa", "b"], ["anna"]):
        got = learner.count_pairs(list(names))
        check.equal(f"the pairs of {names}", pairs(check, got), pairs(check, reference(names)))
    names = data.names()
    counts = reference(names)
    got = learner.count_pairs(list(names))
    check.equal("the pairs of all 558 names", pairs(check, got), pairs(check, counts))
    probabilities = as_table(learner.to_probabilities([list(row) for row in counts]))
    pairs(check, probabilities, "the result of to_probabilities")
    sums = [round(sum(row), 6) for row in probabilities]
    check.close("the sums of the rows", sums[:5], [1.0] * 5, because="Those are the rows of . a b c d.")
    expected = [[count / sum(row) for count in row] for row in counts]
    check.close("to_probabilities(count_pairs(names))", probabilities, expected)
    check.note("all 3764 pairs are counted, and every row of your table sums to 1")


def pairs(check, table, what="your table of counts"):
    """Return the entries of a table that are not zero, such as "ab: 1", after a claim about its shape."""
    found = as_table(table)
    shape = None if table is None else [len(found), *sorted({len(row) for row in found})]
    check.equal(f"the shape of {what}", shape, [27, 27])
    return [f"{TOKENS[i]}{TOKENS[j]}: {x:g}" for i, row in enumerate(found) for j, x in enumerate(row) if x]


def as_table(given):
    """Return a table as lists of floats; an empty one if it is not a table of numbers."""
    try:
        return [[float(x) for x in row] for row in given]
    except (TypeError, ValueError, OverflowError):
        return []


def reference(names):
    table = [[0] * 27 for _ in range(27)]
    for name in names:
        tokens = [TOKENS.index(letter) for letter in f".{name}."]
        for before, after in zip(tokens, tokens[1:]):
            table[before][after] += 1
    return table
