def reference(losses, patience):
    best = 0
    for i, loss in enumerate(losses):
        best = i if loss < losses[best] else best
        if i - best >= patience:
            return [best, i]
    return [best, len(losses) - 1]


def check(check, learner):
    def claim(losses, patience):
        got = learner.stop(list(losses), patience)
        got = list(got) if isinstance(got, tuple) else got
        check.equal(f"stop({losses}, {patience})", got, reference(losses, patience))

    claim([5, 4, 3, 2], 2)
    claim([5, 3, 2, 4, 3, 1], 2)
    claim([5, 3, 4, 2, 3, 1, 2], 2)
    claim([3, 3, 3, 3], 2)
    claim([1, 2, 3], 5)
    for _ in range(20):
        claim([check.random.randint(0, 30) for _ in range(12)], check.random.randint(1, 4))
    check.note("25 curves were ended where they should")
