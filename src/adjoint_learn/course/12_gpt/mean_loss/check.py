import math

from adjoint import data

TOKENS = ".abcdefghijklmnopqrstuvwxyz"


def check(check, learner):
    names = data.names()
    uniform = [[1 / 27] * 27 for _ in range(27)]
    for some in (["ab"], ["anna", "bo"], names):
        what = some if len(some) < 3 else "all names"
        check.close(f"mean_loss(uniform table, {what})", learner.mean_loss(uniform, list(some)), math.log(27))
    pairs = [pair for name in names for pair in zip(tokens(name), tokens(name)[1:])]
    for _ in range(3):
        scores = [[check.random.gauss(0, 1) for _ in TOKENS] for _ in TOKENS]
        table = [[math.exp(x) / sum(map(math.exp, row)) for x in row] for row in scores]
        expected = -sum(math.log(table[before][after]) for before, after in pairs) / len(pairs)
        check.close(
            "the loss of a random table", learner.mean_loss([list(row) for row in table], list(names)), expected
        )
    counts = [[0] * 27 for _ in range(27)]
    for before, after in pairs:
        counts[before][after] += 1
    counted = [[count / sum(row) for count in row] for row in counts]
    found = learner.mean_loss(counted, list(names))
    check.close("the loss of the counted table", found, 2.3143267)
    check.note(f"guessing costs {math.log(27):.4f} per letter, and the counted table {found:.4f}")


def tokens(name):
    return [TOKENS.index(letter) for letter in f".{name}."]
